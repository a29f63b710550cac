// Groups by keys: each result has the bits of the vector call on the group's elements, copied one by one, however
// the keys lie; groups are the segments of the elements in the order of their keys.
#include <gtest/gtest.h>

#include <cpu/column_decision.hpp>
#include <cpu/group_table.hpp>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <numeric>
#include <vector>

#include "oracle/cases.hpp"
#include "oracle/generators.hpp"
#include "oracle/integer_sum.hpp"
#include "oracle/random.hpp"

namespace {

using namespace exactdot;
using oracle::rng;

/// Elements of a type, `stride` elements apart, perhaps with swapped bytes.
struct random_elements {
  element_type type;
  std::size_t n;
  std::ptrdiff_t stride;
  bool swapped;
  std::vector<std::byte> bytes;

  random_elements(rng& random, element_type of_type, std::size_t count, bool plain, int spread)
      : type(of_type),
        n(count),
        stride(plain ? 1 : static_cast<std::ptrdiff_t>(random.below(4)) - 1),
        swapped(!plain && random.below(3) == 0),
        bytes((n * 3 + 1) * size_of(of_type)) {
    const std::size_t size = size_of(type);
    for (std::size_t i = 0; i + size <= bytes.size(); i += size) {
      with_element(type, [&]<class T>(T value) {
        if constexpr (integer_element<T>) {
          value = static_cast<T>(static_cast<std::int64_t>(random.bits()) >> random.between(0, 40));
        } else {
          const int exponent = spread != 0 && random.coin() ? random.between(-spread, spread) : 0;
          value = static_cast<T>(static_cast<float>(std::ldexp(2 * random.unit() - 1, exponent)));
          if (sizeof(T) == 8 && random.coin()) value = static_cast<T>(std::ldexp(2 * random.unit() - 1, exponent));
        }
        std::memcpy(&bytes[i], &value, size);
      });
      if (swapped) std::reverse(&bytes[i], &bytes[i] + size);
    }
  }
  [[nodiscard]] any_vector view() const {
    const auto size = static_cast<std::ptrdiff_t>(size_of(type));
    return {bytes.data() + (stride < 0 ? (n - 1) * size_of(type) : 0), n, type, stride * size, swapped};
  }
  /// The elements at these places, contiguous.
  [[nodiscard]] std::vector<std::byte> at(const std::vector<std::size_t>& places) const {
    const std::size_t size = size_of(type);
    std::vector<std::byte> copied(places.size() * size + 1);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::memcpy(
          &copied[i * size],
          static_cast<const std::byte*>(view().data) + static_cast<std::ptrdiff_t>(places[i]) * view().stride,
          size);
    }
    return copied;
  }
};

enum class order { random, sorted, descending, skewed, blocks };

std::vector<std::int64_t> make_keys(rng& random, std::size_t n, std::size_t groups, order which, bool outside) {
  std::vector<std::int64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = static_cast<std::int64_t>(random.below(groups));
    if (which == order::skewed && random.below(10) != 0) keys[i] = static_cast<std::int64_t>(groups / 2);
    if (which == order::blocks && i % 50 != 0) keys[i] = keys[i - 1];
    if (outside && random.below(5) == 0) keys[i] = random.coin() ? -1 : static_cast<std::int64_t>(groups);
  }
  if (which == order::sorted) std::ranges::sort(keys);
  if (which == order::descending) std::ranges::sort(keys, std::greater<>());
  return keys;
}

/// Keys as an array of any of the four types, `step` keys apart.
struct key_array {
  element_type type;
  std::size_t step;
  std::vector<std::byte> bytes;

  key_array(element_type of_type, std::size_t apart, const std::vector<std::int64_t>& keys)
      : type(of_type), step(apart), bytes(keys.size() * apart * size_of(of_type) + 1) {
    for (std::size_t i = 0; i < keys.size(); ++i)
      std::memcpy(&bytes[i * step * size_of(type)], &keys[i], size_of(type));
  }
  [[nodiscard]] any_keys view(std::size_t n, std::size_t groups, bool skips) const {
    return {bytes.data(), n, type, static_cast<std::ptrdiff_t>(step * size_of(type)), groups, skips};
  }
};

struct counted_places {
  std::vector<std::vector<std::size_t>> of_group;

  counted_places(const std::vector<std::int64_t>& keys, std::size_t groups) : of_group(groups) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] >= 0 && static_cast<std::size_t>(keys[i]) < groups) {
        of_group[static_cast<std::size_t>(keys[i])].push_back(i);
      }
    }
  }
  [[nodiscard]] bool any_empty() const {
    return std::ranges::any_of(of_group, [](const auto& places) { return places.empty(); });
  }
};

any_scalar of_vector(reduction what, const any_vector& a, const any_vector& b, element_type result) {
  return what == reduction::dot ? dot(a, b, result) : reduce(what, a, result, {}, 1);
}

