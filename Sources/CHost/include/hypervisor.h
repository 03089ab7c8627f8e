// Who is below this kernel.
#pragma once

/// The hypervisor's name for itself, e.g. "KVMKVMKVM", "" where the processor runs under none or does not tell.
/// Source: CPUID leaf 1, ECX bit 31, and leaf 0x40000000 (kernel Documentation/virt/kvm/x86/cpuid.rst).
/// \param name Room for 13 bytes, the ending zero included.
void chost_hypervisor(char name[13]);
