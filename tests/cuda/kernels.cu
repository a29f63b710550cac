// Launches the kernels of src/cuda, one or several for a result, as src/cuda/reduce.cpp does; see kernels.hpp.
#include <algorithm>
#include <cuda/extremum_kernel.cuh>
#include <cuda/finish_kernel.cuh>
#include <cuda/moments_kernel.cuh>
#include <exception>
#include <utility>

#include "cuda/kernels.hpp"
#include "cuda/launch_kernel.cuh"
#include "cuda/missing_gpu.cuh"
#include "cuda/placed_inputs.cuh"

namespace kernels_under_test {
namespace {

std::string faults;

/// Initializes a device state: zero or, in every sixth variant, as after so many launches that the flags wrap
/// around.
void initialize(gpu::buffer<device_state>& state, unsigned variant) {
  state.fill_zero();
  if (variant % 6 != 5) return;
  static device_state old{};  // too large for a stack
  old.exchange.tickets = wide_unsigned{0xfffffffe} << blocks_bits;
  state.copy_from(&old, 1);
}

/// Requires that the launch has reset the state: no digits, counts or contributions.
void check_reset(const gpu::buffer<device_state>& state) {
  static device_state after;
  state.copy_to(&after, 1);
  const auto is_zero = [](auto x) { return x == 0; };
  if (!std::ranges::all_of(after.sum.digit, is_zero) || !std::ranges::all_of(after.sum.special, is_zero) ||
      after.sum.log2_error != 0 || after.exchange.contributions != 0) {
    faults += "a launch did not reset the device state\n";
  }
}

void add_findings(const gpu::stream& stream) {
  for (const std::string& line : gpu::findings(stream)) faults += line + "\n";
}

/// Low bytes of a word that a launch is to fill.
std::uint64_t read(const gpu::buffer<std::uint64_t>& from) {
  std::uint64_t value = 0;
  from.copy_to(&value, 1);
  return value;
}

/// What a workspace has on the device, zero at first.
struct device_memory {
  explicit device_memory(gpu::stream& stream, unsigned variant)
      : state(stream, 1),
        extremum(stream, 1),
        moments(stream, 1),
        words(stream, 2 * core::max_state_words),
        scratch(stream, core::max_moment_limbs),
        status(stream, 1) {
    initialize(state, variant);
    extremum.fill_zero(), moments.fill_zero(), words.fill_zero(), scratch.fill_zero(), status.fill_zero();
  }

  /// Requires that the launches have left no trace.
  void check_reset_after_launches() const {
    check_reset(state);
    std::vector<std::int64_t> left(words.size());
    words.copy_to(left.data(), left.size());
    if (!std::ranges::all_of(left, [](std::int64_t word) { return word == 0; })) {
      faults += "a launch did not clear the words of a state\n";
    }
  }
  [[nodiscard]] bool overflowed() const {
    unsigned value = 0;
    status.copy_to(&value, 1);
    return value != 0;
  }

  gpu::buffer<device_state> state;
  gpu::buffer<extremum_state> extremum;
  gpu::buffer<moments_state> moments;
  gpu::buffer<std::int64_t> words, scratch;
  gpu::buffer<unsigned> status;
};

/// A call on its way to a destination.
struct delivery {
  const table::call& asked;
  gpu::stream& stream;
  const placed_inputs& inputs;
  device_memory& memory;
  destination to;

