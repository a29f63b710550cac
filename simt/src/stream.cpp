// The simulator's public face: streams, launches, and the functions that CUDA's names in kernels call.
#include <exactdot/error.hpp>
#include <exactdot/simt/on_cpu.hpp>
#include <mutex>
#include <new>
#include <string>

#include "crash.hpp"
#include "machine.hpp"

namespace exactdot::simt {
namespace {

std::string three(dim3 size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

/// The limits of compute capability 7.0 to 12.0 (CUDA C++ Programming Guide, "Compute Capabilities").
void check_launch(dim3 grid, dim3 block, std::size_t shared_bytes) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > 1024 || block.x > 1024 || block.y > 1024 || block.z > 64) {
    throw error(errc::bad_option, "launch: a block of " + three(block) + " threads; 1 to 1024 fit, 64 in z");
  }
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffffU || grid.y > 65535 || grid.z > 65535) {
    throw error(errc::bad_option,
                "launch: a grid of " + three(grid) + " blocks; 1 to 2^31 - 1, 65535 and 65535 fit");
  }
  const std::uint64_t all = std::uint64_t{grid.x} * grid.y * grid.z * threads;
  if (all >= 0xffffffffU) {
    throw error(errc::bad_option,
                "launch: " + std::to_string(all) + " threads are more than the simulator can number");
  }
  if (shared_bytes > most_dynamic_shared) {
    throw error(errc::bad_option, "launch: " + std::to_string(shared_bytes) + " bytes of dynamic shared memory; " +
                                      std::to_string(most_dynamic_shared) + " at most");
  }
}

std::string position(const index3& at) {
  std::string text = std::to_string(at.x);
  if (at.y != 0 || at.z != 0) text += "," + std::to_string(at.y);
  if (at.z != 0) text += "," + std::to_string(at.z);
  return text;
}

std::string description(const access& one) {
  std::string text = one.what + " by thread " + position(one.thread) + " of block " + position(one.block);
  if (!one.file.empty()) {
    text += " (" + one.file.substr(one.file.rfind('/') + 1) + ":" + std::to_string(one.line) + ")";
  }
  return text;
}

}  // namespace

const char* name_of(fault_kind kind) {
  switch (kind) {
    case fault_kind::data_race:
      return "data_race";
    case fault_kind::barrier_divergence:
      return "barrier_divergence";
    case fault_kind::missing_lanes:
      return "missing_lanes";
    case fault_kind::livelock:
      return "livelock";
    case fault_kind::deadlock:
      return "deadlock";
    case fault_kind::out_of_bounds:
      return "out_of_bounds";
    case fault_kind::uninitialised_shared:
      return "uninitialised_shared";
    case fault_kind::uninitialised_global:
      return "uninitialised_global";
    case fault_kind::misaligned:
      return "misaligned";
    case fault_kind::trap:
      return "trap";
  }
  return "unknown";
}

std::string fault::text() const {
  std::string text = name_of(kind);
  if (!space.empty()) text += " in " + space + (space == "array" ? "" : " memory");
  if (!variable.empty()) text += " (" + variable + ")";
  text += ": " + description(here);
  if (!other.what.empty()) text += "; the other: " + description(other);
  if (times > 1) text += "; " + std::to_string(times) + " times";
  return text;
}

stream::stream(const settings& how) : state_(std::make_unique<detail::stream_state>()) { state_->how = how; }
stream::~stream() = default;
settings& stream::how() { return state_->how; }
const std::vector<fault>& stream::faults() const { return state_->faults; }
const counters& stream::counted() const { return state_->counted; }
const std::vector<traced_access>& stream::trace() const { return state_->trace; }
bool stream::has(fault_kind kind) const {
  for (const fault& one : state_->faults) {
    if (one.kind == kind) return true;
  }
  return false;
}
void stream::clear() {
  state_->faults.clear();
  state_->known_faults.clear();
  state_->counted = {};
  state_->trace.clear();
}

