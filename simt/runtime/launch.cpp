// Launches: the configuration, checked against the device's limits, and the kernel's attributes.
//
// An invalid configuration sets the last error, as in CUDA, and nothing runs. If the program never asks for the
// error, the report at its end does.
#include <algorithm>
#include <cstring>
#include <exactdot/error.hpp>
#include <exactdot/simt/on_cpu.hpp>
#include <exactdot/simt/runtime/grid_barrier.hpp>
#include <exactdot/simt/runtime/launch.hpp>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "context.hpp"
#include "graphs.hpp"
#include "per_thread.hpp"
#include "program_variables.hpp"
#include "recording.hpp"
#include "running.hpp"

/// Entries of the functions with __global__, which the linker collects (keywords.hpp).
extern "C" [[gnu::weak]] const std::uintptr_t __start___patchable_function_entries[],
    __stop___patchable_function_entries[];

namespace {
/// What a kernel with __launch_bounds__ lists, by the text that simtcc puts in it.
struct launch_bounds {
  std::int32_t code;  // distance from here to the kernel
  std::uint32_t threads;
};
}  // namespace
extern "C" [[gnu::weak]] const launch_bounds __start_exactdot_launch_bounds[], __stop_exactdot_launch_bounds[];

namespace exactdot::simt {
namespace {

struct configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  bool cooperative;
  const char* file;
  int line;
  cudaStream_t stream;
  dim3 cluster = {1, 1, 1};
};
struct launch_state {
  std::optional<configuration> configured;
  cudaError_t result = cudaSuccess;
};

std::string text_of(dim3 size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

bool is_single(dim3 size) { return size.x == 1 && size.y == 1 && size.z == 1; }

struct refusal {
  cudaError_t error = cudaSuccess;
  std::string reason;
};

/// Checks a configuration in the order in which CUDA does.
refusal check(const configuration& launch, const void* kernel) {
  const auto& [grid, block, shared_bytes, cooperative, file, line, stream, cluster] = launch;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > 1024 || block.z > 64) {
    return {cudaErrorInvalidConfiguration,
            "block of " + text_of(block) + " threads; expected 1 to 1024 in all, at most 64 in z"};
  }
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  if (blocks == 0 || grid.x > 0x7fffffffU || grid.y > 65535 || grid.z > 65535) {
    return {cudaErrorInvalidConfiguration,
            "grid of " + text_of(grid) + " blocks; expected 1 to 2^31 - 1 in x, 1 to 65535 in y and z"};
  }
  if (const unsigned most = detail::most_threads_of(kernel); threads > most) {
    return {cudaErrorInvalidValue, "block of " + std::to_string(threads) +
                                       " threads; the kernel's __launch_bounds__ allow " + std::to_string(most)};
  }
  auto& runtime = runtime_context::instance();
  const auto raised = runtime.shared_limits.find(kernel);
  const std::size_t limit = raised == runtime.shared_limits.end() ? default_shared_bytes : raised->second;
  if (shared_bytes > limit) {
    return {cudaErrorInvalidValue,
            std::to_string(shared_bytes) + " bytes of dynamic shared memory; the limit is " +
                std::to_string(limit) +
                (raised == runtime.shared_limits.end() ? ", which cudaFuncSetAttribute can raise"
                                                       : " by cudaFuncSetAttribute")};
  }
  const int resident = multiprocessors * detail::blocks_per_multiprocessor(static_cast<int>(threads), shared_bytes);
  if (cooperative && blocks > static_cast<std::uint64_t>(resident)) {
    return {cudaErrorCooperativeLaunchTooLarge, std::to_string(blocks) + " blocks in a cooperative launch; " +
                                                    std::to_string(resident) + " can be resident together"};
  }
  constexpr std::uint64_t max_cluster = 8;  // without cudaFuncAttributeNonPortableClusterSizeAllowed
  const std::uint64_t in_cluster = std::uint64_t{cluster.x} * cluster.y * cluster.z;
  if (in_cluster == 0 || in_cluster > max_cluster || grid.x % cluster.x != 0 || grid.y % cluster.y != 0 ||
      grid.z % cluster.z != 0 || (in_cluster > 1 && runtime.settings.architecture < 90)) {
    return {cudaErrorInvalidClusterSize, "clusters of " + text_of(cluster) + " blocks of a grid of " +
                                             text_of(grid) +
                                             "; expected 1 to 8 that divide the grid, and compute capability 9.0"};
  }
  return {};
}

void refuse(const configuration& launch, cudaError_t error, const std::string& reason) {
  auto& runtime = runtime_context::instance();
  of_this_thread<launch_state>().result = runtime.finish(error);
  runtime.failed = {};
  if (runtime.unseen.file.empty()) runtime.unseen = {launch.file, launch.line, reason};
}

void run_now(const configuration& launch, void (*body)(void*), void* closure, std::size_t bytes, const void* kernel,
             const std::vector<recorded_pointer>& pointers) {
  auto& runtime = runtime_context::instance();
  runtime.stream.state().named_pointers = pointers;
  if (runtime.device_failed()) return;
  settings& settings = runtime.stream.settings();
  const int resident_blocks = settings.resident_blocks;
  if (launch.cooperative)
    settings.resident_blocks = static_cast<int>(launch.grid.x * launch.grid.y * launch.grid.z);
  const auto threads = static_cast<int>(launch.block.x * launch.block.y * launch.block.z);
  settings.max_resident_blocks = detail::blocks_per_multiprocessor(threads, launch.shared_bytes) * multiprocessors;
  runtime.stream.state().cooperative = launch.cooperative;
  detail::reset_grid_barrier();
  runtime.begin_launch(launch.stream);
  try {
    detail::run(runtime.stream, launch.grid, launch.block, launch.shared_bytes, launch.cluster, kernel, body,
                closure, bytes);
  } catch (const error& failure) {
    const bool memory = failure.code() == errc::no_device;
    refuse(launch, memory ? cudaErrorMemoryAllocation : cudaErrorNotSupported, failure.what());
  }
  settings.resident_blocks = resident_blocks;
  runtime.check_copies_before(launch.stream);
  runtime.note_launch();
}

/// Returns the pointers of a kernel with their names, if a recorder wants them.
std::vector<recorded_pointer> named_pointers(const detail::kernel_pointers& pointers) {
  std::vector<recorded_pointer> named;
  if (active_recorder == nullptr) return named;
  const char* name = pointers.names;
  for (const detail::kernel_pointer& one : pointers.values) {
    const char* const end = name + std::strcspn(name, ",");
    if (one.kind == 's') {
      for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= one.element; at += sizeof(std::uintptr_t)) {
        std::uintptr_t word = 0;
        std::memcpy(&word, static_cast<const char*>(one.address) + at, sizeof word);
        if (device_memory::instance().find(word) != nullptr) named.push_back({std::string(name, end), word, 0, 0});
      }
    } else if (one.address != nullptr) {
      named.push_back(
          {std::string(name, end), reinterpret_cast<std::uintptr_t>(one.address), one.kind, one.element});
    }
    name = *end == ',' ? end + 1 : end;
  }
  return named;
}