/// One call, compared with a vector call for each group.
void check(rng& random, reduction what, element_type type, std::size_t n, std::size_t groups, order which,
           int threads, int spread = 0) {
  const bool outside = random.below(3) == 0;
  const auto keys = make_keys(random, n, groups, which, outside);
  const counted_places places(keys, groups);
  if (gives_element(what) && places.any_empty()) return;
  constexpr element_type key_types[] = {element_type::int32, element_type::int64, element_type::uint32,
                                        element_type::uint64};
  const key_array given(key_types[random.below(4)], 1 + random.below(2), keys);
  const random_elements a(random, type, n, random.coin(), spread);
  const element_type other = is_integer(type) || random.coin() ? type : element_type::float16;
  const random_elements b(random, other, n, random.coin(), 0);
  element_type result = gives_element(what) ? type
                        : is_integer(type)  ? element_type::float64
                                            : element_type::float32;
  if (!gives_element(what) && random.below(4) == 0) result = elements[random.below(4)].type;
  const std::size_t size = size_of(result);
  std::vector<std::byte> out(groups * size);
  const axis storage{groups, static_cast<std::ptrdiff_t>(size)};
  const any_results to{out.data(), result, {&storage, 1}};
  if (what == reduction::dot) {
    dot(a.view(), b.view(), given.view(n, groups, outside), to, {.threads = threads});
  } else {
    reduce(what, a.view(), given.view(n, groups, outside), to, {.threads = threads}, 1);
  }
  for (std::size_t g = 0; g < groups; ++g) {
    const auto& mine = places.of_group[g];
    const auto first = a.at(mine), second = b.at(mine);
    const auto vector_of = [&](const random_elements& x, const std::vector<std::byte>& bytes) {
      return any_vector{bytes.data(), mine.size(), x.type, static_cast<std::ptrdiff_t>(size_of(x.type)), x.swapped};
    };
    std::uint64_t got = 0;
    std::memcpy(&got, &out[g * size], size);
    ASSERT_EQ(got, of_vector(what, vector_of(a, first), vector_of(b, second), result).bits)
        << name_of(what) << " of " << name_of(type) << " to " << name_of(result) << ", group " << g << " of "
        << groups << ", " << mine.size() << " of " << n << " elements, order " << static_cast<int>(which) << ", "
        << threads << " threads";
  }
}

constexpr std::size_t without_indices = 10;  // reductions

