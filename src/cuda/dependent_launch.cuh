// Programmatic dependent launch (CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization";
// compute capability 9.0). A kernel of the library is launched while the stream's previous kernel still runs, and
// waits at its beginning until that is complete and its memory visible. So the next launch costs less time than a
// boundary between two kernels does.
//
// If its inputs are short, a kernel lets the next one start at its beginning, else when it has read them. Otherwise
// waiting blocks would fill some multiprocessors, and the others would get more blocks of the next launch than
// their share.
#pragma once

#include <cstddef>
#include <exactdot/simt/cuda.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Waits for the stream's previous kernel. By all threads of every block, before they access global memory.
__device__ __forceinline__ void await_previous_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the stream's next kernel be launched, when all blocks have come here.
__device__ __forceinline__ void allow_next_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Of an input: whether the next kernel may be launched at once.
__device__ __forceinline__ bool is_short(std::size_t elements) { return elements <= std::size_t{1} << 20; }

/// The beginning of a kernel that reads so many elements of each input.
__device__ __forceinline__ void begin_kernel(std::size_t elements) {
  await_previous_kernel();
  if (is_short(elements)) allow_next_kernel();
}

/// By all threads, when the first level has read the inputs. A second read may follow.
__device__ __forceinline__ void end_of_input(std::size_t elements) {
  if (!is_short(elements)) allow_next_kernel();
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
