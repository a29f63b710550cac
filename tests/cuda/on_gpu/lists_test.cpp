// Lists of vectors in device memory: all lengths, mixed types, strides, byte orders and alignments, one result each
// or one for several; data of every kind of the oracle, with infinities and NaNs. Compared with the oracle's result
// of one vector of all elements.
#include <algorithm>
#include <cmath>
#include <exactdot/cuda.hpp>
#include <exactdot/cuda/lists.hpp>
#include <exactdot/exactdot.hpp>
#include <memory>

#include "cuda/on_gpu/support.hpp"
#include "oracle/cases.hpp"
#include "oracle/generators.hpp"
#include "oracle/reference.hpp"

namespace {

using namespace exactdot;
using namespace on_gpu;

class cuda_lists : public needs_gpu {};

/// The vectors of a list in device memory, and all elements, of each result, as numbers of a wider type.
template <class Wide>
struct placed_list {
  std::vector<std::unique_ptr<device_vector<unsigned char>>> memory;
  std::vector<any_vector> vectors;
  std::vector<std::size_t> ends;
  std::vector<std::vector<Wide>> elements;

  [[nodiscard]] cuda::vector_list view() const { return {vectors, ends}; }

  /// Places elements with a stride of so many of their size, the first so many bytes behind a multiple of 256.
  template <class Element>
  void add(const std::vector<Element>& x, std::ptrdiff_t step, std::size_t skew, bool swapped) {
    constexpr std::size_t size = sizeof(Element);
    const std::size_t far = static_cast<std::size_t>(std::abs(step)),
                      span = x.empty() ? 0 : (x.size() - 1) * far + 1;
    std::vector<unsigned char> bytes(skew + span * size, 0xff);
    const std::size_t first = step < 0 ? skew + (span - 1) * size : skew;
    const auto stride = step * static_cast<std::ptrdiff_t>(size);
    for (std::size_t i = 0; i < x.size(); ++i) {
      auto* const at = bytes.data() + static_cast<std::ptrdiff_t>(first) + static_cast<std::ptrdiff_t>(i) * stride;
      std::memcpy(at, &x[i], size);
      if (swapped) std::reverse(at, at + size);
    }
    memory.push_back(std::make_unique<device_vector<unsigned char>>(bytes));
    const void* const data = x.empty() ? nullptr : memory.back()->data() + first;
    vectors.push_back(any_vector{data, x.size(), type_of<Element>, stride, swapped});
    for (const Element each : x) elements.back().push_back(static_cast<Wide>(each));
  }
  void begin_result() { elements.emplace_back(); }
  void end_result() { ends.push_back(vectors.size()); }
};

/// One call, and the oracle for each result.
template <class Wide>
void expect_list(const placed_list<Wide>& of, reduction what, element_type type, const std::string& name) {
  constexpr std::ptrdiff_t distance = 16;  // of results
  const std::vector<unsigned char> unwritten(static_cast<std::size_t>(distance) * (of.ends.size() + 1), 0x5a);
  const device_vector<unsigned char> out(unwritten);
  const axis places{of.ends.size(), distance};
  cuda::workspace workspace;
  cuda::reduce(workspace, what, of.view(), {out.data(), type, {&places, 1}, false});
  bool overflows = false;
  std::vector<unsigned char> expected = unwritten;
  for (std::size_t i = 0; i < of.ends.size(); ++i) {
    const any_vector all(of.elements[i].data(), of.elements[i].size(), type_of<Wide>);
    const std::optional<any_scalar> right = oracle::reference(what, all, all).exact(type);
    overflows = overflows || !right.has_value();
    const std::uint64_t bits = right.has_value() ? right->bits : 0;
    std::memcpy(&expected[i * distance], &bits, size_of(type));
  }
  const std::vector<unsigned char> found = out.read(unwritten.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i], expected[i]) << name << ": " << name_of(what) << " to " << name_of(type) << ", byte "
                                     << i % distance << " of result " << i / distance << " of " << of.ends.size();
  }
  if (!overflows) return workspace.check();
  expect_error(errc::overflow, "", [&] { workspace.check(); });
}