TEST(groups, have_the_bits_of_vectors) {
  rng random(7);
  for (int i = 0; i < oracle::scaled(12'000); ++i) {
    const auto what = static_cast<reduction>(random.below(without_indices));
    const element_type type = elements[random.below(elements.size())].type;
    const std::size_t n = random.below(random.below(10) == 0 ? 3000 : 200) + 1;
    const std::size_t groups = 1 + random.below(random.below(4) == 0 ? 400 : 12);
    check(random, what, type, n, groups, static_cast<order>(random.below(5)), 1 + static_cast<int>(random.below(3)),
          random.coin() ? 0 : 14);
    if (HasFatalFailure()) return;
  }
}

/// Several threads, tables of all groups and of some, lots of groups that are gathered.
TEST(groups, have_the_bits_of_vectors_with_many_elements) {
  rng random(8);
  constexpr std::array types = {element_type::float32, element_type::float64, element_type::float16,
                                element_type::int8,    element_type::int64,   element_type::int32};
  for (int i = 0; i < oracle::scaled(120); ++i) {
    const auto what = static_cast<reduction>(random.below(without_indices));
    const std::size_t n = 130'000 + random.below(200'000);
    const std::size_t groups = std::array<std::size_t, 4>{1, 17, 1000, 60'000}[random.below(4)];
    check(random, what, types[random.below(types.size())], n, groups, static_cast<order>(random.below(5)),
          1 + static_cast<int>(random.below(3)), random.coin() ? 0 : 14);
    if (HasFatalFailure()) return;
  }
}

/// A group of 90 % of the elements, which exceeds a thread's buffer, beside lots of others; level 1 serves none.
TEST(groups, are_gathered_in_pieces) {
  rng random(9);
  for (const reduction what : {reduction::max, reduction::sum, reduction::sum_of_squares, reduction::variance}) {
    for (const int threads : {1, 3}) {
      check(random, what, element_type::int64, 400'000, 300, order::skewed, threads);
      check(random, what, element_type::uint64, 400'000, 3, order::random, threads);
    }
  }
  for (const reduction what : {reduction::min, reduction::max}) {
    for (const element_type type : {element_type::float16, element_type::float64, element_type::int8}) {
      check(random, what, type, 1'500'000, 40, order::skewed, 2);
    }
  }
}

/// Buffers that hold one group after the other, in the same place: none takes the converted elements of another.
TEST(groups, do_not_share_staged_elements) {
  const std::size_t n = std::size_t{1} << 20, groups = n / 5000;
  rng random(14);
  random_elements x(random, element_type::float64, n, true, 0);
  x.swapped = true;
  const auto keys = make_keys(random, n, groups, order::random, false);
  const any_keys given{keys.data(), n, element_type::int64, 8, groups, false};
  std::vector<double> out(groups);
  const axis places{groups, 8};
  reduce(reduction::max, x.view(), given, {out.data(), element_type::float64, {&places, 1}}, {.threads = 16});
  const counted_places all(keys, groups);
  for (std::size_t g = 0; g < groups; ++g) {
    const auto mine = x.at(all.of_group[g]);
    const any_vector group{mine.data(), all.of_group[g].size(), x.type, 8, true};
    ASSERT_EQ(out[g], reduce(reduction::max, group, element_type::float64).as<double>()) << g;
  }
}

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
    if (all.of_group[group].size() == 1) {
      const auto at = [&](const any_vector& of) {
        return any_vector{static_cast<const std::byte*>(of.data) + static_cast<std::ptrdiff_t>(i) * of.stride, 1,
                          of.type, of.stride};
      };
      ASSERT_EQ(found[group], dot(at(a), at(b), element_type::float64).as<double>());
    }
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

/// Columns of values: results of each lie beside each other.
TEST(groups, of_columns) {
  rng random(12);
  const std::size_t n = 3000, columns = 5, groups = 30;
  std::vector<double> x(n * columns);
  for (double& each : x) each = std::ldexp(random.unit() - 0.5, random.between(-60, 60));
  for (const bool sorted : {false, true}) {
    auto keys = make_keys(random, n, groups, sorted ? order::sorted : order::random, false);
    const axis of_columns{columns, 8}, of_elements{n, static_cast<std::ptrdiff_t>(8 * columns)};
    const any_grid grid{x.data(), element_type::float64, {&of_columns, 1}, {&of_elements, 1}};
    const any_keys given{keys.data(), n, element_type::int64, 8, groups, false};
    const axis places[] = {{groups, static_cast<std::ptrdiff_t>(8 * columns)}, {columns, 8}};
    for (const reduction what : {reduction::sum, reduction::variance, reduction::max}) {
      std::vector<double> out(groups * columns);
      reduce(what, grid, given, {out.data(), element_type::float64, places});
      for (std::size_t k = 0; k < columns; ++k) {
        std::vector<double> one(groups), column(n);
        for (std::size_t i = 0; i < n; ++i) column[i] = x[i * columns + k];
        const axis in_line{groups, 8};
        reduce(what, to_any(column), given, {one.data(), element_type::float64, {&in_line, 1}});
        for (std::size_t g = 0; g < groups; ++g) ASSERT_EQ(out[g * columns + k], one[g]) << name_of(what);
      }
    }
  }
}

/// Data whose errors a plain sum of errors loses: large terms that cancel at the end, among small ones.
std::vector<double> lossy_terms(rng& random, std::size_t n) {
  std::vector<double> x(n);
  for (double& each : x) each = std::ldexp(2 * random.unit() - 1, random.between(-110, 2));
  for (std::size_t i = 0; i + 1 < n; i += 16) x[i] = std::ldexp(1 + random.unit(), 50), x[n - 1 - i] = -x[i];
  return x;
}

/// The bound encloses the exact sum of each group, and is needed: a bound 2^-20 as wide, or less, does not.
TEST(groups, have_sums_within_their_bounds) {
  rng random(13);
  std::size_t too_small = 0, checked = 0;
  for (int i = 0; i < oracle::scaled(400); ++i) {
    const std::size_t n = 3000, groups = 1 + random.below(20);
    const bool is_product = i % 2 == 1;
    const auto x = lossy_terms(random, n), ones = std::vector<double>(n, 1.0), y = lossy_terms(random, n);
    const auto keys = make_keys(random, n, groups, order::skewed, false);
    std::vector<double> out(groups);
    engine::batch of;
    of.each = engine::unplaced_plan(
        {"test", is_product ? reduction::dot : reduction::sum, to_any(x), to_any(y), element_type::float64, 0},
        mode::exact);
    of.keys = {keys.data(), n, element_type::int64, 8, groups, false};
    of.group_sizes.resize(groups + 1);
    for (const std::int64_t key : keys) ++of.group_sizes[static_cast<std::size_t>(key)];
    of.count = groups, of.elements = n, of.out = reinterpret_cast<char*>(out.data()), of.out_stride = 8;
    of.threads = 1 + i % 3;
    cpu_engine::group_table table(of);
    cpu_engine::result_sink sink(of, nullptr, true, false);
    std::vector<unsigned char> open(groups);
    table.reduce(0, sink, open);
    for (std::size_t g = 0; g < groups; ++g) {
      const cpu_engine::bounded_sum found = table.sum_of(g);
      oracle::integer_sum rest;
      for (std::size_t k = 0; k < n; ++k) {
        if (keys[k] == static_cast<std::int64_t>(g)) rest.add(x[k], is_product ? y[k] : ones[k]);
      }
      if (open[g] == 0) {
        ASSERT_EQ(out[g], rest.round<double>());
      }
      rest.add(-found.head, 1.0), rest.add(-found.tail, 1.0);
      const double error = std::abs(rest.round<double>());
      ASSERT_TRUE(error <= found.bound) << error << " > " << found.bound;
      ++checked;
      too_small += error <= found.bound * 0x1p-20 ? 0 : 1;
    }
  }
  EXPECT_GT(too_small, checked / 10);
}

}  // namespace
