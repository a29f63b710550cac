// The beginning of every kernel: programmatic dependent launch (CUDA C++ Programming Guide, "Programmatic Dependent
// Launch and Synchronization"; compute capability 9.0). A kernel of the library is launched while the stream's
// previous kernel still runs, and waits here until that is complete and its memory visible. So the next launch
// costs less time than a boundary between two kernels does.
#pragma once

#include <exactdot/simt/cuda.hpp>

namespace exactdot::cuda_engine {
namespace {

/// Waits for the stream's previous kernel, then lets the next one be launched. By all threads of every block,
/// before they access global memory.
__device__ __forceinline__ void await_previous_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

}  // namespace
}  // namespace exactdot::cuda_engine
