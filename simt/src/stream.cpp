// Implementation of the public interface: streams, launches, and the CUDA functions that kernels call.
//
// Launches run one at a time in a process, under a mutex, and to their end.
#include <ctime>
#include <exactdot/error.hpp>
#include <exactdot/simt/on_cpu.hpp>
#include <mutex>
#include <new>
#include <string>

#include "crash.hpp"
#include "running.hpp"
#include "unread.hpp"

namespace exactdot::simt {
namespace {

std::string text_of(dim3 size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

/// The limits of compute capability 7.0 to 12.0 (CUDA C++ Programming Guide, "Compute Capabilities").
void check_launch(const launch_size& size) {
  const auto& [grid, block, cluster, shared_bytes] = size;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > 1024 || block.x > 1024 || block.y > 1024 || block.z > 64) {
    throw error(errc::bad_option,
                "launch: block of " + text_of(block) + " threads; expected 1 to 1024 in all, at most 64 in z");
  }
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffffU || grid.y > 65535 || grid.z > 65535) {
    throw error(errc::bad_option,
                "launch: grid of " + text_of(grid) + " blocks; expected 1 to 2^31 - 1 in x, 1 to 65535 in y and z");
  }
  const std::uint64_t all = std::uint64_t{grid.x} * grid.y * grid.z * threads;
  if (all >= 0xffffffffU) {
    throw error(errc::bad_option,
                "launch: " + std::to_string(all) + " threads in all; the simulator takes fewer than 2^32 - 1");
  }
  if (shared_bytes > max_dynamic_shared) {
    throw error(errc::bad_option, "launch: " + std::to_string(shared_bytes) +
                                      " bytes of dynamic shared memory; expected at most " +
                                      std::to_string(max_dynamic_shared));
  }
  constexpr std::uint64_t max_cluster_size = 8;  // that every GPU with clusters takes
  const std::uint64_t blocks = std::uint64_t{cluster.x} * cluster.y * cluster.z;
  if (blocks == 0 || blocks > max_cluster_size) {
    throw error(errc::bad_option, "launch: cluster of " + text_of(cluster) + " blocks; expected 1 to " +
                                      std::to_string(max_cluster_size) + " in all");
  }
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0) {
    throw error(errc::bad_option, "launch: grid of " + text_of(grid) +
                                      " blocks; expected a multiple of the cluster, " + text_of(cluster));
  }
}

std::string text_of(const index3& index) {
  std::string text = std::to_string(index.x);
  if (index.y != 0 || index.z != 0) text += "," + std::to_string(index.y);
  if (index.z != 0) text += "," + std::to_string(index.z);
  return text;
}

std::string text_of(const fault_site& site) {
  std::string text =
      site.action + " by " +
      (site.by_host ? "host code" : "thread " + text_of(site.thread) + " of block " + text_of(site.block));
  if (!site.file.empty()) {
    text += " (" + site.file.substr(site.file.rfind('/') + 1) + ":" + std::to_string(site.line) + ")";
  }
  return text;
}

}  // namespace

std::string fault::text() const {
  std::string text = name_of(kind);
  if (!space.empty()) text += " in " + space + (space == "array" ? "" : " memory");
  if (!variable.empty()) text += " (" + variable + ")";
  text += ": " + text_of(site);
  if (!other_site.action.empty()) text += "; other side: " + text_of(other_site);
  if (!cause.empty()) text += "; " + cause;
  if (values == written_values::same) text += "; both write the same value, which is undefined too";
  if (!fix.empty()) text += "; fix: " + fix;
  if (times > 1) text += "; seen " + std::to_string(times) + " times";
  return text;
}

stream::stream(const simt::settings& settings) : state_(std::make_unique<detail::stream_state>()) {
  state_->settings = settings;
}
stream::~stream() = default;
simt::settings& stream::settings() { return state_->settings; }
const std::vector<fault>& stream::faults() const { return state_->faults; }
const std::vector<fault>& stream::notes() const { return state_->notes; }
const counters& stream::counted() const { return state_->counted; }
const std::vector<traced_access>& stream::trace() const { return state_->trace; }
const std::vector<line_costs>& stream::costs() const { return state_->costs; }
bool stream::has(fault_kind kind) const {
  for (const fault& found : state_->faults) {
    if (found.kind == kind) return true;
  }
  return false;
}
void stream::clear() {
  state_->faults.clear();
  state_->notes.clear();
  state_->incomplete = false;
  state_->known_faults.clear();
  state_->known_lines.clear();
  state_->races.clear();
  state_->sums.clear();
  state_->counted = {};
  state_->trace.clear();
  state_->costs.clear();
}

