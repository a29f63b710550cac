// exactdot bench: errors, JSON, and the message without a GPU. tests/package/bench_report.py checks its figures.
#include <gtest/gtest.h>

#include <exactdot/reduction.hpp>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

class bench_program : public cli_test::program {
 protected:
  void expect_failure(const std::vector<std::string>& arguments, const std::string& sentence) {
    const auto result = run(arguments);
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("exactdot: " + sentence)) << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  }
};

TEST_F(bench_program, unknown_values_name_the_allowed_ones) {
  expect_usage_fault({"bench", "--device", "gpu"}, {"--device", "gpu", "auto", "cpu", "cuda"});
  expect_usage_fault({"bench", "--reduction", "median"}, {"--reduction", "median", "sum_of_squares", "argmax"});
  expect_usage_fault({"bench", "--types", "float16"}, {"--types", "float16", "float32", "float64"});
  expect_usage_fault({"bench", "--sizes", "1000", "2^x"}, {"--sizes", "'2^x' is not a length; expected 1000"});
  expect_usage_fault({"bench", "--sizes", "1000", "0"}, {"--sizes", "at least 1"});
  expect_usage_fault({"bench", "--data", "random"}, {"--data", "random", "none"});
  expect_usage_fault({"bench", "--alignment", "32"}, {"--alignment", "32", "64", "vector"});
  expect_usage_fault({"bench", "--rounds", "0"}, {"--rounds"});
  expect_usage_fault({"bench", "--threads", "0"}, {"--threads"});
  expect_usage_fault({"bench", "now"}, {"now"});
  expect_usage_fault({"bench", "--json", "-5"}, {"--json", "'-5' is not a file name"});
  expect_usage_fault({"bench", "--json=--quick"}, {"--json", "'--quick' is not a file name"});
}

TEST_F(bench_program, help_has_examples) {
  const std::string help = run_well({"bench", "--help"});
  EXPECT_NE(help.find("Examples:\n  exactdot bench"), std::string::npos) << help;
  EXPECT_NE(help.find("exactdot bench --reduction nrm2"), std::string::npos) << help;
}

#if EXACTDOT_HAS_BENCH
TEST_F(bench_program, a_missing_gpu_is_one_sentence) {
  if (!run_json({"info"})["cuda"]["gpus"].empty()) GTEST_SKIP() << "there is a GPU";
  expect_failure({"bench", "--device", "cuda"}, "--device cuda: ");
}

TEST_F(bench_program, options_of_the_cpu_are_refused_on_a_gpu) {
  expect_usage_fault({"bench", "--device", "cuda", "--threads", "1"}, {"--threads: requires --device cpu"});
  expect_usage_fault({"bench", "--device", "cuda", "--alignment", "64"}, {"--alignment: requires --device cpu"});
}

TEST_F(bench_program, an_unwritable_file_is_reported_before_it_measures) {
  const std::string file = folder / "missing/results.json";
  expect_fault({"bench", "--device", "cpu", "--json", file}, file, {"No such file"});
}

TEST_F(bench_program, writes_one_line_per_row) {
  const std::string file = folder / "results.json";
  run_well({"bench", "--device", "cpu", "--quick", "--rounds", "1", "--sizes", "2^10", "--types", "float32",
            "--threads", "1", "--data", "one_huge", "--json", file});
  const auto report = nlohmann::json::parse(cli_test::read_file(file));
  EXPECT_EQ(report["quick"], true);
  ASSERT_GE(report["rows"].size(), 3U);
  for (const auto& row : report["rows"]) {
    EXPECT_EQ(row["n"], 1024);
    if (row["peer"] != "exact") continue;
    EXPECT_LE(row["error_ulps"], 0.5);
  }
  EXPECT_EQ(report["rows"].back()["data"], "one_huge");
}

TEST_F(bench_program, measures_hostile_data_by_default) {
  const auto report =
      nlohmann::json::parse(run_well({"bench", "--device", "cpu", "--quick", "--rounds", "1", "--sizes", "100",
                                      "--types", "float64", "--threads", "1", "--json"}));
  std::set<std::string> data;
  for (const auto& row : report["rows"]) data.insert(row["data"]);
  EXPECT_EQ(data, (std::set<std::string>{"uniform", "wide", "subnormal", "alternating", "ill", "ill_deep"}));
}

