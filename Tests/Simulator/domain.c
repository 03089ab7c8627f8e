#include "domain.h"

bool domain_set(struct domain *domain, int64_t now_ns, int64_t microwatts) {
    femtojoules before = 0;
    if (domain->count > 0) {
        struct segment *last = &domain->segments[domain->count - 1];
        if (last->from_ns == now_ns) {
            last->microwatts = microwatts;
            return true;
        }
        before = last->before + (femtojoules)last->microwatts * (now_ns - last->from_ns);
    }
    struct segment *segments = array_more(domain->segments, domain->count, sizeof *segments);
    if (segments == NULL) return false;
    domain->segments = segments;
    segments[domain->count] = (struct segment){now_ns, microwatts, before};
    domain->count += 1;
    return true;
}

size_t domain_segment(const struct domain *domain, int64_t at_ns) {
    size_t low = 0, high = domain->count;
    // Most questions are about now.
    if (high > 0 && domain->segments[high - 1].from_ns <= at_ns) return high - 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (domain->segments[middle].from_ns <= at_ns) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

int64_t domain_power(const struct domain *domain, int64_t at_ns) {
    return domain->segments[domain_segment(domain, at_ns)].microwatts;
}

femtojoules domain_energy(const struct domain *domain, int64_t at_ns) {
    const struct segment *segment = &domain->segments[domain_segment(domain, at_ns)];
    return segment->before + (femtojoules)segment->microwatts * (at_ns - segment->from_ns);
}

int64_t domain_sum(const struct domain *domain) {
    int64_t sum = 0;
    for (size_t at = 0; at < domain->member_count; at += 1) {
        const struct domain *member = domain->members[at];
        sum += member->segments[member->count - 1].microwatts;
    }
    return sum;
}
