// The command line: wrong usage has status 2 and one line with the allowed values; help, version and info.
#include <gtest/gtest.h>

#include <array>
#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

const std::string commands =
    "dot, sum, asum, sum_of_squares, nrm2, mean, var, std, min, max, argmin, argmax, weighted_mean, cosine, distance, "
    "cov, corr, slope, intercept, standard_error, weighted_var, weighted_std, variance_about, stddev_about, minmax, group, cumsum, rolling, generate, lab, "
    "hazards, "
    "bench, run, exercise, info";

class usage_program : public cli_test::program {};

TEST_F(usage_program, unknown_values_name_the_allowed_ones) {
  const std::string a = write("a.npy", std::vector<float>{1});
  expect_usage_fault({"dot", a, a, "--mode", "quick"}, {"--mode", "quick", "exact", "fast"});
  expect_usage_fault({"dot", a, a, "--result", "float8"},
                     {"--result", "float8", "{float32,float64,float16,bfloat16,int64,uint64,float8_e4m3fn,float8_e5m2,complex64,complex128}"});
  expect_usage_fault({"nrm2", a, "--result", "int64"}, {"--result", "int64", "{float32,float64,float16,bfloat16,float8_e4m3fn,float8_e5m2}"});
  expect_usage_fault(
      {"sum", a, "--dtype", "int7"},
      {"--dtype", "int7", "{float32,float64,float16,bfloat16,int8,int16,int32,int64,uint8,uint16,uint32,uint64,"
                            "float8_e4m3fn,float8_e5m2,complex64,complex128}"});
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
                       {"--cond", "'" + condition + "' is not a condition number", "expected 1 to 1e+60"});
  }
  expect_usage_fault({"generate", folder / "x", folder / "y", "--data", "ill", "--cond", "1e61"},
                     {"condition number 1e+61", "expected 1 to 1e+60 for float32"});
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.npy"});
}

#if !EXACTDOT_HAS_SIMT
TEST_F(usage_program, lab_without_the_simulator_says_so) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--rung", "racy"}, {"racy"}, {}}) {
    std::vector<std::string> call{"lab", "--device", "simt"};
    call.insert(call.end(), words.begin(), words.end());
    const auto result = run(call);
    EXPECT_NE(result.status, 0);
    EXPECT_TRUE(result.err.ends_with("this program was built without the simulator (EXACTDOT_BUILD_SIMT=OFF)\n"))
        << result.err;
  }
}
#endif

TEST_F(usage_program, missing_and_unknown_words_are_refused) {
  expect_usage_fault({}, {"a subcommand is missing", commands});
  expect_usage_fault({"multiply"}, {"'multiply': unknown subcommand; expected " + commands});
  expect_usage_fault({"multiply"}, {"(other names: ", "norm", "l2"});
  expect_usage_fault({"two\nlines"}, {"'two\\x0alines': unknown subcommand; expected"});
  expect_usage_fault({"--quick"}, {"'--quick': unknown option of exactdot; see exactdot --help"});
  expect_usage_fault({"--quick", "info"}, {"'--quick': unknown option of exactdot; see exactdot --help"});
  expect_usage_fault({"dot"}, {"A"});
  expect_usage_fault({"dot", "a.npy"}, {"B"});
  expect_usage_fault({"dot", "a.npy", "b.npy", "c.npy"}, {"c.npy"});
  expect_usage_fault({"dot", "a.npy", "b.npy", "--quick"}, {"--quick"});
  expect_usage_fault({"dot", "a.npy", "b.npy", "--axis"},
                     {"exactdot: --axis: a value is missing; see exactdot dot --help"});
  expect_usage_fault({"sum"}, {"FILE"});
  expect_usage_fault({"sum", "a.npy", "b.npy"}, {"b.npy"});
  expect_usage_fault({"min", "a.npy", "--result", "float32"},
                     {"'--result': unknown option of exactdot min; see exactdot min --help"});
  expect_usage_fault({"sum", "a.npy", "--ddof", "1"}, {"'--ddof': unknown option of exactdot sum"});
  expect_usage_fault({"info", "--quick"}, {"'--quick': unknown option of exactdot info; see exactdot info --help"});
}

TEST_F(usage_program, empty_file_names_are_refused) {
  expect_usage_fault({"sum", ""}, {"FILE: '' is not a file name; see exactdot sum --help"});
  expect_usage_fault({"dot", "", "b.npy"}, {"A: '' is not a file name"});
  expect_usage_fault({"dot", "a.npy", ""}, {"B: '' is not a file name"});
  expect_usage_fault({"generate", "", "b.npy"}, {"A: '' is not a file name"});
  expect_usage_fault({"generate", "a.npy", ""}, {"B: '' is not a file name"});
}

TEST_F(usage_program, unknown_subcommands_before_help_are_refused) {
  for (const std::string option : {"--help", "-h", "--version", "--json"}) {
    expect_usage_fault({"gen", option}, {"'gen': unknown subcommand (did you mean generate?); expected dot, "});
    expect_usage_fault({"multiply", option}, {"'multiply': unknown subcommand; expected dot, "});
  }
}

TEST_F(usage_program, misspelt_words_get_a_suggestion) {
  expect_usage_fault({"dit", "a", "b"}, {"'dit': unknown subcommand (did you mean dot?); expected dot, sum"});
  expect_usage_fault({"hazard"}, {"(did you mean hazards?)"});
  expect_usage_fault({"--vresion"}, {"'--vresion': unknown option of exactdot (did you mean --version?)"});
  const std::string a = write("a.npy", std::vector<float>{1});
  expect_usage_fault(
      {"dot", a, a, "--thread=2"},
      {"'--thread=2': unknown option of exactdot dot (did you mean --threads?); see exactdot dot --help"});
  expect_usage_fault({"dot", "--mdoe", "fast", a, a}, {"'--mdoe': unknown option", "(did you mean --mode?)"});
  expect_usage_fault({"dot", "--compair", a}, {"'--compair': unknown option", "(did you mean --compare?)"});
  expect_usage_fault({"generate", a, a, "--sed", "7"}, {"(did you mean --seed?)"});
}

