// exactdot lab from end to end, on the simulator with few elements: table, JSON, explanations and errors.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

using words = std::vector<std::string>;
using nlohmann::json;

words lines_of(const std::string& text) {
  words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class lab_program : public cli_test::program {
 protected:
  static words simulated(const words& more) {
    words all{"lab", "--device", "simt"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string table(const words& more) { return run_well(simulated(more)); }
  json data(const words& more) { return run_json(simulated(more)); }
};

words names_of(const json& result) {
  words names;
  for (const json& rung : result["rungs"]) names.push_back(rung["name"]);
  return names;
}

const json& rung_of(const json& result, const std::string& name) {
  return *std::ranges::find_if(result["rungs"], [&](const json& rung) { return rung["name"] == name; });
}

TEST_F(lab_program, prints_a_table_of_every_rung_with_a_summary_line) {
  for (const words& size : {words{"--n", "0", "--dtype", "float64"}, words{"--n", "1001"}}) {
    words arguments{"--runs", "2"};
    arguments.insert(arguments.end(), size.begin(), size.end());
    const words lines = lines_of(table(arguments));
    ASSERT_GE(lines.size(), 24U);
    for (const std::string& line : lines) EXPECT_LE(line.size(), 120U) << line;
    EXPECT_TRUE(
        lines[0].starts_with("simt, model independent: sum of " + size[1] + " products, data uniform, float"))
        << lines[0];
    EXPECT_TRUE(lines.back().starts_with("Summary: ")) << lines.back();
    EXPECT_EQ(std::ranges::count_if(lines, [](const auto& line) { return line.starts_with("Summary"); }), 1);
    EXPECT_EQ(std::ranges::count_if(lines, [](const auto& line) { return line.ends_with(" ok"); }), 21);
    EXPECT_EQ(std::ranges::count_if(lines, [](const auto& line) { return line.starts_with(" 1 racy "); }), 1);
  }
}

TEST_F(lab_program, accepts_one_element_and_odd_lengths) {
  for (const std::string n : {"1", "4099"}) {
    const json result = data({"--n", n, "--runs", "2", "--rung", "interleaved", "--rung", "vectorized"});
    for (const json& rung : result["rungs"]) EXPECT_EQ(rung["correct"], true) << n << " " << rung["name"];
  }
}

void expect_figures_of_the_simulator(const json& rung) {
  for (const char* const timed :
       {"microseconds", "gb_per_s", "percent_of_ceiling", "speedup_over_naive", "ratio_to_cublas"}) {
    ASSERT_TRUE(rung.contains(timed)) << timed;
    EXPECT_TRUE(rung[timed].is_null()) << rung["name"] << " " << timed;
  }
  const bool kernels = !rung["block"].is_null();
  for (const char* const counted : {"launches", "atomics"}) {
    ASSERT_TRUE(rung.contains(counted));
    EXPECT_EQ(rung[counted].is_number_unsigned(), kernels) << rung["name"] << " " << counted;
  }
}

TEST_F(lab_program, prints_one_json_object) {
  const json result = data({"--n", "1000", "--runs", "3"});
  EXPECT_EQ(result["device"], "simt");
  EXPECT_EQ(result["workload"], "dot");
  EXPECT_EQ(result["n"], 1000);
  EXPECT_EQ(result["data"], "uniform");
  const double exact = std::strtod(result["exact"]["hex"].get<std::string>().c_str(), nullptr);
  EXPECT_EQ(exact, result["exact"]["value"]);
  ASSERT_EQ(result["rungs"].size(), 22U);
  for (const json& rung : result["rungs"]) {
    SCOPED_TRACE(rung["name"].get<std::string>());
    EXPECT_EQ(std::strtod(rung["hex"].get<std::string>().c_str(), nullptr), rung["value"]);
    EXPECT_EQ(rung["wrong_on_purpose"], rung["name"] == "racy");
    EXPECT_EQ(rung["correct"], rung["name"] != "racy");
    EXPECT_EQ(rung["runs"], 3);
    EXPECT_EQ(rung["deterministic"], rung["distinct_results"] == 1);
    EXPECT_GE(rung["distinct_results"], 1);
    EXPECT_TRUE(rung["ulps"].is_number());
    expect_figures_of_the_simulator(rung);
  }
  EXPECT_EQ(rung_of(result, "exact")["hex"], result["exact"]["hex"]);
  EXPECT_EQ(rung_of(result, "atomic_per_element")["atomics"], 1000);
  EXPECT_EQ(rung_of(result, "atomic_per_element")["grids"], 2) << "only the block can vary";
  EXPECT_EQ(rung_of(result, "partial_per_thread")["grid"], 32);
  EXPECT_EQ(rung_of(result, "two_phase")["grids"], 4);
  EXPECT_EQ(rung_of(result, "two_phase")["launches"], 2);
  EXPECT_EQ(rung_of(result, "single_pass")["launches"], 1);
  EXPECT_EQ(rung_of(result, "two_phase")["deterministic"], true);
  const json race = rung_of(result, "racy")["detected"][0];
  EXPECT_EQ(race["kind"], "data_race");
  EXPECT_EQ(race["file"], "racy.cu");
}

TEST_F(lab_program, prints_infinities_and_nans_as_words) {
  const json result = data({"--n", "200", "--data", "wide", "--rung", "optimized", "--op", "product"});
  for (const json& value : {result["exact"]["value"], rung_of(result, "optimized")["value"]}) {
    EXPECT_TRUE(value.is_number() || value == "nan" || value == "inf" || value == "-inf") << value;
  }
  EXPECT_TRUE(rung_of(result, "optimized")["correct"].is_null())
      << "nothing is promised: partial products overflow";
  EXPECT_EQ(rung_of(data({"--n", "9", "--rung", "racy", "--runs", "1"}), "racy")["deterministic"], nullptr);
}

TEST_F(lab_program, runs_the_requested_rungs_in_the_order_of_the_ladder) {
  const json result = data({"--n", "77", "--rung", "exact", "--rung", "two_phase", "--rung", "cpu_loop"});
  EXPECT_EQ(names_of(result), (words{"cpu_loop", "two_phase", "exact"}));
  const json configured = data({"--n", "5000", "--rung", "two_phase", "--block", "64", "--grid", "7"});
  EXPECT_EQ(rung_of(configured, "two_phase")["block"], 64);
  EXPECT_EQ(rung_of(configured, "two_phase")["grid"], 7);
  EXPECT_EQ(data({"--n", "9", "--rung", "racy", "--model", "lock_step"})["model"], "lock_step");
}

TEST_F(lab_program, depends_only_on_the_seed) {
  const words arguments{"--n", "1000", "--rung", "racy", "--rung", "atomic_per_element", "--seed", "5"};
  EXPECT_EQ(data(arguments), data(arguments));
}

TEST_F(lab_program, accepts_other_operations) {
  for (const std::string operation : {"sum", "min", "max", "absmax", "product"}) {
    const json result =
        data({"--op", operation, "--n", "20", "--runs", "2", "--rung", "shuffle_block", "--rung", "single_pass"});
    EXPECT_EQ(result["op"], operation);
    for (const json& rung : result["rungs"]) {
      EXPECT_EQ(rung["correct"], true) << operation << " " << rung;
      if (operation == "sum" || operation == "product") continue;
      EXPECT_EQ(rung["hex"], result["exact"]["hex"]) << operation << " " << rung["name"];
    }
  }
  EXPECT_EQ(names_of(data({"--op", "max", "--n", "9", "--runs", "1"})),
            (words{"shared_atomic", "shared_host_sum", "shared_then_shuffle", "shuffle_block", "two_phase",
                   "optimized", "single_pass"}));
}

/// The error of a product that underflows may be 1e-1000 ulps; the table prints 0.
TEST_F(lab_program, prints_the_error_of_a_product_that_underflows_as_zero) {
  const words arguments{"--op", "product", "--n", "1000", "--runs", "1", "--rung", "shared_atomic"};
  for (const std::string type : {"float32", "float64"}) {
    words all = arguments;
    all.insert(all.end(), {"--dtype", type});
    EXPECT_EQ(data(all)["exact"]["value"], 0);
    const std::string line = lines_of(table(all))[2];
    std::istringstream cells(line);
    std::string number, name, value, error;
    cells >> number >> name >> value >> error;
    EXPECT_EQ(name, "shared_atomic");
    EXPECT_EQ(error, "0") << line;
  }
}

/// Partial products stay in range for any number of threads.
TEST_F(lab_program, accepts_products_on_a_grid_of_few_threads) {
  const json result = data({"--op", "product", "--n", "20", "--runs", "2", "--block", "64", "--grid", "1"});
  for (const json& rung : result["rungs"]) EXPECT_EQ(rung["correct"], true) << rung;
}

TEST_F(lab_program, accepts_every_data_set) {
  const words rungs{"--rung", "cpu_loop", "--rung", "optimized", "--rung", "exact", "--n", "333"};
  for (const std::string set : {"uniform", "ones", "halves", "wide", "ill"}) {
    words arguments = rungs;
    arguments.insert(arguments.end(), {"--data", set});
    if (set == "ill") arguments.insert(arguments.end(), {"--cond", "1e10"});
    const json result = data(arguments);
    EXPECT_EQ(result["data"], set);
    EXPECT_EQ(rung_of(result, "exact")["correct"], true) << set;
    EXPECT_EQ(rung_of(result, "exact")["hex"], result["exact"]["hex"]) << set;
    if (set == "ones" || set == "halves") {
      for (const json& rung : result["rungs"]) EXPECT_EQ(rung["value"], 333) << set << " " << rung["name"];
    }
  }
}

TEST_F(lab_program, prints_the_closed_form_of_data_ramp_for_both_lengths) {
  const words arguments{"--data", "ramp", "--n", "100", "--rung", "cpu_loop", "--rung", "exact", "--rung", "racy"};
  const json result = data(arguments);
  EXPECT_EQ(result["exact"]["value"], 656700);  // 2 · 99 · 100 · 199 / 6
  ASSERT_EQ(result["ramp"].size(), 2U);
  EXPECT_EQ(result["ramp"][0]["n"], 32 << 20);
  EXPECT_EQ(result["ramp"][0]["integers"], "25185953449404878815232");
  EXPECT_EQ(result["ramp"][1]["n"], 33 << 20);
  EXPECT_EQ(result["ramp"][1]["integers"], "27621692210002688737280");
  for (const json& truth : result["ramp"]) {
    const double integers = std::stod(truth["integers"].get<std::string>());
    EXPECT_LT(std::abs(truth["exact"].get<double>() / integers - 1), 1e-6);
    EXPECT_GT(std::abs(truth["rungs"]["cpu_loop"].get<double>() / integers - 1), 1e-4)
        << "wrong in the fourth digit";
    for (const char* const kernel : {"racy", "exact"}) {
      EXPECT_FALSE(truth["rungs"].contains(kernel)) << "simulating it would take hours";
    }
  }
  EXPECT_NEAR(result["ramp"][0]["rungs"]["cpu_loop"].get<double>(), 2.51717e22, 1e17);

  const std::string text = table(arguments);
  for (const char* const figure : {"n = 33554432 = 32 * 2^20", "25185953449404878815232",
                                   "n = 34603008 = 33 * 2^20", "27621692210002688737280"}) {
    EXPECT_NE(text.find(figure), std::string::npos) << figure << "\n" << text;
  }
  EXPECT_TRUE(lines_of(text).back().starts_with("Summary: "));
}

TEST_F(lab_program, explains_rungs_with_idea_cost_and_source) {
  words names = names_of(data({"--n", "1", "--runs", "1", "--rung", "racy", "--rung", "exact"}));
  for (const char* const more : {"kahan", "lock_per_block", "optimized", "shared_atomic", "fast"}) {
    names.emplace_back(more);
  }
  const std::string known = run({"lab", "--explain", "?"}).err;  // libraries of NVIDIA only in a build for GPUs
  for (const char* const library : {"cublas", "cub"}) {
    if (known.find(std::string(", ") + library + ",") != std::string::npos) names.emplace_back(library);
  }
  for (const std::string& name : names) {
    const std::string text = run_well({"lab", "--explain", name});
    EXPECT_TRUE(text.starts_with("rung ")) << text;
    EXPECT_NE(lines_of(text)[0].find(": " + name), std::string::npos) << text;
    for (const char* const label : {"Idea: ", "Cost: ", "same bits ", "error ", "\nlab/rungs/"}) {
      EXPECT_NE(text.find(label), std::string::npos) << name << " lacks " << label;
    }
    const std::set<std::string> without_a_kernel{"exact", "fast", "cublas", "cub"};
    EXPECT_EQ(text.find("__global__ void") == std::string::npos, without_a_kernel.contains(name)) << name;
  }
  EXPECT_NE(run_well({"lab", "--explain", "lock_per_block"}).find("atomicCAS(mutex"), std::string::npos)
      << "the lock belongs to the rung";
  for (const char* const name : {"shared_atomic", "shared_then_shuffle", "shuffle_block"}) {
    EXPECT_NE(run_well({"lab", "--explain", name}).find("void combine_atomically("), std::string::npos) << name;
  }
}

TEST_F(lab_program, refuses_unknown_values) {
  expect_usage_fault(simulated({"--rung", "quick"}),
                     {"--rung quick", "rungs on this device are cpu_loop, ", "single_pass", "exact"});
  expect_usage_fault(simulated({"--rung", "two\nlines"}), {"two\\x0alines"});
  expect_usage_fault({"lab", "--explain", "quick"}, {"--explain quick", "the rungs are cpu_loop, ", "exact"});
  expect_usage_fault({"lab", "--explain", "two\nlines"}, {"two\\x0alines"});
  expect_usage_fault(simulated({"--op", "mean"}), {"--op", "mean", "absmax"});
  expect_usage_fault(simulated({"--data", "random"}), {"--data", "random", "ramp"});
  expect_usage_fault(simulated({"--dtype", "int8"}), {"--dtype", "int8"});
  expect_usage_fault(simulated({"--model", "volta"}), {"--model", "volta", "lock_step"});
  expect_usage_fault({"lab", "--device", "gpu"}, {"--device", "gpu", "simt"});
}

TEST_F(lab_program, accepts_the_name_of_a_rung_without_an_option) {
  EXPECT_EQ(names_of(data({"exact", "two_phase", "--n", "77", "--runs", "1"})), (words{"two_phase", "exact"}));
  EXPECT_EQ(names_of(data({"exact", "--rung", "racy", "--n", "77", "--runs", "1"})), (words{"racy", "exact"}));
  expect_usage_fault(simulated({"two_phse"}), {"'two_phse': unknown rung (did you mean two_phase?)"});
  expect_usage_fault(simulated({"--rung", "interleavd"}),
                     {"--rung interleavd: unknown rung (did you mean interleaved?)"});
  expect_usage_fault({"lab", "--explain", "vectorised"}, {"--explain vectorised", "(did you mean vectorized?)"});
  expect_usage_fault(simulated({"two_phase", "racy", "--op", "max"}), {"rung racy supports only sum"});
}

TEST_F(lab_program, names_the_rungs_that_need_a_gpu) {
  for (const std::string name : {"cublas", "cub"}) {
    expect_fault(simulated({"--rung", name}), "--rung " + name, {"needs a GPU"});
    expect_fault(simulated({name}), "'" + name + "'", {"needs a GPU"});
  }
}

TEST_F(lab_program, lists_rungs) {
  const std::string list = run_well({"lab", "--list"});
  EXPECT_TRUE(list.starts_with("workload dot: ")) << list;
  EXPECT_NE(list.find("\n 0 cpu_loop "), std::string::npos) << list;
  for (const char* const name : {"racy", "two_phase", "exact"}) {
    EXPECT_NE(list.find(std::string(" ") + name + " "), std::string::npos) << name;
  }
  for (const std::string& line : lines_of(list)) EXPECT_LE(line.size(), 120U) << line;
  expect_usage_fault({"lab", "--list", "two_phase"}, {"--list"});
}

TEST_F(lab_program, prints_what_a_gpu_would_have_to_do) {
  const json result = data({"--n", "2^14", "--runs", "1", "atomic_per_element", "vectorized", "shared_host_sum",
                            "interleaved", "cpu_loop"});
  const json &atomic = rung_of(result, "atomic_per_element"), &vectors = rung_of(result, "vectorized");
  const json &tree = rung_of(result, "shared_host_sum"), &neighbours = rung_of(result, "interleaved");
  EXPECT_EQ(atomic["longest_queue"], 1 << 14);
  EXPECT_LT(vectors["longest_queue"].get<int>(), atomic["longest_queue"].get<int>() / 16);
  EXPECT_EQ(vectors["requests"].get<int>(), atomic["requests"].get<int>() / 4) << "loads of four elements";
  EXPECT_LE(vectors["bytes_moved"].get<int>(), atomic["bytes_moved"].get<int>());
  EXPECT_EQ(atomic["sectors_per_request"], 4);
  EXPECT_EQ(vectors["sectors_per_request"], 16) << "16 bytes a lane";
  EXPECT_LT(neighbours["lanes_per_request"].get<double>(), tree["lanes_per_request"].get<double>() - 2);
  EXPECT_EQ(tree["bank_conflict_degree"], 1);
  EXPECT_TRUE(vectors["bank_conflict_degree"].is_null()) << "no shared memory";
  EXPECT_GE(tree["bytes_moved"].get<int>(), 2 * 4 << 14);
  EXPECT_TRUE(rung_of(result, "cpu_loop")["requests"].is_null());
}

TEST_F(lab_program, reads_the_costs_for_the_learner) {
  const std::string text = table({"--n", "2^14", "--runs", "1", "atomic_per_element", "vectorized",
                                  "shared_host_sum", "interleaved", "racy", "exact"});
  for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 120U) << line;
  for (const char* const part :
       {"\nrung                  requests  sectors conflicts  lanes ",
        "of 32 lanes active where shared_host_sum has ",
        "\natomic_per_element: 16384 atomics queue at one address where vectorized has ",
        "\nbits always the same:         exact\n", "\nbits the same on one grid:    shared_host_sum, interleaved\n",
        "\nbits may differ between runs: racy, atomic_per_element, vectorized\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  const std::string alone = table({"--n", "100", "--runs", "1", "two_phase"});
  EXPECT_NE(alone.find(" of 32 lanes active, no queue of atomics, no bank conflicts\n"), std::string::npos)
      << alone;
  EXPECT_NE(alone.find("conflicts: passes"), std::string::npos) << alone;
  const std::string without = table({"--n", "100", "--runs", "1", "racy"});
  EXPECT_EQ(without.find("conflicts: "), std::string::npos) << without;  // there is no such column
}

TEST_F(lab_program, sums_rows_and_groups) {
  const words rows{"--workload", "rows", "--n", "700", "--row-length", "100", "--runs", "2"};
  words some_rows = rows;
  some_rows.insert(some_rows.end(), {"warp_a_row", "exact_rows"});
  const json of_rows = data(some_rows);
  EXPECT_EQ(of_rows["workload"], "rows");
  EXPECT_EQ(of_rows["results"], 7);
  EXPECT_EQ(of_rows["divided"], "7 rows of 100");
  EXPECT_EQ(names_of(of_rows), (words{"warp_a_row", "exact_rows"}));
  for (const json& rung : of_rows["rungs"]) EXPECT_EQ(rung["check"], "passed") << rung;
  EXPECT_EQ(rung_of(of_rows, "exact_rows")["hex"], of_rows["exact"]["hex"]);

  const std::string text =
      table({"--workload", "groups", "--n", "700", "--groups", "7", "--runs", "2", "racy_groups", "fixed_point"});
  for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 120U) << line;
  for (const char* const part :
       {"sum of 700 elements in 7 groups, data uniform, float32\n", "\n 1 racy_groups ", "\n 5 fixed_point ",
        "\n   7 results: value: the first; ", "Summary: racy_groups returns ", "(data_race, racy_groups.cu:"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(lab_program, takes_the_workload_of_the_named_rungs) {
  EXPECT_EQ(data({"atomic_groups", "--n", "50", "--runs", "1"})["workload"], "groups");
  EXPECT_EQ(data({"--rung", "thread_a_row", "--n", "50", "--runs", "1"})["workload"], "rows");
  const std::string list = run_well({"lab", "--list", "--workload", "rows"});
  EXPECT_TRUE(list.starts_with("workload rows: ")) << list;
  EXPECT_EQ(list.find("workload dot"), std::string::npos) << list;
  for (const std::string name : {"split_row_messages", "sorted_groups"}) {
    const std::string text = run_well({"lab", "--explain", name});
    for (const char* const label : {"Before: ", "Idea: ", "Cost: ", "\nlab/rungs/", "__global__ void"}) {
      EXPECT_NE(text.find(label), std::string::npos) << name << " lacks " << label;
    }
  }
  EXPECT_NE(run_well({"lab", "sorted_groups", "--explain"}).find("\nlab/stable_partition.cuh\n"),
            std::string::npos);
}

TEST_F(lab_program, refuses_what_a_workload_lacks) {
  expect_usage_fault(
      simulated({"--workload", "row"}),
      {"--workload row: unknown workload (did you mean rows?); the workloads are dot, rows, groups"});
  expect_usage_fault(simulated({"warp_a_rwo"}), {"'warp_a_rwo': unknown rung (did you mean warp_a_row?)"});
  expect_usage_fault(simulated({"warp_a_row", "racy"}), {"'racy': a rung of workload dot, not of rows"});
  expect_usage_fault(simulated({"--workload", "groups", "warp_a_row"}),
                     {"'warp_a_row': a rung of workload rows, not of groups; use --workload rows"});
  expect_usage_fault(simulated({"--row-length", "9"}), {"--row-length: requires --workload rows, not dot"});
  expect_usage_fault(simulated({"--workload", "rows", "--groups", "9"}),
                     {"--groups: requires --workload groups, not rows"});
  expect_usage_fault(simulated({"--workload", "rows", "--op", "max"}), {"--op max", "rows support only sum"});
  expect_usage_fault({"lab", "--workload", "rows", "--html", "x.html"}, {"--html: shows rungs of workload dot"});
  for (const std::string length : {"0", "-1", "x"}) {
    expect_usage_fault(simulated({"--workload", "rows", "--row-length", length}), {"--row-length"});
  }
  for (const std::string groups : {"0", "-1", "x", "16777217"}) {
    expect_usage_fault(simulated({"--workload", "groups", "--groups", groups}), {"--groups"});
  }
  expect_fault(simulated({"cub_rows"}), "'cub_rows'", {"needs a GPU"});
  expect_fault(simulated({"--workload", "groups", "--groups", "16777216"}), "--n 65536", {"GB of host memory"});
}

TEST_F(lab_program, refuses_numbers_out_of_range) {
  for (const std::string n : {"-1", "x", "1.5", "2^61", ""}) expect_usage_fault(simulated({"--n", n}), {"--n"});
  for (const std::string runs : {"0", "-1", "x"}) expect_usage_fault(simulated({"--runs", runs}), {"--runs"});
  for (const std::string block : {"0", "1025", "-64"})
    expect_usage_fault(simulated({"--block", block}), {"--block"});
  for (const std::string grid : {"0", "-1"}) expect_usage_fault(simulated({"--grid", grid}), {"--grid"});
  expect_usage_fault(simulated({"--seed", "-1"}), {"--seed"});
  expect_usage_fault(simulated({"--data", "ill", "--cond", "0.5"}), {"--cond", "0.5"});
}

TEST_F(lab_program, refuses_options_that_contradict) {
  expect_usage_fault(simulated({"--cond", "1e10"}), {"--cond", "--data ill"});
  expect_usage_fault({"lab", "--device", "cuda", "--model", "lock_step"}, {"--model lock_step", "--device simt"});
  expect_usage_fault(simulated({"--rung", "racy", "--op", "max"}), {"--op max", "rung racy supports only sum"});
  expect_usage_fault(simulated({"--rung", "racy", "--grid", "3"}),
                     {"--grid 3", "rung racy reads one element per thread"});
  expect_usage_fault(simulated({"--rung", "shared_atomic", "--block", "100"}),
                     {"--block 100", "rung shared_atomic halves the block", "64, 128, 256, 512 or 1024"});
  expect_usage_fault(simulated({"--rung", "shuffle_block", "--block", "100"}),
                     {"--block 100", "rung shuffle_block needs whole warps", "multiple of 32"});
}

TEST_F(lab_program, refuses_vectors_larger_than_memory) {
  expect_fault(simulated({"--n", "2^50"}), "--n 1125899906842624", {"GB of host memory are needed", "GB are free"});
}

TEST_F(lab_program, refuses_a_missing_gpu) {
  if (!run_json({"info"})["cuda"]["gpus"].empty()) GTEST_SKIP() << "there is a GPU";
  const json cuda = run_json({"info"})["cuda"];
  const bool has_driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr;
  const std::string reason = !cuda["compiler_at_build"] ? "this program was built without a CUDA compiler"
                             : has_driver               ? ""
                                                        : "this machine has no NVIDIA driver";
  expect_fault({"lab", "--device", "cuda", "--n", "10"}, "--device cuda", {reason, "use --device simt"});
  EXPECT_EQ(run_json({"lab", "--device", "auto", "--n", "10", "--rung", "exact"})["device"], "simt");
}

TEST_F(lab_program, shows_the_running_rung_on_a_terminal_and_ends_when_interrupted) {
  if (const std::string fault = cli_test::terminal_fault(); !fault.empty()) GTEST_SKIP() << fault;
  cli_test::process_settings settings;
  settings.err_is_terminal = true;
  cli_test::process running = start(simulated({"--n", "3e4", "--runs", "50"}), settings);
  EXPECT_TRUE(running.read_terminal_until("exactdot: lab: "));
  running.send(SIGINT);
  const auto result = running.wait();
  EXPECT_EQ(result.status, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.ends_with("\r\x1b[Kexactdot: interrupted\r\n")) << result.err;
}

}  // namespace
