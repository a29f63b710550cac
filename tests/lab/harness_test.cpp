// The harness rejects wrong host rungs, each with the promise that it broke. A harness that accepted one of them
// would accept a wrong kernel.
#include <gtest/gtest.h>

#include <cmath>
#include <lab/checks.hpp>
#include <limits>
#include <string>

#include "lab/wrong_rungs.hpp"

namespace {

using namespace lab_test;

/// Longer than the harness's integer vectors, so that a rung can be wrong on the data alone.
constexpr std::size_t length = 5000;

/// Converts `value` to the type of the first argument.
template <class T>
T as(T, double value) {
  return static_cast<T>(value);
}

template <class T>
class harness : public testing::Test {
 protected:
  const test_problem<T> data{length};

  /// Makes a rung that is correct on integers and returns `result()` on the data.
  template <class Result>
  static rung on_data(const rung_info& info, Result result) {
    return make_rung(info, [result](const auto& input) {
      const auto sum = loop(input);
      return input.config.n == length ? as(sum, result()) : sum;
    });
  }
  /// Returns the reference value moved `ulps` ulps towards zero.
  [[nodiscard]] T off_by(double ulps) const {
    const T expected = data.reference().value();
    const T ulp = std::abs(expected) - std::nextafter(std::abs(expected), T{0});
    return expected - std::copysign(static_cast<T>(ulps) * ulp, expected);
  }
};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(harness, element_types);

TYPED_TEST(harness, passes_correct_rungs_and_reports_their_measurements) {
  const measurement plain =
      this->data.run(make_rung(loop_promises(), [](const auto& input) { return loop(input); }));
  EXPECT_TRUE(passed(plain));
  EXPECT_EQ(plain.runs, 5);
  EXPECT_EQ(plain.distinct_results, 1);
  EXPECT_EQ(plain.deterministic, true);
  EXPECT_GT(plain.error_ulps, 0);
  EXPECT_LE(plain.error_ulps, plain.allowed_ulps);
  EXPECT_EQ(plain.seconds, std::nullopt);

  rung_info rounded = loop_promises();
  rounded.error = error_rule::correctly_rounded;
  const measurement once_rounded =
      this->data.run(make_rung(rounded, [](const auto& input) { return exact(input); }));
  EXPECT_TRUE(passed(once_rounded));
  EXPECT_EQ(once_rounded.value, static_cast<double>(this->data.reference().value()));
  EXPECT_LE(once_rounded.error_ulps, 0.5L);
}

TYPED_TEST(harness, rejects_rungs_that_omit_elements) {
  const auto rejects = [&](const std::string& reason, auto first, auto last) {
    EXPECT_TRUE(rejected(this->data.run(make_rung(loop_promises(),
                                                  [=](const auto& input) {
                                                    const std::size_t n = input.config.n;
                                                    return loop(input, std::min(first(n), n), last(n));
                                                  })),
                         reason));
  };
  const auto zero = [](std::size_t) { return std::size_t{0}; };
  const auto all = [](std::size_t n) { return n; };
  rejects("on integers, n = 1,", zero, [](std::size_t n) { return n - (n > 0); });
  rejects(
      "on integers, n = 1,", [](std::size_t) { return std::size_t{1}; }, all);
  rejects("on integers, n = 1,", zero, [](std::size_t n) { return n / 32 * 32; });
  rejects("on integers, n = 257,", zero, [](std::size_t n) { return n < 256 ? n : n / 256 * 256; });
  rejects("on integers, n = 4096,", zero, [](std::size_t n) { return std::min<std::size_t>(n, 4095); });
}

TYPED_TEST(harness, rejects_nan_in_any_run) {
  constexpr TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const auto always = make_rung(loop_promises(), [](const auto& input) { return as(loop(input), nan); });
  EXPECT_TRUE(rejected(this->data.run(always), "on integers, n = 0, starts 0 and 0: nan instead of 0"));
  const measurement on_data_alone = this->data.run(this->on_data(loop_promises(), [] { return nan; }));
  EXPECT_TRUE(rejected(on_data_alone, "an error of nan ulp"));
  EXPECT_TRUE(std::isnan(on_data_alone.error_ulps));

  rung_info changing = loop_promises();
  changing.same_bits = determinism::none;
  int calls = 0;
  const measurement once =
      this->data.run(this->on_data(changing, [&] { return ++calls == 1 ? nan : this->off_by(0); }));
  EXPECT_TRUE(rejected(once, "an error of nan ulp"));
  EXPECT_TRUE(std::isnan(once.error_ulps)) << "later runs must not hide it";
}

TYPED_TEST(harness, rejects_infinities) {
  const auto infinite = [] { return std::numeric_limits<TypeParam>::infinity(); };
  EXPECT_TRUE(rejected(this->data.run(this->on_data(loop_promises(), infinite)), "ulp; the proved bound is"));
}

TYPED_TEST(harness, rejects_rungs_that_are_inexact_on_integers_although_within_their_bound) {
  const double offset = sizeof(TypeParam) == 4 ? 1e-3 : 1e-11;
  const rung inexact = make_rung(loop_promises(), [=](const auto& input) {
    const auto sum = loop(input);
    return input.config.n == 0 ? sum : as(sum, sum + offset);
  });
  measurement within;
  within.info = inexact.info;
  const problem<TypeParam> vectors(*this->data.device, {this->data.a, this->data.b}, operation::sum);
  check_runs(inexact, *this->data.device, vectors, {}, within);
  EXPECT_EQ(within.fault, "") << "the bound alone does not detect it";
  EXPECT_TRUE(rejected(this->data.run(inexact), "on integers, n = 1,"));
}

TYPED_TEST(harness, rejects_an_error_just_above_the_bound_and_passes_one_just_below) {
  rung_info ten_roundings = loop_promises();
  ten_roundings.roundings = [](const launch_config&) -> std::uint64_t { return 10; };
  for (const error_rule rule : {error_rule::working, error_rule::kahan}) {
    ten_roundings.error = rule;
    const auto allowed = static_cast<double>(
        this->data.reference().allowed_ulps(ten_roundings, {.n = length, .grid = 1, .block = 1}));
    ASSERT_GT(allowed, 2);
    const auto with_error = [&](double ulps) {
      return this->data.run(this->on_data(ten_roundings, [=, this] { return this->off_by(ulps); }));
    };
    EXPECT_TRUE(passed(with_error(std::floor(allowed - 0.5))));
    EXPECT_TRUE(rejected(with_error(std::ceil(allowed + 0.5)), "the proved bound is"));
  }
}

TYPED_TEST(harness, rejects_results_that_are_not_correctly_rounded) {
  rung_info rounded = loop_promises();
  rounded.error = error_rule::correctly_rounded;
  EXPECT_TRUE(passed(this->data.run(this->on_data(rounded, [&] { return this->off_by(0); }))));
  EXPECT_TRUE(rejected(this->data.run(this->on_data(rounded, [&] { return this->off_by(1); })),
                       "the proved bound is 0.5 ulp"));

  // 1 plus half an ulp: the tie rounds to 1, and the other neighbour is equally near
  const TypeParam root = sizeof(TypeParam) == 4 ? TypeParam(0x1p-12) : TypeParam(0x1p-26);
  const TypeParam other = sizeof(TypeParam) == 4 ? root : root / 2;
  const test_problem<TypeParam> tie({1, root}, {1, other});
  const auto returning = [&](TypeParam x) {
    return make_rung(rounded, [x](const auto& input) {
      const auto sum = exact(input);
      return sum == 1 && input.config.n == 2 ? as(sum, x) : sum;
    });
  };
  ASSERT_EQ(tie.reference().value(), 1);
  EXPECT_TRUE(passed(tie.run(returning(1))));
  EXPECT_TRUE(
      rejected(tie.run(returning(std::nextafter(TypeParam{1}, TypeParam{2}))), "which is correctly rounded"));

  const test_problem<TypeParam> nothing({1, -1}, {1, 1});
  const auto negative_zero = make_rung(rounded, [](const auto& input) {
    const auto sum = exact(input);
    return sum == 0 ? -sum : sum;
  });
  EXPECT_TRUE(rejected(nothing.run(negative_zero), "-0 instead of 0, which is correctly rounded"));
}

TYPED_TEST(harness, rejects_different_bits_in_several_runs_if_the_same_are_promised) {
  int calls = 0;
  const auto alternating = [&] { return this->off_by(++calls % 2); };
  EXPECT_TRUE(rejected(this->data.run(this->on_data(loop_promises(), alternating)),
                       "2 different results in 5 runs; the rung promises one"));
  rung_info promises_less = loop_promises();
  promises_less.same_bits = determinism::none;
  const measurement result = this->data.run(this->on_data(promises_less, alternating));
  EXPECT_TRUE(passed(result));
  EXPECT_EQ(result.distinct_results, 2);
  EXPECT_EQ(result.deterministic, false);
  EXPECT_EQ(this->data.run(this->on_data(promises_less, alternating), {.runs = 1}).deterministic, std::nullopt)
      << "one run cannot show it";
}

TYPED_TEST(harness, rejects_different_bits_and_errors_on_other_grids) {
  rung_info info = loop_promises();
  info.blocks = block_rule::any;
  info.grid = grid_rule::many;
  const auto on_grid = [&](unsigned grid, TypeParam value) {
    return make_rung(info, [=](const auto& input) {
      const auto sum = loop(input);
      return input.config.n == length && input.config.grid == grid ? as(sum, value) : sum;
    });
  };
  EXPECT_TRUE(rejected(this->data.run(on_grid(17, this->off_by(2000))), "different results over 4 grids"));
  EXPECT_TRUE(rejected(this->data.run(on_grid(3, std::numeric_limits<TypeParam>::quiet_NaN())),
                       "with 3 blocks of 256: an error of nan"));
  info.same_bits = determinism::fixed_grid;
  const measurement result = this->data.run(on_grid(17, this->off_by(2000)));
  EXPECT_TRUE(passed(result));
  EXPECT_EQ(result.grids, 4);
  EXPECT_EQ(result.distinct_over_grids, 2);
  info.grid = grid_rule::one_thread_each;
  EXPECT_EQ(this->data.run(on_grid(17, 0)).grids, 2) << "only the block size changes such a grid";
}

TYPED_TEST(harness, rejects_rungs_that_are_wrong_at_misaligned_starts) {
  const auto misaligned = [](const void* x) { return reinterpret_cast<std::uintptr_t>(x) % 16 != 0; };
  const auto wrong_if = [&](auto condition) {
    return this->data.run(make_rung(loop_promises(), [=](const auto& input) {
      return loop(input, condition(input.a, input.b) && input.config.n > 0 ? 1 : 0, input.config.n);
    }));
  };
  EXPECT_TRUE(rejected(wrong_if([=](auto a, auto b) { return misaligned(a) && misaligned(b); }), "starts 1 and 1"));
  EXPECT_TRUE(
      rejected(wrong_if([=](auto a, auto b) { return !misaligned(a) && misaligned(b); }), "starts 0 and 1"));
  EXPECT_TRUE(rejected(wrong_if([=](auto a, auto b) { return misaligned(a) && !misaligned(b); }), "starts 1 and "));
}

TYPED_TEST(harness, rejects_a_wrong_empty_sum) {
  for (const double empty : {1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const auto wrong = make_rung(loop_promises(), [=](const auto& input) {
      const auto sum = loop(input);
      return input.config.n == 0 ? as(sum, empty) : sum;
    });
    EXPECT_TRUE(rejected(this->data.run(wrong), "on integers, n = 0,"));
  }
}

TYPED_TEST(harness, reports_but_does_not_fail_rungs_that_are_wrong_on_purpose) {
  rung_info info = loop_promises();
  info.error = error_rule::none;
  info.same_bits = determinism::none;
  const rung half = make_rung(info, [](const auto& input) { return loop(input) / 2; });
  const measurement unpromised = this->data.run(half);
  EXPECT_TRUE(rejected(unpromised, "on integers")) << "a rung without a bound must still be exact on integers";
  rung on_purpose = half;
  on_purpose.info.wrong_on_purpose = true;
  const measurement result = this->data.run(on_purpose);
  EXPECT_EQ(result.fault, "");
  EXPECT_EQ(result.correct, false);
  EXPECT_GT(result.error_ulps, 1000);
}

TYPED_TEST(harness, gives_no_verdict_if_no_promise_covers_the_data) {
  constexpr TypeParam huge = std::numeric_limits<TypeParam>::max();
  const test_problem<TypeParam> overflowing({huge, -huge, 1}, {2, 2, 1});
  const measurement result =
      overflowing.run(make_rung(loop_promises(), [](const auto& input) { return loop(input); }));
  EXPECT_EQ(result.fault, "");
  EXPECT_EQ(result.correct, std::nullopt);
}

}  // namespace
