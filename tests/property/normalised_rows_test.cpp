// Elements of rms_norm and layer_norm against the oracle: every type, instruction set, kind of row, with ties among
// results, and special values; calls that are refused. (The arithmetic by itself: normalisation_test.cpp.)
#include <gtest/gtest.h>

#include <cfenv>
#include <cstring>
#include <functional>
#include <limits>

#include "oracle/cases.hpp"
#include "property/normalised_matrices.hpp"

namespace {

using namespace exactdot;
using namespace exactdot::tests;

template <class T, class Parameter>
std::vector<T> normalised(const matrix<T, Parameter>& of, bool is_centred, const options& by) {
  std::vector<T> out(of.x.size());
  const rows<T> x(of.x.data(), of.m, of.n);
  if (is_centred) {
    layer_norm(x, of.weight, of.bias, out, of.epsilon, by);
  } else {
    rms_norm(x, of.weight, out, of.epsilon, by);
  }
  return out;
}

/// The number of results that differ from the oracle's; names the first.
template <class T, class Parameter>
int wrong_elements(const matrix<T, Parameter>& of_rows, bool is_centred, std::span<const T> found) {
  int wrong = 0;
  for (std::size_t i = 0; i < of_rows.m; ++i) {
    std::vector<double> row;
    for (std::size_t k = 0; k < of_rows.n; ++k) row.push_back(of(of_rows.x[i * of_rows.n + k]));
    const oracle::normalised_row right(row, is_centred, of_rows.epsilon, format_of_results<T>);
    for (std::size_t k = 0; k < of_rows.n; ++k) {
      const double w = of_rows.weight.empty() ? 1 : of(of_rows.weight[k]);
      const double b = of_rows.bias.empty() || !is_centred ? 0 : of(of_rows.bias[k]);
      const std::uint64_t expected = right.element(row[k], w, b), got = detail::to_word(found[i * of_rows.n + k]);
      if (expected == got || ++wrong > 1) continue;
      ADD_FAILURE() << (is_centred ? "layer_norm" : "rms_norm") << " of " << name_of(type_of<T>) << ", "
                    << cpu().instruction_set << ": element " << k << " of " << of_rows.n << ", x " << row[k]
                    << ", w " << w << ", b " << b << ", epsilon " << of_rows.epsilon << ": expected " << std::hex
                    << expected << ", got " << got;
    }
  }
  return wrong;
}

template <class T, class Parameter>
void expect_right(const matrix<T, Parameter>& of, bool is_centred) {
  for (const std::string& set : cpu().instruction_sets) {
    use_instruction_set(set);
    const std::vector<T> found = normalised(of, is_centred, {.threads = 1});
    ASSERT_EQ((wrong_elements<T, Parameter>(of, is_centred, found)), 0);
  }
  use_instruction_set("");
}

template <class T, class Parameter>
void expect_types(int cases, std::uint64_t seed) {
  rng random(seed);
  for (int i = 0; i < oracle::scaled(cases) && !testing::Test::HasFailure(); ++i) {
    const bool is_centred = random.coin();
    expect_right(random_matrix<T, Parameter>(random, 300), is_centred);
    expect_right(matrix_of_ties<T, Parameter>(random, is_centred), is_centred);
  }
}

TEST(normalised_rows, of_floats_are_right) { expect_types<float, float>(2500, 1); }
TEST(normalised_rows, of_doubles_are_right) {
  expect_types<double, double>(800, 2);
  expect_types<double, float>(300, 3);
}
TEST(normalised_rows, of_16_bit_types_are_right) {
  expect_types<float16, float16>(1000, 4), expect_types<float16, float>(1000, 5);
  expect_types<bfloat16, bfloat16>(1000, 6), expect_types<bfloat16, float>(1000, 7);
}

/// Longer than a chunk, with elements that a chunk leaves open after the first.
TEST(normalised_rows, of_several_chunks_are_right) {
  rng random(8);
  const auto expect = [&]<class T>(T) {
    matrix<T, T> of{1, 20'000, {}, {}, {}, 1e-5};
    of.x.resize(of.n), of.weight.resize(of.n), of.bias.resize(of.n);
    fill_row(random, kind::plain, of.x.data(), of.n);
    fill_row(random, kind::any_size, of.weight.data(), of.n);
    fill_row(random, kind::plain, of.bias.data(), of.n);
    for (const bool is_centred : {false, true}) {
      const auto found = normalised(of, is_centred, {});
      ASSERT_EQ((wrong_elements<T, T>(of, is_centred, found)), 0);
    }
  };
  expect(float16()), expect(bfloat16()), expect(float());
}

template <class T>
class special_rows : public testing::Test {};
using floating_types = testing::Types<float, double, float16, bfloat16>;
TYPED_TEST_SUITE(special_rows, floating_types);

TYPED_TEST(special_rows, are_as_the_contract_says) {
  using T = TypeParam;
  rng random(9);
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const double values[] = {inf, -inf, nan, 0.0, -0.0, 1, -3, 0.5};
  const auto any = [&](std::vector<T>& x, std::uint64_t rarity) {
    for (T& each : x)
      each = to<T>(random.below(rarity) == 0 ? values[random.below(8)] : values[3 + random.below(5)]);
  };
  for (int i = 0; i < oracle::scaled(800); ++i) {
    const bool is_centred = random.coin();
    const std::size_t n = 1 + random.below(20);
    matrix<T, T> of{2, n, std::vector<T>(2 * n), std::vector<T>(n), std::vector<T>(n), random.coin() ? 0 : 1e-5};
    any(of.x, random.coin() ? 1000 : 12);
    if (random.below(3) == 0) {  // one beside zeros
      std::ranges::fill(of.x, to<T>(0)), of.x[random.below(2 * n)] = to<T>(values[random.below(3)]);
    }
    any(of.weight, random.coin() ? 1000 : 5), any(of.bias, 5);
    ASSERT_NO_FATAL_FAILURE(expect_right(of, is_centred));
  }
}

TYPED_TEST(special_rows, have_the_same_bits_on_all_threads) {
  using T = TypeParam;
  rng random(10);
  matrix<T, T> of{2000, 100, std::vector<T>(200'000), {}, std::vector<T>(100, to<T>(0.25)), 1e-5};
  constexpr kind kinds[] = {kind::plain, kind::small_integers, kind::close, kind::equal, kind::powers_of_two};
  for (std::size_t i = 0; i < of.m; ++i) {
    fill_row(random, i % 100 == 0 ? kind::any_size : kinds[i % std::size(kinds)], &of.x[i * of.n], of.n);
  }
  for (const bool is_centred : {false, true}) {
    const auto one = normalised(of, is_centred, {.threads = 1}),
               several = normalised(of, is_centred, {.threads = 5});
    EXPECT_EQ(std::memcmp(one.data(), several.data(), one.size() * sizeof(T)), 0);
  }
}

TYPED_TEST(special_rows, have_the_same_bits_in_every_environment) {
  using T = TypeParam;
  rng random(11);
  for (int i = 0; i < oracle::scaled(200); ++i) {
    const auto of = random_matrix<T, T>(random, 3000);
    const bool is_centred = random.coin();
    const std::vector<T> right = normalised(of, is_centred, {});
    for (const int mode : {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      const std::vector<T> found = normalised(of, is_centred, {});
      const int after = std::fegetround();
      std::fesetround(FE_TONEAREST);
      ASSERT_EQ(after, mode);
      ASSERT_EQ(std::memcmp(found.data(), right.data(), right.size() * sizeof(T)), 0) << mode;
    }
  }
}

void expect_error(errc code, const char* part, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "no error about " << part;
  } catch (const error& found) {
    EXPECT_EQ(found.code(), code) << found.what();
    EXPECT_NE(std::string(found.what()).find(part), std::string::npos) << found.what();
  }
}

TEST(normalised_rows, are_refused_where_arguments_do_not_go_together) {
  std::vector<float> x(12, 1.0F), out(12), w(4), few(3), none;
  const rows<float> three(x.data(), 3, 4);
  const float* const nowhere = nullptr;
  using enum errc;
  expect_error(size_mismatch, "11 results", [&] { rms_norm(three, w, std::span(out).first(11), 0); });
  expect_error(size_mismatch, "weight has 3", [&] { rms_norm(three, few, out, 0); });
  expect_error(size_mismatch, "bias has 3", [&] { layer_norm(three, w, few, out, 0); });
  for (const double epsilon : {-1e-5, 1e-151, 1e101, std::nan(""), HUGE_VAL}) {
    expect_error(bad_option, "epsilon", [&] { rms_norm(three, w, out, epsilon); });
  }
  expect_error(bad_option, "fast", [&] { rms_norm(three, w, out, 0, {.mode = mode::fast}); });
  expect_error(bad_option, "threads", [&] { rms_norm(three, w, out, 0, {.threads = -1}); });
  expect_error(bad_option, "within x", [&] { rms_norm(three, w, x, 0); });
  expect_error(bad_option, "within weight", [&] { rms_norm(three, std::span(out).first(4), out, 0); });
  expect_error(bad_option, "within bias", [&] { layer_norm(three, w, std::span(out).last(4), out, 0); });
  expect_error(bad_option, "follow", [&] { rms_norm(rows<float>(x.data(), 3, 4, 1, 3), w, out, 0); });
  expect_error(null_pointer, "x", [&] { rms_norm(rows<float>(nowhere, 3, 4), w, out, 0); });
  monitor stopped;
  stopped.cancel = true;
  expect_error(cancelled, "cancelled", [&] { rms_norm(three, w, out, 0, {.monitor = &stopped}); });
  rms_norm(rows<float>(nowhere, 0, 4), w, none, 0), rms_norm(rows<float>(nowhere, 4, 0), none, none, 0);
}

TEST(normalised_rows, may_overlap_repeat_and_have_gaps_and_are_counted) {
  std::vector<float> x(40), out(4 * 10), expected(10);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 2.5F;
  monitor watched;
  const std::vector<float> none;
  layer_norm(rows<float>(x.data(), 4, 10, 7), none, none, out, 1e-5, {.monitor = &watched});
  EXPECT_EQ(watched.done, 40U);
  for (std::size_t i = 0; i < 4; ++i) {
    layer_norm(rows<float>(x.data() + 7 * i, 1, 10), none, none, expected, 1e-5);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin() + 10 * static_cast<std::ptrdiff_t>(i)));
  }
}

}  // namespace
