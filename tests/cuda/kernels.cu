// Launches the kernels of src/cuda; see kernels.hpp.
#include <algorithm>
#include <core/state.hpp>
#include <cuda/exact_kernel.cuh>
#include <cuda/fast_kernel.cuh>
#include <exception>
#include <limits>
#include <type_traits>
#include <utility>

#include "cuda/kernels.hpp"

namespace kernels_under_test {
namespace {

namespace gpu = exactdot::gpu;
using namespace exactdot;
using namespace exactdot::cuda_engine;
using core::product;

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

template <class T>
T with_reversed_bytes(T x) {
  using bits = typename core::format<T>::bits;
  auto word = core::bit_cast<bits>(x);
  bits reversed = 0;
  for (std::size_t i = 0; i < sizeof word; ++i, word >>= 8)
    reversed = static_cast<bits>(reversed << 8 | (word & 0xff));
  return core::bit_cast<T>(reversed);
}

/// A copy of x in device memory, contiguous or strided, in native or swapped byte order, between NaNs that no
/// kernel may read.
template <class T>
class placed_vector {
 public:
  placed_vector(gpu::stream& stream, const T* x, std::size_t n, std::size_t first, std::ptrdiff_t stride,
                bool swapped)
      : stride_(stride), buffer_(stream, size_for(n, stride)) {
    std::vector<T> all(buffer_.size(), std::numeric_limits<T>::quiet_NaN());
    const std::ptrdiff_t last = n == 0 ? 0 : static_cast<std::ptrdiff_t>(n - 1);
    start_ = first + (stride < 0 ? static_cast<std::size_t>(-stride * last) : 0);
    for (std::size_t i = 0; i < n; ++i) {
      const auto index =
          static_cast<std::size_t>(static_cast<std::ptrdiff_t>(start_) + stride * static_cast<std::ptrdiff_t>(i));
      all[index] = swapped ? with_reversed_bytes(x[i]) : x[i];
    }
    buffer_.copy_from(all.data(), all.size());
  }
  [[nodiscard]] const T* data() const { return buffer_.data() + start_; }
  [[nodiscard]] std::ptrdiff_t stride_bytes() const { return stride_ * static_cast<std::ptrdiff_t>(sizeof(T)); }

 private:
  static std::size_t size_for(std::size_t n, std::ptrdiff_t stride) {
    return n * static_cast<std::size_t>(stride < 0 ? -stride : stride) + 8;
  }
  std::ptrdiff_t stride_;
  gpu::buffer<T> buffer_;
  std::size_t start_ = 0;
};

/// Both inputs in device memory: contiguous after 0 to 3 other elements or, in every fifth variant, strided.
template <class T>
struct placed_inputs {
  placed_inputs(gpu::stream& stream, const T* x, const T* y, std::size_t n, unsigned variant)
      : strided(variant % 5 == 2),
        a(stream, x, n, variant % 4, strided ? 1 + variant / 5 % 3 : 1, strided && variant % 2 == 1),
        b(stream, y, n, variant / 4 % 3 == 0 ? variant / 12 % 4 : variant % 4,
          strided ? -1 - static_cast<std::ptrdiff_t>(variant / 7 % 2) : 1, strided && variant / 3 % 2 == 1),
        swapped_a(strided && variant % 2 == 1),
        swapped_b(strided && variant / 3 % 2 == 1),
        count(n) {}

  template <input_layout layout>
  [[nodiscard]] operands<T, layout> operands_of() const {
    if constexpr (layout == input_layout::contiguous) {
      return {a.data(), b.data(), count};
    } else {
      return {a.data(), b.data(), count, a.stride_bytes(), b.stride_bytes(), swapped_a, swapped_b};
    }
  }

