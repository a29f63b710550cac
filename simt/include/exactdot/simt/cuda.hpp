// One CUDA source, two worlds: on a GPU by nvcc, on a CPU by the host compiler and the simulator.
//
// A kernel file that includes this header compiles unchanged with both. The names that CUDA has (threadIdx,
// __syncthreads, atomicAdd, …) are CUDA's; what CUDA leaves to the host program (a stream, memory, a launch) is
// exactdot::gpu here, the same in both: `launch`, `stream`, `buffer`, `dynamic_shared`.
#pragma once

#if defined(__CUDACC__)
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