/// At least n elements of a kind of data; of narrow types their nearest ones.
template <class Element>
std::vector<Element> elements_of(oracle::rng& random, std::size_t n) {
  using source = std::conditional_t<sizeof(Element) == 8, double, float>;
  const auto all = oracle::generators<source>();
  std::vector<source> x;
  if (n != 0) x = all[random.below(all.size())].make(random, n).a;
  if constexpr (std::is_same_v<Element, source>) {
    return x;
  } else {
    return {x.begin(), x.end()};
  }
}
template <integer_element Element>
std::vector<Element> elements_of(oracle::rng& random, std::size_t n) {
  std::vector<Element> x(n);
  const unsigned narrow = static_cast<unsigned>(random.below(8 * sizeof(Element)));
  for (Element& each : x) each = static_cast<Element>(static_cast<Element>(random.bits()) >> narrow);
  return x;
}

std::size_t random_length(oracle::rng& random) {
  constexpr std::size_t lengths[] = {0, 1, 7, 31, 300, 4096, 5000, 100'000};
  const std::size_t n = lengths[random.below(std::size(lengths))];
  return at_most(n, 1500) + random.below(3) * (n != 0 ? 1 : 0);
}

/// Results of one to four vectors whose types are some of Elements.
template <class Wide, class... Elements>
placed_list<Wide> random_list(oracle::rng& random, std::size_t results, bool joined) {
  placed_list<Wide> made;
  for (std::size_t i = 0; i < results; ++i) {
    if (i == 0 || !joined) made.begin_result();
    for (std::size_t count = i % 3 == 0 ? 1 : 1 + random.below(4); count != 0; --count) {
      const std::size_t n = random_length(random), type = random.below(sizeof...(Elements)), odd = random.below(6);
      std::size_t k = 0;
      const auto add = [&]<class Element>(Element) {
        if (k++ != type) return;
        const std::ptrdiff_t step = odd == 0 ? 2 : odd == 1 ? -1 : odd == 2 ? -3 : 1;
        const std::size_t skew = random.below(16 / sizeof(Element)) * sizeof(Element);
        made.add(elements_of<Element>(random, n), step, skew, odd == 3 && sizeof(Element) > 1);
      };
      (add(Elements{}), ...);
    }
    if (i + 1 == results || !joined) made.end_result();
  }
  return made;
}

template <class Wide, class... Elements>
void expect_random(unsigned salt, int repeats, std::initializer_list<reduction> reductions,
                   std::initializer_list<element_type> types) {
  for (int i = 0; i < oracle::scaled(repeats); ++i) {
    const auto seed = static_cast<unsigned>(i) * 11 + salt;
    oracle::rng random(seed);
    const bool joined = i % 3 == 2;
    const auto made = random_list<Wide, Elements...>(random, 1 + random.below(at_most(40, 12)), joined);
    const auto turn = static_cast<std::size_t>(i);
    expect_list(made, reductions.begin()[turn % reductions.size()],
                types.begin()[turn / reductions.size() % types.size()], "seed " + std::to_string(seed));
    if (testing::Test::HasFatalFailure()) return;
  }
}

constexpr auto to_float32 = element_type::float32, to_float64 = element_type::float64,
               to_float16 = element_type::float16, to_bfloat16 = element_type::bfloat16,
               to_int64 = element_type::int64;
constexpr auto sum = reduction::sum, asum = reduction::asum, squares = reduction::sum_of_squares,
               nrm2 = reduction::nrm2;

TEST_F(cuda_lists, of_floats_have_the_oracles_bits) {
  expect_random<float, float, float16, bfloat16, float8_e4m3fn, float8_e5m2>(
      1, 40, {nrm2, sum, asum, squares, nrm2}, {to_float32, to_bfloat16, to_float64, to_float16});
  expect_random<float, float>(2, 12, {sum, nrm2, asum}, {to_float32, to_float64});
}

TEST_F(cuda_lists, of_doubles_have_the_oracles_bits) {
  expect_random<double, double>(3, 36, {nrm2, sum, asum, squares}, {to_float64, to_float32, to_bfloat16});
}

TEST_F(cuda_lists, of_integers_have_the_oracles_bits) {
  expect_random<std::int64_t, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>(4, 12, {sum, asum, squares},
                                                                                      {to_int64, to_float32});
  expect_random<std::int64_t, std::int8_t, std::uint16_t, std::int32_t, std::uint32_t>(5, 18, {sum, asum, squares},
                                                                                       {to_int64, to_float64});
  expect_random<std::int64_t, std::int64_t>(6, 12, {sum, asum}, {to_int64, to_float64});
}

/// More vectors than one launch takes in its parameters, most of them short, some without elements.
TEST_F(cuda_lists, may_have_thousands_of_vectors) {
  for (const std::size_t count : {100, 101, 870, 971, 2000}) {
    if (is_simulated() && count % 2 == 0) continue;
    for (const bool joined : {true, false}) {
      oracle::rng random(count);
      placed_list<float> made;
      for (std::size_t i = 0; i < count; ++i) {
        if (i == 0 || !joined) made.begin_result();
        std::vector<float> x(i % 50 == 3 ? at_most(10'000, 700) : random.below(4));
        for (float& each : x) each = std::ldexp(static_cast<float>(1 + random.below(99)), static_cast<int>(i % 9));
        made.add(x, 1, i % 4 * 4, false);
        if (i + 1 == count || !joined) made.end_result();
      }
      expect_list(made, nrm2, element_type::float32, std::to_string(count) + " vectors");
      if (HasFatalFailure()) return;
    }
  }
}

/// Sums that no bound decides, of one block and of several, and that are left to the kernel of open lines.
TEST_F(cuda_lists, may_cancel) {
  placed_list<double> made;
  for (std::size_t i = 0; i < 3; ++i) {
    made.begin_result();
    const std::size_t n = i == 0 ? 10 : at_most(200'000, 8000) / 2;
    std::vector<double> x, y;
    for (std::size_t k = 0; k < n; ++k) {
      x.push_back(std::ldexp(1.0 + static_cast<double>(k % 1000), static_cast<int>(k % 700) - 300));
      y.push_back(k == 7 ? 0x1p-900 - x.back() : -x.back());
    }
    made.add(x, 1, 8, false), made.add(std::vector{0.0, -0.0}, 1, 0, false), made.add(y, i == 2 ? -2 : 1, 0, false);
    made.end_result();
  }
  expect_list(made, sum, element_type::float64, "cancelling");
  placed_list<float> special;
  special.begin_result();
  special.add(std::vector{HUGE_VALF, 1.0F}, 1, 0, false), special.add(std::vector{0.0F, -HUGE_VALF}, -1, 0, false);
  special.end_result();
  for (const float odd : {HUGE_VALF, -HUGE_VALF, NAN, 0x1p-149F, -0x1p-149F}) {
    special.begin_result();
    std::vector<float> x(at_most(100'000, 4000), 0x1p-149F);
    x[x.size() / 3] = odd;
    special.add(x, 1, 4, false), special.add(std::vector{0.0F}, 1, 0, false);
    if (std::isinf(odd)) special.add(std::vector<float16>(3, float16(odd < 0 ? odd : 1.0F)), 1, 0, false);
    special.end_result();
  }
  for (const reduction what : {sum, asum, nrm2, squares}) expect_list(special, what, element_type::float32, "odd");
}

TEST_F(cuda_lists, of_nothing_are_zero) {
  placed_list<double> made;
  for (int i = 0; i < 4; ++i) {
    made.begin_result();
    for (int k = 0; k < i; ++k) made.add(std::vector<double>{}, 1, 0, false);
    made.end_result();
  }
  expect_list(made, nrm2, element_type::float64, "nothing");
  cuda::workspace workspace;
  const axis no_place{0, 0};
  const std::span<const axis> none(&no_place, 1);
  EXPECT_NO_THROW(cuda::reduce(workspace, sum, {}, {nullptr, element_type::float32, none, false}));
}

TEST_F(cuda_lists, are_captured_in_a_graph) {
  oracle::rng random(9);
  const auto made = random_list<float, float, bfloat16>(random, 9, false);
  const test_stream stream;
  cuda::workspace workspace(stream.handle());
  const device_vector<float> out(9);
  const axis places{9, sizeof(float)};
  const any_results to{out.data(), element_type::float32, {&places, 1}, false};
  cuda::reduce(workspace, nrm2, made.view(), to);
  EXPECT_EQ(cudaStreamSynchronize(stream.handle()), cudaSuccess);
  const std::vector<float> expected = out.read(9);
  const captured_graph graph(stream.handle(), [&] { cuda::reduce(workspace, nrm2, made.view(), to); });
  for (int replay = 0; replay < 3; ++replay) {
    EXPECT_EQ(cudaMemset(out.data(), 0xff, 9 * sizeof(float)), cudaSuccess);
    graph.launch();
    expect_same(out, expected, "replayed");
  }
}

/// More results than a table has lines, whose launches follow each other.
TEST_F(cuda_lists, of_more_vectors_than_a_table_holds) {
  if (is_simulated()) GTEST_SKIP() << "takes minutes on the simulator";
  constexpr std::size_t count = 40'000;
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i) + 0.5F;
  const device_vector<float> in(x), out(count);
  std::vector<any_vector> vectors;
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < count; ++i) {
    vectors.emplace_back(in.data() + i, 1, element_type::float32), ends.push_back(i + 1);
  }
  const axis places{count, sizeof(float)};
  cuda::workspace workspace;
  cuda::reduce(workspace, sum, {vectors, ends}, {out.data(), element_type::float32, {&places, 1}, false});
  workspace.check();
  EXPECT_EQ(out.read(count), x);
}

TEST_F(cuda_lists, refuse_what_they_do_not_have) {
  const device_vector<float> x(16), out(4);
  cuda::workspace workspace;
  const auto call = [&](reduction what, std::vector<any_vector> vectors, std::vector<std::size_t> ends,
                        element_type type = element_type::float32) {
    const axis places{ends.size(), 8};
    cuda::reduce(workspace, what, {vectors, ends}, {out.data(), type, {&places, 1}, false});
  };
  const any_vector floats(x.data(), 16, element_type::float32), doubles(x.data(), 4, element_type::float64),
      wide(x.data(), 4, element_type::int64), odd(reinterpret_cast<char*>(x.data()) + 2, 4, element_type::float32);
  expect_error(errc::bad_option, "max is not a reduction of lists", [&] { call(reduction::max, {floats}, {1}); });
  expect_error(errc::bad_option, "mean is not a reduction of lists", [&] { call(reduction::mean, {floats}, {1}); });
  expect_error(errc::bad_option, "variance is not a reduction of lists",
               [&] { call(reduction::variance, {floats}, {1}); });
  expect_error(errc::bad_option, "x[1] holds float64, x[0] float32", [&] { call(sum, {floats, doubles}, {2}); });
  expect_error(errc::bad_option, "x[0] holds int64, whose squares", [&] { call(nrm2, {wide}, {1}); });
  expect_error(errc::bad_option, "x[1] is not aligned", [&] { call(sum, {floats, odd}, {2}); });
  expect_error(errc::bad_option, "belong to no result", [&] { call(sum, {floats, floats}, {1}); });
  expect_error(errc::bad_option, "decrease", [&] { call(sum, {floats, floats}, {2, 1, 2}); });
  expect_error(errc::bad_option, "the result lies within x[1]", [&] {
    const any_vector results(out.data(), 2, element_type::float32);
    call(sum, {floats, results}, {1, 2});
  });
  const std::vector<any_vector> too_many(cuda::max_vectors_of_result + 1,
                                         any_vector(x.data(), 1, element_type::float32));
  expect_error(errc::bad_option, "has 31801 vectors; at most 31800",
               [&] { call(sum, too_many, {too_many.size()}); });
  const std::vector<float> host(4);
  const any_vector on_host(host.data(), 4, element_type::float32);
  if (!is_simulated()) {
    expect_error(errc::bad_option, "x[1] points to host memory", [&] { call(sum, {floats, on_host}, {2}); });
  }
}

}  // namespace
