// The ladders rows and groups on the simulator: each rung keeps its promises, and wrong kernels are noticed.
#include <gtest/gtest.h>

#include <algorithm>
#include <exactdot/error.hpp>
#include <lab/bounds.hpp>
#include <lab/checks.hpp>
#include <lab/explain.hpp>
#include <lab/ladder.hpp>
#include <set>
#include <string>

#include "lab/wrong_kernels.hpp"
#include "lab/wrong_rungs.hpp"

namespace {

using namespace lab_test;
using exactdot::element_type;

constexpr division odd_parts{.row_length = 45, .groups = 9};

ladder_request request_for(const char* workload, element_type type = element_type::float32) {
  ladder_request request;
  request.workload = workload;
  request.data.n = 700;
  request.parts = odd_parts;
  request.type = type;
  request.options.runs = 3;
  request.memory_limit = std::size_t{1} << 32;
  return request;
}

/// Every correct rung passes: exact on integers at any length and alignment, within its bound, the promised bits
/// over schedules, grids and blocks, no finding.
void expect_promises(const char* workload, element_type type) {
  const ladder_result result = run_ladder(request_for(workload, type));
  ASSERT_GE(result.measurements.size(), 6U);
  for (const measurement& tested : result.measurements) {
    EXPECT_EQ(tested.fault, "") << tested.info.name;
    EXPECT_EQ(tested.values.size(), result.results) << tested.info.name;
    EXPECT_EQ(tested.correct, !tested.info.wrong_on_purpose) << tested.info.name;
    EXPECT_EQ(tested.findings.empty(), !tested.info.wrong_on_purpose) << tested.info.name;
    if (tested.info.same_bits != determinism::none) {
      EXPECT_EQ(tested.distinct_results, 1) << tested.info.name;
    }
    if (tested.info.same_bits == determinism::always) {
      EXPECT_EQ(tested.distinct_over_grids, 1) << tested.info.name;
    }
  }
}

/// Rows of more than 32 KiB take other kernels of exact_rows: a block each, or all blocks for one row after the
/// other.
TEST(rows, of_many_elements_are_correctly_rounded) {
  for (const std::size_t row_length : {9000, 30000}) {
    for (const element_type type : {element_type::float32, element_type::float64}) {
      ladder_request request = request_for("rows", type);
      request.rungs = {"exact_rows"};
      request.data.n = 40000, request.parts.row_length = row_length, request.options.runs = 1;
      const measurement tested = run_ladder(request).measurements.front();
      EXPECT_TRUE(passed(tested)) << row_length;
    }
  }
}

TEST(rows, keep_their_promises_with_floats) { expect_promises("rows", element_type::float32); }
TEST(rows, keep_their_promises_with_doubles) { expect_promises("rows", element_type::float64); }
TEST(groups, keep_their_promises_with_floats) { expect_promises("groups", element_type::float32); }
TEST(groups, keep_their_promises_with_doubles) { expect_promises("groups", element_type::float64); }

using names = std::vector<std::string>;

names names_of(const char* workload) {
  names found;
  for (const rung& one : ladder(backend::simt, workload)) found.emplace_back(one.info.name);
  return found;
}

TEST(ladders, have_their_rungs_in_order) {
  EXPECT_EQ(names_of("rows"), (names{"thread_a_row", "warp_a_row", "block_a_row", "split_row_atomics",
                                     "split_row_messages", "exact_rows"}));
  EXPECT_EQ(names_of("groups"), (names{"racy_groups", "atomic_groups", "sorted_groups", "private_tables",
                                       "fixed_point", "exact_groups"}));
  for (const char* const gpu : {"cub_rows", "cub_groups"}) EXPECT_TRUE(needs_gpu(gpu)) << gpu;
  EXPECT_EQ(workload_of("cub_rows"), "rows");
  EXPECT_EQ(workload_of("cub_groups"), "groups");
  EXPECT_EQ(workload_of("cub"), "dot");
  EXPECT_EQ(workload_of("no_rung"), "");
  std::set<std::string> all;
  for (const std::string& name : rung_names()) EXPECT_TRUE(all.insert(name).second) << name << " is two rungs";
}

/// The number of the line of a rung's file with this text.
int line_of(std::string_view file, std::string_view text) {
  const std::string_view source = source_of(file);
  const std::size_t at = source.find(text);
  EXPECT_NE(at, std::string_view::npos) << file;
  return 1 + static_cast<int>(std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

TEST(groups, the_racy_rung_is_wrong_and_its_race_is_named_with_its_line) {
  ladder_request request = request_for("groups");
  request.rungs = {"racy_groups"};
  const measurement racy = run_ladder(request).measurements.front();
  EXPECT_EQ(racy.correct, false);
  ASSERT_FALSE(racy.findings.empty());
  for (const finding& reported : racy.findings) {
    EXPECT_EQ(reported.kind, "data_race");
    EXPECT_EQ(reported.file, "racy_groups.cu");
    EXPECT_EQ(reported.line, line_of("racy_groups.cu", "sums[in.keys[i]] += in.a[i]"));
  }
}

/// A loop over the elements, which may lose a quarter of group 5.
class group_loop final : public prepared_rung<float> {
 public:
  group_loop(const rung_input<float>& input, bool loses) : input_(input), loses_(loses) {}
  void launch() override {
    sums_.assign(input_.results, 0);
    for (std::size_t i = 0; i < input_.config.n; ++i) sums_[input_.keys[i]] += input_.a[i];
    if (loses_) sums_[5] -= 0.25F;
  }
  float result() override { return sums_.front(); }
  std::vector<float> results() override { return sums_; }

 private:
  rung_input<float> input_;
  bool loses_;
  std::vector<float> sums_;
};

/// Each group has to be within the bound, not only the worst one.
TEST(groups, a_racy_rung_that_loses_one_group_is_wrong) {
  const std::unique_ptr<executor> host = open_executor(backend::host);
  const workload& kind = find_workload("groups");
  const host_vectors<float> data = kind.of<float>().data({.n = 5000}, odd_parts);
  const problem<float> of(*host, data, operation::sum, kind, odd_parts);
  for (const bool loses : {false, true}) {
    const rung_info info{.name = "made", .error = error_rule::none, .wrong_on_purpose = true, .workload = "groups"};
    const rung tested{info, backend::host,
                      [=](const rung_input<float>& input) { return std::make_unique<group_loop>(input, loses); },
                      nullptr};
    EXPECT_EQ(measure(tested, *host, of, {}).correct, !loses);
  }
}

template <class T>
measurement run(const std::string& name) {
  const rung tested = wrong_sums(name);
  const std::unique_ptr<executor> device = open_executor(backend::simt);
  const workload& kind = find_workload(tested.info.workload);
  const division parts{.row_length = 100, .groups = 70};
  const host_vectors<T> data = kind.of<T>().data({.n = 1000}, parts);
  return measure(tested, *device, problem<T>(*device, data, operation::sum, kind, parts), {.runs = 3});
}

TEST(wrong_sums, pass_without_a_fault) {
  EXPECT_TRUE(passed(run<float>("rows")));
  EXPECT_TRUE(passed(run<double>("groups")));
}

TEST(wrong_sums, are_rejected_for_findings_of_the_simulator) {
  EXPECT_TRUE(rejected(run<float>("no_barrier_of_rows"), "the simulator reports: data_race in shared memory"));
  // a race, or a use before the write, as the order is
  EXPECT_TRUE(rejected(run<float>("no_barrier"), "in shared memory (table"));
  EXPECT_TRUE(rejected(run<double>("never_cleared"), "the simulator reports: uninitialised_shared"));
}

TEST(wrong_sums, are_rejected_for_wrong_results) {
  EXPECT_TRUE(rejected(run<float>("short_row"), "on integers, n = 1 in 1 rows of 37, starts 0 and 0: "));
  EXPECT_TRUE(rejected(run<double>("next_row"), "on integers, n = 63 in 2 rows of 37, starts 0 and 0: result 0: "));
  EXPECT_TRUE(rejected(run<float>("one_table"), "on integers, n = 2 in 200 groups, starts 0 and 0: result 87: "));
  EXPECT_TRUE(rejected(run<float>("other_bits"), "different results in 3 runs; the rung promises one"));
}

TEST(launch_config, follows_the_rows) {
  rung_info info;
  info.blocks = block_rule::any;
  const auto grid = [&](grid_rule rule, std::size_t n, std::size_t row_length) {
    info.grid = rule;
    return choose_launch_config(info, n, 64, 0, 4, {.row_length = row_length}).grid;
  };
  EXPECT_EQ(grid(grid_rule::thread_a_row, 1000, 10), 2U);
  EXPECT_EQ(grid(grid_rule::warp_a_row, 1000, 10), 50U);
  EXPECT_EQ(grid(grid_rule::block_a_row, 1000, 10), 100U);
  EXPECT_EQ(grid(grid_rule::block_a_row, 100000, 10), 128U) << "at most 32 per multiprocessor";
  for (const grid_rule rule : {grid_rule::thread_a_row, grid_rule::warp_a_row, grid_rule::block_a_row}) {
    EXPECT_EQ(grid(rule, 0, 10), 1U);
  }
  EXPECT_EQ(rows_of(1001, {.row_length = 1000}), 2U);
  EXPECT_EQ(rows_of(1000, {.row_length = 1000}), 1U);
  EXPECT_EQ(rows_of(0, {.row_length = 1000}), 0U);
}

TEST(fixed_point, has_an_error_of_half_a_step_for_each_term) {
  const bound_input in{.n = 8, .exact = 0, .data_is_float = false, .step = 0x1p-20L};
  EXPECT_NEAR(static_cast<double>(absolute_bound(error_rule::fixed_point, in)), 4 * 0x1p-20, 1e-15);
}

TEST(run_ladder, refuses_operations_that_a_workload_lacks) {
  ladder_request request = request_for("rows");
  request.options.op = operation::max;
  try {
    static_cast<void>(run_ladder(request));
    FAIL() << "no error";
  } catch (const exactdot::error& fault) {
    EXPECT_STREQ(fault.what(), "--op max: the rungs of workload rows support only sum");
  }
}

}  // namespace
