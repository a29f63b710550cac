// Fails every test in which the simulator finds a fault of a kernel: a race, a read of unwritten memory, …. Chooses
// the schedule that a test asks for, and the error that the environment does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <exactdot/simt/runtime/simulation.hpp>
#include <string>

#include "cuda/on_gpu/support.hpp"
#include "cuda/on_simt/planted.hpp"

const int exactdot::planted_error = [] {
  const char* const asked = std::getenv("EXACTDOT_PLANTED");
  return asked == nullptr ? 0 : std::atoi(asked);
}();

namespace {

void choose(unsigned number) {
  exactdot::simt::settings& settings = exactdot::simt::device_queue().settings();
  settings.seed = number;
  settings.model = number % 5 == 4 ? exactdot::simt::execution::lock_step : exactdot::simt::execution::independent;
}

class findings_fail : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { exactdot::simt::device_queue().settings() = initial_; }
  void OnTestEnd(const testing::TestInfo&) override {
    for (const std::string& finding : exactdot::simt::take_findings()) ADD_FAILURE() << finding;
  }
  const exactdot::simt::settings initial_ = exactdot::simt::device_queue().settings();
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  on_gpu::schedule_of_simulator = &choose;
  // ends of tests are told to the last listener first, so the printer hears of the failures
  testing::UnitTest::GetInstance()->listeners().Append(new findings_fail);
  return RUN_ALL_TESTS();
}