TEST_F(bench_program, measures_every_reduction) {
  using names = std::set<std::string_view>;
  for (const std::string_view name : exactdot::reduction_names) {
    SCOPED_TRACE(name);
    const bool is_ratio = exactdot::core::info_of(*exactdot::reduction_named(name)).is_ratio;
    const auto report = nlohmann::json::parse(
        run_well({"bench", "--device", "cpu", "--quick", "--rounds", "1", "--sizes", "1000", "--threads", "1",
                  "--reduction", std::string(name), "--data", "none", "--json"}));
    EXPECT_EQ(report.value("reduction", "dot"), name);
    EXPECT_EQ(report.contains("reduction"), name != "dot");
    std::set<std::string, std::less<>> peers;
    for (const auto& row : report["rows"]) {
      peers.insert(row["peer"]);
      if (row["peer"] == "read") {
        EXPECT_TRUE(row["error_ulps"].is_null());
        continue;
      }
      // a peer that computed another reduction would be off by far more; so is cblas_ssum of OpenBLAS 0.3.21 with
      // AVX-512
      const bool is_wrong_peer = name == "sum" && row["peer"] == "openblas";
      if (!is_wrong_peer) {
        EXPECT_LE(row["error_ulps"], row["peer"] == "exact" ? 0.5 : 1e4) << row;
      }
      const double bytes =
          exactdot::inputs_of(*exactdot::reduction_named(name)) * 1000.0 * (row["type"] == "float32" ? 4 : 8);
      EXPECT_NEAR(row["gb_per_s"].get<double>() * row["ns"].get<double>(), bytes, 1e-6 * bytes) << row;
    }
    EXPECT_TRUE(peers.contains("exact"));
    EXPECT_EQ(peers.contains("fast"),
              (names{"dot", "sum", "asum", "sum_of_squares", "nrm2", "mean"}.contains(name)));
    EXPECT_EQ(peers.contains("loop"), (!names{"nrm2", "variance", "stddev"}.contains(name) && !is_ratio));
  }
}

TEST_F(bench_program, measures_hostile_data_of_other_reductions_only_if_named) {
  std::vector<std::string> arguments = {"bench",     "--device", "cpu",    "--quick",     "--rounds",
                                        "1",         "--sizes",  "16",     "--types",     "float32",
                                        "--threads", "1",        "--json", "--reduction", "sum"};
  for (const auto& row : nlohmann::json::parse(run_well(arguments))["rows"]) EXPECT_EQ(row["data"], "uniform");
  arguments.insert(arguments.end(), {"--data", "wide"});
  const auto rows = nlohmann::json::parse(run_well(arguments))["rows"];
  EXPECT_EQ(rows.back()["data"], "wide");
  EXPECT_EQ(rows.back()["peer"], "exact");
}

TEST_F(bench_program, prints_only_json_if_no_file_is_named) {
  const std::vector<std::string> small = {"--device", "cpu",     "--rounds",  "1", "--sizes", "16",
                                          "--types",  "float32", "--threads", "1", "--data",  "none"};
  std::vector<std::string> arguments = {"bench", "--json", "--quick"};  // an option is not a file name
  arguments.insert(arguments.end(), small.begin(), small.end());
  const auto report = nlohmann::json::parse(run_well(arguments));
  EXPECT_EQ(report["quick"], true);
  EXPECT_EQ(report["rows"][0]["n"], 16);
  arguments = {"bench", "--quick"};
  arguments.insert(arguments.end(), small.begin(), small.end());
  for (const std::vector<std::string>& ending : {std::vector<std::string>{"--json"}, {"--json", "-"}}) {
    auto all = arguments;
    all.insert(all.end(), ending.begin(), ending.end());
    EXPECT_FALSE(nlohmann::json::parse(run_well(all))["rows"].empty());
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}
#else
TEST_F(bench_program, is_an_error_in_a_build_without_it) {
  expect_failure({"bench"}, "bench: this program was built without benchmarks");
}
#endif

}  // namespace
