// The table of tests notices an engine with one deliberate error in a launch or a kernel (CMakeLists.txt plants it), by a
// wrong result or by a finding of the simulator; and finds none without.
#include <gtest/gtest.h>

#include <exactdot/simt/runtime/simulation.hpp>

#include <iostream>
#include <utility>

#include "table/table.hpp"

namespace {

/// Faults of dots and sums of floats by the engine, as vectors and as rows; the first ones.
std::vector<std::string> faults_of_engine() {
  using exactdot::element_type;
  using exactdot::reduction;
  const table::suite suite = table::engines_under_test();
  table::report done;
  unsigned index = 0;
  for (const reduction what : {reduction::dot, reduction::sum}) {
    const table::row row{what, element_type::float32, element_type::float32};
    for (std::size_t source = 0; source < table::generator_count(); ++source) {
      for (const std::size_t n : {64, 1000, 4097, 12000}) {
        if (++index % 13 != 0) continue;  // coprime to the number of lengths
        const table::input data = table::make_input(row, source, 1, n);
        for (const std::size_t each : {0, 2}) {  // vectors in device memory, and rows
          done.check(suite.engines[each], row, data, table::layout_of_case(index, false), 11 * index);
        }
        std::vector<std::string> faults = done.faults();
        for (std::string& found : exactdot::simt::take_findings()) faults.push_back(std::move(found));
        if (!faults.empty()) return faults;
      }
    }
  }
  EXPECT_GT(done.results(), 0);
  return {};
}

#ifdef EXACTDOT_SABOTAGED
TEST(sabotaged_engine, is_noticed) {
  const std::vector<std::string> faults = faults_of_engine();
  ASSERT_FALSE(faults.empty());
  std::cout << faults.front() << "\n";
}
#else
TEST(engine, has_no_fault_in_the_cases_that_notice_sabotage) {
  EXPECT_EQ(faults_of_engine(), std::vector<std::string>());
}
#endif

}  // namespace