/// Reports parameters that point into a variable of the device although the program has never asked for its
/// address: they have the host's.
void check_parameters(const configuration& launch, const detail::kernel_pointers& pointers) {
  auto& runtime = runtime_context::instance();
  for (const detail::kernel_pointer& one : pointers.values) {
    const auto address = reinterpret_cast<std::uintptr_t>(one.address);
    if (one.kind == 's' || !is_device_variable(address) || runtime.find_symbol(address)) continue;
    const detail::program_variable* const variable = find_program_variable(address);
    fault* const found =
        runtime.report(fault_kind::host_access, std::string(variable->keyword) + " variable " + variable->name,
                       "address", variable);
    if (found == nullptr) continue;
    found->site.file = launch.file, found->site.line = launch.line;
    found->cause = "the host has the address of a copy of its own, not of the device's variable";
    found->fix = "cudaGetSymbolAddress, or the variable's name in the kernel";
  }
}

}  // namespace

const void* kernel_at(const void* address) {
  static const std::vector<std::uintptr_t> entries = [] {
    std::vector<std::uintptr_t> sorted(__start___patchable_function_entries, __stop___patchable_function_entries);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }();
  constexpr std::uintptr_t prologue = 16;  // of a function, before its entry in the list
  const auto at =
      std::upper_bound(entries.begin(), entries.end(), reinterpret_cast<std::uintptr_t>(address) + prologue);
  return at == entries.begin() ? address : reinterpret_cast<const void*>(*(at - 1));
}

