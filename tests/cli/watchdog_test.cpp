// The watchdog with children of all kinds, and what is made of a hazard that one of them ran.
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

watched shell(const std::string& script, std::chrono::milliseconds at_most = 30s) {
  return run_watched({"-c", script}, at_most, "/bin/sh");
}

exactdot::lab::hazard_outcome outcome(const std::string& script, std::chrono::milliseconds at_most = 30s) {
  return watched_outcome(shell(script, at_most), 30s);
}

TEST(watchdog, gives_status_and_output_of_what_ends) {
  const watched seen = shell("printf 'two\nlines'; exit 3");
  EXPECT_EQ(seen.status, 3);
  EXPECT_EQ(seen.signal, 0);
  EXPECT_FALSE(seen.too_long);
  EXPECT_EQ(seen.output, "two\nlines");
}

TEST(watchdog, reads_more_than_a_pipe_holds) {
  EXPECT_EQ(shell("head -c 300000 /dev/zero").output, std::string(300000, '\0'));
}

TEST(watchdog, ends_what_takes_too_long) {
  const auto start = std::chrono::steady_clock::now();
  const watched seen = shell("printf begun; exec sleep 60", 200ms);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
  EXPECT_TRUE(seen.too_long);
  EXPECT_EQ(seen.status, std::nullopt);
  EXPECT_EQ(seen.signal, SIGKILL);
  EXPECT_EQ(seen.output, "begun");
}

TEST(watchdog, tells_what_died_of_a_signal) {
  const watched seen = shell("kill -SEGV $$");
  EXPECT_FALSE(seen.too_long);
  EXPECT_EQ(seen.status, std::nullopt);
  EXPECT_EQ(seen.signal, SIGSEGV);
}

TEST(watchdog, throws_where_there_is_nothing_to_start) {
  EXPECT_THROW(static_cast<void>(run_watched({}, 1s, "/nowhere/at/all")), std::system_error);
}

TEST(watched_hazard, may_hang_or_die_of_a_signal) {
  const auto hung = outcome("exec sleep 60", 100ms);
  EXPECT_TRUE(hung.as_expected);
  EXPECT_FALSE(hung.completed);
  EXPECT_EQ(hung.observed, "did not end within 30 s; the watchdog ended its process");
  const auto died = outcome("kill -ABRT $$");
  EXPECT_TRUE(died.as_expected);
  EXPECT_EQ(died.observed, "its process died of signal " + std::to_string(SIGABRT));
}

TEST(watched_hazard, is_vouched_for_by_nobody_where_its_process_fails) {
  for (const char* const script : {"exit 1", "exit 0", "printf '{}'; exit 1", "printf 'no gpu'; exit 127"}) {
    const auto seen = outcome(script);
    EXPECT_FALSE(seen.as_expected) << script;
    EXPECT_FALSE(seen.completed) << script;
    EXPECT_TRUE(seen.observed.ends_with(" and printed no outcome")) << seen.observed;
  }
  EXPECT_TRUE(outcome("exit 7").observed.starts_with("its process ended with status 7"));
}

TEST(watched_hazard, that_ends_tells_its_own_outcome) {
  for (const bool as_expected : {true, false}) {
    exactdot::lab::hazard_outcome told;
    told.expected = "8", told.observed = "9", told.as_expected = as_expected;
    nlohmann::ordered_json report;
    report["hazards"].push_back(exactdot::lab::hazard_json({}, "cuda", told));
    const auto seen = outcome("printf '%s' '" + report.dump() + "'; exit " + (as_expected ? "0" : "1"));
    EXPECT_TRUE(seen.completed);
    EXPECT_EQ(seen.observed, "9");
    EXPECT_EQ(seen.as_expected, as_expected);
  }
}

}  // namespace
