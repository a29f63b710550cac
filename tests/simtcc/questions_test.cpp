// Every kind of finding has a question of its own in the exercises (those of unread data share one).
#include "command/questions.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace exactdot::simtcc::exercises {
namespace {

TEST(Questions, EveryKindHasOne) {
  std::map<std::string_view, simt::fault_kind> known;
  for (int i = 0; i <= static_cast<int>(simt::last_fault_kind); ++i) {
    const auto kind = static_cast<simt::fault_kind>(i);
    const std::string name = simt::name_of(kind);
    ASSERT_NE(name, "unknown");
    const std::string_view question = question_of(kind);
    ASSERT_FALSE(question.empty()) << name;
    EXPECT_EQ(question.back(), '?') << name;
    EXPECT_EQ(question_of(name + " in global memory (x): read by thread 0 of block 0"), question) << name;
    EXPECT_EQ(question_of(name + ": loop by thread 0 of block 0"), question) << name;
    EXPECT_TRUE(known.emplace(question, kind).second || kind == simt::fault_kind::unread_global) << name;
  }
}

TEST(Questions, OtherLinesHaveNone) {
  EXPECT_EQ(question_of("data_races in global memory"), "");
  EXPECT_EQ(question_of(std::string_view()), "");
}

TEST(Questions, ErrorsOfCuda) {
  for (const char* error : {"invalid argument", "invalid copy direction for memcpy", "invalid configuration argument",
                            "out of memory"}) {
    ASSERT_FALSE(question_of_error(error).empty()) << error;
    EXPECT_EQ(question_of_error(error).back(), '?') << error;
  }
  EXPECT_EQ(question_of_error("unspecified launch failure"), "");
}

}  // namespace
}  // namespace exactdot::simtcc::exercises
