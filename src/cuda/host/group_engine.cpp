// Groups by keys on a GPU, of engines.hpp; and the memory of a workspace that grows.
//
// Memory of a call: the first look's table, and the exact states of the second look, of as many open groups as fit
// into 1/16 of the input (or 8 MiB); the second look has as many passes as that takes. A call that waits asks how
// many groups are open; a stream-ordered one enqueues the passes that all groups would need, at most 64, which
// return at once without open groups.
#include <algorithm>
#include <cuda/host/engines.hpp>
#include <cuda/host/launch.hpp>
#include <cuda/host/operands.hpp>
#include <exactdot/core/addend.hpp>
#include <string>

namespace exactdot::inline v0_3::cuda {

void* growing_memory::at_least(std::size_t bytes, cudaStream_t stream) {
  if (bytes <= bytes_) return pieces_.back();
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &capture), "asking whether a stream is being captured");
  if (capture != cudaStreamCaptureStatusNone) {
    throw error(errc::bad_option, "cuda: this call needs " + std::to_string(bytes) +
                                      " bytes of device memory, which a stream that is being captured cannot "
                                      "allocate; make the same call with this workspace once before the capture");
  }
  const std::size_t wanted = std::max(bytes, 2 * bytes_);
  void* made = nullptr;
  pieces_.reserve(pieces_.size() + 1);
  check(cudaMalloc(&made, wanted), "allocating the memory of groups");
  pieces_.push_back(made);
  bytes_ = wanted;
  return made;
}

void growing_memory::release() noexcept {
  for (void* piece : pieces_) cudaFree(piece);
  static_cast<void>(cudaGetLastError());
  pieces_.clear();
  bytes_ = 0;
}

}  // namespace exactdot::inline v0_3::cuda

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using engine::batch;
using storage_type = cuda::workspace::storage;

[[noreturn]] void refuse_groups(const batch& of, const std::string& sentence, errc code = errc::bad_option) {
  engine::throw_error(code, of.each.caller, sentence);
}

std::size_t groups_of(const batch& of) { return of.keys.groups; }

int attribute(const storage_type& storage, cudaDeviceAttr which) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, which, storage.device), "asking for the device's properties");
  return value;
}

/// Of one column, without memory.
group_job job_of(const storage_type& storage, const batch& of, std::size_t column, bool waits) {
  const engine::line data = of.column_at(column);
  const engine::plan& each = of.each;
  group_job job;
  job.in.a = to_any_operand(each.a), job.in.b = to_any_operand(each.b);
  job.in.a.data = static_cast<const char*>(data.a), job.in.b.data = static_cast<const char*>(data.b);
  set_keys(job.in, of.keys.data, of.keys.stride, of.keys.type);
  job.in.n = of.keys.n, job.in.groups = static_cast<unsigned>(groups_of(of));
  job.in.skips_out_of_range = of.keys.skips_out_of_range;
  if (!of.is_count && !each.info().is_extremum) set_terms(job.in, each.what);
  set_input_layout(job, job.in.terms == group_terms::product);
  job.out.first = data.out, job.out.next = of.out_stride;
  job.out.rule = each.result, job.out.ddof = each.ddof;
  job.out.status = storage.status;
  job.out.adds = of.adds_to_results, job.out.only_if_all_right = waits || job.out.adds;
  job.to.first_bad_key = storage.group_errors, job.to.first_empty_group = storage.group_errors + 1;
  return job;
}

/// Open groups of a pass of the second look: at least `least`.
std::size_t room_for(const batch& of, std::size_t groups, std::size_t least) {
  const std::size_t bytes = 8 * words_of_open_group(of.each.layout(), of.each.info().needs_squares() ? 2 : 1);
  constexpr std::size_t small = std::size_t{8} << 20;
  const std::size_t room = std::max(bytes_of_input(of) / 16, small) / bytes;
  return std::max<std::size_t>(std::min(std::max(room, least), groups), 1);
}

