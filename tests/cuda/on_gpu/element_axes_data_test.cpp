// Lines in a GPU's memory whose elements lie along two to six random axes that no one stride describes, backwards,
// overlapping and repeated, too: sums, variances, extrema, states, of lines that threads have alone or blocks
// share: the oracle's bits for a copy of the elements in their order.
#include <exactdot/cuda/batch_states.hpp>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/exactdot.hpp>

#include "cuda/on_gpu/support.hpp"
#include "cuda/on_gpu/workspace_state.hpp"
#include "oracle/cases.hpp"
#include "oracle/random.hpp"
#include "oracle/reference.hpp"

namespace {

using namespace exactdot;
using namespace on_gpu;

class cuda_element_axes_data : public needs_gpu {};

constexpr std::size_t max_axes = 6;

/// An input of lines: bytes, and distances in elements.
struct placed_elements {
  element_type type = element_type::float32;
  bool swapped = false;
  std::ptrdiff_t first = 0, next = 0;
  std::vector<std::ptrdiff_t> strides;  ///< of the axes, the outermost first
  std::vector<unsigned char> bytes;

  [[nodiscard]] std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(size_of(type)); }
};

struct lines_along_axes {
  std::size_t count = 0, n = 0;
  std::vector<std::size_t> lengths;  ///< of the axes, the outermost first
  placed_elements a, b;

  /// The elements of line i in their order.
  [[nodiscard]] std::vector<unsigned char> gathered(const placed_elements& x, std::size_t i) const {
    std::vector<unsigned char> made;
    for (std::size_t k = 0; k < n; ++k) {
      std::ptrdiff_t at = x.first + static_cast<std::ptrdiff_t>(i) * x.next;
      std::size_t rest = k;
      for (std::size_t axis = lengths.size(); axis-- != 0; rest /= lengths[axis]) {
        at += static_cast<std::ptrdiff_t>(rest % lengths[axis]) * x.strides[axis];
      }
      const auto* const from = &x.bytes[static_cast<std::size_t>(at * x.size())];
      made.insert(made.end(), from, from + x.size());
    }
    made.resize(made.size() + 1);
    return made;
  }
  [[nodiscard]] any_vector vector_of(const placed_elements& x, const std::vector<unsigned char>& elements) const {
    return {elements.data(), n, x.type, x.size(), x.swapped};
  }
  [[nodiscard]] std::vector<axis> axes_of(const placed_elements& x) const {
    std::vector<axis> made;
    for (std::size_t k = 0; k < lengths.size(); ++k) made.push_back({lengths[k], x.strides[k] * x.size()});
    return made;
  }
};

/// Random strides, some 0, some negative; random bits, or numbers of one size.
void place(oracle::rng& random, const lines_along_axes& of, element_type type, placed_elements& x) {
  x.type = type, x.swapped = size_of(type) > 1 && random.below(4) == 0;
  const auto stride = [&] { return random.between(-40, 40) * (random.below(6) == 0 ? 0 : 1); };
  std::ptrdiff_t low = 0, high = 0;
  const auto extend = [&](std::ptrdiff_t step, std::size_t n) {
    (step < 0 ? low : high) += step * static_cast<std::ptrdiff_t>(n - 1);
    return step;
  };
  x.next = extend(stride(), of.count);
  for (const std::size_t n : of.lengths) x.strides.push_back(extend(stride(), n));
  x.first = -low;
  x.bytes.resize(static_cast<std::size_t>((high - low + 1) * x.size()));
  const unsigned kind = static_cast<unsigned>(random.below(3));
  for (std::size_t at = 0; at < x.bytes.size(); at += size_of(type)) {
    with_element(type, [&]<class T>(T) {
      T value = exactdot::detail::from_word<T>(random.bits());
      if constexpr (floating_element<T>) {
        if (kind != 0 || !std::isfinite(static_cast<double>(value))) {
          value = static_cast<T>(static_cast<float>(kind == 1 ? 2 * random.unit() - 1 : random.between(-3, 3)));
        }
      } else if (kind == 1) {
        value = static_cast<T>(random.below(100));
      }
      std::memcpy(&x.bytes[at], &value, sizeof value);
      if (x.swapped) std::reverse(&x.bytes[at], &x.bytes[at] + sizeof value);
    });
  }
}

lines_along_axes random_lines(oracle::rng& random, element_type a, element_type b, std::size_t longest) {
  lines_along_axes made;
  made.count = 1 + random.below(9), made.n = 1;
  const std::size_t axes = 2 + random.below(max_axes - 1);
  for (std::size_t k = 0; k < axes; ++k) {
    const std::size_t most = std::max<std::size_t>(2, longest / made.n);
    made.lengths.push_back(2 + random.below(std::min<std::size_t>(most - 1, k == 0 ? 60 : 12)));
    made.n *= made.lengths.back();
  }
  random.shuffle(made.lengths);
  place(random, made, a, made.a), place(random, made, b, made.b);
  return made;
}

