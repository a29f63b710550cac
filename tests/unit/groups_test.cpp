// The C++ interface of groups by keys: values, lengths, errors, and that a failed call writes nothing.
// property/groups_test.cpp compares results with vector calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exactdot/exactdot.hpp>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "unit/expect_error.hpp"

namespace {

using namespace exactdot;
using unit::expect_error;

const std::vector<double> x = {1, 2, 3, 4, 5};
const std::vector<int> keys = {2, 0, 2, 0, 0};

TEST(groups, reductions) {
  std::vector<double> out(3);
  const auto expect = [&](std::vector<double> expected) { EXPECT_EQ(out, expected); };
  sum(groups{x, keys, 3}, out), expect({11, 0, 4});
  asum(groups{x, keys, 3}, out), expect({11, 0, 4});
  sum_of_squares(groups{x, keys, 3}, out), expect({45, 0, 10});
  nrm2(groups{x, keys, 3}, out), expect({std::sqrt(45.0), 0, std::sqrt(10.0)});
  dot(groups{x, keys, 3}, std::vector<float>{1, 0, 1, 0, 2}, out), expect({10, 0, 4});
  mean(groups{x, keys, 3}, out);
  EXPECT_TRUE(out[0] == 11.0 / 3 && std::isnan(out[1]) && out[2] == 2);
  variance(groups{x, keys, 3}, out, 1);
  EXPECT_TRUE(out[0] == 7.0 / 3 && std::isnan(out[1]) && out[2] == 2);
  stddev(groups{x, keys, 3}, out, 1);
  EXPECT_TRUE(out[2] == std::sqrt(2.0));
  const std::vector<unsigned> full = {1, 0, 1, 0, 0};
  std::vector<double> two(2);
  min(groups{x, full, 2}, two);
  EXPECT_EQ(two, (std::vector<double>{2, 1}));
  max(groups{x, full, 2}, two, {.mode = mode::fast});
  EXPECT_EQ(two, (std::vector<double>{5, 3}));
  sum(groups{strided{x.data(), 3, 2}, std::vector<std::int64_t>{1, 0, 1}, 2}, two);
  EXPECT_EQ(two, (std::vector<double>{3, 6}));
  std::vector<std::int64_t> whole(2);
  sum(groups{std::vector<std::int8_t>{100, 100, 1}, std::vector<std::uint64_t>{1, 1, 0}, 2}, whole,
      {.mode = mode::fast});
  EXPECT_EQ(whole, (std::vector<std::int64_t>{1, 200}));
}

TEST(groups, sizes) {
  std::vector<std::int64_t> sizes(3);
  group_sizes(keys, 3, sizes);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{3, 0, 2}));
  std::vector<std::uint64_t> two(2);
  group_sizes(keys, 2, two, {}, true);
  EXPECT_EQ(two, (std::vector<std::uint64_t>{3, 0}));
  expect_error(errc::bad_option, "group_sizes: key 0 is 2, and there are 2 groups",
               [&] { group_sizes(keys, 2, two); });
  expect_error(errc::size_mismatch, "groups and of results", [&] { group_sizes(keys, 3, two); });
  std::vector<double> wrong(3);
  expect_error(errc::bad_option, "int64 or uint64", [&] { group_sizes(keys, 3, wrong); });
}

TEST(groups, of_nothing) {
  std::vector<double> out = {7, 7};
  const std::vector<double> none;
  const std::vector<int> no_keys;
  sum(groups{none, no_keys, 2}, out);
  EXPECT_EQ(out, (std::vector<double>{0, 0}));
  EXPECT_FALSE(std::signbit(out[0]));
  mean(groups{none, no_keys, 2}, out);
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
  sum(groups{none, no_keys, 0}, std::span<double>());
  min(groups{none, no_keys, 0}, std::span<double>());
  sum(groups{x, keys, 0, true}, std::span<double>());
  std::vector<std::int64_t> no_sizes;
  group_sizes(no_keys, 0, no_sizes);
}

/// Elements whose keys are out of range belong to no group, among sorted keys too.
TEST(groups, skipped_elements) {
  std::vector<double> out(2);
  for (const std::vector<int>& given :
       {std::vector<int>{-1, 0, 1, 1, 2}, {-5, 0, 1, 1, 7}, {1 << 30, 0, 1, 1, -1}}) {
    sum(groups{x, given, 2, true}, out);
    EXPECT_EQ(out, (std::vector<double>{2, 7}));
    max(groups{x, given, 2, true}, out);
    EXPECT_EQ(out, (std::vector<double>{2, 4}));
  }
  sum(groups{x, std::vector<std::uint64_t>{~0ULL, 0, 1, 1, 2}, 2, true}, out);
  EXPECT_EQ(out, (std::vector<double>{2, 7}));
}

