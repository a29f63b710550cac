// What kernels share: the mask of a whole warp, words of doubles, notes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exactdot/core/config.hpp>
#include <exactdot/simt/cuda.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// The mask of collectives in which every lane of a warp takes part.
constexpr unsigned all_lanes = 0xffffffffU;

/// Sign, exponent and the upper 20 bits of the significand.
__device__ __forceinline__ unsigned high_word(double x) {
  return static_cast<unsigned>(core::bit_cast<std::uint64_t>(x) >> 32);
}

/// Notes the lowest of some numbers: the status is the complement of it, which never decreases.
__device__ __forceinline__ void note_lowest(unsigned long long* status, std::uint64_t number) {
  atomicMax(status, ~static_cast<unsigned long long>(number));
}

namespace {

// Programmatic dependent launch (CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization";
// compute capability 9.0). A kernel of the library is launched while the stream's previous kernel still runs, and
// waits at its beginning until that is complete and its memory visible. So the next launch costs less time than a
// boundary between two kernels does.
//
// If its inputs are short, a kernel lets the next one start at its beginning, else when it has read them. Otherwise
// waiting blocks would fill some multiprocessors, and the others would get more blocks of the next launch than
// their share.

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
