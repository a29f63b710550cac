// cuda_pipeline_primitives.h for programs that simtcc compiles: copies from global to shared memory by cp.async.
//
// The last `zfill` bytes become zero by ordinary writes.
#pragma once

#include <cuda_awbarrier_primitives.h>

#include <cuda/async_copies.hpp>

[[gnu::always_inline]] inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                                           std::size_t zfill = 0) {
  if (zfill == 0) return cuda::detail::cp_async(to, from, bytes);
  cuda::detail::copy_share(to, from, bytes - zfill, 0, 1);
  for (std::size_t i = bytes - zfill; i < bytes; ++i) static_cast<char*>(to)[i] = 0;
}
[[gnu::always_inline]] inline void __pipeline_commit() { exactdot::simt::cp_async_commit_group(); }
/// Waits for all groups but the last `groups_left` that were committed.
[[gnu::always_inline]] inline void __pipeline_wait_prior(std::size_t groups_left) {
  cuda::detail::wait_groups(static_cast<int>(groups_left));
}
/// An arrival that follows the thread's earlier copies; the phase expects one more.
[[gnu::always_inline]] inline void __pipeline_arrive_on(__mbarrier_t* bar) {
  exactdot::simt::cp_async_mbarrier_arrive(bar);
}
