// exactdot::cuda's calls: checks, the launch, and the wait for a result on the host.
#include <chrono>
#include <cuda/launch.hpp>
#include <optional>

namespace exactdot::cuda {
namespace {

using cuda_engine::destination;

/// The result of a call, if it has arrived: words that carry the call's number.
std::optional<std::uint64_t> load_result(const workspace::storage& storage, const destination& to) {
  std::uint64_t bits = 0;
  for (int k = 0; k < to.rule.bytes() / 4; ++k) {
    const cuda_engine::wide_unsigned word = storage.host_result[k];
    if (word >> 32 != to.call) return std::nullopt;
    bits |= (word & 0xffffffff) << 32 * k;
  }
  return bits;
}

/// Polls for a while, which is the fastest, then lets CUDA wait for the stream.
std::uint64_t wait_for_result(const workspace::storage& storage, const destination& to) {
  constexpr auto polling_time = std::chrono::microseconds(200);
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 64; ++i) {
      if (const auto found = load_result(storage, to)) return *found;
    }
  } while (std::chrono::steady_clock::now() - start < polling_time);
  check(cudaStreamSynchronize(storage.stream), "waiting for the result");
  if (const auto found = load_result(storage, to)) return *found;
  throw error(errc::device_failure, "cuda: the stream is done, but the result did not arrive");
}

destination destination_of(element_type type) {
  destination to;
  to.rule = {core::finish::round, core::format_of(type)};
  return to;
}

/// The plan of a call on one workspace: checked against its device, and computed there.
engine::plan plan_for(const workspace::storage& storage, reduction what, const any_vector& a, const any_vector& b,
                      element_type type, mode mode) {
  const engine::request asked{"cuda", what, a, b, type};
  if (mode != mode::exact && mode != mode::fast) {
    engine::throw_error(errc::bad_option, asked.caller, "unknown mode; use mode::exact or mode::fast");
  }
  engine::check_types_and_lengths(asked);
  require_reachable(storage, a.data, a.n, a.stride, size_of(a.type), "a");
  require_reachable(storage, b.data, b.n, b.stride, size_of(b.type), "b");
  engine::plan made = engine::unplaced_plan(asked, mode);
  made.on_gpu = true;
  made.gpu = storage.device;
  return made;
}

}  // namespace

void launch(const workspace::storage& storage, const engine::plan& plan, const destination& to) {
  with_element(plan.element, [&]<class T>(T) { launch<T>(storage, plan, to); });
}

std::uint64_t run(workspace& on, const engine::plan& plan) {
  workspace::storage& storage = on.library_storage();
  destination to = destination_of(plan.result_type);
  to.host = storage.device_result;
  to.call = storage.next_call();
  launch(storage, plan, to);
  return wait_for_result(storage, to);
}

void run(const workspace::storage& storage, const engine::plan& plan, void* value) {
  destination to = destination_of(plan.result_type);
  to.value = value;
  launch(storage, plan, to);
}

void add(const workspace::storage& storage, const engine::plan& plan, std::int64_t* words) {
  destination to;
  to.words = words;
  launch(storage, plan, to);
}

void detail::enqueue(workspace& on, reduction what, const any_vector& a, const any_vector& b, element_type type,
                     void* result, const options& options) {
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  const auto bytes = static_cast<std::ptrdiff_t>(is_known(type) ? size_of(type) : 1);
  require_reachable(storage, result, 1, bytes, static_cast<std::size_t>(bytes), "result");
  run(storage, plan_for(storage, what, a, b, type, options.mode), result);
}

std::uint64_t detail::reduce(workspace& on, reduction what, const any_vector& a, const any_vector& b,
                             element_type type, const options& options) {
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  return run(on, plan_for(storage, what, a, b, type, options.mode));
}

void dot_into(workspace& on, const any_vector& a, const any_vector& b, std::int64_t* words) {
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  require_reachable(storage, words, 1, sizeof(std::int64_t), sizeof(std::int64_t), "words");
  add(storage, plan_for(storage, reduction::dot, a, b, a.type, mode::exact), words);
}

}  // namespace exactdot::cuda
