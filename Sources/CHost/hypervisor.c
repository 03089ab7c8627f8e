#include "hypervisor.h"

#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

void chost_hypervisor(char name[13]) {
    enum { HYPERVISOR_LEAF = 0x40000000, HYPERVISOR_BIT = 31 };
    unsigned eax, ebx, ecx, edx;
    name[0] = 0;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx >> HYPERVISOR_BIT)) return;
    __cpuid(HYPERVISOR_LEAF, eax, ebx, ecx, edx);
    memcpy(name, &ebx, 4);
    memcpy(name + 4, &ecx, 4);
    memcpy(name + 8, &edx, 4);
    name[12] = 0;
}

#else

void chost_hypervisor(char name[13]) { name[0] = 0; }

#endif
