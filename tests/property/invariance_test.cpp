// Invariance of exact dots: order of the terms, exchange of a and b, negation, scaling by powers of two, and any
// division of the terms among accumulators.
//
// These properties can be tested without an oracle. With the oracle, a failure also names the wrong result.
#include <gtest/gtest.h>

#include <cmath>

#include "property/library_dot.hpp"

namespace {

using namespace oracle;
using namespace property;

template <class T>
class invariance : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(invariance, element_types);

constexpr std::array<std::size_t, 7> lengths = {1, 2, 3, 16, 65, 257, 1500};

template <class T>
std::string same_sum_fault(const checker<T>& check, const vectors<T>& same_sum) {
  return check.template exact_fault<T>(
      [&](const T*, const T*, std::size_t) { return exactdot::dot(same_sum.a, same_sum.b); });
}

TYPED_TEST(invariance, under_permutation) {
  rng random(1);
  for_each_case<TypeParam>(
      lengths, scaled(3),
      [&](const test_case<TypeParam>& test) {
        vectors<TypeParam> v = test.check.data();
        for (int i = 0; i < 3; ++i) {
          shuffle(random, v);
          EXPECT_EQ(same_sum_fault(test.check, v), "") << test.name;
        }
        std::reverse(v.a.begin(), v.a.end());
        std::reverse(v.b.begin(), v.b.end());
        EXPECT_EQ(same_sum_fault(test.check, v), "") << test.name;
      },
      testing::Test::HasFailure);
}

TYPED_TEST(invariance, under_exchange_of_a_and_b_and_of_the_factors_of_terms) {
  rng random(2);
  for_each_case<TypeParam>(
      lengths, scaled(3),
      [&](const test_case<TypeParam>& test) {
        vectors<TypeParam> v = test.check.data();
        std::swap(v.a, v.b);
        EXPECT_EQ(same_sum_fault(test.check, v), "") << test.name;
        for (std::size_t i = 0; i < v.size(); ++i) {
          if (random.coin()) std::swap(v.a[i], v.b[i]);
        }
        EXPECT_EQ(same_sum_fault(test.check, v), "") << test.name;
      },
      testing::Test::HasFailure);
}

template <class T>
bool is_exactly_zero(const vectors<T>& v) {
  integer_sum sum;
  for (std::size_t i = 0; i < v.size(); ++i) sum.add(v.a[i], v.b[i]);
  return sum.units() == 0;
}

/// Negating one vector negates the result. Exceptions: an exact zero remains +0, a NaN remains the canonical NaN.
TYPED_TEST(invariance, under_negation) {
  for_each_case<TypeParam>(
      lengths, scaled(3),
      [](const test_case<TypeParam>& test) {
        const TypeParam result = test.check.exact_result().template as<TypeParam>();
        vectors<TypeParam> v = test.check.data();
        const bool unchanged = is_nan(result) || (result == 0 && is_exactly_zero(v));
        const TypeParam expected = unchanged ? result : -result;
        for (TypeParam& x : v.a) x = -x;
        EXPECT_EQ(difference(expected, exactdot::dot(v.a, v.b)), "") << test.name;
        for (TypeParam& y : v.b) y = -y;
        EXPECT_EQ(same_sum_fault(test.check, v), "") << test.name << ", both negated";
      },
      testing::Test::HasFailure);
}

template <class T>
bool scales_exactly(T x, T scaled_x) {
  return x == 0 || !std::isfinite(x) || (std::isnormal(x) && std::isnormal(scaled_x));
}

/// Scaling by 2^k scales the result by 2^k if the data and the result remain in the normal range.
TYPED_TEST(invariance, under_scaling_by_powers_of_two) {
  int compared = 0;
  rng random(3);
  for_each_case<TypeParam>(
      lengths, scaled(5),
      [&](const test_case<TypeParam>& test) {
        const int k = random.between(-60, 60);
        vectors<TypeParam> v = test.check.data();
        for (TypeParam& x : v.a) {
          const TypeParam before = x;
          x = std::ldexp(x, k);
          if (!scales_exactly(before, x)) return;
        }
        const TypeParam result = test.check.exact_result().template as<TypeParam>();
        const TypeParam expected = is_nan(result) ? result : std::ldexp(result, k);
        if (!is_nan(result) && !(std::isnormal(result) && std::isnormal(expected))) return;
        ++compared;
        EXPECT_EQ(difference(expected, exactdot::dot(v.a, v.b)), "") << test.name << ", k = " << k;
      },
      testing::Test::HasFailure);
  EXPECT_GT(compared, 100);
}

/// The state of terms first … last - 1, added as a span or singly.
template <class T>
exactdot::accumulator<T> state_of(const vectors<T>& v, std::size_t first, std::size_t last, bool singly) {
  exactdot::accumulator<T> state;
  if (singly) {
    for (std::size_t i = first; i < last; ++i) state.add(v.a[i], v.b[i]);
  } else {
    state.add(std::span<const T>(v.a).subspan(first, last - first),
              std::span<const T>(v.b).subspan(first, last - first));
  }
  return state;
}

TYPED_TEST(invariance, under_split_and_merge_at_every_index) {
  const std::array<std::size_t, 5> short_lengths = {1, 2, 5, 17, 70};
  for_each_case<TypeParam>(
      short_lengths, 1,
      [](const test_case<TypeParam>& test) {
        const auto& v = test.check.data();
        const std::size_t step = v.size() > 200 ? 97 : 1;
        for (std::size_t cut = 0; cut <= v.size(); cut += step) {
          auto state = state_of(v, 0, cut, cut % 2 == 0);
          state.merge(state_of(v, cut, v.size(), cut % 3 == 0));
          EXPECT_EQ(state_fault(test.check, state), "") << test.name << ", cut at " << cut;
        }
      },
      testing::Test::HasFailure);
}

TYPED_TEST(invariance, under_random_splits_merged_in_any_order) {
  rng random(5);
  const std::array<std::size_t, 3> split_lengths = {100, 3000, 20000};
  for_each_case<TypeParam>(
      split_lengths, 1,
      [&](const test_case<TypeParam>& test) {
        const auto& v = test.check.data();
        std::vector<exactdot::accumulator<TypeParam>> states;
        for (std::size_t first = 0, last = 0; first < v.size(); first = last) {
          last = std::min(v.size(), first + 1 + random.below(v.size() / 4 + 1));
          states.push_back(state_of(v, first, last, random.below(8) == 0));
        }
        random.shuffle(states);
        exactdot::accumulator<TypeParam> whole;
        for (const auto& state : states) whole.merge(state);
        EXPECT_EQ(state_fault(test.check, whole), "") << test.name;
      },
      testing::Test::HasFailure);
}

}  // namespace
