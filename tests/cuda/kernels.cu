// Launches the kernels of src/cuda, one or several for a result, as src/cuda/reduce.cpp does; see kernels.hpp.
#include <algorithm>
#include <cuda/exact_kernel.cuh>
#include <cuda/extremum_kernel.cuh>
#include <cuda/fast_kernel.cuh>
#include <cuda/finish_kernel.cuh>
#include <cuda/tuning.hpp>
#include <exception>
#include <type_traits>
#include <utility>

#include "cuda/kernels.hpp"
#include "cuda/placed_inputs.cuh"

namespace kernels_under_test {
namespace {

std::string faults;

template <class Stream>
concept has_schedules = requires(Stream& stream) {
  stream.settings();
};

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
      after.exchange.contributions != 0) {
    faults += "a launch did not reset the device state\n";
  }
}

/// Selects the schedule of a variant if the backend has schedules.
template <class Stream = gpu::stream>
void choose_schedule(Stream& stream, unsigned variant) {
  if constexpr (has_schedules<Stream>) {
    stream.settings().seed = variant;
    using model = std::remove_reference_t<decltype(stream.settings().model)>;
    stream.settings().model = variant % 5 == 4 ? model::lock_step : model::independent;
  }
}

void add_findings(const gpu::stream& stream) {
  for (const std::string& line : gpu::findings(stream)) faults += line + "\n";
}

/// The fewest loads in flight of any configuration.
template <class T>
constexpr int min_in_flight = [] {
  int fewest = tuning<T>::exact[0].config.in_flight;
  for (const tuning_row& row : tuning<T>::exact) fewest = std::min(fewest, row.config.in_flight);
  return fewest;
}();

/// Everything that a launch needs.
struct launch_input {
  gpu::stream& stream;
  const placed_inputs& inputs;
  unsigned variant;
  device_state* state;
  const destination& to;
};

/// Launches 1 to 4 blocks or, in some variants, 19: more than have work.
template <class T, class Term, int threads, int packs, input_layout layout = input_layout::contiguous>
void launch_exact(const launch_input& in) {
  const unsigned blocks = in.variant / 3 % 7 == 6 ? 19 : 1 + in.variant / 3 % 7 % 4;
  constexpr auto kernel = exact_kernel<T, Term, layout, threads, packs>;
  gpu::launch(kernel, blocks, threads, 0, in.stream, in.inputs.template operands_of<T, Term, layout>(), in.state,
              in.to);
}

template <class T, class Term>
void run_exact(const launch_input& in) {
  if (!in.inputs.contiguous()) return launch_exact<T, Term, 256, 4, input_layout::any>(in);
  switch (in.variant % 3) {
    case 0:
      return launch_exact<T, Term, 256, min_in_flight<T>>(in);
    case 1:
      return launch_exact<T, Term, 128, 4>(in);
    default:
      return launch_exact<T, Term, 256, 4>(in);
  }
}

template <class T, class Term, int threads, input_layout layout = input_layout::contiguous>
void launch_fast(const launch_input& in) {
  const tile_counts counts =
      count_tiles<T>(in.inputs.a.view().n, static_cast<int>(in.variant / 4 % 3), threads / 32);
  const unsigned grid = std::max(std::min(counts.nodes, 1 + in.variant % 5), 1U);
  constexpr auto kernel = fast_kernel<T, Term, layout, threads, 8>;
  gpu::launch(kernel, grid, threads, 0, in.stream, in.inputs.template operands_of<T, Term, layout>(), counts,
              &in.state->exchange, in.to);
}

template <class T, class Term>
void run_fast(const launch_input& in) {
  if (!in.inputs.contiguous()) return launch_fast<T, Term, 128, input_layout::any>(in);
  switch (in.variant % 3) {
    case 0:
      return launch_fast<T, Term, 64>(in);
    case 1:
      return launch_fast<T, Term, 128>(in);
    default:
      return launch_fast<T, Term, 512>(in);
  }
}

/// The kernel of the call's mode, reduction and element type.
void run_kernel(const table::call& asked, const launch_input& in) {
  std::size_t term = core::info_of(asked.what).term;
  // products of the halves of integers have two factors that differ
  if (in.inputs.has_parts() && term == core::term_index<core::square>) term = core::term_index<core::product>;
  with_carrier(in.inputs.carrier, [&]<class T>(T) {
    const auto run_term = [&]<class Term>(Term) {
      if (term != core::term_index<Term>) return;
      asked.mode == mode::exact || is_integer(asked.a.type) ? run_exact<T, Term>(in) : run_fast<T, Term>(in);
    };
    std::apply([&](auto... each) { (run_term(each), ...); }, core::term_types());
  });
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
        words(stream, 2 * core::max_state_words),
        scratch(stream, core::max_moment_limbs),
        status(stream, 1) {
    initialize(state, variant);
    extremum.fill_zero(), words.fill_zero(), scratch.fill_zero(), status.fill_zero();
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

void search_extremum(const delivery& out) {
  const any_vector& x = out.inputs.a.view();
  const any_operand operand{static_cast<const char*>(x.data), x.stride, x.type, x.swapped};
  const unsigned blocks = 1 + out.asked.variant % 5;
  const bool greatest = out.asked.what == reduction::max || out.asked.what == reduction::argmax;
  constexpr auto greatest_kernel = extremum_kernel<true>, least_kernel = extremum_kernel<false>;
  gpu::launch(greatest ? greatest_kernel : least_kernel, blocks, extremum_threads, 0, out.stream, operand, x.n,
              out.memory.extremum.data(), gives_index(out.asked.what), out.to);
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

/// Exact states of every sum of the reduction, then their finish.
void finish_states(const delivery& out) {
  const core::state_layout layout = core::layout_of(out.inputs.carrier);
  const bool moments = core::info_of(out.asked.what).needs_squares();
  table::call sum = out.asked;
  sum.mode = mode::exact;
  destination words;
  words.words = out.memory.words.data();
  if (moments) sum.what = reduction::sum;
  out.run(sum, words);
  if (moments) {
    sum.what = reduction::sum_of_squares;
    words.words += layout.words();
    out.run(sum, words);
  }
  const finish_request asked{moments ? 2 : 1, out.inputs.a.view().n, static_cast<std::uint64_t>(out.asked.ddof)};
  gpu::launch(finish_states_kernel, 1, 1, 0, out.stream, layout, asked, out.memory.words.data(),
              out.memory.scratch.data(), out.memory.status.data(), out.to);
}

void deliver(const delivery& out) {
  const core::reduction_info& info = core::info_of(out.asked.what);
  const bool is_direct = info.finish == core::finish::round && is_carrier(out.asked.result);
  if (info.is_extremum) return search_extremum(out);
  if (is_direct) return out.run(out.asked, out.to);
  if (out.asked.mode == mode::fast && !is_integer(out.asked.a.type)) return finish_fast(out);
  finish_states(out);
}

}  // namespace

std::string unavailable_reason() {
  try {
    gpu::stream stream;
    gpu::synchronise(stream);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

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