namespace detail {

void run(stream& stream, dim3 grid, dim3 block, std::size_t shared_bytes, dim3 cluster, const void* kernel,
         void (*body)(void*), void* arguments, std::size_t argument_bytes) {
  if (running != nullptr) {
    throw error(errc::bad_option, "launch: called from a kernel; the simulator takes launches from the host only");
  }
  const launch_size size{grid, block, cluster, shared_bytes};
  check_launch(size);
  static std::mutex launch_mutex;
  const std::lock_guard lock(launch_mutex);
  stream_state& state = stream.state();
  state.ended_by.reset();
  ++state.counted.launches;
  state.incomplete |= !state.settings.detect;
  const crash_guard crashes;
  machine device(state, size, {kernel, body, arguments, argument_bytes});
  struct running_guard {
    explicit running_guard(machine& started) { running = &started; }
    ~running_guard() { running = nullptr; }
  } const guard(device);
  ++state.settings.seed;  // the next launch runs in another order
  try {
    device.run();
    state.incomplete |= state.ended_by.has_value();
  } catch (const std::bad_alloc&) {
    state.incomplete = true;
    throw error(errc::no_device, "launch: not enough memory to simulate " +
                                     std::to_string(state.settings.resident_blocks) + " resident blocks of " +
                                     text_of(block) + " threads");
  }
}

void* allocate(stream&, std::size_t bytes) { return device_memory::instance().allocate(bytes); }
void release(stream& stream, void* memory) {
  const region* const buffer = device_memory::instance().find(reinterpret_cast<std::uintptr_t>(memory));
  if (buffer != nullptr) note_unread_words(stream.state(), *buffer);
  device_memory::instance().release(memory);
}
void mark_initialised(stream&, void* memory, std::size_t bytes) {
  device_memory::instance().mark_written(reinterpret_cast<std::uintptr_t>(memory), bytes);
}
void check_written(stream& stream, const void* memory, std::size_t n, std::size_t element_bytes, const char* file,
                   int line) {
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  region* const source = n == 0 ? nullptr : device_memory::instance().find(first);
  if (source != nullptr) source->mark_read(first, n * element_bytes);
  if (source == nullptr || !stream.settings().detect || source->is_written(first, n * element_bytes)) return;
  std::size_t i = 0;  // padding in elements stays unwritten
  while (i < n && source->is_partly_written(first + i * element_bytes, element_bytes)) ++i;
  if (i == n) return;
  stream_state& state = stream.state();
  const std::string place = std::string(file) + ":" + std::to_string(line);
  const auto [at, fresh] =
      state.known_lines.try_emplace({fault_kind::uninitialised_global, place, ""}, state.faults.size());
  if (!fresh) {
    ++state.faults[at->second].times;
    return;
  }
  fault& found = state.faults.emplace_back();
  found.kind = fault_kind::uninitialised_global;
  found.space = "global";
  found.variable = "buffer of " + std::to_string(source->size) + " bytes + " +
                   std::to_string(first + i * element_bytes - source->start);
  found.site.action = "copy_to";
  found.site.file = file, found.site.line = line, found.site.by_host = true;
  found.cause = "neither a kernel nor a copy has written it";
}

void begin_atomic(void* address, std::size_t size, bool reads, scope sync_scope, const void* caller,
                  atomic_use use) {
  if (running == nullptr) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  as_simulator([&] {
    running->current().atomic = use;
    running->atomic(at, size, reads, sync_scope == scope::block, caller);
  });
  in_kernel = false;
}
void begin_atomic_load(const void* address, std::size_t size, scope sync_scope, const void* caller) {
  if (running == nullptr) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  as_simulator([&] { running->atomic_load(at, size, sync_scope == scope::block, caller); });
  in_kernel = false;
}
void end_atomic(const void* address, bool changed) {
  if (running == nullptr) return;
  as_simulator([&] {
    if (running->current().atomic != atomic_use::other)
      running->note_atomic(reinterpret_cast<std::uintptr_t>(address), changed);
    if (changed) running->memory_changed(reinterpret_cast<std::uintptr_t>(address));
  });
}
void fence(scope sync_scope, const void* caller) {
  if (running == nullptr) return;
  as_simulator([&] { running->fence(sync_scope == scope::block, caller); });
}
std::uint32_t warp_collective(collective_kind kind, std::uint32_t mask, std::uint64_t value, std::uint64_t* values,
                              const void* caller) {
  return as_simulator([&] { return running->warp_collective(kind, mask, value, values, caller); });
}
int barrier(const char* operation, int predicate, int combine, const void* caller) {
  return as_simulator([&] { return running->barrier(operation, predicate, combine, caller); });
}
void report_absent_lane(std::uint32_t mask, std::uint32_t source, const void* caller) {
  as_simulator([&] { running->report_absent_lane(mask, source, caller); });
}
void report_width(int width, const void* caller) {
  as_simulator([&] { running->report_width(width, caller); });
}
const std::uint64_t* tile_collective(const char* operation, std::uint32_t size, std::uint64_t value,
                                     const void* caller) {
  return as_simulator([&] { return running->tile_collective(operation, size, value, caller).data(); });
}
bool is_shared(const void* address) {
  return as_simulator([&] { return running->is_shared(reinterpret_cast<std::uintptr_t>(address)); });
}
unsigned lane() { return running->current().lane(); }
std::uint32_t active_mask(const void* caller) {
  return as_simulator([&] { return running->active_mask(caller); });
}
void* dynamic_shared_bytes() { return running->current().parent->dynamic_shared; }
long long clock_now(const void* caller) {
  return as_simulator([=] { return static_cast<long long>(running->read_clock(caller)); });
}

}  // namespace detail
}  // namespace exactdot::simt

using exactdot::simt::detail::collective_kind;
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
  exactdot::simt::detail::warp_collective(collective_kind::synchronise, mask, 0, nullptr,
                                          __builtin_return_address(0));
}
void __threadfence_block() { exactdot::simt::detail::fence(scope::block, __builtin_return_address(0)); }
void __threadfence() { exactdot::simt::detail::fence(scope::device, __builtin_return_address(0)); }
void __threadfence_system() { exactdot::simt::detail::fence(scope::system, __builtin_return_address(0)); }
void __nanosleep(unsigned) {}
long long clock64() { return exactdot::simt::detail::clock_now(__builtin_return_address(0)); }
/// Also the C library's, which has the same name.
extern "C" clock_t clock() noexcept {
  if (exactdot::simt::in_kernel) return exactdot::simt::detail::clock_now(__builtin_return_address(0));
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}
