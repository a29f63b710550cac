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
      const input data = make_input(tested, source, 1, n);
      ++index;
      done.check(under_test, tested, data, layout_of_case(index, true), 11 * index);
      if (!done.faults().empty()) return done;
    }
  }
  return done;
}

class every_row : public testing::TestWithParam<row> {};
class every_dot : public testing::TestWithParam<row> {};

TEST_P(every_row, accepts_a_correct_engine) {
  engine correct = sabotage::correct_engine();
  const report done = checked(GetParam(), correct);
  EXPECT_EQ(done.faults(), std::vector<std::string>());
  EXPECT_GT(done.results(), 0);
}

/// Results of the neighbouring bit pattern, of every reduction, type and mode.
TEST_P(every_row, rejects_results_that_are_off_by_one_bit) {
  const engine wrong = sabotage::with_result("one ulp high", [](const call& asked, exactdot::any_scalar& x) {
    if (asked.variant % 11 == 0) x.bits ^= 1;
  });
  EXPECT_FALSE(checked(GetParam(), wrong).faults().empty());
}

TEST_P(every_dot, rejects_wrong_engines) {
  for (const engine& wrong : sabotage::wrong_engines()) {
    EXPECT_FALSE(checked(GetParam(), wrong).faults().empty()) << wrong.name;
  }
}

const auto name_of_row = [](const auto& tested) { return tested.param.name(); };
INSTANTIATE_TEST_SUITE_P(table, every_row, testing::ValuesIn(rows()), name_of_row);
using exactdot::element_type;
using exactdot::reduction;
INSTANTIATE_TEST_SUITE_P(table, every_dot,
                         testing::Values(row{reduction::dot, element_type::float32, element_type::float32},
                                         row{reduction::dot, element_type::float64, element_type::float64}),
                         name_of_row);

}  // namespace
