// Option --html of lab and hazards from end to end: the page is written; wrong usage is one line.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

using words = std::vector<std::string>;

class html_program : public cli_test::program {
 protected:
  [[nodiscard]] std::string page() const { return folder / "page.html"; }

  std::string write_page(words arguments) {
    arguments.insert(arguments.end(), {"--html", page()});
    const cli_test::outcome result = run(arguments);
    EXPECT_EQ(result.status, 0) << "signal " << result.signal;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "exactdot: " + page() + ": written; open it in a browser\n");
    std::ostringstream text;
    text << std::ifstream(page(), std::ios::binary).rdbuf();
    return text.str();
  }
  void expect_refused(words arguments, const words& phrases) {
    arguments.insert(arguments.end(), {"--html", page()});
    expect_usage_fault(arguments, phrases);
  }
};

TEST_F(html_program, writes_a_page_of_a_rung) {
  const std::string text = write_page({"lab", "--rung", "shared_host_sum", "--n", "16", "--block", "16"});
  EXPECT_TRUE(text.starts_with("<!DOCTYPE html>"));
  EXPECT_NE(text.find("Rung shared_host_sum, step by step"), std::string::npos);
  EXPECT_NE(text.find("exactdot lab --rung shared_host_sum --n 16 --block 16 --html FILE"), std::string::npos);
  EXPECT_LT(text.size(), 2'000'000U);
}

TEST_F(html_program, writes_a_page_of_hazards) {
  const std::string text = write_page({"hazards", "step_by_step", "lock", "--seed", "7"});
  EXPECT_NE(text.find("step_by_step.cu"), std::string::npos);
  EXPECT_NE(text.find("count_blocks"), std::string::npos);
  EXPECT_NE(text.find("exactdot hazards step_by_step lock --seed 7 --html FILE"), std::string::npos);
}

