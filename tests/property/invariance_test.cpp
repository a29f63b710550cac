// What must not change an exact dot, and what must change it only in the obvious way.
//
// Order, swap, negation, scaling by powers of two, and any way of splitting the work into accumulators. None of
// these needs an oracle in principle; with one, a failure also says which side is wrong.
#include <gtest/gtest.h>

#include <cmath>

#include "property/engines.hpp"

namespace {

using namespace oracle;
using namespace property;

template <class T>
class invariance : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(invariance, element_types);

constexpr std::array<std::size_t, 7> lengths = {1, 2, 3, 16, 65, 257, 1500};

template <class T>
std::string reordered_fault(const checker<T>& check, const vectors<T>& same_sum) {
  return check.template exact_fault<T>(
      [&](const T*, const T*, std::size_t) { return exactdot::dot(same_sum.a, same_sum.b); });
}

TYPED_TEST(invariance, under_permutation) {
  rng random(1);
  for_each_case<TypeParam>(
      lengths, scaled(3),
      [&](const test_case<TypeParam>& one) {
        vectors<TypeParam> v = one.check.data();
        for (int i = 0; i < 3; ++i) {
          shuffle(random, v);
          EXPECT_EQ(reordered_fault(one.check, v), "") << one.name;
        }
        std::reverse(v.a.begin(), v.a.end());
        std::reverse(v.b.begin(), v.b.end());
        EXPECT_EQ(reordered_fault(one.check, v), "") << one.name;
      },
      testing::Test::HasFailure);
}

TYPED_TEST(invariance, under_swap_of_a_and_b_as_wholes_and_term_by_term) {
  rng random(2);
  for_each_case<TypeParam>(
      lengths, scaled(3),
      [&](const test_case<TypeParam>& one) {
        vectors<TypeParam> v = one.check.data();
        std::swap(v.a, v.b);
        EXPECT_EQ(reordered_fault(one.check, v), "") << one.name;
        for (std::size_t i = 0; i < v.size(); ++i) {
          if (random.coin()) std::swap(v.a[i], v.b[i]);
        }
        EXPECT_EQ(reordered_fault(one.check, v), "") << one.name;
      },
      testing::Test::HasFailure);
}

template <class T>
bool is_exactly_zero(const vectors<T>& v) {
  integer_sum sum;
  for (std::size_t i = 0; i < v.size(); ++i) sum.add(v.a[i], v.b[i]);
  return sum.units() == 0;
}

/// Negating one vector negates the result, except that a zero sum stays +0 and a NaN the canonical one.
TYPED_TEST(invariance, under_negation) {
  for_each_case<TypeParam>(
      lengths, scaled(3),
      [](const test_case<TypeParam>& one) {
        const TypeParam result = one.check.exact_result().template as<TypeParam>();
        vectors<TypeParam> v = one.check.data();
        const bool unchanged = is_nan(result) || (result == 0 && is_exactly_zero(v));
        const TypeParam expected = unchanged ? result : -result;
        for (TypeParam& x : v.a) x = -x;
        EXPECT_EQ(difference(expected, exactdot::dot(v.a, v.b)), "") << one.name;
        for (TypeParam& y : v.b) y = -y;
        EXPECT_EQ(reordered_fault(one.check, v), "") << one.name << ", both negated";
      },
      testing::Test::HasFailure);
}

template <class T>
bool scales_exactly(T x, T scaled_x) {
  return x == 0 || !std::isfinite(x) || (std::isnormal(x) && std::isnormal(scaled_x));
}

/// Scaling by 2^k scales the result by 2^k, where neither the data nor the result leave the normal range.
TYPED_TEST(invariance, under_scaling_by_powers_of_two) {
  int compared = 0;
  rng random(3);
  for_each_case<TypeParam>(
      lengths, scaled(5),
      [&](const test_case<TypeParam>& one) {
        const int k = random.between(-60, 60);
        vectors<TypeParam> v = one.check.data();
        for (TypeParam& x : v.a) {
          const TypeParam before = x;
          x = std::ldexp(x, k);
          if (!scales_exactly(before, x)) return;
        }
        const TypeParam result = one.check.exact_result().template as<TypeParam>();
        const TypeParam expected = is_nan(result) ? result : std::ldexp(result, k);
        if (!is_nan(result) && !(std::isnormal(result) && std::isnormal(expected))) return;
        ++compared;
        EXPECT_EQ(difference(expected, exactdot::dot(v.a, v.b)), "") << one.name << ", k = " << k;
      },
      testing::Test::HasFailure);
  EXPECT_GT(compared, 100);
}

/// The state of terms first … last - 1, added as a span or one by one.
template <class T>
exactdot::accumulator<T> state_of(const vectors<T>& v, std::size_t first, std::size_t last, bool one_by_one) {
  exactdot::accumulator<T> state;
  if (one_by_one) {
    for (std::size_t i = first; i < last; ++i) state.add(v.a[i], v.b[i]);
  } else {
    state.add(std::span<const T>(v.a).subspan(first, last - first),
              std::span<const T>(v.b).subspan(first, last - first));
  }
  return state;
}

TYPED_TEST(invariance, under_split_and_merge_at_every_cut) {
  const std::array<std::size_t, 5> short_lengths = {1, 2, 5, 17, 70};
  for_each_case<TypeParam>(
      short_lengths, 1,
      [](const test_case<TypeParam>& one) {
        const auto& v = one.check.data();
        const std::size_t step = v.size() > 200 ? 97 : 1;
        for (std::size_t cut = 0; cut <= v.size(); cut += step) {
          auto state = state_of(v, 0, cut, cut % 2 == 0);
          state.merge(state_of(v, cut, v.size(), cut % 3 == 0));
          EXPECT_EQ(state_fault(one.check, state), "") << one.name << ", cut at " << cut;
        }
      },
      testing::Test::HasFailure);
}

TYPED_TEST(invariance, under_many_random_cuts_merged_in_any_order) {
  rng random(5);
  const std::array<std::size_t, 3> long_enough = {100, 3000, 20000};
  for_each_case<TypeParam>(
      long_enough, 1,
      [&](const test_case<TypeParam>& one) {
        const auto& v = one.check.data();
        std::vector<exactdot::accumulator<TypeParam>> states;
        for (std::size_t first = 0, last = 0; first < v.size(); first = last) {
          last = std::min(v.size(), first + 1 + random.below(v.size() / 4 + 1));
          states.push_back(state_of(v, first, last, random.below(8) == 0));
        }
        random.shuffle(states);
        exactdot::accumulator<TypeParam> whole;
        for (const auto& state : states) whole.merge(state);
        EXPECT_EQ(state_fault(one.check, whole), "") << one.name;
      },
      testing::Test::HasFailure);
}

}  // namespace