  void run(const table::call& sum, const destination& target) const {
    run_kernel(sum, {stream, inputs, sum.variant, memory.state.data(), target});
  }
};

/// A vector in native byte order without gaps.
template <int bytes>
void search_packed(const delivery& out, unsigned blocks, int threads, const rank_rule& rule) {
  const any_vector& x = out.inputs.a.view();
  using element = typename exactdot::detail::unsigned_of<bytes>::type;
  const packed_input<bytes> in(static_cast<const element*>(x.data), x.n);
  constexpr auto of_index = packed_extremum_kernel<bytes, true, 2, small_extremum_threads>;
  constexpr auto of_element = packed_extremum_kernel<bytes, false, 2, small_extremum_threads>;
  gpu::launch(gives_index(out.asked.what) ? of_index : of_element, blocks, threads, 0, out.stream, in, rule,
              out.memory.extremum.data(), out.to);
}

void search_extremum(const delivery& out) {
  const any_vector& x = out.inputs.a.view();
  const unsigned blocks = 1 + out.asked.variant % 5;
  const int threads = 32 << out.asked.variant / 5 % 3;
  const bool greatest = out.asked.what == reduction::max || out.asked.what == reduction::argmax;
  const rank_rule rule = rank_rule_of(x.type, greatest);
  if (is_contiguous(x) && out.asked.variant % 7 != 6) {
    switch (size_of(x.type)) {
      case 1:
        return search_packed<1>(out, blocks, threads, rule);
      case 2:
        return search_packed<2>(out, blocks, threads, rule);
      case 4:
        return search_packed<4>(out, blocks, threads, rule);
      default:
        return search_packed<8>(out, blocks, threads, rule);
    }
  }
  const any_operand operand{static_cast<const char*>(x.data), x.stride, x.type, x.swapped};
  constexpr auto kernel = extremum_kernel;
  gpu::launch(kernel, blocks, threads, 0, out.stream, operand, x.n, rule, gives_index(out.asked.what),
              out.memory.extremum.data(), out.to);
}

/// Mode fast: a sum of the carrier, then its finish.
void finish_fast(const delivery& out) {
  with_carrier(out.inputs.carrier, [&]<class T>(T) {
    auto* const sum = reinterpret_cast<T*>(out.memory.scratch.data());
    out.run(out.asked, value_at(sum));
    constexpr auto kernel = finish_fast_kernel<T>;
    gpu::launch(kernel, 1, 1, 0, out.stream, static_cast<const T*>(sum), std::uint64_t{out.inputs.a.view().n},
                out.to);
  });
}

/// Bounded sums of the elements and their squares, and what they decide.
template <class T, input_layout layout, int threads, int in_flight, summation sums>
void launch_moments(const delivery& out) {
  const auto in = out.inputs.template operands_of<T, core::value, layout>();
  const unsigned blocks = 1 + out.asked.variant % 4;
  const sum_shape shape{in.n, blocks, threads, in_flight, bounded_thread_sum<T, core::value, sums>::accumulators};
  constexpr auto kernel = moments_kernel<T, layout, threads, in_flight, sums>;
  gpu::launch(kernel, blocks, threads, 0, out.stream, in, bound_of(shape, sums, false),
              bound_of(shape, sums, core::streams_of<core::square, T> == 2), static_cast<double>(out.asked.ddof),
              out.memory.moments.data(), out.to);
}

void decide_moments(const delivery& out) {
  constexpr auto contiguous = input_layout::contiguous;
  with_carrier(out.inputs.carrier, [&]<class T>(T) {
    if (!out.inputs.contiguous()) return launch_moments<T, input_layout::any, 256, 4, compensated>(out);
    if constexpr (sizeof(T) == sizeof(float)) {
      if (out.to.rule.precision() <= 24) {
        if (out.asked.variant % 2 == 0) return launch_moments<T, contiguous, 128, 4, plain>(out);
        return launch_moments<T, contiguous, 256, 2, grouped>(out);
      }
    }
    launch_moments<T, contiguous, 256, 4, compensated>(out);
  });
}

/// Exact states of every sum of the reduction, then their finish: of moments, if these have not decided it.
void finish_states(const delivery& out) {
  const core::state_layout layout = core::layout_of(out.inputs.carrier);
  const bool moments = core::info_of(out.asked.what).needs_squares();
  table::call sum = out.asked;
  sum.mode = mode::exact;
  destination words, to = out.to;
  words.words = out.memory.words.data();
  if (moments && !out.inputs.has_parts() && out.asked.variant % 3 != 1) {
    decide_moments(out);
    to.unless = words.unless = &out.memory.moments.data()->decided;
  }
  if (moments) sum.what = reduction::sum;
  out.run(sum, words);
  if (moments) {
    sum.what = reduction::sum_of_squares;
    words.words += layout.words();
    out.run(sum, words);
  }
  const finish_request asked{moments ? 2 : 1, out.inputs.a.view().n, static_cast<std::uint64_t>(out.asked.ddof)};
  gpu::launch(finish_states_kernel, 1, 1, 0, out.stream, layout, asked, out.memory.words.data(),
              out.memory.scratch.data(), out.memory.status.data(), to);
}

void deliver(const delivery& out) {
  const core::reduction_info& info = core::info_of(out.asked.what);
  if (info.is_extremum) return search_extremum(out);
  if (out.asked.mode == mode::fast && !is_integer(out.asked.a.type)) {
    const bool is_direct = info.finish == core::finish::round && is_carrier(out.asked.result);
    return is_direct ? out.run(out.asked, out.to) : finish_fast(out);
  }
  info.needs_squares() ? finish_states(out) : out.run(out.asked, out.to);
}

}  // namespace

std::string unavailable_reason() { return missing_gpu(); }

bool is_simulated() { return has_schedules<gpu::stream>; }

std::optional<exactdot::any_scalar> run(const table::call& asked) {
  gpu::stream stream;
  choose_schedule(stream, asked.variant);
  const placed_inputs inputs(stream, asked);
  device_memory memory(stream, asked.variant);
  gpu::buffer<std::uint64_t> result(stream, 1);
  result.fill_zero();
  destination to;
  to.value = result.data();
  to.rule = {core::info_of(asked.what).finish, core::format_of(asked.result)};
  to.count = asked.a.n;
  to.status = memory.status.data();
  table::call again = asked;  // requires a reset state
  ++again.variant;
  deliver({asked, stream, inputs, memory, to});
  const std::uint64_t first = read(result);
  deliver({again, stream, inputs, memory, to});
  const std::uint64_t second = read(result);
  memory.check_reset_after_launches();
  add_findings(stream);
  if (first != second) faults += "the results of two launches differ\n";
  if (memory.overflowed()) return std::nullopt;
  return exactdot::any_scalar{asked.result, first};
}

std::vector<std::int64_t> words_of_two_launches(const table::call& asked) {
  gpu::stream stream;
  choose_schedule(stream, asked.variant);
  const placed_inputs inputs(stream, asked);
  device_memory memory(stream, asked.variant);
  const core::state_layout carrier_layout = core::layout_of(inputs.carrier), layout = core::layout_of(asked.a.type);
  gpu::buffer<std::int64_t> words(stream, static_cast<std::size_t>(layout.words()));
  words.fill_zero();
  table::call exact = asked;
  exact.mode = mode::exact;
  for (const unsigned offset : {0U, 1U}) {
    exact.variant = asked.variant + offset;
    destination to;
    to.words = is_integer(asked.a.type) ? memory.words.data() : words.data();
    run_kernel(exact, {stream, inputs, exact.variant, memory.state.data(), to});
    if (!is_integer(asked.a.type)) continue;  // else the state has another layout
    gpu::launch(add_state_kernel, 1, 1, 0, stream, carrier_layout, memory.words.data(), layout, words.data(),
                memory.scratch.data());
  }
  std::vector<std::int64_t> result(words.size());
  words.copy_to(result.data(), result.size());
  memory.check_reset_after_launches();
  add_findings(stream);
  return result;
}

std::string take_faults() { return std::exchange(faults, {}); }

}  // namespace kernels_under_test