/// Keys are integers of any width; a negative one is no group's.
TEST(groups, keys_of_every_integer_type) {
  const auto check = []<class Key>(Key) {
    std::vector<Key> given = {2, 0, 2, 0, 0};
    std::vector<double> out(3);
    sum(groups{x, given, 3}, out);
    EXPECT_EQ(out, (std::vector<double>{11, 0, 4}));
    given = {0, 0, 0, 2, 2};
    sum(groups{x, given, 3}, out);
    EXPECT_EQ(out, (std::vector<double>{6, 0, 9}));
    std::vector<std::int64_t> sizes(3);
    group_sizes(given, 3, sizes);
    EXPECT_EQ(sizes, (std::vector<std::int64_t>{3, 0, 2}));
    given[3] = static_cast<Key>(-1);
    const std::string key = std::to_string(given[3]);
    expect_error(errc::bad_option, "key 3 is " + key + ", and there are 3 groups", [&] {
      sum(groups{x, given, 3}, out);
    });
    sum(groups{x, given, 3, true}, out);
    EXPECT_EQ(out, (std::vector<double>{6, 0, 5}));
  };
  check(std::int8_t{}), check(std::int16_t{}), check(std::int32_t{}), check(std::int64_t{});
  check(std::uint8_t{}), check(std::uint16_t{}), check(std::uint32_t{}), check(std::uint64_t{});
  std::vector<double> out(256);
  sum(groups{x, std::vector<std::uint8_t>{255, 128, 127, 0, 255}, 256}, out);
  EXPECT_TRUE(out[255] == 6 && out[128] == 2 && out[127] == 3 && out[0] == 4);
}

/// Keys of the other byte order, as in files from elsewhere, mean the same keys.
TEST(groups, swapped_keys) {
  const auto check = []<class Key>(Key) {
    std::vector<Key> given = {2, 0, 2, 0, 0};
    if (sizeof(Key) > 1) given[2] = 258;
    const auto reversed = [](std::vector<Key> all) {
      for (Key& key : all) std::reverse(reinterpret_cast<char*>(&key), reinterpret_cast<char*>(&key + 1));
      return all;
    };
    const auto expect_same = [&](std::size_t groups, bool skips) {
      const std::vector<Key> stored = reversed(given);
      const any_keys by{stored.data(), stored.size(), type_of<Key>, sizeof(Key), groups, skips, true};
      std::vector<double> out(groups), expected(groups);
      sum(exactdot::groups{x, given, groups, skips}, expected);
      reduce(reduction::sum, to_any(x), by, detail::result_line(out).view());
      EXPECT_EQ(out, expected);
      std::vector<std::int64_t> sizes(groups), expected_sizes(groups);
      group_sizes(given, groups, expected_sizes, {}, skips);
      group_sizes(by, detail::result_line(sizes).view());
      EXPECT_EQ(sizes, expected_sizes);
      EXPECT_EQ(detail::groups_of_keys(by, {}, "test"),
                *std::max_element(given.begin(), given.end()) + std::size_t{1});
    };
    expect_same(259, false);
    expect_same(std::size_t{1} << 21, true);  // far apart
    std::sort(given.begin(), given.end());
    expect_same(259, false);
    given[3] = static_cast<Key>(-1), given[4] = 1;
    const std::vector<Key> stored = reversed(given);
    std::vector<double> out(3);
    expect_error(errc::bad_option, "key 3 is " + std::to_string(given[3]) + ", and there are 3 groups", [&] {
      const any_keys by{stored.data(), stored.size(), type_of<Key>, sizeof(Key), 3, false, true};
      reduce(reduction::sum, to_any(x), by, detail::result_line(out).view());
    });
  };
  check(std::int8_t{}), check(std::int16_t{}), check(std::int32_t{}), check(std::int64_t{});
  check(std::uint8_t{}), check(std::uint16_t{}), check(std::uint32_t{}), check(std::uint64_t{});
}

template <class Action>
void expect_untouched(errc code, const std::string& phrase, Action action) {
  std::vector<double> out = {7, 7, 7};
  expect_error(code, phrase, [&] { action(out); });
  EXPECT_EQ(out, (std::vector<double>{7, 7, 7}));
}

