// mbarriers and asynchronous copies on a GPU (async.hpp): libcu++'s cuda::ptx, and inline PTX for what it lacks.
#pragma once

#include <cstdint>
#include <cuda/ptx>

namespace exactdot::on_gpu {

using mbarrier = std::uint64_t;

namespace detail {
__device__ inline unsigned shared_address(const void* generic) {
  return static_cast<unsigned>(__cvta_generic_to_shared(generic));
}
}  // namespace detail

__device__ inline void mbarrier_init(mbarrier* bar, unsigned count) { ::cuda::ptx::mbarrier_init(bar, count); }
__device__ inline void mbarrier_inval(mbarrier* bar) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(detail::shared_address(bar)) : "memory");
}
__device__ inline void fence_mbarrier_init() {
  ::cuda::ptx::fence_mbarrier_init(::cuda::ptx::sem_release, ::cuda::ptx::scope_cluster);
}
__device__ inline void fence_proxy_async() { ::cuda::ptx::fence_proxy_async(); }

__device__ inline std::uint64_t mbarrier_arrive(mbarrier* bar) { return ::cuda::ptx::mbarrier_arrive(bar); }
__device__ inline void mbarrier_arrive_remote(mbarrier* bar) {
  ::cuda::ptx::mbarrier_arrive(::cuda::ptx::sem_release, ::cuda::ptx::scope_cluster, ::cuda::ptx::space_cluster, bar);
}
__device__ inline std::uint64_t mbarrier_arrive_expect_tx(mbarrier* bar, unsigned bytes) {
  return ::cuda::ptx::mbarrier_arrive_expect_tx(::cuda::ptx::sem_release, ::cuda::ptx::scope_cta, ::cuda::ptx::space_shared,
                                              bar, bytes);
}
__device__ inline void mbarrier_expect_tx(mbarrier* bar, unsigned bytes) {
  ::cuda::ptx::mbarrier_expect_tx(::cuda::ptx::sem_relaxed, ::cuda::ptx::scope_cta, ::cuda::ptx::space_shared, bar, bytes);
}
__device__ inline bool mbarrier_test_wait(mbarrier* bar, std::uint64_t state) {
  return ::cuda::ptx::mbarrier_test_wait(bar, state);
}
__device__ inline bool mbarrier_try_wait(mbarrier* bar, std::uint64_t state) {
  return ::cuda::ptx::mbarrier_try_wait(bar, state);
}
__device__ inline bool mbarrier_test_wait_parity(mbarrier* bar, unsigned parity) {
  return ::cuda::ptx::mbarrier_test_wait_parity(bar, parity);
}
__device__ inline bool mbarrier_try_wait_parity(mbarrier* bar, unsigned parity) {
  return ::cuda::ptx::mbarrier_try_wait_parity(bar, parity);
}

template <int bytes>
__device__ void cp_async(void* shared, const void* global) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(detail::shared_address(shared)),
               "l"(__cvta_generic_to_global(global)), "n"(bytes)
               : "memory");
}
__device__ inline void cp_async_commit_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int groups>
__device__ void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}
__device__ inline void cp_async_wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }
__device__ inline void cp_async_mbarrier_arrive_noinc(mbarrier* bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(detail::shared_address(bar))
               : "memory");
}

__device__ inline void cp_async_bulk(void* shared, const void* global, unsigned bytes, mbarrier* bar) {
  ::cuda::ptx::cp_async_bulk(::cuda::ptx::space_cluster, ::cuda::ptx::space_global, shared, global, bytes, bar);
}
__device__ inline void cp_async_bulk_remote(void* mapped, const void* shared, unsigned bytes,
                                            mbarrier* mapped_bar) {
  ::cuda::ptx::cp_async_bulk(::cuda::ptx::space_cluster, ::cuda::ptx::space_shared, mapped, shared, bytes, mapped_bar);
}
__device__ inline void cp_async_bulk(void* global, const void* shared, unsigned bytes) {
  ::cuda::ptx::cp_async_bulk(::cuda::ptx::space_global, ::cuda::ptx::space_shared, global, shared, bytes);
}
__device__ inline void cp_async_bulk_commit_group() { ::cuda::ptx::cp_async_bulk_commit_group(); }
template <int groups>
__device__ void cp_async_bulk_wait_group() {
  ::cuda::ptx::cp_async_bulk_wait_group(::cuda::ptx::n32_t<groups>{});
}
template <int groups>
__device__ void cp_async_bulk_wait_group_read() {
  ::cuda::ptx::cp_async_bulk_wait_group_read(::cuda::ptx::n32_t<groups>{});
}

}  // namespace exactdot::on_gpu
