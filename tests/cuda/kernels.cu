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

/// Both inputs in device memory, after 0 to 3 other elements.
struct placed_inputs {
  placed_inputs(gpu::stream& stream, const table::call& asked)
      : a(stream, asked.a, asked.variant % 4),
        b(stream, asked.b, asked.variant / 4 % 3 == 0 ? asked.variant / 12 % 4 : asked.variant % 4) {}

  [[nodiscard]] bool strided() const { return !is_contiguous(a.view()) || !is_contiguous(b.view()); }

  template <class T, input_layout layout>
  [[nodiscard]] operands<T, layout> operands_of() const {
    const any_vector &x = a.view(), &y = b.view();
    const auto *const first = static_cast<const T*>(x.data), *const second = static_cast<const T*>(y.data);
    if constexpr (layout == input_layout::contiguous) {
      return {first, second, x.n};
    } else {
      return {first, second, x.n, x.stride, y.stride, x.swapped, y.swapped};
    }
  }

  placed_vector a, b;
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
  gpu::launch(kernel, blocks, threads, 0, in.stream, in.inputs.template operands_of<T, layout>(), in.state, in.to);
}

template <class T, class Term>
void run_exact(const launch_input& in) {
  if (in.inputs.strided()) return launch_exact<T, Term, 256, 4, input_layout::strided>(in);
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
  gpu::launch(kernel, grid, threads, 0, in.stream, in.inputs.template operands_of<T, layout>(), counts,
              &in.state->exchange, in.to);
}

template <class T, class Term>
void run_fast(const launch_input& in) {
  if (in.inputs.strided()) return launch_fast<T, Term, 128, input_layout::strided>(in);
  switch (in.variant % 3) {
    case 0: return launch_fast<T, Term, 64>(in);
    case 1: return launch_fast<T, Term, 128>(in);
    default: return launch_fast<T, Term, 512>(in);
  }
}

/// The kernel of the call's mode, reduction and element type.
void run_kernel(const table::call& asked, const launch_input& in) {
  with_element(asked.a.type, [&]<class T>(T) {
    const auto run_term = [&]<class Term>(Term) {
      if (core::info_of(asked.what).term != core::term_index<Term>) return;
      asked.mode == mode::exact ? run_exact<T, Term>(in) : run_fast<T, Term>(in);
    };
    std::apply([&](auto... term) { (run_term(term), ...); }, core::term_types());
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

exactdot::any_scalar run(const table::call& asked) {
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
  return {asked.result, first};
}

std::vector<std::int64_t> words_of_two_launches(const table::call& asked) {
  gpu::stream stream;
  choose_schedule(stream, asked.variant);
  const placed_inputs inputs(stream, asked);
  gpu::buffer<device_state> state(stream, 1);
  initialize(state, asked.variant);
  gpu::buffer<std::int64_t> words(stream, static_cast<std::size_t>(core::layout_of(asked.a.type).words()));
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
