// mbarriers and asynchronous copies on the simulator (async.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <exactdot/simt/on_cpu.hpp>

namespace exactdot::simt {

using mbarrier = std::uint64_t;

namespace detail {
void cp_async(void* shared, const void* global, std::size_t bytes, const void* caller);
/// Waits for all groups but the last `groups_left`. `bulk`: of bulk copies; `reads_only`: until their sources are
/// read.
void wait_group(bool bulk, int groups_left, bool reads_only, const void* caller);
}  // namespace detail

#if defined(__clang__)
#pragma clang attribute push(__attribute__((nomerge)), apply_to = function)
#endif
void mbarrier_init(mbarrier* bar, unsigned count);
void mbarrier_inval(mbarrier* bar);
void fence_mbarrier_init();
void fence_proxy_async();

std::uint64_t mbarrier_arrive(mbarrier* bar);
std::uint64_t mbarrier_arrive(mbarrier* bar, unsigned count);
void mbarrier_arrive_drop(mbarrier* bar);
void mbarrier_arrive_remote(mbarrier* mapped_bar);
std::uint64_t mbarrier_arrive_expect_tx(mbarrier* bar, unsigned bytes);
void mbarrier_expect_tx(mbarrier* bar, unsigned bytes);
bool mbarrier_test_wait(mbarrier* bar, std::uint64_t state);
bool mbarrier_try_wait(mbarrier* bar, std::uint64_t state);
bool mbarrier_test_wait_parity(mbarrier* bar, unsigned parity);
bool mbarrier_try_wait_parity(mbarrier* bar, unsigned parity);

void cp_async_commit_group();
void cp_async_wait_all();
void cp_async_mbarrier_arrive(mbarrier* bar);
void cp_async_mbarrier_arrive_noinc(mbarrier* bar);
void cp_async_bulk(void* shared, const void* global, unsigned bytes, mbarrier* bar);
void cp_async_bulk_remote(void* mapped, const void* shared, unsigned bytes, mbarrier* mapped_bar);
void cp_async_bulk(void* global, const void* shared, unsigned bytes);
void cp_async_bulk_commit_group();
#if defined(__clang__)
#pragma clang attribute pop
#endif

template <int bytes>
EXACTDOT_SIMT_CALL void cp_async(void* shared, const void* global) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16);
  detail::cp_async(shared, global, bytes, __builtin_return_address(0));
}
template <int groups>
EXACTDOT_SIMT_CALL void cp_async_wait_group() {
  detail::wait_group(false, groups, false, __builtin_return_address(0));
}
template <int groups>
EXACTDOT_SIMT_CALL void cp_async_bulk_wait_group() {
  detail::wait_group(true, groups, false, __builtin_return_address(0));
}
template <int groups>
EXACTDOT_SIMT_CALL void cp_async_bulk_wait_group_read() {
  detail::wait_group(true, groups, true, __builtin_return_address(0));
}

}  // namespace exactdot::simt
