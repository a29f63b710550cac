// The command line: wrong usage has status 2 and one line that says what is allowed; help and info answer.
#include <gtest/gtest.h>

#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

class usage_program : public cli_test::program {};

TEST_F(usage_program, unknown_values_name_the_allowed_ones) {
  const std::string a = write("a.npy", std::vector<float>{1});
  expect_usage_fault({"dot", a, a, "--mode", "quick"}, {"--mode", "quick", "exact", "fast"});
  expect_usage_fault({"dot", a, a, "--result", "float16"}, {"--result", "float16", "float32", "float64"});
  expect_usage_fault({"dot", a, a, "--dtype", "int8"}, {"--dtype", "int8", "float32", "float64"});
  for (const std::string device : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CUDA"}) {
    expect_usage_fault({"dot", a, a, "--device", device}, {"--device", device, "auto", "cpu", "cuda:N"});
  }
  expect_usage_fault({"generate", a, a, "--data", "random"}, {"--data", "random", "uniform", "halves", "wide"});
  expect_usage_fault({"generate", a, a, "--dtype", "float16"}, {"--dtype", "float32", "float64"});
}

TEST_F(usage_program, numbers_out_of_range_are_refused) {
  const std::string a = write("a.npy", std::vector<float>{1});
  for (const std::string threads : {"-1", "x", "1.5", "99999999999999999999"}) {
    expect_usage_fault({"dot", a, a, "--threads", threads}, {"--threads"});
  }
  for (const std::string n : {"-1", "x", "1.5", "2^64", ""}) {
    expect_usage_fault({"generate", folder / "x", folder / "y", "--n", n}, {"--n"});
  }
  for (const std::string seed : {"-1", "x", "1.5", "4294967296"}) {
    expect_usage_fault({"generate", folder / "x", folder / "y", "--seed", seed},
                       {"--seed", seed, "0 to 4294967295"});
  }
  expect_usage_fault({"generate", folder / "x", folder / "y", "--cond", "1e20"}, {"--cond", "ill"});
  for (const std::string condition : {"0.5", "-1", "nan", "1e301", "abc", "1e20x", ""}) {
    expect_usage_fault({"generate", folder / "x", folder / "y", "--data", "ill", "--cond", condition},
                       {"--cond", "'" + condition + "' is no condition number", "from 1 to 1e+60"});
  }
  expect_usage_fault({"generate", folder / "x", folder / "y", "--data", "ill", "--cond", "1e61"},
                     {"condition number", "from 1 to 1e+60"});
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.npy"});
}

TEST_F(usage_program, missing_and_unknown_words_are_refused) {
  expect_usage_fault({}, {"a subcommand is missing", "dot, generate, lab, hazards, bench, info"});
  expect_usage_fault({"multiply"}, {"'multiply' is no subcommand", "dot, generate, lab, hazards, bench, info"});
  expect_usage_fault({"two\nlines"}, {"'two\\x0alines' is no subcommand"});
  expect_usage_fault({"--quick"}, {"'--quick' is no subcommand"});
  expect_usage_fault({"dot"}, {"A"});
  expect_usage_fault({"dot", "a.npy"}, {"B"});
  expect_usage_fault({"dot", "a.npy", "b.npy", "c.npy"}, {"c.npy"});
  expect_usage_fault({"dot", "a.npy", "b.npy", "--quick"}, {"--quick"});
  expect_usage_fault({"info", "--quick"}, {"--quick"});
}

TEST_F(usage_program, help_has_examples) {
  EXPECT_NE(run_well({"--help"}).find("generate"), std::string::npos);
  for (const std::string command : {"dot", "generate", "info"}) {
    EXPECT_NE(run_well({command, "--help"}).find("Examples:\n  exactdot " + command), std::string::npos);
  }
}

TEST_F(usage_program, version_and_info_agree_with_the_library) {
  EXPECT_EQ(run_well({"--version"}), std::string("exactdot ") + exactdot::version() + "\n");
  const auto json = run_json({"info"});
  EXPECT_EQ(json["version"], exactdot::version());
  EXPECT_EQ(json["instruction_set"], exactdot::cpu().instruction_set);
  EXPECT_EQ(json["instruction_sets"], exactdot::cpu().instruction_sets);
  EXPECT_EQ(json["threads"], exactdot::cpu().threads);
  EXPECT_TRUE(json["cuda"]["compiler_at_build"].is_boolean());
  EXPECT_EQ(json["cuda"]["engine"], json["cuda"]["compiler_at_build"]);
  EXPECT_TRUE(json["cuda"]["gpus"].is_array());
  EXPECT_TRUE(json["openblas"].is_string() || json["openblas"].is_null());
  const std::string text = run_well({"info"});
  for (const std::string word : {"exactdot", "instruction set", "threads", "CUDA", "GPU", "OpenBLAS"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
}

}  // namespace
