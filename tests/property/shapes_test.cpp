// Arrays of any number of dimensions, any axes of which are reduced: each result has the bits of the vector call on
// its elements, copied one by one in the order of the axes.
#include <gtest/gtest.h>

#include <cstring>
#include <exactdot/exactdot.hpp>
#include <numeric>
#include <vector>

#include "oracle/cases.hpp"
#include "oracle/random.hpp"

namespace {

using namespace exactdot;
using oracle::rng;

/// An array with random axes, of which some overlap, run backwards or repeat a position.
struct random_array {
  element_type type;
  std::vector<std::byte> bytes;
  const std::byte* origin = nullptr;
  std::vector<axis> results, elements;
  bool swapped = false;

  [[nodiscard]] any_grid view() const { return {origin, type, results, elements, swapped}; }
};

void fill(rng& random, random_array& x) {
  const std::size_t size = size_of(x.type);
  for (std::size_t i = 0; i + size <= x.bytes.size(); i += size) {
    with_element(x.type, [&]<class T>(T) {
      T value{};
      if constexpr (integer_element<T>) {
        value = static_cast<T>(random.bits());
      } else {
        const int exponent = random.below(8) == 0 ? random.between(-14, 15) : 0;
        value = static_cast<T>(static_cast<float>(std::ldexp(2 * random.unit() - 1, exponent)));
      }
      std::memcpy(&x.bytes[i], &value, size);
    });
    if (x.swapped) std::reverse(&x.bytes[i], &x.bytes[i] + size);
  }
}

/// Lengths of axes, in the order of the array. The positions lie in a dense array, or further apart.
random_array make_array(rng& random, element_type type, const std::vector<std::size_t>& results,
                        const std::vector<std::size_t>& elements) {
  random_array made{.type = type, .bytes = {}, .results = {}, .elements = {}, .swapped = random.below(5) == 0};
  const std::size_t count = results.size() + elements.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(order);
  std::vector<axis> axes(count);
  auto extent = static_cast<std::ptrdiff_t>(size_of(type)), begin = std::ptrdiff_t{0};
  for (const std::size_t i : order) {
    const std::size_t n = i < results.size() ? results[i] : elements[i - results.size()];
    std::ptrdiff_t stride = extent;
    if (random.below(6) == 0) stride += static_cast<std::ptrdiff_t>(size_of(type) * random.below(3));
    if (random.below(12) == 0) stride = 0;
    extent += stride * static_cast<std::ptrdiff_t>(n - 1);
    if (random.below(4) == 0) begin += stride * static_cast<std::ptrdiff_t>(n - 1), stride = -stride;
    axes[i] = {n, stride};
  }
  made.bytes.resize(static_cast<std::size_t>(extent) + 8);
  fill(random, made);
  made.origin = made.bytes.data() + begin;
  made.results.assign(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(results.size()));
  made.elements.assign(axes.begin() + static_cast<std::ptrdiff_t>(results.size()), axes.end());
  return made;
}

std::ptrdiff_t offset_of(const std::vector<axis>& axes, std::size_t index) {
  std::ptrdiff_t offset = 0;
  for (std::size_t i = axes.size(); i-- != 0; index /= axes[i].n) {
    offset += static_cast<std::ptrdiff_t>(index % axes[i].n) * axes[i].stride;
  }
  return offset;
}

/// The elements of one result as a contiguous vector.
std::vector<std::byte> elements_of(const random_array& x, std::size_t result, std::size_t n) {
  const std::size_t size = size_of(x.type);
  std::vector<std::byte> copied(n * size + 1);
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(&copied[i * size], x.origin + offset_of(x.results, result) + offset_of(x.elements, i), size);
  }
  return copied;
}

std::size_t product(const std::vector<std::size_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::size_t{1}, std::multiplies<>());
}

std::vector<std::size_t> random_lengths(rng& random, std::size_t axes, std::size_t longest) {
  std::vector<std::size_t> lengths(axes);
  for (std::size_t& n : lengths) n = 1 + random.below(longest);
  return lengths;
}

