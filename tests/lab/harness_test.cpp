// The harness against wrong rungs of the host: each is rejected, and the promise is named that it broke. A harness
// that lets one pass would let a wrong kernel pass.
#include <gtest/gtest.h>

#include <cmath>
#include <lab/checks.hpp>
#include <limits>
#include <string>

#include "lab/wrong_rungs.hpp"

namespace {

using namespace lab_test;

/// Longer than what the harness tries integers with, so that a rung can be wrong on the data alone.
constexpr std::size_t length = 5000;

/// In the type of the first.
template <class T>
T as(T, double value) {
  return static_cast<T>(value);
}

template <class T>
class harness : public testing::Test {
 protected:
  const trial<T> data{length};

  /// Right on integers; on the data whatever `say` returns.
  template <class Say>
  static rung on_data(const rung_info& info, Say say) {
    return make_rung(info, [say](const auto& what) {
      const auto sum = loop(what);
      return what.size.n == length ? as(sum, say()) : sum;
    });
  }
  /// The right value, so many ulps nearer to zero.
  [[nodiscard]] T off_by(double ulps) const {
    const T right = data.right().value();
    const T ulp = std::abs(right) - std::nextafter(std::abs(right), T{0});
    return right - std::copysign(static_cast<T>(ulps) * ulp, right);
  }
};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(harness, element_types);

TYPED_TEST(harness, passes_right_rungs_and_reports_what_they_do) {
  const row plain = this->data.of(make_rung(promises(), [](const auto& what) { return loop(what); }));
  EXPECT_TRUE(passed(plain));
  EXPECT_EQ(plain.runs, 5);
  EXPECT_EQ(plain.distinct_results, 1);
  EXPECT_EQ(plain.deterministic, true);
  EXPECT_GT(plain.ulps, 0);
  EXPECT_LE(plain.ulps, plain.allowed);
  EXPECT_EQ(plain.seconds, std::nullopt);

  rung_info rounded = promises();
  rounded.error = error_rule::correctly_rounded;
  const row once_rounded = this->data.of(make_rung(rounded, [](const auto& what) { return exact(what); }));
  EXPECT_TRUE(passed(once_rounded));
  EXPECT_EQ(once_rounded.value, static_cast<double>(this->data.right().value()));
  EXPECT_LE(once_rounded.ulps, 0.5L);
}

TYPED_TEST(harness, rejects_what_leaves_elements_out) {
  const auto rejects = [&](const std::string& reason, auto first, auto last) {
    EXPECT_TRUE(rejected(this->data.of(make_rung(promises(),
                                                 [=](const auto& what) {
                                                   const std::size_t n = what.size.n;
                                                   return loop(what, std::min(first(n), n), last(n));
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

TYPED_TEST(harness, rejects_nan_wherever_it_comes) {
  constexpr TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const auto always = make_rung(promises(), [](const auto& what) { return as(loop(what), nan); });
  EXPECT_TRUE(rejected(this->data.of(always), "on integers, n = 0, starts 0 and 0: nan instead of 0"));
  const row on_data_alone = this->data.of(this->on_data(promises(), [] { return nan; }));
  EXPECT_TRUE(rejected(on_data_alone, "an error of nan ulp"));
  EXPECT_TRUE(std::isnan(on_data_alone.ulps));

  rung_info changing = promises();
  changing.same_bits = determinism::none;
  int calls = 0;
  const row once = this->data.of(this->on_data(changing, [&] { return ++calls == 1 ? nan : this->off_by(0); }));
  EXPECT_TRUE(rejected(once, "an error of nan ulp"));
  EXPECT_TRUE(std::isnan(once.ulps)) << "later runs hide it";
}

TYPED_TEST(harness, rejects_infinities) {
  const auto infinite = [] { return std::numeric_limits<TypeParam>::infinity(); };
  EXPECT_TRUE(rejected(this->data.of(this->on_data(promises(), infinite)), "ulp, where"));
}

TYPED_TEST(harness, rejects_what_is_inexact_on_integers_though_within_its_bound) {
  const double offset = sizeof(TypeParam) == 4 ? 1e-3 : 1e-11;
  const rung one = make_rung(promises(), [=](const auto& what) {
    const auto sum = loop(what);
    return what.size.n == 0 ? sum : as(sum, sum + offset);
  });
  row within;
  within.info = one.info;
  const problem<TypeParam> vectors(*this->data.on, this->data.a, this->data.b, operation::sum);
  check_runs(one, *this->data.on, vectors, {}, within);
  EXPECT_EQ(within.fault, "") << "the bound alone does not see it";
  EXPECT_TRUE(rejected(this->data.of(one), "on integers, n = 1,"));
}

TYPED_TEST(harness, rejects_an_error_just_above_the_bound_and_passes_one_just_below) {
  rung_info ten_roundings = promises();
  ten_roundings.roundings = [](const shape&) -> std::uint64_t { return 10; };
  for (const error_rule rule : {error_rule::working, error_rule::kahan}) {
    ten_roundings.error = rule;
    const auto allowed =
        static_cast<double>(this->data.right().ulps_allowed(ten_roundings, {.n = length, .grid = 1, .block = 1}));
    ASSERT_GT(allowed, 2);
    const auto with_error = [&](double ulps) {
      return this->data.of(this->on_data(ten_roundings, [=, this] { return this->off_by(ulps); }));
    };
    EXPECT_TRUE(passed(with_error(std::floor(allowed - 0.5))));
    EXPECT_TRUE(rejected(with_error(std::ceil(allowed + 0.5)), "is proved to be the most"));
  }
}

TYPED_TEST(harness, rejects_what_is_not_rounded_correctly) {
  rung_info rounded = promises();
  rounded.error = error_rule::correctly_rounded;
  EXPECT_TRUE(passed(this->data.of(this->on_data(rounded, [&] { return this->off_by(0); }))));
  EXPECT_TRUE(rejected(this->data.of(this->on_data(rounded, [&] { return this->off_by(1); })), "where 0.5"));

  // 1 and half an ulp: the tie goes to 1, and the other neighbour is no further off
  const TypeParam root = sizeof(TypeParam) == 4 ? TypeParam(0x1p-12) : TypeParam(0x1p-26);
  const TypeParam other = sizeof(TypeParam) == 4 ? root : root / 2;
  const trial<TypeParam> tie({1, root}, {1, other});
  const auto says = [&](TypeParam x) {
    return make_rung(rounded, [x](const auto& what) {
      const auto sum = exact(what);
      return sum == 1 && what.size.n == 2 ? as(sum, x) : sum;
    });
  };
  ASSERT_EQ(tie.right().value(), 1);
  EXPECT_TRUE(passed(tie.of(says(1))));
  EXPECT_TRUE(rejected(tie.of(says(std::nextafter(TypeParam{1}, TypeParam{2}))), "which is correctly rounded"));

  const trial<TypeParam> nothing({1, -1}, {1, 1});
  const auto negative_zero = make_rung(rounded, [](const auto& what) {
    const auto sum = exact(what);
    return sum == 0 ? -sum : sum;
  });
  EXPECT_TRUE(rejected(nothing.of(negative_zero), "-0 instead of 0, which is correctly rounded"));
}

TYPED_TEST(harness, rejects_other_bits_from_run_to_run_where_the_same_are_promised) {
  int calls = 0;
  const auto restless = [&] { return this->off_by(++calls % 2); };
  EXPECT_TRUE(rejected(this->data.of(this->on_data(promises(), restless)),
                       "2 different results in 5 runs, where one was promised"));
  rung_info promises_less = promises();
  promises_less.same_bits = determinism::none;
  const row result = this->data.of(this->on_data(promises_less, restless));
  EXPECT_TRUE(passed(result));
  EXPECT_EQ(result.distinct_results, 2);
  EXPECT_EQ(result.deterministic, false);
  EXPECT_EQ(this->data.of(this->on_data(promises_less, restless), {.runs = 1}).deterministic, std::nullopt)
      << "one run tells nothing";
}

TYPED_TEST(harness, rejects_other_bits_or_errors_on_other_grids) {
  rung_info info = promises();
  info.blocks = block_rule::any;
  info.grid = grid_rule::many;
  const auto on_grid = [&](unsigned grid, TypeParam value) {
    return make_rung(info, [=](const auto& what) {
      const auto sum = loop(what);
      return what.size.n == length && what.size.grid == grid ? as(sum, value) : sum;
    });
  };
  EXPECT_TRUE(rejected(this->data.of(on_grid(17, this->off_by(2000))), "different results over 4 grids"));
  EXPECT_TRUE(rejected(this->data.of(on_grid(3, std::numeric_limits<TypeParam>::quiet_NaN())),
                       "with 3 blocks of 256: an error of nan"));
  info.same_bits = determinism::fixed_grid;
  const row result = this->data.of(on_grid(17, this->off_by(2000)));
  EXPECT_TRUE(passed(result));
  EXPECT_EQ(result.grids, 4);
  EXPECT_EQ(result.distinct_over_grids, 2);
  info.grid = grid_rule::one_thread_each;
  EXPECT_EQ(this->data.of(on_grid(17, 0)).grids, 2) << "the block alone changes such a grid";
}

TYPED_TEST(harness, rejects_what_misaligned_starts_put_wrong) {
  const auto misaligned = [](const void* x) { return reinterpret_cast<std::uintptr_t>(x) % 16 != 0; };
  const auto wrong_where = [&](auto condition) {
    return this->data.of(make_rung(promises(), [=](const auto& what) {
      return loop(what, condition(what.a, what.b) && what.size.n > 0 ? 1 : 0, what.size.n);
    }));
  };
  EXPECT_TRUE(
      rejected(wrong_where([=](auto a, auto b) { return misaligned(a) && misaligned(b); }), "starts 1 and 1"));
  EXPECT_TRUE(
      rejected(wrong_where([=](auto a, auto b) { return !misaligned(a) && misaligned(b); }), "starts 0 and 1"));
  EXPECT_TRUE(
      rejected(wrong_where([=](auto a, auto b) { return misaligned(a) && !misaligned(b); }), "starts 1 and "));
}

TYPED_TEST(harness, rejects_a_wrong_empty_sum) {
  for (const double empty : {1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const auto one = make_rung(promises(), [=](const auto& what) {
      const auto sum = loop(what);
      return what.size.n == 0 ? as(sum, empty) : sum;
    });
    EXPECT_TRUE(rejected(this->data.of(one), "on integers, n = 0,"));
  }
}

TYPED_TEST(harness, shows_but_does_not_fail_what_is_wrong_on_purpose) {
  rung_info info = promises();
  info.error = error_rule::none;
  info.same_bits = determinism::none;
  const rung half = make_rung(info, [](const auto& what) { return loop(what) / 2; });
  const row unpromised = this->data.of(half);
  EXPECT_TRUE(rejected(unpromised, "on integers")) << "no bound does not mean no promise";
  rung on_purpose = half;
  on_purpose.info.wrong_on_purpose = true;
  const row result = this->data.of(on_purpose);
  EXPECT_EQ(result.fault, "");
  EXPECT_EQ(result.correct, false);
  EXPECT_GT(result.ulps, 1000);
}

TYPED_TEST(harness, says_nothing_of_data_for_which_nothing_is_promised) {
  constexpr TypeParam huge = std::numeric_limits<TypeParam>::max();
  const trial<TypeParam> overflowing({huge, -huge, 1}, {2, 2, 1});
  const row result = overflowing.of(make_rung(promises(), [](const auto& what) { return loop(what); }));
  EXPECT_EQ(result.fault, "");
  EXPECT_EQ(result.correct, std::nullopt);
}

}  // namespace
