// The C++ interface of missing values: what where, skip_nan and with_initial take, results of every shape, errors,
// and that a failed call writes nothing. property/missing_test.cpp compares with the oracle.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <exactdot/exactdot.hpp>
#include <new>
#include <span>
#include <vector>

#include "unit/expect_error.hpp"

namespace {

using namespace exactdot;
using unit::expect_error;
using flags = std::vector<std::uint8_t>;

const double nan = NAN;
const std::vector<double> x = {1, nan, 3, 5, nan, 7};
const flags mask = {1, 1, 0, 1, 255, 1};

TEST(missing, vectors) {
  EXPECT_EQ(sum(skip_nan(x)), 16);
  EXPECT_EQ(sum<float>(where(skip_nan(x), mask)), 13);
  EXPECT_EQ(mean(skip_nan(where(x, mask))), 13.0 / 3);
  EXPECT_TRUE(std::isnan(sum(where(x, mask))));
  EXPECT_EQ(asum(skip_nan(std::span(x))), 16);
  EXPECT_EQ(sum_of_squares(skip_nan(x)), 84);
  EXPECT_EQ(norm(skip_nan(x)), std::sqrt(84.0));
  EXPECT_EQ(variance(skip_nan(x), 1), 20.0 / 3);
  EXPECT_EQ(stddev(where(skip_nan(x), mask), {.threads = 1}), std::sqrt(56.0 / 9));
  EXPECT_EQ(standard_error(skip_nan(x)), std::sqrt(20.0 / 12));
  EXPECT_EQ(variance_about(skip_nan(x), 2), 9);
  EXPECT_EQ(min(skip_nan(x)), 1);
  EXPECT_EQ(max(with_initial(skip_nan(x), 9.0)), 9);
  EXPECT_EQ(argmax(where(skip_nan(x), std::array{true, true, true, true, true, false})), 3U);
  EXPECT_EQ(sum(skip_nan(strided{&x[5], 3, -2})), 7 + 5);
  EXPECT_EQ(sum(where(skip_nan(x), strided{&mask[2], 6, 0})), 0);
  EXPECT_EQ(sum(skip_nan(std::vector<int>{1, 2})), 3);
  EXPECT_EQ(sum(where(std::vector<int>{1, 2, 4}, std::array{false, true, true})), std::int64_t{6});
}

TEST(missing, two_vectors) {
  const std::vector<float> y = {1, 2, 3, NAN, 1, 1};
  EXPECT_EQ(dot(skip_nan(x), y), 1 + 9 + 7);
  EXPECT_EQ(dot<float>(where(skip_nan(x), mask), y, {.mode = mode::fast}), 8.0F);
  EXPECT_EQ(weighted_mean(skip_nan(x), y), 17.0 / 5);
  EXPECT_EQ(slope(where(skip_nan(x), mask), std::vector<double>{0, 0, 0, 4, 0, 6}), 1);
  EXPECT_EQ(distance(skip_nan(x), std::vector<int>{1, 0, 3, 5, 0, 4}), 3);
}

TEST(missing, shapes) {
  std::vector<double> two(2);
  const auto expect = [&](double first, double second) {
    EXPECT_EQ(two[0], first);
    EXPECT_EQ(two[1], second);
  };
  sum(skip_nan(rows{x.data(), 2, 3}), two), expect(4, 12);
  sum(where(skip_nan(rows{x.data(), 2, 3}), mask), two), expect(1, 12);
  sum(skip_nan(columns{x.data(), 3, 2}), two), expect(4, 12);
  sum(where(skip_nan(columns{x.data(), 3, 2}), mask), two), expect(1, 12);
  sum(where(skip_nan(columns{x.data(), 3, 2}), repeated{mask.data(), 3}), two), expect(4, 5);
  sum(where(skip_nan(rows{x.data(), 2, 3}), rows{mask.data(), 2, 3, 0}), two), expect(1, 5);
  sum(where(skip_nan(rows{x.data(), 2, 3}), columns{mask.data(), 3, 2}), two), expect(4, 12);
  mean(skip_nan(segments{x, std::vector{0, 2, 6}}), two), expect(1, 5);
  max(with_initial(skip_nan(groups{x, std::vector{0, 0, 0, 0, 0, 0}, 2}), -1.0), two), expect(7, -1);
  variance(skip_nan(groups{x, std::vector{0, 0, 1, 1, 1, -1}, 2, true}), two, 1);
  EXPECT_TRUE(std::isnan(two[0]) && two[1] == 2);
  dot(skip_nan(rows{x.data(), 2, 3}), repeated{x.data(), 3}, two), expect(10, 5 + 21);
  dot(where(skip_nan(segments{x, std::vector{0, 3, 6}}), mask), x, two), expect(1, 25 + 49);
  dot(skip_nan(groups{x, std::vector{1, 1, 1, 0, 0, 0}, 2}), x, two), expect(25 + 49, 10);
  weighted_mean(skip_nan(rows{x.data(), 2, 3}), rows{x.data(), 2, 3}, two), expect(10.0 / 4, 74.0 / 12);
  standard_error(skip_nan(segments{x, std::vector{0, 3, 6}}), two), expect(1, 1);
  std::vector<std::int64_t> places(2);
  argmin(skip_nan(segments{x, std::vector{1, 4, 6}}), places);
  EXPECT_EQ(places, (std::vector<std::int64_t>{1, 1}));
  const axis of_rows[] = {{2, 24}}, along[] = {{3, 8}}, flags_of_rows[] = {{2, 3}}, flags_along[] = {{3, 1}};
  const axis to[] = {{2, 8}};
  reduce(reduction::sum, any_grid{x.data(), element_type::float64, of_rows, along},
         element_filter{{mask.data(), flags_of_rows, flags_along}, true, {}},
         any_results{two.data(), element_type::float64, to});
  expect(1, 12);
}

TEST(missing, of_nothing) {
  const flags nothing(6);
  EXPECT_EQ(sum(where(x, nothing)), 0);
  EXPECT_FALSE(std::signbit(sum(where(x, nothing))));
  EXPECT_TRUE(std::isnan(mean(where(x, nothing))) && std::isnan(variance(where(x, nothing))));
  EXPECT_EQ(max(with_initial(where(x, nothing), 4.0)), 4);
  EXPECT_TRUE(std::isnan(max(with_initial(where(x, nothing), nan))));
  const std::vector<double> empty;
  EXPECT_EQ(sum(where(empty, flags{})), 0);
  EXPECT_EQ(min(with_initial(skip_nan(empty), 2.0)), 2);
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { (void)min(where(x, nothing)); }, [&] { (void)max(skip_nan(std::vector{nan})); },
           [&] { (void)argmin(where(x, nothing)); }, [&] { (void)min(skip_nan(empty)); }}) {
    expect_error(errc::empty_input, "no element is left of a result", call);
  }
  std::vector<double> two = {8, 8};
  expect_error(errc::empty_input, "pass initial", [&] {
    min(skip_nan(rows{std::vector{nan, nan, 1.0, nan}.data(), 2, 2}), two);
  });
  EXPECT_EQ(two, (std::vector<double>{8, 8}));
  max(with_initial(skip_nan(rows{x.data(), 2, 0}), 3.0), two);
  EXPECT_EQ(two, (std::vector<double>{3, 3}));
  sum(skip_nan(rows{x.data(), 0, 3}), std::span<double>());
  sum(skip_nan(groups{empty, std::vector<int>{}, 2}), two);
  EXPECT_EQ(two, (std::vector<double>{0, 0}));
}

