// Fails every test in which the simulator finds a fault of a kernel: a race, a read of unwritten memory, ….
#include <gtest/gtest.h>

#include <exactdot/simt/runtime/simulation.hpp>
#include <string>

namespace {

class findings_fail : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo&) override {
    for (const std::string& finding : exactdot::simt::take_findings()) ADD_FAILURE() << finding;
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // ends of tests are told to the last listener first, so the printer hears of the failures
  testing::UnitTest::GetInstance()->listeners().Append(new findings_fail);
  return RUN_ALL_TESTS();
}
