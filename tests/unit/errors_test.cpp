// Errors: code and sentence of each refusal, and calls at the limits that must succeed.
//
// Refusals are tested with a dot, an empty dot and an accumulator, which must not change.
#include <gtest/gtest.h>

#include <array>
#include <exactdot/exactdot.hpp>
#include <functional>
#include <vector>

#include "oracle/bits.hpp"

namespace {

using exactdot::errc;
using exactdot::options;

void expect_error(errc code, const std::function<void()>& action, const std::string& part_of_sentence = "") {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const exactdot::error& thrown) {
    EXPECT_EQ(thrown.code(), code) << thrown.what();
    EXPECT_NE(std::string(thrown.what()).find(part_of_sentence), std::string::npos) << thrown.what();
    EXPECT_GT(std::string(thrown.what()).size(), 10u);
  }
}

const std::vector<double> one_two = {1, 2};

void expect_refused(errc code, const options& options) {
  expect_error(code, [&] { (void)exactdot::dot(one_two, one_two, options); });
  expect_error(code, [&] { (void)exactdot::dot<float>(one_two.data(), one_two.data(), 0, options); });
  exactdot::accumulator<double> sum;
  expect_error(code, [&] { sum.add(std::span(one_two), std::span(one_two), options); });
  EXPECT_EQ(sum.round<double>(), 0);
}

TEST(errors, name_both_lengths_of_a_mismatch) {
  const std::vector<double> three = {1, 2, 3};
  expect_error(
      errc::size_mismatch, [&] { (void)exactdot::dot(one_two, three); }, "3");
  expect_error(
      errc::size_mismatch, [&] { (void)exactdot::dot(three, one_two); }, "2");
  expect_error(errc::size_mismatch, [&] { (void)exactdot::dot(three, std::vector<double>{}); });
  exactdot::accumulator<double> sum;
  expect_error(
      errc::size_mismatch, [&] { sum.add(std::span<const double>(three), std::span<const double>(one_two)); },
      "accumulator: the vectors differ in length (3 and 2 elements)");
  EXPECT_EQ(sum.round<double>(), 0);
}

TEST(errors, refuse_null_pointers_unless_the_length_is_zero) {
  const double x = 1;
  const double* const null = nullptr;
  for (const auto mode : {exactdot::mode::exact, exactdot::mode::fast}) {
    expect_error(errc::null_pointer, [&] { (void)exactdot::dot<double>(null, &x, 1, {.mode = mode}); });
    expect_error(errc::null_pointer, [&] { (void)exactdot::dot<float>(&x, null, 1, {.mode = mode}); });
    expect_error(errc::null_pointer, [&] { (void)exactdot::dot<double>(null, null, 7, {.mode = mode}); });
    EXPECT_TRUE(oracle::same_bits(exactdot::dot<double>(null, null, 0, {.mode = mode}), 0.0));
    EXPECT_TRUE(oracle::same_bits(exactdot::dot<float>(&x, null, 0, {.mode = mode}), 0.0f));
  }
}

TEST(errors, of_accumulators_begin_with_accumulator) {
  exactdot::accumulator<double> sum;
  sum.add(7.0);
  const std::span<const double> null(static_cast<const double*>(nullptr), 3), two(one_two);
  const auto expect_refused_by_accumulator = [&](errc code, const std::function<void()>& action) {
    expect_error(code, action, "accumulator: ");
    EXPECT_EQ(sum.round<double>(), 7);
  };
  expect_refused_by_accumulator(errc::null_pointer, [&] { sum.add(null); });
  expect_refused_by_accumulator(errc::null_pointer, [&] { sum.add(null, null); });
  expect_refused_by_accumulator(errc::size_mismatch, [&] { sum.add(two, null); });
  expect_refused_by_accumulator(errc::bad_option, [&] { sum.add(two, {.threads = -1}); });
  expect_refused_by_accumulator(errc::no_device, [&] { sum.add(two, {.device = exactdot::device::cuda}); });
  exactdot::any_vector unknown = exactdot::to_any(one_two);
  unknown.type = static_cast<exactdot::element_type>(99);
  expect_refused_by_accumulator(errc::bad_option, [&] { sum.add(unknown); });
  expect_refused_by_accumulator(errc::size_mismatch, [&] {
    exactdot::accumulator<double>({sum.words().data(), 3});
  });
}

TEST(errors, refuse_invalid_options) {
  const options unknown_mode{.mode = static_cast<exactdot::mode>(7)};
  expect_error(errc::bad_option, [&] { (void)exactdot::dot(one_two, one_two, unknown_mode); });
  exactdot::accumulator<double> sum;
  sum.add(std::span(one_two), std::span(one_two), unknown_mode);  // ignores the mode
  EXPECT_EQ(sum.round<double>(), 5);
  expect_refused(errc::bad_option, {.device = static_cast<exactdot::device>(9)});
  expect_refused(errc::bad_option, {.threads = -1});
  expect_refused(errc::bad_option, {.threads = std::numeric_limits<int>::min()});
}

TEST(errors, report_a_missing_gpu) {
  expect_refused(errc::no_device, {.device = exactdot::device::cuda});
  expect_refused(errc::no_device, {.device = exactdot::device::cuda, .device_index = 3});
}

TEST(dots, run_on_the_cpu_on_demand) {
  EXPECT_EQ(exactdot::dot(one_two, one_two, {.device = exactdot::device::cpu}), 5);
  EXPECT_EQ(exactdot::dot(one_two, one_two, {.device = exactdot::device::automatic}), 5);
}

TEST(dots, accept_more_threads_than_the_machine_has) {
  const std::vector<double> ones(300'000, 1.0);
  for (const int threads : {1, 16, 61}) {
    EXPECT_EQ(exactdot::dot(ones, ones, {.threads = threads}), 300'000);
    EXPECT_EQ(exactdot::dot(ones, ones, {.mode = exactdot::mode::fast, .threads = threads}), 300'000);
  }
}

TEST(dots, accept_contiguous_ranges_and_return_the_requested_type) {
  const std::array<float, 3> a = {1, 2, 3};
  std::vector<float> b = {4, 5, 6};
  float c[] = {7, 8, 9};
  static_assert(std::is_same_v<decltype(exactdot::dot(a, b)), float>);
  static_assert(std::is_same_v<decltype(exactdot::dot<double>(a, b)), double>);
  EXPECT_EQ(exactdot::dot(a, b), 32);
  EXPECT_EQ(exactdot::dot<double>(std::span(b), std::span<const float, 3>(a)), 32);
  EXPECT_EQ(exactdot::dot(c, a), 50);
}

}  // namespace
