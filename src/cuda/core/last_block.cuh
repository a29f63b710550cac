// The last block: of several that have stored a part each, the one that may join them. One counter, a fence on each
// side (M. Harris, "Optimizing parallel reduction in CUDA", threadFenceReduction). No block waits for another.
//
// The one place of this idiom, so that a fence that is missing anywhere is missing everywhere, and is noticed.
#pragma once

#include <exactdot/simt/cuda.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// True in the last of so many blocks to call it, which may read what the others stored before they did; the
/// counter is zero again then. By one thread, for what it has stored, or after a fence and a barrier for what its
/// block has.
__device__ __forceinline__ bool is_last_block(unsigned& arrived, unsigned blocks) {
  __threadfence();
  const bool is_last = atomicAdd(&arrived, 1U) == blocks - 1;
  if (is_last) arrived = 0;
  __threadfence();  // before any thread of the last block reads
  return is_last;
}

/// The same by all threads of the block, for what each has stored. `shared`: in shared memory, of this
/// call only.
__device__ __forceinline__ bool is_last_block_for_all(unsigned& arrived, unsigned blocks, bool& shared) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) shared = is_last_block(arrived, blocks);
  __syncthreads();
  const bool is_last = shared;
  __syncthreads();
  return is_last;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