/// The names of the functions in C++, C and Python, and of the commands.
TEST_F(usage_program, takes_the_names_of_every_language) {
  const std::string file = write("a.npy", std::vector<double>{3, 4}), out = folder / "out.npy";
  const std::string keys = write("k.npy", std::vector<std::int64_t>{0, 0});
  for (const auto& [command, alias, value] : std::vector<std::array<std::string, 3>>{
           {"nrm2", "norm", "5\n"}, {"var", "variance", "0.25\n"}, {"std", "stddev", "0.5\n"}}) {
    EXPECT_EQ(run_well({command, file}), value);
    EXPECT_EQ(run_well({alias, file}), value);
    EXPECT_EQ(run_json({alias, file})["reduction"], run_json({command, file})["reduction"]);
    EXPECT_EQ(run_well({alias, "--help"}), run_well({command, "--help"}));
    EXPECT_EQ(run_well({"group", file, keys, "--reduction", alias}), value);
    expect_usage_fault({alias + "x", file}, {"(did you mean " + alias + "?)", "expected " + commands});
    const std::string help = run_well({"--help"});
    EXPECT_NE(help.find("\n  " + command + ", " + alias), std::string::npos) << help;
    for (const char after : {' ', ','}) EXPECT_EQ(help.find("\n  " + alias + after), std::string::npos) << help;
  }
  for (const auto& [alias, value] : std::vector<std::array<std::string, 2>>{
           {"l2", "5\n"}, {"l1", "7\n"}, {"stdev", "0.5\n"}, {"standard_deviation", "0.5\n"}}) {
    EXPECT_EQ(run_well({alias, file}), value);
    EXPECT_EQ(run_well({"group", file, keys, "--reduction", alias}), value);
  }
  expect_usage_fault({"variance", file, "--ddof", "x"}, {"--ddof"});
  expect_usage_fault({"group", file, keys, "--reduction", "median"}, {"median", "sum", "nrm2", "var", "count"});
}

TEST_F(usage_program, help_has_examples) {
  EXPECT_NE(run_well({"--help"}).find("generate"), std::string::npos);
  for (const std::string command : {"dot", "sum", "asum", "sum_of_squares", "nrm2", "mean", "var", "std", "min",
                                    "max", "argmin", "argmax", "generate", "info"}) {
    EXPECT_NE(run_well({command, "--help"}).find("Examples:\n  exactdot " + command), std::string::npos);
  }
}

TEST_F(usage_program, help_is_free_of_types_and_of_lists_of_other_options) {
  for (const std::string command : {"dot", "var", "group", "generate", "lab", "hazards", "bench", "info"}) {
    const std::string help = run_well({command, "--help"});
    for (const std::string word : {"TEXT:", "INT:", "FLOAT:", "REQUIRED", "Excludes:", "Needs:"}) {
      EXPECT_EQ(help.find(word), std::string::npos) << word << "\n" << help;
    }
  }
  const std::string help = run_well({"dot", "--help"});
  EXPECT_NE(help.find("\n  --mode {exact,fast}=exact"), std::string::npos) << help;
  EXPECT_NE(help.find("\n  --axis AXES "), std::string::npos) << help;
  EXPECT_NE(help.find("\n  A  "), std::string::npos) << help;
}

TEST_F(usage_program, help_offers_the_modes_that_are_accepted) {
  const std::string file = write("a.npy", std::vector<float>{1, 2});
  for (const std::string command :
       {"dot", "sum", "asum", "sum_of_squares", "nrm2", "mean", "var", "std", "min", "max", "argmin", "argmax"}) {
    std::vector<std::string> words = {command, file};
    if (command == "dot") words.push_back(file);
    words.insert(words.end(), {"--mode", "fast"});
    const bool is_offered = run_well({command, "--help"}).find("fast") != std::string::npos;
    EXPECT_EQ(is_offered, command != "var" && command != "std") << command;
    if (is_offered) {
      run_well(words);
    } else {
      expect_usage_fault(words, {"--mode", "fast", "{exact}"});
    }
  }
}

TEST_F(usage_program, version_and_info_agree_with_the_library) {
  EXPECT_EQ(run_well({"--version"}), std::string("exactdot ") + exactdot::version() + "\n");
  const auto json = run_json({"info"});
  EXPECT_EQ(json["version"], exactdot::version());
  EXPECT_EQ(json["instruction_set"], exactdot::cpu().instruction_set);
  EXPECT_EQ(json["instruction_sets"], exactdot::cpu().instruction_sets);
  EXPECT_EQ(json["threads"], exactdot::cpu().threads);
  EXPECT_EQ(json["environment"]["rounding"], "to_nearest");
  EXPECT_EQ(json["environment"]["flush_to_zero"], false);
  EXPECT_TRUE(json["cuda"]["compiler_at_build"].is_boolean());
  EXPECT_EQ(json["cuda"]["engine"], json["cuda"]["compiler_at_build"]);
  EXPECT_TRUE(json["cuda"]["gpus"].is_array());
  EXPECT_TRUE(json["openblas"].is_string() || json["openblas"].is_null());
  const std::string text = run_well({"info"});
  for (const std::string word :
       {"exactdot", "instruction set", "threads", "rounds to_nearest\n", "CUDA", "GPU", "OpenBLAS"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
}

}  // namespace