TEST(groups, errors) {
  using results = std::vector<double>;
  const auto refused = [](errc code, const std::string& phrase, const std::vector<std::int64_t>& given) {
    expect_untouched(code, phrase, [&](results& out) { sum(groups{x, given, 3}, out); });
  };
  refused(errc::bad_option, "sum: key 1 is -1, and there are 3 groups", {0, -1, 9, 0, 0});
  refused(errc::bad_option, "key 4 is 3,", {0, 1, 2, 2, 3});
  refused(errc::size_mismatch, "the numbers of elements and of keys differ (5 and 4)", {0, 1, 2, 2});
  expect_untouched(errc::size_mismatch, "the numbers of groups and of results differ: (2,) and (3,)",
                   [](results& out) {
                     sum(groups{x, keys, 2}, out);
                   });
  expect_untouched(errc::empty_input, "max: group 1 is empty", [](results& out) { max(groups{x, keys, 3}, out); });
  expect_untouched(errc::empty_input, "group 0 is empty", [](results& out) {
    min(groups{std::vector<double>(), std::vector<int>(), 3}, out);
  });
  expect_untouched(errc::size_mismatch, "differ in length", [](results& out) {
    dot(groups{x, keys, 3}, std::vector<double>(4), out);
  });
  expect_untouched(errc::bad_option, "groups have no mode fast", [](results& out) {
    sum(groups{x, keys, 3}, out, {.mode = mode::fast});
  });
  expect_untouched(errc::bad_option, "groups have no indices", [](results&) {
    argmin(groups{x, keys, 3}, std::vector<std::int64_t>(3));
  });
  expect_untouched(errc::bad_option, "keys are float32; use integers", [](results& out) {
    const axis places{3, 8};
    reduce(reduction::sum, to_any(x), any_keys{x.data(), 5, element_type::float32, 4, 3, false},
           {out.data(), element_type::float64, {&places, 1}});
  });
  expect_untouched(errc::null_pointer, "null pointer for 5 keys", [](results& out) {
    sum(groups{x, std::span<const int>(static_cast<const int*>(nullptr), 5), 3}, out);
  });
  expect_untouched(errc::null_pointer, "null pointer for a vector of 5 elements", [](results& out) {
    sum(groups{std::span<const double>(static_cast<const double*>(nullptr), 5), keys, 3}, out);
  });
  expect_untouched(errc::bad_option, "ddof is -1", [](results& out) { variance(groups{x, keys, 3}, out, -1); });
  expect_untouched(errc::bad_option, "threads is -1", [](results& out) {
    sum(groups{x, keys, 3}, out, {.threads = -1});
  });
  expect_untouched(errc::no_device, "this program has no CUDA engine", [](results& out) {
    sum(groups{x, keys, 3}, out, {.device = device::cuda});
  });
  expect_untouched(errc::bad_option, "axes of elements", [](results& out) {
    const axis elements[] = {{5, 8}, {1, 8}}, places{3, 8};
    reduce(reduction::sum, any_grid{x.data(), element_type::float64, {}, elements},
           any_keys{keys.data(), 5, element_type::int32, 4, 3, false},
           {out.data(), element_type::float64, {&places, 1}});
  });
}

TEST(groups, results_in_the_inputs) {
  std::vector<double> both = {1, 2, 3, 4};
  expect_error(errc::bad_option, "results lie within x", [&] {
    sum(groups{both, std::vector<int>{0, 1, 0, 1}, 2}, std::span(both).first(2));
  });
  std::vector<std::int64_t> own = {1, 0, 1, 0};
  expect_error(errc::bad_option, "results lie within the keys", [&] {
    sum(groups{std::vector<int>{1, 2, 3, 4}, own, 2}, std::span(own).first(2));
  });
}

/// A result that its integer type does not hold leaves all results unwritten, and is named; also where level 1,
/// which serves narrower integers, computes the others, and where results are computed twice.
TEST(groups, overflow) {
  const std::int64_t large = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> out = {7, 7, 7};
  expect_error(errc::overflow, "result 2 does not fit into int64", [&] {
    sum(groups{std::vector<std::int64_t>{1, large, 2, large}, std::vector<int>{1, 2, 0, 2}, 3}, out);
  });
  EXPECT_EQ(out, (std::vector<std::int64_t>{7, 7, 7}));
  std::vector<std::uint64_t> without_sign = {7, 7, 7};
  expect_error(errc::overflow, "result 1 does not fit into uint64", [&] {
    sum(groups{std::vector<std::int8_t>{1, -2, 2, 1}, std::vector<int>{2, 1, 0, 1}, 3}, without_sign);
  });
  EXPECT_EQ(without_sign, (std::vector<std::uint64_t>{7, 7, 7}));
  const std::size_t count = 200'000;
  std::vector<std::int64_t> elements(2 * count), sums(count, 7), by(2 * count);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = static_cast<std::int64_t>(i), by[i] = static_cast<std::int64_t>(i % count);
  }
  sum(groups{elements, by, count}, sums);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(sums[i], elements[i] + elements[i + count]);
  elements.back() = large;
  std::ranges::fill(sums, 7);
  expect_error(errc::overflow, "result 199999", [&] { sum(groups{elements, by, count}, sums); });
  EXPECT_EQ(std::ranges::count(sums, 7), static_cast<std::ptrdiff_t>(count));
}

