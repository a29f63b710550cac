// exactdot hazards from end to end, on the simulator: text, JSON and errors.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

using words = std::vector<std::string>;
using nlohmann::json;

class hazards_program : public cli_test::program {
 protected:
  static words simulated(const words& names) {
    words all{"hazards", "--device", "simt"};
    all.insert(all.end(), names.begin(), names.end());
    return all;
  }
};

const words all_names{"race_condition",
                      "race_condition_fixed",
                      "step_by_step",
                      "atomics_tour",
                      "lock",
                      "block_counter",
                      "block_counter_warp",
                      "missing_barrier",
                      "barrier_in_branch",
                      "partial_mask_shuffle",
                      "uninitialised_accumulator",
                      "float_order",
                      "lost_half",
                      "too_many_partials",
                      "lost_tail",
                      "misaligned_pack",
                      "rounded_down_grid",
                      "copied_lock",
                      "assignment_in_condition",
                      "shared_race_in_tail_unroll",
                      "uncoalesced",
                      "bank_conflicts",
                      "timed_wrong",
                      "shared_memory_overflow"};

TEST_F(hazards_program, prints_every_hazard_as_json) {
  const json result = run_json(simulated({}));
  words names;
  for (const json& one : result["hazards"]) {
    names.push_back(one["name"]);
    SCOPED_TRACE(names.back());
    EXPECT_EQ(one["device"], "simt");
    EXPECT_EQ(one["as_expected"], true);
    EXPECT_EQ(one["ran"], true);
    for (const char* const text : {"expected", "observed", "explanation"}) {
      ASSERT_TRUE(one[text].is_string()) << text;
      EXPECT_NE(one[text], "") << text;
    }
    const words faultless_names{"race_condition_fixed", "atomics_tour",  "float_order", "lost_half",
                                "too_many_partials",    "lost_tail",     "uncoalesced", "rounded_down_grid",
                                "timed_wrong",          "bank_conflicts"};
    const bool faultless = std::ranges::find(faultless_names, names.back()) != faultless_names.end();
    EXPECT_EQ(one["detected"].empty(), faultless);
    for (const json& fault : one["detected"]) {
      EXPECT_TRUE(fault["kind"].is_string());
      EXPECT_TRUE(fault["where"].is_string());
      EXPECT_TRUE(fault["line"].is_number_integer());
    }
  }
  EXPECT_EQ(names, all_names);
}

TEST_F(hazards_program, prints_outcomes_in_lines_of_120_columns) {
  const std::string text =
      run_well(simulated({"missing_barrier", "step_by_step", "lock", "atomics_tour", "block_counter_warp"}));
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) EXPECT_LE(line.size(), 120U) << line;
  std::size_t at = 0;
  for (const char* const name : {"missing_barrier", "step_by_step", "lock", "atomics_tour", "block_counter_warp"}) {
    at = text.find(std::string(name) + " on simt\n  effect ", at);
    ASSERT_NE(at, std::string::npos) << name << " is missing, or not in the requested order";
    for (const char* const label : {"\n  expected ", "\n  observed ", "\n  cause ", "\n  fix "}) {
      EXPECT_NE(text.find(label, at), std::string::npos) << name << label;
    }
  }
  EXPECT_NE(text.find("reported  data_race in shared memory"), std::string::npos);
  EXPECT_NE(text.find("step  thread A    thread B    x\n"), std::string::npos);
  EXPECT_EQ(text.find("NOT as expected"), std::string::npos);
}

TEST_F(hazards_program, depends_only_on_the_seed) {
  const auto seen = [&](const std::string& seed) {
    return run_json(simulated({"missing_barrier", "block_counter", "--seed", seed}));
  };
  const json first = seen("3");
  EXPECT_EQ(seen("3"), first);
  EXPECT_NE(seen("4"), first);
}

TEST_F(hazards_program, refuses_unknown_values) {
  expect_usage_fault(simulated({"racing"}), {"'racing': unknown hazard; expected race_condition, ", "float_order"});
  expect_usage_fault(simulated({"block_conter"}), {"unknown hazard (did you mean block_counter?)"});
  expect_usage_fault(simulated({"step_by_step", "racing"}), {"'racing': unknown hazard"});
  expect_usage_fault(simulated({"two\nlines"}), {"two\\x0alines"});
  expect_usage_fault({"hazards", "--device", "gpu"}, {"--device", "gpu", "simt"});
  expect_usage_fault(simulated({"--seed", "-1"}), {"--seed"});
}

TEST_F(hazards_program, lists_and_explains) {
  const std::string list = run_well({"hazards", "--list"});
  EXPECT_TRUE(list.starts_with("20 mistakes and 4 illustrations")) << list;
  for (const std::string& name : all_names) EXPECT_NE(list.find(" " + name + " "), std::string::npos) << name;
  std::istringstream stream(list);
  for (std::string line; std::getline(stream, line);) EXPECT_LE(line.size(), 120U) << line;
  const std::string text = run_well({"hazards", "lost_half", "lock", "--explain"});
  for (const char* const part : {"lost_half\n", "\n  cause ", "\n  fix ",
                                 "\nlab/hazards/lost_half.cu\n   1  // lost_half: ", "\nlab/hazards/lock.cu\n",
                                 "\nlab/lock.cuh\n   1  // Lock between blocks"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  expect_usage_fault({"hazards", "--explain"}, {"--explain requires", "name"});
  expect_usage_fault({"hazards", "lost_haf", "--explain"},
                     {"'lost_haf': unknown hazard (did you mean lost_half?)"});
}

TEST_F(hazards_program, refuses_a_missing_gpu) {
  if (!run_json({"info"})["cuda"]["gpus"].empty()) GTEST_SKIP() << "there is a GPU";
  expect_fault({"hazards", "--device", "cuda"}, "--device cuda", {"use --device simt"});
  const json automatic = run_json({"hazards", "--device", "auto", "step_by_step"});
  EXPECT_EQ(automatic["hazards"][0]["device"], "simt");
}

TEST_F(hazards_program, shows_the_running_hazard_on_a_terminal_and_ends_when_interrupted) {
  if (const std::string fault = cli_test::terminal_fault(); !fault.empty()) GTEST_SKIP() << fault;
  cli_test::process_settings settings;
  settings.err_is_terminal = true;
  cli_test::process running = start(simulated({"race_condition", "float_order"}), settings);
  EXPECT_TRUE(running.read_terminal_until("exactdot: hazards: race_condition "));
  EXPECT_TRUE(running.read_terminal_until(" %"));
  running.send(SIGINT);
  const auto result = running.wait();
  EXPECT_EQ(result.status, 130);
  EXPECT_EQ(result.out.find("float_order"), std::string::npos);
  EXPECT_TRUE(result.err.ends_with("\r\x1b[Kexactdot: interrupted\r\n")) << result.err;
}

}  // namespace