/// f(workspace, first grid, second grid) of the lines in device memory.
template <class F>
void with_grids(const lines_along_axes& of, unsigned seed, F f) {
  choose_schedule(seed);
  const device_vector<unsigned char> a(of.a.bytes), b(of.b.bytes);
  const axis lines_a{of.count, of.a.next * of.a.size()}, lines_b{of.count, of.b.next * of.b.size()};
  const std::vector<axis> in_a = of.axes_of(of.a), in_b = of.axes_of(of.b);
  cuda::workspace workspace;
  workspace.library_storage().multiprocessors = static_cast<int>(1 + seed % 5);
  f(workspace, any_grid{a.data() + of.a.first * of.a.size(), of.a.type, {&lines_a, 1}, in_a, of.a.swapped},
    any_grid{b.data() + of.b.first * of.b.size(), of.b.type, {&lines_b, 1}, in_b, of.b.swapped});
  EXPECT_EQ(unreset_lines(workspace), "");
}

void expect_lines(element_type a, element_type b, reduction what, std::size_t longest, unsigned seed) {
  if (!is_tried()) return;
  oracle::rng random(seed);
  const auto of = random_lines(random, a, b, longest);
  constexpr element_type types[] = {element_type::float64, element_type::float32, element_type::float16};
  const bool is_extremum = what == reduction::min || what == reduction::max;
  const element_type type = gives_index(what) ? element_type::int64 : is_extremum ? a : types[random.below(3)];
  const auto ddof = static_cast<std::int64_t>(random.below(2));
  const bool two = what == reduction::dot;
  const device_vector<std::uint64_t> out(std::vector<std::uint64_t>(of.count, 0));
  with_grids(of, seed, [&](cuda::workspace& on, const any_grid& x, const any_grid& y) {
    const axis places{of.count, 8};
    const any_results to{out.data(), type, {&places, 1}};
    two ? cuda::dot(on, x, y, to) : cuda::reduce(on, what, x, to, {}, ddof);
  });
  const std::vector<std::uint64_t> found = out.read(of.count);
  for (std::size_t i = 0; i < of.count; ++i) {
    const auto x = of.gathered(of.a, i), y = of.gathered(of.b, i);
    const oracle::reference right(what, of.vector_of(of.a, x), of.vector_of(two ? of.b : of.a, two ? y : x), ddof);
    ASSERT_EQ(found[i], right.exact(type).value().bits)
        << name_of(what) << " of " << name_of(a) << " to " << name_of(type) << ", line " << i << " of " << of.count
        << " by " << of.n << ", " << of.lengths.size() << " axes, seed " << seed;
  }
}

TEST_F(cuda_element_axes_data, have_the_sums_of_gathered_ones) {
  using enum element_type;
  for (unsigned seed = 0; seed < 8 && !HasFatalFailure(); ++seed) {
    expect_lines(float32, float16, reduction::dot, 300, 100 + seed);
    expect_lines(seed % 2 == 0 ? float32 : bfloat16, float32, reduction::mean, 1500, 200 + seed);
    expect_lines(seed % 2 == 0 ? float64 : int64, int8, reduction::sum, 300, 300 + seed);
    expect_lines(uint64, seed % 2 == 0 ? int64 : int32, reduction::dot, 1500, 400 + seed);
    expect_lines(float64, int8, reduction::nrm2, 1500, 500 + seed);
    expect_lines(float64, int8, reduction::asum, 1500, 800 + seed);
  }
}

TEST_F(cuda_element_axes_data, have_the_variances_of_gathered_ones) {
  using enum element_type;
  for (unsigned seed = 0; seed < 8 && !HasFatalFailure(); ++seed) {
    expect_lines(seed % 2 == 0 ? float32 : float16, int8, reduction::variance, 1500, 600 + seed);
    expect_lines(seed % 2 == 0 ? int64 : uint64, int8, reduction::stddev, 1500, 700 + seed);
  }
}

TEST_F(cuda_element_axes_data, have_the_extrema_of_gathered_ones) {
  using enum element_type;
  for (unsigned seed = 0; seed < 8 && !HasFatalFailure(); ++seed) {
    expect_lines(float32, int8, reduction::argmin, 1500, 1200 + seed);
    expect_lines(int8, int8, reduction::max, 1500, 1300 + seed);
    expect_lines(uint64, int8, reduction::argmax, 1500, 1400 + seed);
    expect_lines(float16, int8, reduction::argmax, 1500, 1500 + seed);
    expect_lines(float64, int8, reduction::min, 1500, 1600 + seed);
  }
}

TEST_F(cuda_element_axes_data, have_the_states_of_gathered_ones) {
  for (unsigned seed = 1700; seed < 1708 && !HasFatalFailure(); ++seed) {
    if (!is_tried()) continue;
    oracle::rng random(seed);
    const element_type type = seed % 2 == 0 ? element_type::float64 : element_type::int32;
    const auto of = random_lines(random, type, type, 400);
    const state_format format{reduction::sum, type, state_form::full};
    const device_vector<std::int64_t> words(of.count * format.words());
    with_grids(of, seed, [&](cuda::workspace& on, const any_grid& x, const any_grid&) {
      cuda::reduce_into(on, format.what, x, words.data(), format.form);
    });
    std::vector<double> rounded(of.count);
    round_states(format, words.read(of.count * format.words()), rounded);
    for (std::size_t i = 0; i < of.count; ++i) {
      const auto x = of.gathered(of.a, i);
      const oracle::reference right(reduction::sum, of.vector_of(of.a, x), of.vector_of(of.a, x));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(rounded[i]), right.exact(element_type::float64).value().bits)
          << name_of(type) << ", line " << i << " of " << of.count << " by " << of.n << ", seed " << seed;
    }
  }
}

}  // namespace
