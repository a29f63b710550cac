// What breaks its promise ends the program with status 1: a rung with a fault, a hazard that shows nothing. Both
// are enlisted here, beside the real ones.
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

const bool enlisted = [] {
  rung_info info = promises();
  info.name = "drops_the_last";
  add_rung(make_rung(info, [](const auto& what) { return loop(what, 0, what.size.n - (what.size.n > 0)); }));
  add_hazard({{.number = 99, .name = "shows_nothing", .does = "Nothing.", .why = "None.", .cure = "None."},
              world::simt,
              [](const hazard_request&) {
                hazard_outcome seen;
                seen.expected = "something", seen.observed = "nothing";
                return seen;
              }});
  return true;
}();

/// What it printed, and the complaint that it ended with; empty where there was none.
struct ending {
  std::string out, complaint;
};

template <class Function>
ending run(Function function) {
  ending seen;
  testing::internal::CaptureStdout();
  try {
    function();
  } catch (const exactdot::error& fault) {
    seen.complaint = std::string("error: ") + fault.what();  // has another status than 1 for some codes
  } catch (const std::runtime_error& fault) {
    seen.complaint = fault.what();
  }
  seen.out = testing::internal::GetCapturedStdout();
  return seen;
}

ending run_lab(const std::vector<std::string>& rungs, bool json) {
  exactdot::cli::lab_arguments arguments;
  arguments.n = "100";
  arguments.rungs = rungs;
  arguments.device = "simt";
  arguments.json = json;
  return run([&] { exactdot::cli::run_lab(arguments); });
}

TEST(promise, of_a_rung_kept_is_silence) {
  ASSERT_TRUE(enlisted);
  const ending seen = run_lab({"exact", "cpu_loop"}, false);
  EXPECT_EQ(seen.complaint, "");
  EXPECT_EQ(seen.out.find("FAILS"), std::string::npos);
  EXPECT_NE(seen.out.find("Notice: every rung keeps its promise"), std::string::npos);
}

TEST(promise, of_a_rung_broken_is_told_in_the_table_and_in_the_complaint) {
  const ending seen = run_lab({"exact", "drops_the_last"}, false);
  EXPECT_EQ(seen.complaint, "these rungs break their promise: drops_the_last");
  EXPECT_NE(seen.out.find(" FAILS\n"), std::string::npos) << seen.out;
  EXPECT_NE(seen.out.find("drops_the_last FAILS: on integers, n = 1, starts 0 and 0: 0 instead of "),
            std::string::npos)
      << seen.out;
  EXPECT_NE(seen.out.find("Notice: 1 of 2 rungs break a promise"), std::string::npos) << seen.out;
}

TEST(promise, of_a_rung_broken_is_told_in_json) {
  const ending seen = run_lab({"exact", "drops_the_last"}, true);
  EXPECT_EQ(seen.complaint, "these rungs break their promise: drops_the_last");
  const auto result = nlohmann::json::parse(seen.out);
  ASSERT_EQ(result["rungs"].size(), 2U);
  for (const auto& rung : result["rungs"]) {
    const bool wrong = rung["name"] == "drops_the_last";
    EXPECT_EQ(rung["correct"], !wrong);
    EXPECT_EQ(rung["wrong_on_purpose"], false);
    EXPECT_EQ(rung["check"] == "passed", !wrong) << rung["check"];
  }
}

TEST(promise, of_a_hazard_broken_is_told) {
  const auto hazards = [](bool json) {
    return run([=] {
      exactdot::cli::run_hazards({.names = {"step_by_step", "shows_nothing"}, .device = "simt", .json = json});
    });
  };
  const ending seen = hazards(false);
  EXPECT_EQ(seen.complaint, "these hazards did not show what they should: shows_nothing");
  EXPECT_NE(seen.out.find("nothing (NOT as expected)"), std::string::npos) << seen.out;
  const auto list = nlohmann::json::parse(hazards(true).out)["hazards"];
  EXPECT_EQ(list[0]["as_expected"], true);
  EXPECT_EQ(list[1]["as_expected"], false);
}

}  // namespace