TEST(missing, masks_of_another_length) {
  const rows matrix{x.data(), 2, 3};
  expect_error(errc::size_mismatch, "where: the mask has 5 flags for 6 elements",
               [&] { (void)where(x, flags(5)); });
  expect_error(errc::size_mismatch, "7 flags", [&] { (void)where(matrix, flags(7)); });
  expect_error(errc::size_mismatch, "2 flags", [&] { (void)where(matrix, repeated{mask.data(), 2}); });
  expect_error(errc::size_mismatch, "3 flags", [&] { (void)where(matrix, rows{mask.data(), 3, 3}); });
  expect_error(errc::size_mismatch, "0 flags", [&] { (void)where(segments{x, std::vector{0, 1}}, flags{}); });
  expect_error(errc::size_mismatch, "5 flags", [&] { (void)where(groups{x, std::vector<int>(6), 1}, flags(5)); });
  expect_error(errc::bad_option, "a mask already", [&] { (void)where(where(x, mask), mask); });
  const axis along[] = {{6, 8}}, short_mask[] = {{5, 1}};
  double out = 8;
  expect_error(errc::size_mismatch, "of their mask", [&] {
    reduce(reduction::sum, any_grid{x.data(), element_type::float64, {}, along},
           element_filter{{mask.data(), {}, short_mask}}, any_results{&out, element_type::float64, {}});
  });
  EXPECT_EQ(out, 8);
}

