// Launches the kernels of src/cuda; see kernels.hpp.
#include <algorithm>
#include <core/reduction.hpp>
#include <cstring>
#include <cuda/exact_kernel.cuh>
#include <cuda/fast_kernel.cuh>
#include <cuda/tuning.hpp>
#include <exception>
#include <type_traits>
#include <utility>

#include "cuda/kernels.hpp"

namespace kernels_under_test {
namespace {

namespace gpu = exactdot::gpu;
using namespace exactdot;
using namespace exactdot::cuda_engine;

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

/// A copy of a view in device memory, with its stride, between bytes that are NaNs.
class placed_vector {
 public:
  /// `first`: elements before the view's lowest address.
  placed_vector(gpu::stream& stream, const any_vector& x, std::size_t first)
      : view_(x), buffer_(stream, extent_of(x) + 16 * size_of(x.type)) {
    const std::size_t last = x.n == 0 ? 0 : x.n - 1;
    const std::ptrdiff_t lowest = std::min<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(last) * x.stride);
    std::vector<unsigned char> all(buffer_.size(), 0xff);
    const std::size_t start = first * size_of(x.type);
    if (x.n != 0) std::memcpy(all.data() + start, static_cast<const char*>(x.data) + lowest, extent_of(x));
    buffer_.copy_from(all.data(), all.size());
    view_.data = buffer_.data() + start - lowest;
  }
  [[nodiscard]] const any_vector& view() const { return view_; }

 private:
  static std::size_t extent_of(const any_vector& x) {
    const auto step = static_cast<std::size_t>(x.stride < 0 ? -x.stride : x.stride);
    return x.n == 0 ? 0 : step * (x.n - 1) + size_of(x.type);
  }
  any_vector view_;
  gpu::buffer<unsigned char> buffer_;
};

/// Both inputs in device memory, after 0 to 3 other elements; of reductions of one input, that one twice.
struct placed_inputs {
  placed_inputs(gpu::stream& stream, const table::call& asked)
      : a(stream, asked.a, asked.variant % 4),
        b(stream, inputs_of(asked.what) == 2 ? asked.b : asked.a,
          asked.variant / 4 % 3 == 0 ? asked.variant / 12 % 4 : asked.variant % 4),
        two(inputs_of(asked.what) == 2),
        carrier(core::wider(core::carrier_of(a.view().type), core::carrier_of(b.view().type))) {}

  /// Whether contiguous carriers suffice.
  [[nodiscard]] bool contiguous() const { return is_carrier_array(a) && is_carrier_array(b); }

  template <class T, class Term, input_layout layout>
  [[nodiscard]] operands<T, layout> operands_of() const {
    const any_vector &x = a.view(), &y = b.view();
    operands<T, layout> in;
    if constexpr (layout == input_layout::contiguous) {
      in.a = static_cast<const T*>(x.data), in.b = static_cast<const T*>(y.data), in.n = x.n;
    } else {
      in.a = to_any_operand(x), in.b = to_any_operand(y);
      in.log2_parts_a = core::parts_of(x.type) - 1;
      in.log2_parts_b = Term::inputs == 2 ? core::parts_of(y.type) - 1 : 0;
      in.n = x.n << (in.log2_parts_a + in.log2_parts_b);
    }
    return in;
  }

  /// Whether an element takes two carriers.
  [[nodiscard]] bool has_parts() const {
    return core::parts_of(a.view().type) + core::parts_of(b.view().type) > 2;
  }

  placed_vector a, b;
  bool two;
  element_type carrier;

 private:
  static any_operand to_any_operand(const any_vector& x) {
    return {static_cast<const char*>(x.data), x.stride, x.type, x.swapped};
  }
  [[nodiscard]] bool is_carrier_array(const placed_vector& x) const {
    return is_contiguous(x.view()) && x.view().type == carrier;
  }
};

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
  gpu::launch(kernel, blocks, threads, 0, in.stream, in.inputs.template operands_of<T, Term, layout>(), in.state, in.to);
}

template <class T, class Term>
void run_exact(const launch_input& in) {
  if (!in.inputs.contiguous()) return launch_exact<T, Term, 256, 4, input_layout::any>(in);
  switch (in.variant % 3) {
    case 0: return launch_exact<T, Term, 256, min_in_flight<T>>(in);
    case 1: return launch_exact<T, Term, 128, 4>(in);
    default: return launch_exact<T, Term, 256, 4>(in);
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
    case 0: return launch_fast<T, Term, 64>(in);
    case 1: return launch_fast<T, Term, 128>(in);
    default: return launch_fast<T, Term, 512>(in);
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
      asked.mode == mode::exact ? run_exact<T, Term>(in) : run_fast<T, Term>(in);
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
  gpu::buffer<device_state> state(stream, 1);
  initialize(state, asked.variant);
  gpu::buffer<std::uint64_t> result(stream, 1);
  result.fill_zero();
  destination to;
  to.value = result.data();
  to.rule = {core::info_of(asked.what).finish, core::format_of(asked.result)};
  run_kernel(asked, {stream, inputs, asked.variant, state.data(), to});
  const std::uint64_t first = read(result);
  run_kernel(asked, {stream, inputs, asked.variant + 1, state.data(), to});  // requires a reset state
  const std::uint64_t second = read(result);
  check_reset(state);
  add_findings(stream);
  if (first != second) faults += "the results of two launches differ\n";
  return exactdot::any_scalar{asked.result, first};
}

bool computes(const table::row& tested) {
  const core::reduction_info& info = core::info_of(tested.what);
  return !info.is_extremum && info.finish == core::finish::round && !is_integer(tested.type);
}

std::vector<std::int64_t> words_of_two_launches(const table::call& asked) {
  gpu::stream stream;
  choose_schedule(stream, asked.variant);
  const placed_inputs inputs(stream, asked);
  gpu::buffer<device_state> state(stream, 1);
  initialize(state, asked.variant);
  gpu::buffer<std::int64_t> words(stream, static_cast<std::size_t>(core::layout_of(inputs.carrier).words()));
  words.fill_zero();
  destination to;
  to.words = words.data();
  table::call exact = asked;
  exact.mode = mode::exact;
  for (const unsigned offset : {0U, 1U}) {
    run_kernel(exact, {stream, inputs, asked.variant + offset, state.data(), to});
  }
  std::vector<std::int64_t> result(words.size());
  words.copy_to(result.data(), result.size());
  check_reset(state);
  add_findings(stream);
  return result;
}

std::string take_faults() { return std::exchange(faults, {}); }

}  // namespace kernels_under_test