std::size_t bytes_of_states(const batch& of, std::size_t room) {
  return room * 8 * words_of_open_group(of.each.layout(), of.each.info().needs_squares() ? 2 : 1);
}

group_status fetch_status(const storage_type& storage, const group_status* on_device) {
  group_status status;
  cuda::check(cudaMemcpyAsync(&status, on_device, sizeof status, cudaMemcpyDeviceToHost, storage.stream),
              "fetching the status of groups");
  cuda::check(cudaStreamSynchronize(storage.stream), "waiting for groups");
  return status;
}

/// The text of a key in device memory.
std::string text_of_key(const storage_type& storage, const batch& of, std::uint64_t index) {
  const auto* const at =
      static_cast<const char*>(of.keys.data) + static_cast<std::ptrdiff_t>(index) * of.keys.stride;
  const auto fetch = [&]<class Key>(Key key) {
    cuda::check(cudaMemcpyAsync(&key, at, sizeof key, cudaMemcpyDeviceToHost, storage.stream), "fetching a key");
    cuda::check(cudaStreamSynchronize(storage.stream), "waiting for a key");
    return std::to_string(key);
  };
  return with_element(of.keys.type, [&]<class Key>(Key) -> std::string {
    if constexpr (std::is_integral_v<Key>) return fetch(Key{});
    return {};
  });
}

}  // namespace

group_limits limits_of(const storage_type& storage) {
  const auto shared = static_cast<std::size_t>(attribute(storage, cudaDevAttrMaxSharedMemoryPerBlockOptin));
  return {static_cast<unsigned>(storage.multiprocessors), std::min<std::size_t>(shared, 200 << 10)};
}

std::size_t bytes_of_input(const batch& of) {
  const std::size_t element = size_of(of.each.a.type) + (of.each.info().inputs == 2 ? size_of(of.each.b.type) : 0);
  return of.keys.n * (element + size_of(of.keys.type));
}

void refuse_key(const storage_type& storage, const batch& of, std::uint64_t index) {
  refuse_groups(of, "key " + std::to_string(index) + " is " + text_of_key(storage, of, index) + ", and there are " +
                        std::to_string(groups_of(of)) +
                        " groups; correct it, or let elements with such keys be skipped");
}

namespace {

/// Throws what a status says.
void require_status(const storage_type& storage, const batch& of, const group_status& status) {
  if (status.bad_key != 0) refuse_key(storage, of, ~status.bad_key);
  if (status.empty_group != 0) {
    refuse_groups(
        of, "group " + std::to_string(~status.empty_group) + " is empty, so it has no least or greatest element",
        errc::empty_input);
  }
}

bool needs_counts(const batch& of) {
  return of.adds_to_results || of.each.result.finish() == core::finish::quotient || of.each.info().needs_squares();
}

void run_column(storage_type& storage, const batch& of, std::size_t column, bool waits) {
  group_job job = job_of(storage, of, column, waits);
  const group_limits limits = limits_of(storage);
  const bool is_extremum = !of.is_count && of.each.info().is_extremum;
  const bool is_sum = !of.is_count && !is_extremum;
  if (is_sum) {
    cuda::choose_group_scheme(job, needs_counts(of), limits);
  } else {
    cuda::choose_group_words(job, is_extremum ? 8 : 4, limits);
  }
  constexpr std::size_t max_passes = 64;
  const std::size_t groups = groups_of(of), first_look = first_look_bytes(job);
  const std::size_t room = room_for(of, groups, waits ? 1 : (groups + max_passes - 1) / max_passes);
  const std::size_t states = is_sum && !waits ? bytes_of_states(of, room) : 0;
  std::size_t cleared = place_memory(job, storage.group_memory.at_least(first_look + states, storage.stream));
  if (!is_sum) {
    if (is_extremum) {
      cuda::launch_group_extrema(storage, job, cleared,
                                 rank_rule_of(of.each.a.type, selects_greatest(of.each.what)));
    } else {
      cuda::launch_group_counts(storage, job, cleared);
    }
    if (waits) require_all_right(storage, of, job.to.status);
    return;
  }
  const core::state_layout layout = of.each.layout();
  cuda::launch_first_look(storage, job, cleared, layout);
  std::size_t open = groups;
  if (waits) {
    const group_status status = fetch_status(storage, job.to.status);
    require_status(storage, of, status);
    open = status.open;
    if (open == 0) return;
    cuda::growing_memory& memory = storage.group_states;
    job.to.states =
        static_cast<wide_unsigned*>(memory.at_least(bytes_of_states(of, std::min(room, open)), storage.stream));
  }
  cuda::launch_second_look(storage, job, layout, open, std::min(room, open));
}

void run_groups(storage_type& storage, const batch& of, bool waits) {
  if (takes_rows(of)) return run_row_groups(storage, of, waits);
  for (std::size_t column = 0; column < of.column_count; ++column) run_column(storage, of, column, waits);
}

}  // namespace

