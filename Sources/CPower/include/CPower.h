// Access to energy and sensor interfaces: opens, reads, reports errno. No policy.
#pragma once