TEST_F(html_program, names_the_launches_of_a_hazard) {
  const cli_test::outcome result = run({"hazards", "bank_conflicts", "--html", page()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err.find(" launches."), std::string::npos) << result.err;
  std::ostringstream text;
  text << std::ifstream(page(), std::ios::binary).rdbuf();
  for (const std::string title :
       {"1. add_levels\\u003cstrided>, level 5: no findings", "2. add_levels\\u003csequential>, level 5: ",
        "3. add_levels\\u003cstrided>, level 1: ", "4. add_levels\\u003csequential>, level 1: "})
    EXPECT_NE(text.str().find(title), std::string::npos) << title;
  EXPECT_NE(text.str().find("[32,32,"), std::string::npos) << "no request of degree 32";
  EXPECT_EQ(text.str().find("The table"), std::string::npos);
}

TEST_F(html_program, says_what_a_page_leaves_out) {
  const cli_test::outcome result = run({"lab", "--rung", "partial_per_thread", "--n", "20000", "--html", page()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("page.html: partial_per_thread, 1. add_per_thread<float>: Left out: "),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("steps after the first 3000"), std::string::npos) << result.err;
}

TEST_F(html_program, refuses_schedules_that_cannot_be_followed) {
  expect_refused({"hazards", "race_condition", "--schedule", "0,99"},
                 {"--schedule", "step 2", "no thread 99", "0 to 7"});
  expect_refused({"hazards", "race_condition", "--schedule", "0,0,0"}, {"--schedule", "step 3", "it has exited"});
  const std::string huge = "99999999999999999999";
  for (const auto& [schedule, step, thread] :
       std::vector<std::array<std::string, 3>>{{"0,one", "2", "one"},
                                               {"0,-1", "2", "-1"},
                                               {huge, "1", huge},
                                               {"4294967296,0", "1", "4294967296"},
                                               {"", "1", ""},
                                               {",", "1", ""},
                                               {"0,,1", "2", ""},
                                               {"0,1,", "3", ""},
                                               {"1.5", "1", "1.5"},
                                               {"0, 1", "2", " 1"},
                                               {"0x1", "1", "0x1"},
                                               {"0 1", "1", "0 1"}}) {
    SCOPED_TRACE(schedule);
    expect_refused({"hazards", "race_condition", "--schedule", schedule},
                   {"--schedule: step " + step + ": '" + thread + "' is not the number of a thread"});
  }
  expect_refused({"hazards", "race_condition", "--schedule", "4294967295"}, {"no thread 4294967295", "0 to 7"});
  expect_refused({"lab", "--rung", "racy", "--schedule="}, {"--schedule"});
  expect_refused({"lab", "--rung", "racy", "--schedule", "0,-1"}, {"--schedule: step 2: '-1'"});
  expect_refused({"hazards", "--schedule", "0,1"}, {"--schedule", "expected one hazard"});
  expect_refused({"lab", "--schedule", "0,1"}, {"--schedule", "expected one rung"});
  expect_refused({"lab", "--rung", "racy", "--schedule", "0,1", "--model", "lock_step"},
                 {"--schedule", "lock step"});
  words many{"hazards", "race_condition", "--schedule", "0"};
  for (int i = 0; i < 3000; ++i) many.back() += ",0";
  expect_refused(many, {"--schedule", "3001 steps", "at most 3000"});
  EXPECT_FALSE(std::filesystem::exists(page()));
}

TEST_F(html_program, refuses_what_has_no_page) {
  expect_refused({"lab", "--rung", "cpu_loop"}, {"--html", "cpu_loop"});
  expect_refused({"lab", "--rung", "racy", "--device", "cuda"}, {"--html", "--device simt"});
  expect_refused({"lab", "--rung", "racy", "--n", "2^30"}, {"--n 2^30", "small"});
  expect_refused({"lab", "--rung", "interleaved", "--block", "12"}, {"--block 12", "2, 4, 8"});
  expect_refused({"hazards", "no_such"}, {"no_such", "unknown hazard"});
  expect_usage_fault({"hazards", "lock", "--schedule", "0"}, {"--schedule", "--html"});
  expect_usage_fault({"hazards", "lock", "--model", "lock_step"}, {"--model", "--html"});
}

TEST_F(html_program, refuses_options_that_contradict) {
  for (const std::string data : {"", "ones", "uniform"}) {
    words arguments{"lab", "--rung", "racy", "--cond", "1e5"};
    if (!data.empty()) arguments.insert(arguments.end(), {"--data", data});
    expect_refused(arguments, {"--cond: requires --data ill, not " + (data.empty() ? "ones" : data)});
  }
  for (const std::string seed : {"x", "-1", "1.5", "", "99999999999", "1e3"}) {
    expect_refused({"lab", "--rung", "racy", "--seed", seed}, {"--seed: "});
    expect_refused({"hazards", "lock", "--seed", seed}, {"--seed: "});
  }
  EXPECT_FALSE(std::filesystem::exists(page()));
}

TEST_F(html_program, writes_pages_of_data_with_a_condition_number) {
  const std::string text = write_page({"lab", "--rung", "racy", "--data", "ill", "--cond", "1e5", "--n", "8"});
  EXPECT_NE(text.find("--data ill --cond 100000 --html FILE"), std::string::npos);
}

TEST_F(html_program, names_a_file_that_cannot_be_written) {
  const std::string missing = folder / "missing/page.html";
  expect_fault({"hazards", "lock", "--html", missing}, missing, {"cannot write"});
  expect_fault({"lab", "--rung", "racy", "--html", missing}, missing,
               {"cannot write", "No such file or directory"});
  expect_fault({"lab", "--rung", "racy", "--html", folder / ""}, folder / "", {"cannot write"});
  expect_usage_fault({"lab", "--rung", "racy", "--html", ""}, {"--html"});
  if (std::filesystem::exists("/dev/full"))
    expect_fault({"hazards", "lock", "--html", "/dev/full"}, "/dev/full", {"cannot write"});
}

TEST_F(html_program, replaces_a_page_but_no_other_file) {
  const std::string vector = folder / "vector.npy";
  std::ofstream(vector, std::ios::binary) << "\x93NUMPY and more";
  expect_fault({"hazards", "lock", "--html", vector}, vector, {"it is no HTML page"});
  EXPECT_EQ(std::filesystem::file_size(vector), 15U);
  EXPECT_EQ(write_page({"hazards", "lock"}), write_page({"hazards", "lock"}));
}

}  // namespace