void require_all_right(const storage_type& storage, const batch& of, const group_status* on_device) {
  require_status(storage, of, fetch_status(storage, on_device));
}

void require_group_support(const batch& of) {
  if (groups_of(of) > max_groups) {
    refuse_groups(
        of, std::to_string(groups_of(of)) + " groups; in a GPU's memory at most " + std::to_string(max_groups));
  }
  if (of.out_swapped) {
    refuse_groups(
        of,
        "an array of results with swapped bytes is not there yet for arrays in a GPU's memory: copy them with "
        "cudaMemcpy");
  }
  if (of.adds_to_results && !core::holds_results(of.each.layout(), of.each.result)) {
    refuse_groups(of, "results of " + std::string(name_of(of.each.result_type)) + " are not added to by sums of " +
                          std::string(name_of(of.each.a.type)) +
                          " in a GPU's memory: use results of float32, or copy the arrays to host memory");
  }
  const auto require_aligned = [&](const void* data, std::ptrdiff_t stride, std::size_t size, const char* name) {
    const auto bytes = static_cast<std::ptrdiff_t>(size);
    if (reinterpret_cast<std::uintptr_t>(data) % size == 0 && stride % bytes == 0) return;
    refuse_groups(of, std::string(name) + " is not aligned to its elements of " + std::to_string(size) +
                          " bytes, as a GPU needs it");
  };
  if (of.keys.n != 0) require_aligned(of.keys.data, of.keys.stride, size_of(of.keys.type), "the array of keys");
  require_aligned(of.out, of.out_stride, size_of(of.each.result_type), "the array of results");
  for (const engine::shared_axis& axis : of.columns) {
    require_aligned(nullptr, axis.a, size_of(of.each.a.type), of.each.info().inputs == 2 ? "a" : "x");
    if (of.each.info().inputs == 2) require_aligned(nullptr, axis.b, size_of(of.each.b.type), "b");
    require_aligned(nullptr, axis.out, size_of(of.each.result_type), "the array of results");
  }
}

void enqueue_groups(storage_type& storage, const batch& of) { run_groups(storage, of, false); }

void reduce_groups(storage_type& storage, const batch& of) {
  if (groups_of(of) == 0 && of.keys.n != 0 && !of.keys.skips_out_of_range) {
    group_status status;
    status.bad_key = ~wide_unsigned{0};
    require_status(storage, of, status);
  }
  if (of.count == 0) return;
  run_groups(storage, of, true);
  cuda::check(cudaStreamSynchronize(storage.stream), "waiting for the results");
  if (!of.is_count && of.each.result.is_integer() && !of.each.info().is_extremum) cuda::check_status(storage);
  constexpr std::size_t kept = std::size_t{64} << 20;  // of an idle workspace
  if (storage.group_memory.bytes() > kept) storage.group_memory.release();
  if (storage.group_states.bytes() > kept) storage.group_states.release();
}

}  // namespace exactdot::inline v0_3::cuda_engine
