// exactdot::cuda's calls: checks, the launch, and the wait for a result on the host.
#include <chrono>
#include <cuda/host/engines.hpp>
#include <cuda/host/launch.hpp>
#include <cuda/words/rows.hpp>
#include <memory>
#include <optional>
#include <string>

namespace exactdot::inline v0_3::cuda {
namespace {

using cuda_engine::destination;

/// The result of a call, if it has arrived: words that carry the call's number.
std::optional<std::uint64_t> load_result(const workspace::storage& storage, const destination& to) {
  std::uint64_t bits = 0;
  for (int k = 0; k < (to.rule.bytes() + 3) / 4; ++k) {
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

/// The plan of a call on one workspace: checked against its device, and computed there.
engine::plan plan_for(const workspace::storage& storage, const engine::request& asked, mode mode) {
  engine::check_request(asked, mode);
  const bool two = core::info_of(asked.what).inputs == 2;
  const auto check_input = [&](const any_vector& x, const char* name) {
    engine::check_extent(asked.caller, name, x);
    require_reachable(storage, x.data, x.n, x.stride, size_of(x.type), name);
  };
  check_input(asked.a, two ? "a" : "x");
  if (two) check_input(asked.b, "b");
  engine::plan made = engine::unplaced_plan(asked, mode);
  made.on_gpu = true;
  made.gpu = storage.device;
  return made;
}

/// Whether the kernel of the sum delivers the result itself.
bool is_direct(const engine::plan& plan) {
  const core::finish finish = plan.info().finish;
  if (plan.mode == mode::exact) return finish != core::finish::variance && finish != core::finish::deviation;
  return finish == core::finish::round && is_carrier(plan.result_type);
}

/// Enqueues everything that a plan needs; the result goes to `to`.
void enqueue(const workspace::storage& storage, const engine::plan& plan, destination to) {
  to.rule = plan.result;
  to.count = plan.n;
  to.status = storage.status;
  if (plan.info().is_extremum) return launch_extremum(storage, plan, to);
  if (is_direct(plan)) return launch(storage, plan, to);
  if (plan.mode == mode::fast) {
    destination sum;
    sum.value = storage.scratch;
    sum.rule = {core::finish::round, core::format_of(plan.carrier)};
    launch(storage, plan, sum);
    return finish_fast(storage, plan.carrier, plan.n, to);
  }
  if (plan.info().needs_squares() && cuda_engine::enqueue_moments_as_line(storage, plan, to)) return;
  if (plan.info().needs_squares() && !plan.has_parts()) {
    launch_moments(storage, plan, to);
    to.unless = &storage.moments->decided;
  }
  add_states(storage, plan, storage.words, to.unless);
  finish_states(storage, plan.layout(), {engine::states_of(plan), plan.n, plan.ddof}, to);
}

}  // namespace

void launch(const workspace::storage& storage, const engine::plan& plan, const destination& to) {
  with_carrier(plan.carrier, [&]<class T>(T) { launch<T>(storage, plan, to); });
}

namespace {

/// Throws what a stream-ordered call on groups has left.
void check_groups(workspace::storage& storage) {
  cuda_engine::wide_unsigned errors[2] = {};
  check(cudaMemcpyAsync(errors, storage.group_errors, sizeof errors, cudaMemcpyDeviceToHost, storage.stream),
        "fetching the status of groups");
  check(cudaStreamSynchronize(storage.stream), "waiting for the status of groups");
  if (errors[0] == 0 && errors[1] == 0) return;
  check(cudaMemsetAsync(storage.group_errors, 0, sizeof errors, storage.stream), "clearing the status of groups");
  if (errors[0] != 0) {
    throw error(errc::bad_option, "cuda: key " + std::to_string(~errors[0]) +
                                      " of an earlier call is out of range; correct it, or let elements with such "
                                      "keys be skipped");
  }
  throw error(errc::empty_input, "cuda: group " + std::to_string(~errors[1]) +
                                     " of an earlier call is empty, so it has no least or greatest element");
}

}  // namespace

void check_status(workspace::storage& storage) {
  unsigned status = 0;
  check(cudaMemcpyAsync(&status, storage.status, sizeof status, cudaMemcpyDeviceToHost, storage.stream),
        "fetching the status");
  check(cudaStreamSynchronize(storage.stream), "waiting for the status");
  if (status == 0) return;
  check(cudaMemsetAsync(storage.status, 0, sizeof status, storage.stream), "clearing the status");
  switch (status) {
    case cuda_engine::no_headroom:
      throw error(errc::headroom,
                  "cuda: words are the sum of more than 2^31 - 1 states, or their sum exceeds the headroom of 2^63 "
                  "largest products");
    case cuda_engine::impossible_words:
      throw error(
          errc::bad_option,
          "cuda: words are not a sum of states (a limb or a count is impossible); were they zero before the "
          "first addition, and summed as 64-bit integers?");
    default:
      throw error(errc::overflow,
                  "cuda: an integer result did not fit into its type; use a floating-point result type");
  }
}

namespace {
/// The segment that an earlier call has noted, if there is one; forgets it. Waits for the stream.
std::optional<std::uint64_t> noted_segment(const workspace::storage& storage, cuda_engine::wide_unsigned* note) {
  cuda_engine::wide_unsigned status = 0;
  check(cudaMemcpyAsync(&status, note, sizeof status, cudaMemcpyDeviceToHost, storage.stream),
        "fetching the status of segments");
  check(cudaStreamSynchronize(storage.stream), "waiting for the status of segments");
  if (status == 0) return std::nullopt;
  check(cudaMemsetAsync(note, 0, sizeof status, storage.stream), "clearing the status of segments");
  return ~status;
}

/// Throws if a segment of an earlier call had wrong offsets, or no element of which an extreme one was asked for.
void check_segments(const workspace::storage& storage) {
  if (const auto segment = noted_segment(storage, storage.bad_segment)) {
    throw error(errc::bad_option, "cuda: the offsets of segment " + std::to_string(*segment) +
                                      " decrease or pass the end of the vector; its result is NaN, or 0");
  }
  if (const auto segment = noted_segment(storage, storage.empty_segment)) {
    throw error(errc::empty_input,
                "cuda: segment " + std::to_string(*segment) +
                    " is empty, so it has no least or greatest element; its result is NaN, or 0");
  }
}
}  // namespace

std::uint64_t run(workspace& on, const engine::plan& plan) {
  workspace::storage& storage = on.library_storage();
  destination to;
  to.rule = plan.result;
  to.host = storage.device_result;
  to.call = storage.next_call();
  enqueue(storage, plan, to);
  const std::uint64_t word = wait_for_result(storage, to);
  if (plan.result.is_integer() && !plan.info().is_extremum) check_status(storage);
  return word;
}

void run(const workspace::storage& storage, const engine::plan& plan, void* value) {
  destination to;
  to.value = value;
  enqueue(storage, plan, to);
}

void add(const workspace::storage& storage, const engine::plan& plan, std::int64_t* words, const unsigned* unless) {
  destination to;
  to.words = words;
  to.unless = unless;
  launch(storage, plan, to);
}

void add_states(const workspace::storage& storage, const engine::plan& plan, std::int64_t* words,
                const unsigned* unless) {
  if (!plan.info().needs_squares()) return add(storage, plan, words, unless);
  add(storage, plan.for_sum(0), words, unless);
  add(storage, plan.for_sum(1), words + plan.layout().words(), unless);
}

void workspace::check() {
  const workspace_lock lock(*storage_);
  require_device(*storage_);
  check_segments(*storage_);
  check_groups(*storage_);
  check_status(*storage_);
}

detail::callable_call::callable_call(workspace& on, const any_vector& x, void* result, std::size_t result_bytes,
                                     std::size_t alignment)
    : on_(on), lock_(std::make_unique<workspace_lock>(on.library_storage())) {
  const workspace::storage& storage = on.library_storage();
  require_device(storage);
  require_reachable(storage, x.data, x.n, x.stride, size_of(x.type), "x");
  require_reachable(storage, result, 1, static_cast<std::ptrdiff_t>(alignment), alignment, "result");
  engine::check_output("cuda", x, "x", result, result_bytes);
}

detail::callable_call::~callable_call() = default;

void* detail::callable_call::partials() const { return on_.library_storage().partials; }

void detail::callable_call::check_launch() const { check(cudaGetLastError(), "launching a reduction"); }

void detail::enqueue(workspace& on, reduction what, const any_vector& a, const any_vector& b, element_type type,
                     void* result, const options& options, std::int64_t ddof) {
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  const auto bytes = static_cast<std::ptrdiff_t>(is_known(type) ? size_of(type) : 1);
  require_reachable(storage, result, 1, bytes, static_cast<std::size_t>(bytes), "result");
  const engine::plan made = plan_for(storage, {"cuda", what, a, b, type, ddof}, options.mode);
  engine::check_output("cuda", a, made.info().inputs == 2 ? "a" : "x", result, static_cast<std::size_t>(bytes));
  if (made.info().inputs == 2) engine::check_output("cuda", b, "b", result, static_cast<std::size_t>(bytes));
  run(storage, made, result);
}

std::uint64_t detail::reduce(workspace& on, reduction what, const any_vector& a, const any_vector& b,
                             element_type type, const options& options, std::int64_t ddof) {
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  return run(on, plan_for(storage, {"cuda", what, a, b, type, ddof}, options.mode));
}

void detail::add_into(workspace& on, reduction what, const any_vector& a, const any_vector& b,
                      std::int64_t* words) {
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  require_reachable(storage, words, 1, sizeof(std::int64_t), sizeof(std::int64_t), "words");
  if (a.type != b.type) {
    engine::throw_error(errc::bad_option, "cuda", "the vectors of an accumulator have one element type");
  }
  const engine::plan made = plan_for(storage, {"cuda", what, a, b, element_type::float64}, mode::exact);
  const std::size_t bytes = static_cast<std::size_t>(core::layout_of(a.type).words()) * sizeof *words;
  engine::check_output("cuda", a, "a", words, bytes);
  engine::check_output("cuda", b, "b", words, bytes);
  if (!is_integer(a.type)) return add(storage, made, words);
  add(storage, made, storage.words);
  add_to_layout(storage, made.layout(), core::layout_of(a.type), words);
}

}  // namespace exactdot::inline v0_3::cuda
