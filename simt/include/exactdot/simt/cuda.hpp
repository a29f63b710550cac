// One CUDA source, two compilers: nvcc for a GPU, the host compiler for the simulator.
//
// A kernel file that includes this header compiles unchanged with both. CUDA's names (threadIdx, __syncthreads,
// atomicAdd, …) are CUDA's. Streams, memory and launches are exactdot::gpu, with the same interface on both:
// `stream`, `buffer`, `launch`, `dynamic_shared`.
#pragma once

#if defined(__CUDACC__) && !defined(__SIMTCC__)
#include <exactdot/simt/on_gpu.hpp>
namespace exactdot {
namespace gpu = on_gpu;
}
#else
#include <exactdot/simt/on_cpu.hpp>
namespace exactdot {
namespace gpu = simt;
}
#endif