namespace detail {

unsigned most_threads_of(const void* kernel) {
  static const std::map<const void*, unsigned> bounds = [] {
    std::map<const void*, unsigned> found;
    for (const launch_bounds* at = __start_exactdot_launch_bounds; at != __stop_exactdot_launch_bounds; ++at) {
      if (at->threads != 0 && at->threads < 1024)  // nvcc ignores a bound of 0, and no block has more
        found[kernel_at(reinterpret_cast<const char*>(at) + at->code)] = at->threads;
    }
    return found;
  }();
  const auto at = bounds.find(kernel_at(kernel));
  return at == bounds.end() ? 1024 : at->second;
}

void configure(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream, const char* file, int line) {
  of_this_thread<launch_state>().configured = {grid, block, shared_bytes, false, file, line, stream};
}
void configure(const cudaLaunchConfig_t& launch, const char* file, int line) {
  configuration made{launch.gridDim, launch.blockDim, launch.dynamicSmemBytes, false, file, line, launch.stream};
  for (unsigned i = 0; i < launch.numAttrs; ++i) {
    const auto& [id, value] = launch.attrs[i];
    if (id == cudaLaunchAttributeCooperative) made.cooperative = value.cooperative != 0;
    if (id == cudaLaunchAttributeClusterDimension)
      made.cluster = dim3(value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
  }
  of_this_thread<launch_state>().configured = made;
}
void configure_cooperative(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream, const char* file,
                           int line) {
  of_this_thread<launch_state>().configured = {grid, block, shared_bytes, true, file, line, stream};
}
cudaError_t launch_result() { return of_this_thread<launch_state>().result; }

void run_configured(void (*body)(void*), void* closure, std::size_t bytes, const kernel_pointers& pointers,
                    dim3 cluster) {
  run_configured(body, closure, bytes, __builtin_return_address(0), pointers, cluster);
}
void run_configured(void (*body)(void*), void* closure, std::size_t bytes, const void* kernel,
                    const kernel_pointers& pointers, dim3 cluster) {
  if (running != nullptr) {
    as_simulator(
        [] { throw error(errc::bad_option, "a launch from a kernel (dynamic parallelism) is not modelled"); });
  }
  const runtime_lock lock;
  launch_state& state = of_this_thread<launch_state>();
  if (!state.configured) {
    std::fprintf(stderr, "simtcc: a kernel was called without <<<grid, block>>>\n");
    std::exit(2);
  }
  configuration launch = *std::exchange(state.configured, std::nullopt);
  auto& runtime = runtime_context::instance();
  state.result = runtime.finish(cudaSuccess);
  if (runtime.device_failed()) return;
  const bool has_cluster = !is_single(cluster);
  if (has_cluster && is_single(launch.cluster)) launch.cluster = cluster;
  if (has_cluster && text_of(launch.cluster) != text_of(cluster)) {
    return refuse(launch, cudaErrorInvalidClusterSize,
                  "clusters of " + text_of(launch.cluster) + " blocks; expected the kernel's __cluster_dims__, " +
                      text_of(cluster));
  }
  const refusal refused = check(launch, kernel_at(kernel));
  if (refused.error != cudaSuccess) return refuse(launch, refused.error, refused.reason);
  check_parameters(launch, pointers);
  const std::vector<recorded_pointer> named = named_pointers(pointers);
  if (!is_capturing(launch.stream)) return run_now(launch, body, closure, bytes, kernel, named);
  // the parameters of a kernel are copied as bytes, as CUDA does
  const auto* const first = static_cast<const char*>(closure);
  const std::shared_ptr<void> copy(operator new (bytes, std::align_val_t{64}),
                                   [](void* memory) { operator delete (memory, std::align_val_t{64}); });
  std::copy(first, first + bytes, static_cast<char*>(copy.get()));
  capture(launch.stream, [=] {
    configuration replayed = launch;
    replayed.stream = runtime_context::instance().current_stream;
    run_now(replayed, body, copy.get(), bytes, kernel, named);
  });
}

}  // namespace detail
}  // namespace exactdot::simt

using exactdot::simt::kernel_at;
using exactdot::simt::limits_of;
using exactdot::simt::runtime_context;

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  const exactdot::simt::runtime_lock lock;
  auto& runtime = runtime_context::instance();
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return runtime.finish(cudaSuccess);
  const std::size_t limit = limits_of(runtime.settings.architecture).shared_per_block;
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
      static_cast<std::size_t>(value) > limit)
    return runtime.finish(cudaErrorInvalidValue);
  runtime.shared_limits[kernel_at(kernel)] = static_cast<std::size_t>(value);
  return runtime.finish(cudaSuccess);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  const exactdot::simt::runtime_lock lock;
  auto& runtime = runtime_context::instance();
  if (attributes == nullptr) return runtime.finish(cudaErrorInvalidValue);
  const auto raised = runtime.shared_limits.find(kernel_at(kernel));
  const auto limit = raised == runtime.shared_limits.end() ? exactdot::simt::default_shared_bytes : raised->second;
  *attributes = {};
  attributes->maxThreadsPerBlock = static_cast<int>(exactdot::simt::detail::most_threads_of(kernel));
  attributes->ptxVersion = attributes->binaryVersion = static_cast<int>(runtime.settings.architecture);
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(limit);
  return runtime.finish(cudaSuccess);
}
