// Access to energy and sensor interfaces: opens, reads, reports errno. No policy.
#pragma once

#include "bell.h"
#include "fields.h"
#include "files.h"
#include "nvml_access.h"
#include "sensors_access.h"
