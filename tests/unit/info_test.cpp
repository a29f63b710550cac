// Version, instruction sets and threads that the library reports; selection of an instruction set.
//
// The environment is read once, at the start. So ctest runs one of these tests again with EXACTDOT_TARGET set
// (CMakeLists.txt).
#include <gtest/gtest.h>

#include <cstdlib>
#include <exactdot/exactdot.hpp>
#include <set>
#include <thread>

namespace {

TEST(info, returns_the_version_of_the_project) {
  const std::string version = exactdot::version();  // and of a checkout the commit
  EXPECT_TRUE(version == EXPECTED_VERSION || version.starts_with(EXPECTED_VERSION "+g")) << version;
}

TEST(info, names_each_instruction_set_once_and_at_least_one_thread) {
  const auto info = exactdot::cpu();
  const std::set<std::string> names(info.instruction_sets.begin(), info.instruction_sets.end());
  EXPECT_EQ(names.size(), info.instruction_sets.size());
  EXPECT_EQ(names.count(info.instruction_set), 1u);
  EXPECT_EQ(names.count("portable"), 1u);
  EXPECT_EQ(names.count(""), 0u);
#if defined(__aarch64__)
  EXPECT_EQ(info.instruction_sets, (std::vector<std::string>{"neon", "portable"}));
  if (std::getenv("EXACTDOT_TARGET") == nullptr) {
    EXPECT_EQ(info.instruction_set, "neon");
  }
#endif
  EXPECT_GE(info.threads, 1);
}

TEST(instruction_sets, are_used_in_every_thread) {
  const std::string best = exactdot::cpu().instruction_set;
  for (const std::string& name : exactdot::cpu().instruction_sets) {
    exactdot::use_instruction_set(name);
    EXPECT_EQ(exactdot::cpu().instruction_set, name);
    std::string in_thread;
    std::thread([&] { in_thread = exactdot::cpu().instruction_set; }).join();
    EXPECT_EQ(in_thread, name);
  }
  exactdot::use_instruction_set("");
  if (std::getenv("EXACTDOT_TARGET") == nullptr) {
    EXPECT_EQ(exactdot::cpu().instruction_set, best);
  }
}

TEST(instruction_sets, are_refused_if_unknown_and_the_known_ones_are_listed) {
  const std::string before = exactdot::cpu().instruction_set;
  for (const std::string wrong : {"mmx", "AVX2 ", "portable2"}) {
    try {
      exactdot::use_instruction_set(wrong);
      ADD_FAILURE() << wrong << " was accepted";
    } catch (const exactdot::error& thrown) {
      EXPECT_EQ(thrown.code(), exactdot::errc::bad_option);
      for (const std::string& name : exactdot::cpu().instruction_sets) {
        EXPECT_NE(std::string(thrown.what()).find(name), std::string::npos) << thrown.what();
      }
    }
  }
  EXPECT_EQ(exactdot::cpu().instruction_set, before);
}

/// Skipped unless ctest sets EXACTDOT_TARGET.
TEST(instruction_sets, are_chosen_by_the_environment_at_start) {
  const char* const requested = std::getenv("EXACTDOT_TARGET");
  if (requested == nullptr) GTEST_SKIP() << "EXACTDOT_TARGET is not set";
  EXPECT_EQ(exactdot::cpu().instruction_set, requested);
}

}  // namespace
