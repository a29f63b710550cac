// Other names for the C library's functions on memory blocks, in files that simtcc compiles: before <string.h>
// and <stdio.h>.
//
// The instrumentation covers loads and stores only. GCC calls its built-in functions by these names too, so that
// std::copy, std::fill and their like reach the simulator; Clang instruments all but memcmp itself.
#pragma once

#include <stddef.h>

extern "C" {
#if !defined(__clang__)
void* memcpy(void* to, const void* from, size_t size) noexcept(true) __asm__("exactdot_memcpy");
void* memmove(void* to, const void* from, size_t size) noexcept(true) __asm__("exactdot_memmove");
void* memset(void* to, int value, size_t size) noexcept(true) __asm__("exactdot_memset");
#endif
int memcmp(const void* left, const void* right, size_t size) noexcept(true) __asm__("exactdot_memcmp");
size_t fread(void* to, size_t size, size_t count, struct _IO_FILE* file) __asm__("exactdot_fread");
size_t fwrite(const void* from, size_t size, size_t count, struct _IO_FILE* file) __asm__("exactdot_fwrite");
}