/// The same error where the results may be written before it is known, which takes one pass; and the same results.
TEST(groups, overflow_where_results_are_scratch) {
  const std::size_t count = 3000;
  for (const std::size_t step : {std::size_t{1}, count}) {  // keys in another order, and sorted ones
    std::vector<std::int64_t> elements(2 * count), by(2 * count), sums(count), found(count, 7);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i] = static_cast<std::int64_t>(i) - 100;
      by[i] = static_cast<std::int64_t>(step == 1 ? i % count : i / 2);
    }
    const detail::element_line line(any_vector{elements.data(), elements.size(), element_type::int64, 8, false});
    const any_keys read{by.data(), by.size(), element_type::int64, 8, count, false};
    const detail::result_line results(found);
    any_results to = results.view();
    to.is_scratch = true;
    const auto reduce = [&] { detail::reduce_groups(reduction::sum, line.view(), line.view(), read, to, {}); };
    reduce();
    sum(groups{elements, by, count}, sums);
    EXPECT_EQ(found, sums);
    elements.back() = std::numeric_limits<std::int64_t>::max();
    expect_error(errc::overflow, "result 2999 does not fit into int64", reduce);
  }
}

/// Keys in order but for one descent, wherever it is: within and between the stretches that are looked at.
TEST(groups, of_keys_with_one_descent) {
  constexpr std::size_t looks[] = {64, 1088, 2112};  // where a look at some keys begins
  for (const std::size_t n : {65, 1100, 2200}) {
    std::vector<std::size_t> descents;
    for (std::size_t i = 1; i < n; i += n < 100 ? 1 : 31) descents.push_back(i);
    for (const std::size_t look : looks) {
      if (look + 1 < n) descents.insert(descents.end(), {look - 1, look, look + 1});
    }
    for (const std::size_t descent : descents) {
      std::vector<std::int64_t> elements(n), by(n), expected(2), found(2);
      for (std::size_t i = 0; i < n; ++i) {
        elements[i] = static_cast<std::int64_t>(i * i), by[i] = i < descent ? 1 : 0;
        expected[static_cast<std::size_t>(by[i])] += elements[i];
      }
      sum(groups{elements, by, 2}, found);
      ASSERT_EQ(found, expected) << n << " keys, a descent at " << descent;
    }
  }
}

/// Groups of sorted keys are listed only where some between them have no elements, wherever the first of these is.
TEST(groups, of_sorted_keys_with_gaps) {
  constexpr std::size_t n = 200'000, longest = 3;
  for (const std::size_t gap : {0, 1, 40, 30'000, 70'000, 1'000'000}) {
    for (const std::int64_t below : {0, 2}) {  // keys that are skipped, before and behind the groups
      std::vector<std::int64_t> by, elements;
      for (std::int64_t key = -below, length = 1; by.size() < n; ++key, length = 1 + (key * 7 & 3) % longest) {
        if (key == static_cast<std::int64_t>(gap)) ++key;
        for (std::int64_t i = 0; i < length; ++i) by.push_back(key), elements.push_back((key * 31 + i * 17) % 101);
      }
      const auto count = static_cast<std::size_t>(by.back() + (below == 0 ? 1 : 0));
      std::vector<std::int64_t> sums(count), greatest(count, -1), found(count);
      for (std::size_t i = 0; i < by.size(); ++i) {
        if (by[i] < 0 || by[i] >= static_cast<std::int64_t>(count)) continue;
        const auto group = static_cast<std::size_t>(by[i]);
        sums[group] += elements[i], greatest[group] = std::max(greatest[group], elements[i]);
      }
      const groups all{elements, by, count, below != 0};
      for (const int threads : {1, 3}) {
        sum(all, found, {.threads = threads});
        ASSERT_EQ(found, sums) << "a gap at " << gap << ", " << threads << " threads";
        if (gap < count) {
          expect_error(errc::empty_input, "max: group " + std::to_string(gap) + " is empty",
                       [&] { max(all, found, {.threads = threads}); });
          continue;
        }
        max(all, found, {.threads = threads});
        ASSERT_EQ(found, greatest) << threads << " threads";
      }
    }
  }
}