namespace detail {

void run(stream& on, dim3 grid, dim3 block, std::size_t shared_bytes, const void* kernel, void (*body)(void*),
         void* arguments, std::size_t argument_bytes) {
  if (running != nullptr) throw error(errc::bad_option, "launch: a kernel cannot launch another in the simulator");
  check_launch(grid, block, shared_bytes);
  static std::mutex one_at_a_time;
  const std::lock_guard guard(one_at_a_time);
  stream_state& state = on.state();
  ++state.counted.launches;
  machine here(state, grid, block, shared_bytes, {kernel, body, arguments, argument_bytes});
  struct under_way {
    explicit under_way(machine& one) { running = &one; }
    ~under_way() { running = nullptr; }
  } now(here);
  ++state.how.seed;  // the next launch runs in another order
  const crash_guard guarded;
  try {
    here.run();
  } catch (const std::bad_alloc&) {
    throw error(errc::no_device, "launch: not enough memory to simulate blocks of " + three(block) + " threads, " +
                                     std::to_string(state.how.resident_blocks) + " at a time");
  }
}

void* allocate(stream&, std::size_t bytes) { return device_memory::instance().allocate(bytes); }
void release(stream&, void* memory) { device_memory::instance().release(memory); }
void mark_initialised(stream&, void* memory, std::size_t bytes) {
  device_memory::instance().mark_written(reinterpret_cast<std::uintptr_t>(memory), bytes);
}

void atomic_access(void* address, std::size_t size, bool reads, scope reach, const void* caller) {
  if (running == nullptr) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  as_simulator([&] { running->atomic(at, size, reads, reach == scope::block, caller); });
  in_kernel = false;
}
void atomic_done(const void* address, bool changed) {
  if (running == nullptr) return;
  as_simulator([&] {
    if (changed) running->changed(reinterpret_cast<std::uintptr_t>(address));
  });
}
void fence(scope reach, const void* caller) {
  as_simulator([&] { running->fence(reach == scope::block, caller); });
}
std::uint32_t exchange(exchange_kind kind, std::uint32_t mask, std::uint64_t mine, std::uint64_t* values,
                       const void* caller) {
  return as_simulator([&] { return running->exchange(kind, mask, mine, values, caller); });
}
int barrier(const char* what, int predicate, int combine, const void* caller) {
  return as_simulator([&] { return running->barrier(what, predicate, combine, caller); });
}
unsigned lane() { return running->current().lane(); }
std::uint32_t active_mask(const void* caller) {
  return as_simulator([&] { return running->active_mask(caller); });
}
void* dynamic_shared_bytes() { return running->current().home->dynamic_shared; }
long long steps_taken() { return static_cast<long long>(running->steps()); }

}  // namespace detail
}  // namespace exactdot::simt

using exactdot::simt::detail::exchange_kind;
using exactdot::simt::detail::scope;

void __syncthreads() { exactdot::simt::detail::barrier("__syncthreads", 0, 0, __builtin_return_address(0)); }
int __syncthreads_count(int predicate) {
  return exactdot::simt::detail::barrier("__syncthreads_count", predicate, 1, __builtin_return_address(0));
}
int __syncthreads_and(int predicate) {
  return exactdot::simt::detail::barrier("__syncthreads_and", predicate, 2, __builtin_return_address(0));
}
int __syncthreads_or(int predicate) {
  return exactdot::simt::detail::barrier("__syncthreads_or", predicate, 3, __builtin_return_address(0));
}
void __syncwarp(unsigned mask) {
  exactdot::simt::detail::exchange(exchange_kind::synchronise, mask, 0, nullptr, __builtin_return_address(0));
}
void __threadfence_block() { exactdot::simt::detail::fence(scope::block, __builtin_return_address(0)); }
void __threadfence() { exactdot::simt::detail::fence(scope::device, __builtin_return_address(0)); }
void __threadfence_system() { exactdot::simt::detail::fence(scope::system, __builtin_return_address(0)); }
void __nanosleep(unsigned) {}
