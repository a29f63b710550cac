// The climb: which shapes a rung gets, what is refused or left out, and what stands beside a claim.
#include <gtest/gtest.h>

#include <algorithm>
#include <exactdot/error.hpp>
#include <lab/ladder.hpp>
#include <lab/report.hpp>
#include <string>

#include "lab/wrong_rungs.hpp"

namespace {

using namespace lab_test;

const bool enlisted = [] {
  rung_info info = promises();
  info.name = "needs_a_library";
  add_rung(make_rung(info, [](const auto& what) -> decltype(loop(what)) {
    throw exactdot::error(exactdot::errc::no_device, "libabsent.so cannot be loaded");
  }));
  info.name = "fails_on_its_device";
  add_rung(make_rung(info, [](const auto& what) -> decltype(loop(what)) {
    if (what.size.n != 77) return loop(what);
    throw exactdot::error(exactdot::errc::device_failure, "an illegal address");
  }));
  return true;
}();

ladder_request asking(const std::vector<std::string>& rungs, std::size_t n = 40) {
  ladder_request request;
  request.data.n = n;
  request.rungs = rungs;
  request.how.runs = 1;
  request.memory = std::size_t{1} << 30;
  return request;
}

bool has_row(const ladder_result& result, std::string_view name) {
  return std::ranges::any_of(result.rows, [&](const row& one) { return one.info.name == name; });
}

TEST(climb, leaves_out_what_lacks_its_library_where_nobody_named_it) {
  ASSERT_TRUE(enlisted);
  const ladder_result all = climb(asking({}));
  EXPECT_FALSE(has_row(all, "needs_a_library"));
  EXPECT_TRUE(has_row(all, "exact"));
  EXPECT_EQ(all.left_out, std::vector<std::string>{"needs_a_library: libabsent.so cannot be loaded"});
  EXPECT_NE(table_of(all).find("left out: needs_a_library: libabsent.so cannot be loaded\n"), std::string::npos);
  EXPECT_THROW(static_cast<void>(climb(asking({"needs_a_library"}))), exactdot::error);
}

TEST(climb, hides_no_failure_of_a_device) {
  EXPECT_THROW(static_cast<void>(climb(asking({}, 77))), exactdot::error);
}

std::string refused(const ladder_request& request) {
  try {
    static_cast<void>(choose_rungs(request));
  } catch (const exactdot::error& fault) {
    return fault.what();
  }
  return {};
}

TEST(climb, refuses_a_grid_where_a_rung_was_named_that_leaves_no_choice) {
  for (const std::string name : {"racy", "atomic_per_element"}) {
    ladder_request request = asking({name, "two_phase"});
    EXPECT_EQ(refused(request), "");
    request.how.grid = 3;
    EXPECT_EQ(refused(request).find(name + ": a thread takes one element"), 0U) << refused(request);
  }
  ladder_request request = asking({});
  request.how.grid = 3;
  EXPECT_EQ(refused(request), "");
}

TEST(shape, of_a_rung_is_what_its_rule_says) {
  rung_info info;
  info.blocks = block_rule::any;
  const auto grid = [&](grid_rule rule, std::size_t n, unsigned asked = 0) {
    info.grid = rule;
    return choose_shape(info, n, 0, asked, 4).grid;
  };
  EXPECT_EQ(grid(grid_rule::few, 1000), 4U);
  EXPECT_EQ(grid(grid_rule::few, 1 << 20), 32U);
  for (const std::size_t n : {0, 1000, 1 << 20}) EXPECT_EQ(grid(grid_rule::always_32, n), 32U) << n;
  EXPECT_EQ(grid(grid_rule::always_32, 1000, 5), 5U);
  EXPECT_EQ(grid(grid_rule::one_thread_each, 1000, 5), 4U);
  EXPECT_EQ(grid(grid_rule::resident, 1 << 20), 32U);
  EXPECT_EQ(grid(grid_rule::many, 1 << 20), 128U);
}

/// Of 2^20 uniform floats, on a device that took 2 µs for the rung.
ladder_result claimed() {
  ladder_result result;
  result.n = std::size_t{1} << 20;
  row loop, one;
  loop.info.name = "cpu_loop", loop.value = -200;
  one.info.name = "shuffle_block", one.info.claim = "8e-7 from a float CPU loop";
  one.value = -200.2, one.correct = true, one.runs = 20, one.distinct_results = 3;
  one.seconds = 2e-6;
  loop.correct = true;
  result.rows = {loop, one};
  return result;
}

TEST(report, has_what_was_measured_beside_what_is_claimed) {
  const std::string text = table_of(claimed());
  EXPECT_NE(text.find("shuffle_block\n  claimed  8e-7 from a float CPU loop\n"
                      "  here     3 results in 20 runs; 1.0e-03 from a float CPU loop\n"
                      "           1048.6 GFLOP/s, 2.00 us, "),
            std::string::npos)
      << text;
  ladder_result alone = claimed();
  alone.rows.erase(alone.rows.begin());
  EXPECT_NE(table_of(alone).find("  here     3 results in 20 runs\n"), std::string::npos);
}

TEST(report, repeats_claims_only_for_the_vectors_that_they_speak_of) {
  const auto quiet = [](auto change) {
    ladder_result other = claimed();
    change(other);
    return table_of(other).find("claimed") == std::string::npos;
  };
  EXPECT_TRUE(quiet([](ladder_result& one) { one.n = 1000; }));
  EXPECT_TRUE(quiet([](ladder_result& one) { one.data = exactdot::io::data_set::wide; }));
  EXPECT_TRUE(quiet([](ladder_result& one) { one.op = operation::max; }));
  EXPECT_TRUE(quiet([](ladder_result& one) { one.type = exactdot::io::dtype::float64; }));
}

}  // namespace