/// Sorted keys are the fast path, also where most groups are empty and the others short; so are short segments.
TEST(groups, of_sorted_keys_take_no_longer_than_of_shuffled_ones) {
  const std::size_t n = 1 << 17, count = 1 << 20;
  const std::vector<double> elements(n, 1.5);
  std::vector<std::uint32_t> sorted(n), shuffled(n);
  for (std::size_t i = 0; i < n; ++i) {
    sorted[i] = static_cast<std::uint32_t>(8 * i);
    shuffled[i] = static_cast<std::uint32_t>(8 * (i * 40'503 % n));
  }
  std::vector<std::uint32_t> offsets(count + 1);
  for (std::size_t i = 0; i <= count; ++i) offsets[i] = static_cast<std::uint32_t>((i + 7) / 8);
  std::vector<double> out(count);
  double of_sorted = 1e9, of_shuffled = 1e9, of_segments = 1e9;
  const auto keep_least = [](double& least, auto call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  };
  for (int i = 0; i < 9; ++i) {
    keep_least(of_sorted, [&] { sum(groups{elements, sorted, count}, out, {.threads = 1}); });
    keep_least(of_shuffled, [&] { sum(groups{elements, shuffled, count}, out, {.threads = 1}); });
    keep_least(of_segments, [&] { sum(segments{elements, offsets}, out, {.threads = 1}); });
  }
  EXPECT_LT(of_sorted, of_shuffled);
  EXPECT_LT(of_segments, 2 * of_shuffled);
}

/// Keys far apart, in any order, and counts of them: groups without elements are stored, and nothing else.
TEST(groups, of_keys_far_apart) {
  const std::size_t count = 5'000'000;
  std::vector<double> out(count, 7);
  std::vector<std::int64_t> sizes(count, 7);
  for (const std::vector<std::uint32_t>& given :
       {std::vector<std::uint32_t>{3, 4'999'999, 3, 77, 4'000'000}, {3, 3, 77, 4'000'000, 4'999'999}}) {
    sum(groups{x, given, count}, out), group_sizes(given, count, sizes);
    double total = 0, magnitude = 0;
    for (std::size_t i = 0; i < 5; ++i) total += out[given[i]] / static_cast<double>(sizes[given[i]]);
    for (const double each : out) magnitude += each;
    EXPECT_TRUE(total == 15 && magnitude == 15 && sizes[3] == 2);
    EXPECT_EQ(std::ranges::count(sizes, 0), static_cast<std::ptrdiff_t>(count) - 4);
  }
  expect_error(errc::empty_input, "max: group 0 is empty", [&] {
    max(groups{x, std::vector<std::uint32_t>{3, 4'999'999, 3, 77, 4'000'000}, count}, out);
  });
}

/// Level 1 with tables of all and of some groups, what is gathered, segments, integers in two passes.
TEST(groups, cancelled_and_counted) {
  const std::size_t n = 1 << 21;
  const std::vector<float> floats(n, 1);
  const std::vector<std::int64_t> integers(n, 1);
  std::vector<std::uint32_t> few(n), many(n), sorted(n);
  for (std::size_t i = 0; i < n; ++i) {
    few[i] = static_cast<std::uint32_t>(i * 7 % 16);
    many[i] = static_cast<std::uint32_t>(i * 7 % (1 << 19));
    sorted[i] = static_cast<std::uint32_t>(i >> 3);
  }
  std::vector<float> out(1 << 19);
  std::vector<std::int64_t> sums(1 << 19);
  const std::vector<std::function<void(const options&)>> calls = {
      [&](const options& o) {
        sum(groups{floats, few, 16}, std::span(out).first(16), o);
      },
      [&](const options& o) {
        sum(groups{floats, many, 1 << 19}, out, o);
      },
      [&](const options& o) {
        sum(groups{floats, sorted, 1 << 18}, std::span(out).first(1 << 18), o);
      },
      [&](const options& o) {
        max(groups{floats, many, 1 << 19}, out, o);
      },
      [&](const options& o) {
        max(groups{floats, few, 16}, std::span(out).first(16), o);
      },
      [&](const options& o) {
        sum(groups{integers, many, 1 << 19}, sums, o);
      }};
  for (const auto& call : calls) {
    for (const int threads : {1, 3}) {
      monitor watched;
      const options options{.threads = threads, .monitor = &watched};
      call(options);
      EXPECT_EQ(watched.done, n) << &call - calls.data();
      watched.cancel = true;
      expect_error(errc::cancelled, "cancelled", [&] { call(options); });
    }
  }
}

}  // namespace
