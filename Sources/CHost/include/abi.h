// The binary interface of a library that was loaded at run time, seen from outside its headers.
#pragma once
#include <sys/types.h>

/// Calls `function` as one that returns a struct in memory and tells how many bytes it wrote.
///
/// llama.h returns its parameter structs by value and has no version macro, so a library whose structs are
/// larger than the headers' would write past the caller's frame without a word. Here the caller's frame is
/// 4 KiB. Bytes that the function leaves alone, such as tail padding, are not counted: the struct's size
/// is between the result and the next multiple of its alignment.
///
/// The function may take up to two arguments; it is given a null pointer and 0.
/// Source: System V AMD64 ABI, 3.2.3: a class MEMORY value is returned through the address in %rdi.
///
/// Returns -1 with errno ENOTSUP where that convention is not the machine's.
ssize_t chost_returned_extent(void *function);