void check(rng& random, reduction what, element_type type, mode mode) {
  auto results = random_lengths(random, random.below(4), 7);
  auto elements = random_lengths(random, random.below(4), random.below(20) == 0 ? 40 : 9);
  // long enough to be read in place; as many columns as fill registers
  if (!elements.empty() && random.below(15) == 0) elements.back() = 120 + random.below(300);
  if (!results.empty() && random.below(15) == 0) results.back() = 20 + random.below(100);
  const std::size_t count = product(results), n = product(elements);
  const random_array a = make_array(random, type, results, elements),
                     b = make_array(random, type, results, elements);
  const element_type result = is_integer(type) && !gives_element(what) && !gives_index(what)
                                  ? element_type::float64
                                  : default_result_type(what, type);
  const std::size_t size = size_of(result);
  std::vector<axis> places(results.size());
  auto step = static_cast<std::ptrdiff_t>(size);
  for (std::size_t i = 0; i < results.size(); ++i) {  // not in the order of the results
    places[i] = {results[i], step};
    step *= static_cast<std::ptrdiff_t>(results[i]);
  }
  std::vector<std::byte> out(count * size);
  const any_results to{out.data(), result, places, random.coin()};
  const options options{.mode = mode, .threads = static_cast<int>(random.below(4))};
  if (inputs_of(what) == 2) {
    reduce(what, a.view(), b.view(), to, options, 1);
  } else {
    reduce(what, a.view(), to, options, 1);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = elements_of(a, i, n), second = elements_of(b, i, n);
    const auto stride = static_cast<std::ptrdiff_t>(size_of(type));
    const any_vector x{first.data(), n, type, stride, a.swapped}, y{second.data(), n, type, stride, b.swapped};
    const any_scalar expected =
        inputs_of(what) == 2 ? reduce(what, x, y, result, {.mode = mode}, 1) : reduce(what, x, result, {.mode = mode}, 1);
    std::uint64_t got = 0;
    std::vector<std::byte> bytes(out.begin() + offset_of(places, i),
                                 out.begin() + offset_of(places, i) + static_cast<std::ptrdiff_t>(size));
    if (to.swapped) std::reverse(bytes.begin(), bytes.end());
    std::memcpy(&got, bytes.data(), size);
    ASSERT_EQ(got, expected.bits) << name_of(what) << " of " << name_of(type) << ", result " << i << " of " << count
                                  << ", " << n << " elements";
  }
}

TEST(shapes, have_the_bits_of_vectors) {
  rng random(3);
  for (int i = 0; i < oracle::scaled(24'000); ++i) {
    const auto what = static_cast<reduction>(random.below(reduction_names.size()));
    const element_type type = elements[random.below(elements.size())].type;
    const bool has_fast = what != reduction::variance && what != reduction::stddev && what < reduction::weighted_mean;
    check(random, what, type, has_fast && random.coin() ? mode::fast : mode::exact);
    if (HasFatalFailure()) return;
  }
}

/// Segments of any length: empty, short and so long that all threads compute one.
TEST(shapes, segments_have_the_bits_of_vectors) {
  rng random(4);
  std::vector<float> x(1 << 20);
  for (float& each : x) each = static_cast<float>(2 * random.unit() - 1);
  for (int i = 0; i < 8; ++i) {
    std::vector<std::uint32_t> offsets = {static_cast<std::uint32_t>(random.below(100))};
    while (offsets.back() < x.size() - 1 && offsets.size() < 20'000) {
      const std::size_t limit = random.below(100) == 0 ? x.size() : random.below(8) == 0 ? 5000 : 20;
      offsets.push_back(static_cast<std::uint32_t>(std::min(x.size(), offsets.back() + random.below(limit))));
    }
    std::vector<float> out(offsets.size() - 1);
    const options options{.mode = random.coin() ? mode::exact : mode::fast, .threads = i};
    sum(segments{x, offsets}, out, options);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const float expected =
          sum(std::span(x).subspan(offsets[k], offsets[k + 1] - offsets[k]), {.mode = options.mode});
      ASSERT_EQ(std::bit_cast<std::uint32_t>(out[k]), std::bit_cast<std::uint32_t>(expected)) << k;
    }
  }
}

/// A batch of a few long rows, and of long columns, whose rows the threads share.
TEST(shapes, long_vectors) {
  rng random(5);
  std::vector<double> x(std::size_t{3} << 18);
  for (double& each : x) each = std::ldexp(2 * random.unit() - 1, random.between(-30, 30));
  const std::size_t n = x.size() / 3;
  for (const exactdot::mode mode : {mode::exact, mode::fast}) {
    for (const int threads : {1, 2, 5}) {
      std::vector<double> out(3);
      const options options{.mode = mode, .threads = threads};
      nrm2(rows{x.data(), 3, n}, out, options);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(out[i], nrm2(std::span(x).subspan(i * n, n), {.mode = mode}));
      sum(columns{x.data(), n, 3}, out, options);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(out[i], sum(strided{&x[i], n, 3}, {.mode = mode}));
      if (mode == exactdot::mode::fast) continue;
      variance(columns{x.data(), n, 3}, out, 1, options);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(out[i], variance(strided{&x[i], n, 3}, 1));
      std::vector<float> rounded(3);
      sum(columns{x.data(), n, 3}, rounded, options);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(rounded[i], sum<float>(strided{&x[i], n, 3}));
    }
  }
}

}  // namespace
