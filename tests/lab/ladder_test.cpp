// Running the ladder: launch configurations, rejected and skipped rungs, the report, and the message without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <exactdot/error.hpp>
#include <lab/gpu_error.hpp>
#include <lab/ladder.hpp>
#include <lab/report.hpp>
#include <limits>
#include <string>

#include "lab/wrong_rungs.hpp"

namespace {

using namespace lab_test;

const bool are_failing_rungs_registered = [] {
  rung_info info = loop_promises();
  info.name = "needs_a_library";
  add_rung(make_rung(info, [](const auto& input) -> decltype(loop(input)) {
    throw exactdot::error(exactdot::errc::no_device, "libabsent.so cannot be loaded");
  }));
  info.name = "fails_on_its_device";
  add_rung(make_rung(info, [](const auto& input) -> decltype(loop(input)) {
    if (input.config.n != 77) return loop(input);
    throw exactdot::error(exactdot::errc::device_failure, "an illegal address");
  }));
  return true;
}();

ladder_request request_for(const std::vector<std::string>& rungs, std::size_t n = 40) {
  ladder_request request;
  request.data.n = n;
  request.rungs = rungs;
  request.options.runs = 1;
  request.memory_limit = std::size_t{1} << 30;
  return request;
}

bool includes(const ladder_result& result, std::string_view name) {
  return std::ranges::any_of(result.measurements, [&](const measurement& done) { return done.info.name == name; });
}

TEST(run_ladder, skips_rungs_that_lack_their_library_unless_named) {
  ASSERT_TRUE(are_failing_rungs_registered);
  const ladder_result all = run_ladder(request_for({}));
  EXPECT_FALSE(includes(all, "needs_a_library"));
  EXPECT_TRUE(includes(all, "exact"));
  EXPECT_EQ(all.skipped, std::vector<std::string>{"needs_a_library: libabsent.so cannot be loaded"});
  EXPECT_NE(table_of(all).find("skipped: needs_a_library: libabsent.so cannot be loaded\n"), std::string::npos);
  EXPECT_THROW(static_cast<void>(run_ladder(request_for({"needs_a_library"}))), exactdot::error);
}

TEST(run_ladder, reports_a_device_failure) {
  try {
    static_cast<void>(run_ladder(request_for({}, 77)));
    FAIL() << "no error";
  } catch (const exactdot::error& fault) {
    EXPECT_STREQ(fault.what(), "rung fails_on_its_device: an illegal address");
  }
}

std::string rejection_of(const ladder_request& request) {
  try {
    static_cast<void>(choose_rungs(request));
  } catch (const exactdot::error& fault) {
    return fault.what();
  }
  return {};
}

TEST(run_ladder, rejects_a_grid_if_a_named_rung_does_not_support_it) {
  for (const std::string name : {"racy", "atomic_per_element"}) {
    ladder_request request = request_for({name, "two_phase"});
    EXPECT_EQ(rejection_of(request), "");
    request.options.grid = 3;
    EXPECT_EQ(rejection_of(request).find("--grid 3: rung " + name + " reads one element per thread"), 0U)
        << rejection_of(request);
  }
  ladder_request request = request_for({});
  request.options.grid = 3;
  EXPECT_EQ(rejection_of(request), "");
}

TEST(launch_config, follows_the_rule_of_the_rung) {
  rung_info info;
  info.blocks = block_rule::any;
  const auto grid = [&](grid_rule rule, std::size_t n, unsigned asked = 0) {
    info.grid = rule;
    return choose_launch_config(info, n, 0, asked, 4).grid;
  };
  EXPECT_EQ(grid(grid_rule::few, 1000), 4U);
  EXPECT_EQ(grid(grid_rule::few, 1 << 20), 32U);
  for (const std::size_t n : {0, 1000, 1 << 20}) EXPECT_EQ(grid(grid_rule::always_32, n), 32U) << n;
  EXPECT_EQ(grid(grid_rule::always_32, 1000, 5), 5U);
  EXPECT_EQ(grid(grid_rule::one_thread_each, 1000, 5), 4U);
  EXPECT_EQ(grid(grid_rule::resident, 1 << 20), 32U);
  EXPECT_EQ(grid(grid_rule::many, 1 << 20), 128U);
}

/// Returns a result for 2^20 uniform floats, on a device on which the rung took 2 µs.
ladder_result claimed() {
  ladder_result result;
  result.n = std::size_t{1} << 20;
  measurement loop, shuffle;
  loop.info.name = "cpu_loop", loop.value = -200;
  shuffle.info.name = "shuffle_block", shuffle.info.claim = "8e-7 from a float CPU loop";
  shuffle.value = -200.2, shuffle.correct = true, shuffle.runs = 20, shuffle.distinct_results = 3;
  shuffle.seconds = 2e-6;
  loop.correct = true;
  result.measurements = {loop, shuffle};
  return result;
}

TEST(report, prints_measured_figures_beside_claims) {
  const std::string text = table_of(claimed());
  EXPECT_NE(text.find("shuffle_block\n  claimed  8e-7 from a float CPU loop\n"
                      "  measured 3 results in 20 runs; 1.0e-03 from a float CPU loop\n"
                      "           1048.6 GFLOP/s, 2.00 µs, "),
            std::string::npos)
      << text;
  ladder_result alone = claimed();
  alone.measurements.erase(alone.measurements.begin());
  EXPECT_NE(table_of(alone).find("  measured 3 results in 20 runs\n"), std::string::npos);
}

TEST(report, prints_the_whole_cost_of_a_call) {
  ladder_result result = claimed();
  result.read_seconds = 1e-6;
  measurement &loop = result.measurements[0], &shuffle = result.measurements[1];
  loop.on_host = true, loop.seconds = 9e-4, loop.info.same_bits = determinism::always;
  shuffle.info.same_bits = determinism::fixed_grid;
  shuffle.finish = finish_times{.copy = 1.5e-5, .add = 3e-6};
  const std::string text = table_of(result);
  for (const char* const part :
       {"rung                   kernel,µs      copy,µs      host,µs     total,µs   ",
        "\ncpu_loop                       -            -       900.00       900.00\n",
        "\nshuffle_block               2.00        15.00         3.00        20.00\n",
        "\nbits always the same:         cpu_loop\n", "\nbits the same on one grid:    shuffle_block\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("bits change"), std::string::npos);
}

TEST(report, leaves_out_columns_without_values) {
  ladder_result result = claimed();
  const auto has = [&](const char* heading) {
    const std::string text = table_of(result);
    return text.substr(0, text.find("reference")).find(heading) != std::string::npos;
  };
  EXPECT_TRUE(has("error,ulp"));
  for (measurement& tested : result.measurements)
    tested.grids = 0, tested.allowed_ulps = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(has(" grids"));
  EXPECT_EQ(table_of(result).find("grids:"), std::string::npos) << "explains a column that is not there";
  EXPECT_FALSE(has("<= ulp"));
  result.measurements.front().grids = 4, result.measurements.front().allowed_ulps = 1;
  EXPECT_TRUE(has(" grids"));
  EXPECT_TRUE(has("<= ulp"));
  result.read_seconds = 1e-6;
  EXPECT_FALSE(has("xcublas"));
  result.cublas_seconds = 2e-6;
  EXPECT_TRUE(has("xcublas"));
}

TEST(report, prints_claims_only_for_the_vectors_that_they_refer_to) {
  const auto without_claims = [](auto modify) {
    ladder_result other = claimed();
    modify(other);
    return table_of(other).find("claimed") == std::string::npos;
  };
  EXPECT_TRUE(without_claims([](ladder_result& result) { result.n = 1000; }));
  EXPECT_TRUE(without_claims([](ladder_result& result) { result.data = exactdot::io::data_set::wide; }));
  EXPECT_TRUE(without_claims([](ladder_result& result) { result.op = operation::max; }));
  EXPECT_TRUE(without_claims([](ladder_result& result) { result.type = exactdot::element_type::float64; }));
}

TEST(report, prints_errors_and_bounds_far_below_an_ulp_as_zero) {
  ladder_result result;
  measurement product;
  product.info.name = "made", product.correct = true, product.runs = 5, product.distinct_results = 1;
  product.error_ulps = 3.21e-1701L, product.allowed_ulps = 7.05e-839L;
  result.measurements = {product};
  const std::string text = table_of(result);
  EXPECT_NE(text.find(" 0 made                            0         0   1/5         0 "), std::string::npos)
      << text;
  EXPECT_EQ(text.find("e-"), std::string::npos) << text;
  result.measurements.front().error_ulps = 1.5e-7L;
  EXPECT_NE(table_of(result).find(" 1.5e-07 "), std::string::npos) << table_of(result);
}

/// cudaGetDeviceCount reports "CUDA driver version is insufficient for CUDA runtime version" without a driver.
TEST(missing_gpu, is_distinguished_from_a_missing_driver) {
  EXPECT_EQ(missing_gpu_reason(0, "CUDA driver version is insufficient for CUDA runtime version"),
            "this machine has no NVIDIA driver");
  EXPECT_EQ(missing_gpu_reason(12080, "CUDA driver version is insufficient for CUDA runtime version"),
            "no GPU can be used (CUDA driver version is insufficient for CUDA runtime version)");
  EXPECT_EQ(missing_gpu_reason(13000, "no CUDA-capable device is detected"),
            "no GPU can be used (no CUDA-capable device is detected)");
  EXPECT_EQ(missing_gpu_reason(13000, ""), "this machine has no GPU");
}

}  // namespace