  bool strided;
  placed_vector<T> a, b;
  bool swapped_a, swapped_b;
  std::size_t count;
};

void add_findings(const gpu::stream& stream) {
  for (const std::string& line : gpu::findings(stream)) faults += line + "\n";
}

/// Launches 1 to 4 blocks or, in some variants, 19: more than have work.
template <int threads, int packs, input_layout layout = input_layout::contiguous, class T>
void launch_exact(gpu::stream& stream, const placed_inputs<T>& inputs, unsigned variant, device_state* state,
                  const destination& to) {
  const unsigned blocks = variant / 3 % 7 == 6 ? 19 : 1 + variant / 3 % 7 % 4;
  constexpr auto kernel = exact_kernel<T, product, layout, threads, packs>;
  gpu::launch(kernel, blocks, threads, 0, stream, inputs.template operands_of<layout>(), state, to);
}

template <class T>
void run_exact(gpu::stream& stream, const placed_inputs<T>& inputs, unsigned variant, device_state* state,
               const destination& to) {
  constexpr int min_packs = sizeof(T) == 4 ? 2 : 1;
  if (inputs.strided) return launch_exact<256, 4, input_layout::strided>(stream, inputs, variant, state, to);
  switch (variant % 3) {
    case 0:
      return launch_exact<256, min_packs>(stream, inputs, variant, state, to);
    case 1:
      return launch_exact<128, 4>(stream, inputs, variant, state, to);
    default:
      return launch_exact<256, 4>(stream, inputs, variant, state, to);
  }
}

template <int threads, input_layout layout = input_layout::contiguous, class T>
void launch_fast(gpu::stream& stream, const placed_inputs<T>& inputs, unsigned variant, device_state* state,
                 const destination& to) {
  const tile_counts counts = count_tiles<T>(inputs.count, static_cast<int>(variant / 4 % 3), threads / 32);
  const unsigned grid = std::max(std::min(counts.nodes, 1 + variant % 5), 1U);
  constexpr auto kernel = fast_kernel<T, product, layout, threads, 8>;
  gpu::launch(kernel, grid, threads, 0, stream, inputs.template operands_of<layout>(), counts, &state->exchange,
              to);
}

template <class T>
void run_fast(gpu::stream& stream, const placed_inputs<T>& inputs, unsigned variant, device_state* state,
              const destination& to) {
  if (inputs.strided) return launch_fast<128, input_layout::strided>(stream, inputs, variant, state, to);
  switch (variant % 3) {
    case 0:
      return launch_fast<64>(stream, inputs, variant, state, to);
    case 1:
      return launch_fast<128>(stream, inputs, variant, state, to);
    default:
      return launch_fast<512>(stream, inputs, variant, state, to);
  }
}

template <class R>
R read(const gpu::buffer<R>& from) {
  R value;
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

template <class R, class T>
R exact(const T* a, const T* b, std::size_t n, unsigned variant) {
  gpu::stream stream;
  choose_schedule(stream, variant);
  const placed_inputs<T> inputs(stream, a, b, n, variant);
  gpu::buffer<device_state> state(stream, 1);
  initialize(state, variant);
  gpu::buffer<R> result(stream, 1);
  run_exact(stream, inputs, variant, state.data(), value_at(result.data()));
  const R first = read(result);
  run_exact(stream, inputs, variant + 1, state.data(), value_at(result.data()));  // requires a reset state
  const R second = read(result);
  check_reset(state);
  add_findings(stream);
  if (core::to_word(first) != core::to_word(second)) faults += "the results of two launches differ\n";
  return first;
}

template <class R, class T>
R fast(const T* a, const T* b, std::size_t n, unsigned variant) {
  gpu::stream stream;
  choose_schedule(stream, variant);
  const placed_inputs<T> inputs(stream, a, b, n, variant);
  gpu::buffer<device_state> state(stream, 1);
  initialize(state, variant);
  gpu::buffer<R> result(stream, 1);
  run_fast(stream, inputs, variant, state.data(), value_at(result.data()));
  const R value = read(result);
  add_findings(stream);
  return value;
}

template <class T>
std::vector<std::int64_t> words_of_two_launches(const T* a, const T* b, std::size_t n, unsigned variant) {
  gpu::stream stream;
  choose_schedule(stream, variant);
  const placed_inputs<T> inputs(stream, a, b, n, variant);
  gpu::buffer<device_state> state(stream, 1);
  initialize(state, variant);
  gpu::buffer<std::int64_t> words(stream, core::layout_of<T>().words());
  words.fill_zero();
  destination to;
  to.words = words.data();
  for (const unsigned offset : {0U, 1U}) run_exact(stream, inputs, variant + offset, state.data(), to);
  std::vector<std::int64_t> result(words.size());
  words.copy_to(result.data(), result.size());
  check_reset(state);
  add_findings(stream);
  return result;
}

std::string take_faults() { return std::exchange(faults, {}); }

template float exact(const float*, const float*, std::size_t, unsigned);
template double exact(const float*, const float*, std::size_t, unsigned);
template float exact(const double*, const double*, std::size_t, unsigned);
template double exact(const double*, const double*, std::size_t, unsigned);
template float fast(const float*, const float*, std::size_t, unsigned);
template double fast(const float*, const float*, std::size_t, unsigned);
template float fast(const double*, const double*, std::size_t, unsigned);
template double fast(const double*, const double*, std::size_t, unsigned);
template std::vector<std::int64_t> words_of_two_launches(const float*, const float*, std::size_t, unsigned);
template std::vector<std::int64_t> words_of_two_launches(const double*, const double*, std::size_t, unsigned);

}  // namespace kernels_under_test
