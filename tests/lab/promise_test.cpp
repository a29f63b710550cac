// Broken promises end the program with status 1: a rung with a fault, a hazard with an unexpected outcome. This
// file registers one of each beside the real ones.
#include <gtest/gtest.h>

#include <cli/hazards.hpp>
#include <cli/lab.hpp>
#include <exactdot/error.hpp>
#include <lab/hazard.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "lab/wrong_rungs.hpp"

namespace {

using namespace lab_test;

const bool is_lossy_rung_registered = [] {
  rung_info info = loop_promises();
  info.name = "drops_the_last";
  add_rung(
      make_rung(info, [](const auto& input) { return loop(input, 0, input.config.n - (input.config.n > 0)); }));
  add_hazard({{.number = 99, .name = "shows_nothing", .effect = "Nothing.", .cause = "None.", .fix = "None."},
              backend::simt,
              [](const hazard_request&) {
                hazard_outcome outcome;
                outcome.expected = "something", outcome.observed = "nothing";
                return outcome;
              }});
  return true;
}();

/// Standard output, and the message of the exception; empty without one.
struct captured {
  std::string out, message;
};

template <class Function>
captured run(Function function) {
  captured result;
  testing::internal::CaptureStdout();
  try {
    function();
  } catch (const exactdot::error& fault) {
    result.message = std::string("error: ") + fault.what();  // some codes give a status other than 1
  } catch (const std::runtime_error& fault) {
    result.message = fault.what();
  }
  result.out = testing::internal::GetCapturedStdout();
  return result;
}

captured run_lab(const std::vector<std::string>& rungs, bool json) {
  exactdot::cli::lab_arguments arguments;
  arguments.n = "100";
  arguments.rungs = rungs;
  arguments.device = "simt";
  arguments.json = json;
  return run([&] { exactdot::cli::run_lab(arguments); });
}

TEST(promise, kept_by_a_rung_causes_no_error) {
  ASSERT_TRUE(is_lossy_rung_registered);
  const captured result = run_lab({"exact", "cpu_loop"}, false);
  EXPECT_EQ(result.message, "");
  EXPECT_EQ(result.out.find("FAILS"), std::string::npos);
  EXPECT_NE(result.out.find("Summary: every rung keeps its promises"), std::string::npos);
}

TEST(promise, broken_by_a_rung_is_reported_in_the_table_and_in_the_message) {
  const captured result = run_lab({"exact", "drops_the_last"}, false);
  EXPECT_EQ(result.message, "these rungs break a promise: drops_the_last");
  EXPECT_NE(result.out.find(" FAILS\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("drops_the_last FAILS: on integers, n = 1, starts 0 and 0: 0 instead of "),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("Summary: 1 of 2 rungs break a promise"), std::string::npos) << result.out;
}

TEST(promise, broken_by_a_rung_is_reported_in_json) {
  const captured printed = run_lab({"exact", "drops_the_last"}, true);
  EXPECT_EQ(printed.message, "these rungs break a promise: drops_the_last");
  const auto result = nlohmann::json::parse(printed.out);
  ASSERT_EQ(result["rungs"].size(), 2U);
  for (const auto& rung : result["rungs"]) {
    const bool wrong = rung["name"] == "drops_the_last";
    EXPECT_EQ(rung["correct"], !wrong);
    EXPECT_EQ(rung["wrong_on_purpose"], false);
    EXPECT_EQ(rung["check"] == "passed", !wrong) << rung["check"];
  }
}

TEST(promise, broken_by_a_hazard_is_reported) {
  const auto hazards = [](bool json) {
    return run([=] {
      exactdot::cli::run_hazards({.names = {"step_by_step", "shows_nothing"}, .device = "simt", .json = json});
    });
  };
  const captured result = hazards(false);
  EXPECT_EQ(result.message, "these hazards had an unexpected outcome: shows_nothing");
  EXPECT_NE(result.out.find("nothing (NOT as expected)"), std::string::npos) << result.out;
  const auto list = nlohmann::json::parse(hazards(true).out)["hazards"];
  EXPECT_EQ(list[0]["as_expected"], true);
  EXPECT_EQ(list[1]["as_expected"], false);
}

}  // namespace
