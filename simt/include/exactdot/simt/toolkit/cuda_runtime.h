// cuda_runtime.h for programs that simtcc compiles: kernels' functions and the runtime's, on the simulator.
// It includes the headers of C that nvcc's includes too.
#pragma once

#if defined(__SIMTCC__)
#include <exactdot/simt/runtime/host_memory.h>
#endif

#include <ctype.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <exactdot/simt/fast_math.hpp>
#include <exactdot/simt/runtime/launch.hpp>
#include <exactdot/simt/runtime/textures.hpp>
#include <exactdot/simt/runtime/variables.hpp>
#include <exactdot/simt/special_registers.hpp>

/// What simtcc calls for memcpy, memmove and memset in a kernel: plain accesses of a range, which are reported.
extern "C" {
void* __tsan_memcpy(void* to, const void* from, std::size_t size);
void* __tsan_memmove(void* to, const void* from, std::size_t size);
void* __tsan_memset(void* to, int value, std::size_t size);
}

// By these, headers of others know that it was included.
#define __CUDA_RUNTIME_H__
#define __VECTOR_TYPES_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
