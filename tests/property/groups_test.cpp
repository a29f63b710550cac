// Groups by keys: each result has the bits of the vector call on the group's elements, copied one by one, however
// the keys lie; groups are the segments of the elements in the order of their keys.
#include <gtest/gtest.h>

#include <cpu/column_decision.hpp>
#include <cpu/group_table.hpp>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "oracle/cases.hpp"
#include "oracle/generators.hpp"
#include "oracle/integer_sum.hpp"
#include "oracle/random.hpp"
#include "property/keyed_elements.hpp"
#include "property/matrices.hpp"
#include "unit/expect_error.hpp"

namespace {

using namespace keyed;

/// Keys as an array of any integer type, `step` keys apart.
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

any_scalar of_vector(reduction what, const any_vector& a, const any_vector& b, element_type result) {
  return what == reduction::dot ? dot(a, b, result) : reduce(what, a, result, {}, 1);
}

/// One call, compared with a vector call for each group.
void check_keys(rng& random, reduction what, element_type type, const std::vector<std::int64_t>& keys,
                std::size_t groups, order which, bool outside, int threads, int spread) {
  const std::size_t n = keys.size();
  const counted_places places(keys, groups);
  if (gives_element(what) && places.any_empty()) return;
  constexpr element_type key_types[] = {element_type::int32,  element_type::int64, element_type::uint32,
                                        element_type::uint64, element_type::int16, element_type::uint16,
                                        element_type::int8,   element_type::uint8};
  const std::size_t fitting = groups < 128 ? 8 : groups < 1 << 15 ? 6 : 4;  // also the key `groups`
  const key_array given(key_types[random.below(fitting)], 1 + random.below(2), keys);
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
  std::optional<std::uint64_t> of_nothing;
  for (std::size_t g = 0; g < groups; ++g) {
    const auto& mine = places.of_group[g];
    const auto first = a.at(mine), second = b.at(mine);
    const auto vector_of = [&](const random_elements& x, const std::vector<std::byte>& bytes) {
      return any_vector{bytes.data(), mine.size(), x.type, static_cast<std::ptrdiff_t>(size_of(x.type)), x.swapped};
    };
    std::uint64_t got = 0;
    std::memcpy(&got, &out[g * size], size);
    if (mine.empty() && of_nothing) {
      ASSERT_EQ(got, *of_nothing) << "group " << g;
      continue;
    }
    const std::uint64_t expected = of_vector(what, vector_of(a, first), vector_of(b, second), result).bits;
    if (mine.empty()) of_nothing = expected;
    ASSERT_EQ(got, expected) << name_of(what) << " of " << name_of(type) << " to " << name_of(result) << ", group "
                             << g << " of " << groups << ", " << mine.size() << " of " << n << " elements, order "
                             << static_cast<int>(which) << ", " << threads << " threads";
  }
}

void check(rng& random, reduction what, element_type type, std::size_t n, std::size_t groups, order which,
           int threads, int spread = 0) {
  const bool outside = random.below(3) == 0;
  check_keys(random, what, type, make_keys(random, n, groups, which, outside), groups, which, outside, threads,
             spread);
}

/// Every group has an element.
void check_small(rng& random, reduction what, element_type type, std::size_t n, std::size_t groups, bool sorted,
                 int threads) {
  std::vector<std::int64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int64_t>(i < groups ? i : random.below(groups));
  const bool outside = random.below(3) == 0;
  if (outside) keys.push_back(-1), keys.push_back(static_cast<std::int64_t>(groups));
  random.shuffle(keys);
  if (sorted) std::ranges::sort(keys);
  check_keys(random, what, type, keys, groups, sorted ? order::sorted : order::random, outside, threads,
             random.coin() ? 0 : 14);
}

TEST(groups, have_the_bits_of_vectors) {
  rng random(7);
  for (int i = 0; i < oracle::scaled(12'000); ++i) {
    const auto what = static_cast<reduction>(random.below(without_indices));
    const element_type type = elements[random.below(elements.size())].type;
    const std::size_t n = random.below(random.below(10) == 0 ? 3000 : 200) + 1;
    const std::size_t groups = 1 + random.below(random.below(4) == 0 ? 400 : 12);
    check(random, what, type, n, groups, static_cast<order>(random.below(orders)),
          1 + static_cast<int>(random.below(3)), random.coin() ? 0 : 14);
    if (HasFatalFailure()) return;
  }
}

/// Runs of one element or a few among empty groups, sorted and not.
TEST(groups, have_the_bits_of_vectors_where_most_are_empty) {
  rng random(16);
  for (int i = 0; i < oracle::scaled(600); ++i) {
    const auto what = static_cast<reduction>(random.below(without_indices));
    const element_type type = elements[random.below(elements.size())].type;
    const std::size_t n = random.below(4000), groups = 20'000 + random.below(random.below(4) == 0 ? 200'000 : 2000);
    constexpr order sparse[] = {order::random, order::sorted, order::sparse, order::far, order::skewed};
    check(random, what, type, n, groups, sparse[random.below(5)], 1 + static_cast<int>(random.below(3)),
          random.coin() ? 0 : 14);
    if (HasFatalFailure()) return;
  }
}

/// Groups of one to some elements each, none empty, so that extrema have results; sorted ones are runs.
TEST(groups, have_the_bits_of_vectors_where_all_are_small) {
  rng random(17);
  for (int i = 0; i < oracle::scaled(600); ++i) {
    const auto what = static_cast<reduction>(random.below(without_indices));
    const element_type type = elements[random.below(elements.size())].type;
    const std::size_t groups = 1 + random.below(random.below(8) == 0 ? 40'000 : 600);
    const std::size_t n = groups * (1 + random.below(6)) + random.below(40);
    check_small(random, what, type, n, groups, random.coin(), 1 + static_cast<int>(random.below(3)));
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
    const std::size_t groups = std::array<std::size_t, 5>{1, 17, 1000, 60'000, 700'000}[random.below(5)];
    check(random, what, types[random.below(types.size())], n, groups, static_cast<order>(random.below(orders)),
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

/// Sums of 64-bit integers at the ends of their type, of more groups than are kept: one that does not fit is named,
/// and nothing is stored.
TEST(groups, of_integers_fit_or_are_refused) {
  const std::size_t groups = 200'000;
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(), greatest = ~least;
  for (const bool sorted : {false, true}) {
    for (const std::int64_t last : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}}) {
      std::vector<std::int64_t> x(groups + 2, 5), out(groups, 7);
      std::vector<std::uint32_t> keys(groups + 2);
      for (std::size_t i = 0; i < groups; ++i) keys[i] = static_cast<std::uint32_t>(sorted ? i : groups - 1 - i);
      keys[groups] = keys[groups + 1] = keys[groups - 1];  // the last group, or the first
      x[groups - 1] = last < 0 ? least + 1 : greatest, x[groups] = last, x[groups + 1] = 0;
      const std::size_t group = sorted ? groups - 1 : 0;
      if (last > 0) {
        unit::expect_error(errc::overflow, "result " + std::to_string(group) + " does not fit into int64", [&] {
          sum(exactdot::groups{x, keys, groups}, out);
        });
        ASSERT_TRUE(std::ranges::all_of(out, [](std::int64_t each) { return each == 7; }));
        continue;
      }
      sum(exactdot::groups{x, keys, groups}, out);
      ASSERT_EQ(out[group], last < 0 ? least : greatest);
      ASSERT_EQ(out[1000], 5);
      std::vector<float> rounded(groups);
      sum(exactdot::groups{x, keys, groups}, rounded);
      ASSERT_EQ(rounded[group], last < 0 ? -0x1p63F : 0x1p63F);
    }
    // the greatest magnitude is no int64, though a look at its bits finds 63
    std::vector<std::int64_t> x(groups, -3), out(groups, 7);
    std::vector<std::uint32_t> keys(groups);
    for (std::size_t i = 0; i < groups; ++i) keys[i] = static_cast<std::uint32_t>(sorted ? i : groups - 1 - i);
    x[17] = least;
    unit::expect_error(errc::overflow, "does not fit into int64", [&] {
      asum(exactdot::groups{x, keys, groups}, out);
    });
    ASSERT_TRUE(std::ranges::all_of(out, [](std::int64_t each) { return each == 7; }));
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
      oracle::integer_sum sum;
      for (std::size_t k = 0; k < n; ++k) {
        if (keys[k] == static_cast<std::int64_t>(g)) sum.add(x[k], is_product ? y[k] : ones[k]);
      }
      if (open[g] == 0) {
        ASSERT_EQ(out[g], sum.round<double>());
      }
      const double error = error_of(sum, found);
      ASSERT_TRUE(error <= found.bound) << error << " > " << found.bound;
      ++checked;
      too_small += error <= found.bound * 0x1p-20 ? 0 : 1;
    }
  }
  EXPECT_GT(too_small, checked / 10);
}

}  // namespace
