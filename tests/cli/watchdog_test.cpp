// The watchdog with children that end, hang or fail, and the outcome of a hazard that ran in a child.
#include <gtest/gtest.h>

#include <cli/hazards.hpp>
#include <cli/watchdog.hpp>
#include <csignal>
#include <lab/hazard_report.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

namespace {

using namespace exactdot::cli;
using namespace std::chrono_literals;

process_result shell(const std::string& script, std::chrono::milliseconds time_limit = 30s) {
  return run_with_time_limit({"-c", script}, time_limit, "/bin/sh");
}

exactdot::lab::hazard_outcome outcome(const std::string& script, std::chrono::milliseconds time_limit = 30s) {
  return outcome_of(shell(script, time_limit), 30s);
}

TEST(watchdog, returns_status_and_output) {
  const process_result result = shell("printf 'two\nlines'; exit 3");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.signal, 0);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.output, "two\nlines");
}

TEST(watchdog, reads_more_than_a_pipe_holds) {
  EXPECT_EQ(shell("head -c 300000 /dev/zero").output, std::string(300000, '\0'));
}

TEST(watchdog, ends_a_child_after_the_time_limit) {
  const auto start = std::chrono::steady_clock::now();
  const process_result result = shell("printf begun; exec sleep 60", 200ms);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.status, std::nullopt);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_EQ(result.output, "begun");
}

TEST(watchdog, returns_the_signal_that_ended_the_child) {
  const process_result result = shell("kill -SEGV $$");
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.status, std::nullopt);
  EXPECT_EQ(result.signal, SIGSEGV);
}

TEST(watchdog, throws_if_the_program_does_not_exist) {
  EXPECT_THROW(static_cast<void>(run_with_time_limit({}, 1s, "/nowhere/at/all")), std::system_error);
}

TEST(watched_hazard, may_hang_or_be_ended_by_a_signal) {
  const auto hung = outcome("exec sleep 60", 100ms);
  EXPECT_TRUE(hung.as_expected);
  EXPECT_FALSE(hung.completed);
  EXPECT_EQ(hung.observed, "did not end within 30 s; the watchdog ended its process");
  const auto died = outcome("kill -ABRT $$");
  EXPECT_TRUE(died.as_expected);
  EXPECT_EQ(died.observed, "its process was ended by signal " + std::to_string(SIGABRT));
}

TEST(watched_hazard, is_not_as_expected_if_its_process_fails) {
  for (const char* const script : {"exit 1", "exit 0", "printf '{}'; exit 1", "printf 'no gpu'; exit 127"}) {
    const auto result = outcome(script);
    EXPECT_FALSE(result.as_expected) << script;
    EXPECT_FALSE(result.completed) << script;
    EXPECT_TRUE(result.observed.ends_with(" and printed no outcome")) << result.observed;
  }
  EXPECT_TRUE(outcome("exit 7").observed.starts_with("its process ended with status 7"));
}

TEST(watched_hazard, that_ends_prints_its_outcome) {
  for (const bool as_expected : {true, false}) {
    exactdot::lab::hazard_outcome printed;
    printed.expected = "8", printed.observed = "9", printed.as_expected = as_expected;
    nlohmann::ordered_json report;
    report["hazards"].push_back(exactdot::lab::hazard_json({}, "cuda", printed));
    const auto result = outcome("printf '%s' '" + report.dump() + "'; exit " + (as_expected ? "0" : "1"));
    EXPECT_TRUE(result.completed);
    EXPECT_EQ(result.observed, "9");
    EXPECT_EQ(result.as_expected, as_expected);
  }
}

}  // namespace
