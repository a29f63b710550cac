// Every reduction of every element type has the bits of the oracle: in both modes, to every result type, in every
// layout, under every engine of this program (engines.hpp), for the data of all generators.
//
// EXACTDOT_TEST_SCALE (percent) scales the number of cases.
#include "table/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

namespace {

using namespace table;

class every : public testing::TestWithParam<row> {
 protected:
  void SetUp() override {
    if (!tested.unavailable.empty()) GTEST_SKIP() << tested.unavailable;
    if (std::ranges::none_of(tested.engines, [](const engine& each) { return each.computes(GetParam()); })) {
      GTEST_SKIP() << "no engine of this program computes it";
    }
  }
  void TearDown() override {
    for (const std::string& fault : done.faults()) ADD_FAILURE() << fault;
  }

  /// Checks a case under all engines or, if few cases are asked for, under one engine in turn.
  void check(std::size_t source, std::uint64_t seed, std::size_t n) {
    const unsigned variant = 11 * ++index;
    if (index % static_cast<unsigned>(tested.every * (is_central() ? 1 : tested.every_of_others)) != 0) return;
    if (!is_central()) n = std::min(n, tested.longest_of_others);
    const input data = make_input(GetParam(), source, seed, n);
    const layout& arrangement = layout_of_case(
        index, std::ranges::any_of(tested.engines, [](const engine& each) { return each.reads_misaligned; }));
    if (oracle::scaled(2) > 1) return done.check(tested, GetParam(), data, arrangement, variant);
    const engine& one = tested.engines[index / 7 % tested.engines.size()];
    done.check(one, GetParam(), data, arrangement, variant);
  }

  /// Dots of float and double have all cases, the other rows, which share their kernels, a part.
  static bool is_central() {
    const row& tested = GetParam();
    return tested.what == exactdot::reduction::dot && tested.type == tested.other &&
           exactdot::is_carrier(tested.type);
  }

  suite tested = engines_under_test();
  report done;
  unsigned index = 0;
};

TEST_P(every, result_has_the_bits_of_the_oracle) {
  for (std::size_t source = 0; source < generator_count(); ++source) {
    for (const std::size_t n : tested.lengths) {
      for (int seed = 1; seed <= oracle::scaled(tested.repeats); ++seed) {
        check(source, static_cast<std::uint64_t>(seed), n);
        if (!done.faults().empty()) return;
      }
    }
  }
  std::size_t expected = 0;
  for (const engine& each : tested.engines) {
    if (!each.computes(GetParam())) continue;
    expected += static_cast<std::size_t>(
        std::ranges::count_if(layouts, [&](const layout& l) { return each.reads_misaligned || !l.misaligned; }));
  }
  if (is_central()) {
    EXPECT_EQ(done.combinations().size(), expected) << "a combination of engine and layout has not been checked";
  }
  EXPECT_GT(done.results(), 0);
  std::cout << GetParam().name() << ": " << done.results() << " results checked\n";
}

TEST_P(every, result_of_long_vectors_has_the_bits_of_the_oracle) {
  if (tested.long_lengths.empty() || !is_central()) GTEST_SKIP() << "only dots, on engines with long lengths";
  const int count = std::min(3, oracle::scaled(3));
  for (std::size_t source = 0; source < generator_count() && !tested.long_lengths.empty(); ++source) {
    for (int k = 0; k < count && done.faults().empty(); ++k) {
      check(source, 1,
            tested.long_lengths[(source + 3 * static_cast<std::size_t>(k)) % tested.long_lengths.size()]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(table, every, testing::ValuesIn(rows()),
                         [](const auto& tested) { return tested.param.name(); });

}  // namespace
