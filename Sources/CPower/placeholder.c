#include "CPower.h"
