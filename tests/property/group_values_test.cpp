// Groups by keys of elements that are special together: sums that cancel, infinities, NaNs, zeros of both signs,
// extreme integers, one array as two types. Each result has the bits of the vector call on its elements.
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "property/keyed_elements.hpp"

namespace {

using namespace keyed;

/// Dots of the same memory as two types, with more groups than a table holds: b is not a.
TEST(groups, of_one_array_as_two_types) {
  const std::size_t n = 500, groups = 200'000;
  rng random(15);
  std::vector<std::int64_t> x(n);
  for (auto& each : x) each = static_cast<std::int64_t>(random.below(std::uint64_t{1} << 40));
  const auto keys = make_keys(random, n, groups, order::random, false);
  const any_keys given{keys.data(), n, element_type::int64, 8, groups, false};
  const counted_places all(keys, groups);
  for (const auto& [first, second] : {std::pair{element_type::int64, element_type::uint32},
                                      {element_type::int32, element_type::int64},
                                      {element_type::uint64, element_type::int64}}) {
    const any_vector a{x.data(), n, first, static_cast<std::ptrdiff_t>(size_of(first))},
        b{x.data(), n, second, static_cast<std::ptrdiff_t>(size_of(second))};
    std::vector<std::byte> copy(n * size_of(second));
    std::memcpy(copy.data(), x.data(), copy.size());
    const any_vector copy_b{copy.data(), n, second, static_cast<std::ptrdiff_t>(size_of(second))};
    std::vector<double> found(groups), expected(groups);
    const axis places{groups, 8};
    for (const int threads : {1, 3}) {
      dot(a, b, given, {found.data(), element_type::float64, {&places, 1}}, {.threads = threads});
      dot(a, copy_b, given, {expected.data(), element_type::float64, {&places, 1}}, {.threads = threads});
      ASSERT_EQ(found, expected) << name_of(first) << ", " << name_of(second) << ", " << threads << " threads";
    }
    const std::size_t i = 7, group = static_cast<std::size_t>(keys[i]);
    ASSERT_EQ(all.of_group[group].size(), 1U);
    const auto at = [&](const any_vector& of) {
      return any_vector{static_cast<const std::byte*>(of.data) + static_cast<std::ptrdiff_t>(i) * of.stride, 1,
                        of.type, of.stride};
    };
    ASSERT_EQ(found[group], dot(at(a), at(b), element_type::float64).as<double>());
  }
}

/// Groups whose sums cancel: level 1 leaves them open, in large and in small groups.
TEST(groups, that_cancel) {
  rng random(10);
  const std::size_t n = 200'000;
  for (const std::size_t groups : {2, 1000, 50'000}) {
    std::vector<double> x(n), y(n, 1.0);
    std::vector<std::uint32_t> keys(n);
    for (std::size_t i = 0; i < n; i += 2) {
      keys[i] = keys[i + 1] = static_cast<std::uint32_t>(random.below(groups));
      x[i] = std::ldexp(1 + random.unit(), random.between(-400, 400));
      x[i + 1] = random.below(100) == 0 ? 1e-300 : -x[i];
    }
    random.shuffle(x);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(keys[i] % groups);
    std::vector<std::vector<double>> of_group(groups);
    for (std::size_t i = 0; i < n; ++i) of_group[keys[i]].push_back(x[i]);
    for (const int threads : {1, 2}) {
      std::vector<double> sums(groups), dots(groups), norms(groups);
      exactdot::sum(exactdot::groups{x, keys, groups}, sums, {.threads = threads});
      exactdot::dot(exactdot::groups{x, keys, groups}, y, dots, {.threads = threads});
      exactdot::nrm2(exactdot::groups{x, keys, groups}, norms, {.threads = threads});
      for (std::size_t g = 0; g < groups; ++g) {
        ASSERT_EQ(sums[g], exactdot::sum(of_group[g])) << g;
        ASSERT_EQ(dots[g], sums[g]) << g;
        ASSERT_EQ(norms[g], exactdot::nrm2(of_group[g])) << g;
      }
    }
  }
}

/// Infinities and NaNs change their own group only.
TEST(groups, keep_special_values_apart) {
  rng random(11);
  const std::size_t n = 5000, groups = 100;
  std::vector<float> x(n);
  std::vector<std::int32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(random.unit() - 0.5), keys[i] = static_cast<std::int32_t>(random.below(groups));
    if (keys[i] == 7) x[i] = HUGE_VALF;
    if (keys[i] == 8 && i % 2 == 0) x[i] = -HUGE_VALF;
    if (keys[i] == 9 && i % 2 == 0) x[i] = i % 4 == 0 ? HUGE_VALF : -HUGE_VALF;
    if (keys[i] == 10 && i % 3 == 0) x[i] = NAN;
    if (keys[i] == 11) x[i] = 3e38F;
    if (keys[i] == 12) x[i] = -0.0F;
  }
  std::vector<float> out(groups);
  sum(exactdot::groups{x, keys, groups}, out);
  for (std::size_t g = 0; g < groups; ++g) {
    std::vector<float> mine;
    for (std::size_t i = 0; i < n; ++i) {
      if (keys[i] == static_cast<std::int32_t>(g)) mine.push_back(x[i]);
    }
    EXPECT_EQ(std::bit_cast<std::uint32_t>(out[g]), std::bit_cast<std::uint32_t>(sum(mine))) << g;
  }
}

/// Elements of few values: NaNs of both signs and with a payload, zeros of both signs, infinities, the smallest; of
/// integers the extreme ones. Every element type, tables of all groups and of some.
template <class T>
std::vector<T> few_values() {
  if constexpr (integer_element<T>) {
    return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(0), T(1), static_cast<T>(-1)};
  } else {
    std::vector<T> values;
    for (const float x : {0.0F, -0.0F, HUGE_VALF, -HUGE_VALF, 1.0F, -1.0F, 0x1p-24F, -0x1p-24F, NAN, -NAN})
      values.push_back(static_cast<T>(x));
    return values;
  }
}