TEST(missing, errors) {
  std::vector<double> two = {8, 8};
  const std::vector<int> wrong_keys = {0, 0, 2, 0, 0, 0};
  expect_error(errc::bad_option, "key 2 is 2", [&] { sum(skip_nan(groups{x, wrong_keys, 2}), two); });
  expect_error(errc::bad_option, "offset 1 is 7", [&] { sum(skip_nan(segments{x, std::vector{0, 7, 6}}), two); });
  expect_error(errc::bad_option, "offset 1 is -1", [&] { sum(skip_nan(segments{x, std::vector{0, -1, 6}}), two); });
  expect_error(errc::size_mismatch, "segments", [&] { sum(skip_nan(segments{x, std::vector{0, 6}}), two); });
  expect_error(errc::size_mismatch, "results", [&] { sum(skip_nan(rows{x.data(), 3, 2}), two); });
  expect_error(errc::size_mismatch, "vectors", [&] { (void)dot(skip_nan(x), std::vector<double>(5)); });
  expect_error(errc::bad_option, "mode fast has no variance",
               [&] { (void)variance(skip_nan(x), {.mode = mode::fast}); });
  expect_error(errc::bad_option, "ddof is -1", [&] { (void)variance(skip_nan(x), -1); });
  expect_error(errc::bad_option, "threads is -1", [&] { (void)sum(skip_nan(x), {.threads = -1}); });
  expect_error(errc::no_device, "CUDA", [&] { (void)sum(skip_nan(x), {.device = device::cuda}); });
  expect_error(errc::bad_option, "for min and max", [&] { (void)sum(with_initial(x, 1.0)); });
  const std::vector<std::uint8_t> small = {3, 4};
  const std::vector<std::int64_t> longs = {-3, 4};
  EXPECT_EQ(max(with_initial(small, 255)), 255);
  EXPECT_EQ(min(with_initial(longs, -4)), -4);
  EXPECT_EQ(max(with_initial(std::vector<float>{3, 4}, 5)), 5);
  for (const int value : {-1, 256}) {
    expect_error(errc::bad_option, "with_initial: the value does not fit",
                 [&] { (void)max(with_initial(small, value)); });
  }
  expect_error(errc::bad_option, "does not fit", [&] { (void)max(with_initial(longs, ~std::uint64_t{0})); });
  expect_error(errc::null_pointer, "null pointer", [&] { sum(skip_nan(rows<double>{nullptr, 2, 3}), two); });
  expect_error(errc::bad_option, "not added", [&] {
    sum(skip_nan(groups{x, std::vector<int>(6), 2}), added_to{two});
  });
  EXPECT_EQ(two, (std::vector<double>{8, 8}));
  std::vector<double> inside = {1, 2, 3, 4};
  std::vector<double> line(7);
  const std::span<double> late(line.data() + 1, 6), before(line.data(), 3);
  const std::vector<int> offsets = {0, 2, 4, 6}, keys = {0, 1, 2, 0, 1, 2};
  expect_error(errc::bad_option, "results lie within x", [&] { sum(skip_nan(segments{late, offsets}), before); });
  expect_error(errc::bad_option, "results lie within x", [&] { sum(skip_nan(groups{late, keys, 3}), before); });
  expect_error(errc::bad_option, "results lie within x", [&] {
    sum(skip_nan(rows{inside.data(), 2, 2}), std::span(inside).first(2));
  });
  alignas(8) std::array<std::uint8_t, 16> bytes{};
  const std::span<double> results(reinterpret_cast<double*>(bytes.data()), 2);
  expect_error(errc::bad_option, "results lie within where", [&] {
    sum(where(rows{inside.data(), 2, 2}, std::span(bytes).first(4)), results);
  });
  monitor monitor;
  monitor.cancel = true;
  expect_error(errc::cancelled, "cancelled", [&] { (void)sum(skip_nan(x), {.monitor = &monitor}); });
}

/// Arrays with strides of 0 have more elements than memory holds copies of.
TEST(missing, more_than_memory_holds) {
  std::vector<double> two(2);
  EXPECT_THROW((void)sum(skip_nan(strided{x.data(), std::size_t{1} << 62, 0})), std::bad_alloc);
  EXPECT_THROW(mean(skip_nan(rows{x.data(), 2, std::size_t{1} << 63, 0, 0}), two), std::bad_alloc);
}

/// A sum of many elements that stay takes several threads, and has the bits of one.
TEST(missing, long_vectors) {
  std::vector<float> many(1'000'000);
  flags some(many.size());
  std::vector<float> kept;
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i] = static_cast<float>(std::sin(static_cast<double>(i))) * 1e10F, some[i] = i % 7 < 4 ? 1 : 0;
    if (some[i] != 0) kept.push_back(many[i]);
  }
  EXPECT_EQ(sum(where(many, some)), sum(kept));
  EXPECT_EQ(sum(where(many, some), {.mode = mode::fast, .threads = 3}), sum(kept, {.mode = mode::fast}));
}

}  // namespace
