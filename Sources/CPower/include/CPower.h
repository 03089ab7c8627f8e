// Access to energy and sensor interfaces: opens, reads, reports errno. No policy.
#pragma once

#include "bell.h"
#include "clocks.h"
#include "combined.h"
#include "fields.h"
#include "files.h"
#include "helper.h"
#include "nvml_access.h"
#include "perf.h"
#include "sensors_access.h"
