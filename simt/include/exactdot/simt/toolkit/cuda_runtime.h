// cuda_runtime.h for programs that simtcc compiles: kernels' functions and the runtime's, on the simulator.
#pragma once

#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>

#include <cmath>
#include <cstdlib>
#include <exactdot/simt/fast_math.hpp>
#include <exactdot/simt/runtime/launch.hpp>
#include <exactdot/simt/special_registers.hpp>

/// What simtcc calls for memcpy, memmove and memset in a kernel: plain accesses of a range, which are reported.
extern "C" {
void* __tsan_memcpy(void* to, const void* from, std::size_t size);
void* __tsan_memmove(void* to, const void* from, std::size_t size);
void* __tsan_memset(void* to, int value, std::size_t size);
}
