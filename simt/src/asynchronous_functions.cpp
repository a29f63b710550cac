// The functions of cluster.hpp and async.hpp that kernels call, on the simulator.
#include <exactdot/simt/async.hpp>
#include <exactdot/simt/cluster.hpp>

#include "running.hpp"

#define CALLER __builtin_return_address(0)  // in the kernel

namespace exactdot::simt {
namespace {

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

std::uint64_t change(mbarrier* bar, const mbarrier_change& counts, const void* caller) {
  return as_simulator([&] { return running->change_mbarrier(address_of(bar), counts, caller); });
}
bool test(mbarrier* bar, bool by_parity, std::uint64_t value, const char* action, const void* caller) {
  return as_simulator([&] { return running->test_mbarrier(address_of(bar), by_parity, value, action, caller); });
}
void copy(copy_kind kind, const copy_addresses& addresses, std::size_t bytes, const void* caller) {
  as_simulator([&] { running->issue_copy(kind, addresses, bytes, caller); });
}
void arrive_at_cluster_barrier(const char* operation, bool release, const void* caller) {
  as_simulator([&] { running->cluster_arrive(operation, release, caller); });
}
void wait_at_cluster_barrier(const void* caller) {
  as_simulator([&] { running->cluster_wait(caller); });
}

}  // namespace

namespace detail {
void* map_shared(const void* address, unsigned rank, const void* caller) {
  return as_simulator([&] { return running->map_shared(address_of(address), rank, caller); });
}
void cp_async(void* shared, const void* global, std::size_t bytes, const void* caller) {
  copy(copy_kind::cp_async, {address_of(shared), address_of(global), 0}, bytes, caller);
}
void wait_group(bool bulk, int groups_left, bool reads_only, const void* caller) {
  const copy_kind kind = bulk ? copy_kind::bulk_group : copy_kind::cp_async;
  as_simulator([&] { running->await_copies(kind, static_cast<std::size_t>(groups_left), reads_only, caller); });
}
}  // namespace detail

unsigned cluster_block_rank() { return running->cluster_rank(); }
unsigned cluster_num_blocks() { return running->blocks_per_cluster(); }
dim3 cluster_dimensions_of_launch() { return running->cluster_size(); }
void cluster_arrive() { arrive_at_cluster_barrier("barrier.cluster.arrive", true, CALLER); }
void cluster_arrive_relaxed() { arrive_at_cluster_barrier("barrier.cluster.arrive.relaxed", false, CALLER); }
void cluster_wait() { wait_at_cluster_barrier(CALLER); }
void cluster_sync() {
  const void* const caller = CALLER;
  arrive_at_cluster_barrier("barrier.cluster.arrive", true, caller);
  wait_at_cluster_barrier(caller);
}

void mbarrier_init(mbarrier* bar, unsigned count) {
  const void* const caller = CALLER;
  as_simulator([&] { running->initialise_mbarrier(address_of(bar), count, caller); });
}
void mbarrier_inval(mbarrier* bar) {
  const void* const caller = CALLER;
  as_simulator([&] { running->invalidate_mbarrier(address_of(bar), caller); });
}
void fence_mbarrier_init() {
  const void* const caller = CALLER;
  as_simulator([&] { running->fence_mbarrier_init(caller); });
}
void fence_proxy_async() {
  const void* const caller = CALLER;
  as_simulator([&] { running->fence_async_proxy(caller); });
}

std::uint64_t mbarrier_arrive(mbarrier* bar) { return change(bar, {"mbarrier.arrive", 1, 0}, CALLER); }
std::uint64_t mbarrier_arrive(mbarrier* bar, unsigned count) {
  return change(bar, {"mbarrier.arrive", count, 0}, CALLER);
}
void mbarrier_arrive_drop(mbarrier* bar) { change(bar, {"mbarrier.arrive_drop", 1, 0, true}, CALLER); }
void mbarrier_arrive_remote(mbarrier* mapped_bar) { change(mapped_bar, {"mbarrier.arrive", 1, 0}, CALLER); }
std::uint64_t mbarrier_arrive_expect_tx(mbarrier* bar, unsigned bytes) {
  return change(bar, {"mbarrier.arrive.expect_tx", 1, bytes}, CALLER);
}
void mbarrier_expect_tx(mbarrier* bar, unsigned bytes) { change(bar, {"mbarrier.expect_tx", 0, bytes}, CALLER); }
bool mbarrier_test_wait(mbarrier* bar, std::uint64_t state) {
  return test(bar, false, state, "mbarrier.test_wait", CALLER);
}
bool mbarrier_try_wait(mbarrier* bar, std::uint64_t state) {
  return test(bar, false, state, "mbarrier.try_wait", CALLER);
}
bool mbarrier_test_wait_parity(mbarrier* bar, unsigned parity) {
  return test(bar, true, parity, "mbarrier.test_wait.parity", CALLER);
}
bool mbarrier_try_wait_parity(mbarrier* bar, unsigned parity) {
  return test(bar, true, parity, "mbarrier.try_wait.parity", CALLER);
}

void cp_async_commit_group() {
  const void* const caller = CALLER;
  as_simulator([&] { running->commit_copies(copy_kind::cp_async, caller); });
}
void cp_async_wait_all() {
  const void* const caller = CALLER;
  as_simulator([&] {
    running->commit_copies(copy_kind::cp_async, caller);
    running->await_copies(copy_kind::cp_async, 0, false, caller);
  });
}
void cp_async_mbarrier_arrive(mbarrier* bar) {
  const void* const caller = CALLER;
  as_simulator([&] { running->arrive_after_copies(address_of(bar), false, caller); });
}
void cp_async_mbarrier_arrive_noinc(mbarrier* bar) {
  const void* const caller = CALLER;
  as_simulator([&] { running->arrive_after_copies(address_of(bar), true, caller); });
}
void cp_async_bulk(void* shared, const void* global, unsigned bytes, mbarrier* bar) {
  copy(copy_kind::bulk, {address_of(shared), address_of(global), address_of(bar)}, bytes, CALLER);
}
void cp_async_bulk_remote(void* mapped, const void* shared, unsigned bytes, mbarrier* mapped_bar) {
  copy(copy_kind::bulk, {address_of(mapped), address_of(shared), address_of(mapped_bar)}, bytes, CALLER);
}
void cp_async_bulk(void* global, const void* shared, unsigned bytes) {
  copy(copy_kind::bulk_group, {address_of(global), address_of(shared), 0}, bytes, CALLER);
}
void cp_async_bulk_commit_group() {
  const void* const caller = CALLER;
  as_simulator([&] { running->commit_copies(copy_kind::bulk_group, caller); });
}

}  // namespace exactdot::simt