template <class T>
void check_extrema(rng& random, std::size_t n, std::size_t groups, int threads) {
  const std::vector<T> values = few_values<T>();
  std::vector<T> x(n);
  std::vector<std::int64_t> keys = make_keys(random, n, groups, order::random, false);
  for (std::size_t g = 0; g < groups; ++g) keys[g] = static_cast<std::int64_t>(g);
  for (std::size_t i = 0; i < n;
       ++i) {  // a group's elements are from some of the values, so that all tie somewhere
    const auto first = static_cast<std::size_t>(keys[i]) % values.size();
    x[i] = values[std::min(first + random.below(3), values.size() - 1)];
  }
  std::vector<std::vector<T>> of_group(groups);
  for (std::size_t i = 0; i < n; ++i) of_group[static_cast<std::size_t>(keys[i])].push_back(x[i]);
  std::vector<T> least(groups), greatest(groups);
  min(exactdot::groups{x, keys, groups}, least, {.threads = threads});
  max(exactdot::groups{x, keys, groups}, greatest, {.threads = threads});
  for (std::size_t g = 0; g < groups; ++g) {
    const T low = exactdot::min(of_group[g]), high = exactdot::max(of_group[g]);
    ASSERT_EQ(std::memcmp(&least[g], &low, sizeof(T)), 0) << name_of(type_of<T>) << ' ' << g << " of " << groups;
    ASSERT_EQ(std::memcmp(&greatest[g], &high, sizeof(T)), 0)
        << name_of(type_of<T>) << ' ' << g << " of " << groups;
  }
}

TEST(groups, have_extrema_of_special_values) {
  rng random(15);
  for (const std::size_t groups : {7, 300, 60'000}) {
    for (const int threads : {1, 2, 5}) {
      for (const element_info& type : elements) {
        with_element(type.type, [&]<class T>(T) { check_extrema<T>(random, 150'000, groups, threads); });
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Sums, products and squares of the extreme 64-bit integers: 128 and 192 bits with carries and borrows.
TEST(groups, of_extreme_integers) {
  rng random(16);
  const std::size_t n = 3000, groups = 40;
  const auto check_all = [&]<class A, class B>(A, B) {
    std::vector<A> x(n);
    std::vector<B> y(n);
    const auto a = few_values<A>();
    const auto b = few_values<B>();
    for (std::size_t i = 0; i < n; ++i) x[i] = a[random.below(a.size())], y[i] = b[random.below(b.size())];
    const auto keys = make_keys(random, n, groups, order::random, false);
    std::vector<std::vector<A>> first(groups);
    std::vector<std::vector<B>> second(groups);
    for (std::size_t i = 0; i < n; ++i) {
      first[static_cast<std::size_t>(keys[i])].push_back(x[i]);
      second[static_cast<std::size_t>(keys[i])].push_back(y[i]);
    }
    for (const int threads : {1, 3}) {
      const options o{.threads = threads};
      const exactdot::groups all{x, keys, groups};
      std::vector<double> sums(groups), sizes(groups), squares(groups), dots(groups), deviations(groups);
      sum(all, sums, o), asum(all, sizes, o), sum_of_squares(all, squares, o), dot(all, y, dots, o);
      stddev(all, deviations, 1, o);
      for (std::size_t g = 0; g < groups; ++g) {
        ASSERT_EQ(sums[g], exactdot::sum<double>(first[g])) << g;
        ASSERT_EQ(sizes[g], exactdot::asum<double>(first[g])) << g;
        ASSERT_EQ(squares[g], exactdot::sum_of_squares<double>(first[g])) << g;
        ASSERT_EQ(dots[g], exactdot::dot<double>(first[g], second[g])) << g;
        ASSERT_EQ(deviations[g], exactdot::stddev<double>(first[g], 1)) << g;
      }
    }
  };
  check_all(std::int64_t{}, std::int64_t{});
  check_all(std::uint64_t{}, std::uint64_t{});
  check_all(std::int64_t{}, std::uint64_t{});
  check_all(std::uint64_t{}, std::int8_t{});
  check_all(std::uint64_t{}, std::int64_t{});
  check_all(std::int64_t{}, std::uint16_t{});
}

}  // namespace
