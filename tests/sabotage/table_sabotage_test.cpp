// The table of tests must reject every wrong engine, for every row, and accept a correct one.
#include <gtest/gtest.h>

#include "sabotage/wrong_engines.hpp"
#include "table/table.hpp"

namespace {

using namespace table;

/// Some hundred cases of a row under one engine.
report checked(const row& tested, const engine& under_test) {
  report done;
  unsigned index = 0;
  for (std::size_t source = 0; source < generator_count(); ++source) {
    for (const std::size_t n : {0u, 1u, 2u, 5u, 40u}) {
      const input data = make_input(tested.type, source, 1, n);
      ++index;
      done.check(under_test, tested, data, layout_of_case(index, true), 11 * index);
      if (!done.faults().empty()) return done;
    }
  }
  return done;
}

class every_row : public testing::TestWithParam<row> {};

TEST_P(every_row, accepts_a_correct_engine) {
  const report done = checked(GetParam(), sabotage::correct_engine());
  EXPECT_EQ(done.faults(), std::vector<std::string>());
  EXPECT_GT(done.results(), 0);
}

TEST_P(every_row, rejects_wrong_engines) {
  for (const engine& wrong : sabotage::wrong_engines()) {
    EXPECT_FALSE(checked(GetParam(), wrong).faults().empty()) << wrong.name;
  }
}

INSTANTIATE_TEST_SUITE_P(table, every_row, testing::ValuesIn(rows()),
                         [](const auto& tested) { return tested.param.name(); });

}  // namespace
