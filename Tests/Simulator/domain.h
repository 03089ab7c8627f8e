// What consumes energy: piecewise constant power whose energy is an exact integer.
#pragma once

#include "text.h"

/// Microwatts times nanoseconds.
typedef __int128 femtojoules;

/// Constant power from a moment on. All moments are nanoseconds since the start.
struct segment {
    int64_t from_ns;
    int64_t microwatts;
    /// Energy from the start up to `from_ns`.
    femtojoules before;
};

struct domain {
    char *name;
    struct segment *segments;
    size_t count;
    /// Of a sum: the domains it adds up. NULL for a domain of its own.
    struct domain **members;
    size_t member_count;
};

/// 10 MW: more is a mistake, and so much for 3,000 years still fits.
#define MOST_MICROWATTS INT64_C(10000000000000)

/// Sets the power from `now_ns` on, which is not before the last change. False when memory is short.
bool domain_set(struct domain *domain, int64_t now_ns, int64_t microwatts);

/// The index of the segment that holds a moment; before the start that is the first.
size_t domain_segment(const struct domain *domain, int64_t at_ns);

int64_t domain_power(const struct domain *domain, int64_t at_ns);

/// Energy since the start; before it the power was the first one for ever, so that the result is negative.
femtojoules domain_energy(const struct domain *domain, int64_t at_ns);

/// The power that a sum has by the power of its members now.
int64_t domain_sum(const struct domain *domain);
