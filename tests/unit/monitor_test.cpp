// Monitors: progress and cancellation from another thread.
//
// The vectors are ones, so the result shows a lost or repeated element. If a computation is cancelled while it
// ends, it may return or throw, but not return a partial sum.
#include <gtest/gtest.h>

#include <exactdot/exactdot.hpp>
#include <thread>
#include <vector>

namespace {

using exactdot::errc;

struct test_setting {
  exactdot::mode mode;
  int threads;
};

class monitors : public testing::TestWithParam<test_setting> {
 protected:
  exactdot::options monitored_by(exactdot::monitor& monitor) const {
    return {.mode = GetParam().mode, .threads = GetParam().threads, .monitor = &monitor};
  }
};

const std::vector<double>& many_ones() {
  static const std::vector<double> ones(10'000'000, 1.0);
  return ones;
}

TEST(monitor, counts_the_elements_of_a_variance_once_even_if_they_take_two_doubles) {
  const std::vector<std::int64_t> x(150'001, 3);
  exactdot::monitor monitor;
  EXPECT_EQ(exactdot::variance(x, 0, {.monitor = &monitor}), 0.0);
  EXPECT_EQ(monitor.done.load(), x.size());
}

TEST_P(monitors, count_to_n) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{150'001}, many_ones().size()}) {
    exactdot::monitor monitor;
    const double result = exactdot::dot<double>(many_ones().data(), many_ones().data(), n, monitored_by(monitor));
    EXPECT_EQ(result, static_cast<double>(n));
    EXPECT_EQ(monitor.done.load(), n);
  }
}

TEST_P(monitors, only_count_up) {
  exactdot::monitor monitor;
  std::atomic<bool> running{true};
  bool decreased = false;
  std::thread observer([&] {
    for (std::size_t last = 0; running;) {
      const std::size_t done = monitor.done;
      decreased |= done < last || done > many_ones().size();
      last = done;
    }
  });
  (void)exactdot::dot(many_ones(), many_ones(), monitored_by(monitor));
  running = false;
  observer.join();
  EXPECT_FALSE(decreased);
}

TEST_P(monitors, end_a_computation_that_is_cancelled_beforehand) {
  exactdot::monitor monitor;
  monitor.cancel = true;
  try {
    (void)exactdot::dot(many_ones(), many_ones(), monitored_by(monitor));
    ADD_FAILURE() << "not cancelled";
  } catch (const exactdot::error& thrown) {
    EXPECT_EQ(thrown.code(), errc::cancelled);
  }
  EXPECT_LT(monitor.done.load(), many_ones().size());
}

/// Cancels after the first progress. The call may end before; then its result is complete.
TEST_P(monitors, end_a_computation_that_is_cancelled_while_it_runs) {
  exactdot::monitor monitor;
  std::thread canceller([&] {
    while (monitor.done == 0) std::this_thread::yield();
    monitor.cancel = true;
  });
  try {
    EXPECT_EQ(exactdot::dot(many_ones(), many_ones(), monitored_by(monitor)),
              static_cast<double>(many_ones().size()));
  } catch (const exactdot::error& thrown) {
    EXPECT_EQ(thrown.code(), errc::cancelled);
  }
  canceller.join();
  EXPECT_GT(monitor.done.load(), 0u);
}

TEST_P(monitors, leave_an_accumulator_unchanged_if_cancelled) {
  if (GetParam().mode == exactdot::mode::fast) GTEST_SKIP() << "an accumulator is always exact";
  exactdot::accumulator<double> sum;
  sum.add(7.0);
  exactdot::monitor monitor;
  monitor.cancel = true;
  const std::span<const double> ones(many_ones());
  EXPECT_THROW(sum.add(ones, ones, monitored_by(monitor)), exactdot::error);
  EXPECT_EQ(sum.round<double>(), 7);
}

INSTANTIATE_TEST_SUITE_P(
    of_each_mode, monitors,
    testing::Values(test_setting{exactdot::mode::exact, 1}, test_setting{exactdot::mode::exact, 3},
                    test_setting{exactdot::mode::exact, 64}, test_setting{exactdot::mode::fast, 1},
                    test_setting{exactdot::mode::fast, 3}, test_setting{exactdot::mode::fast, 64}),
    [](const auto& one) {
      return std::string(one.param.mode == exactdot::mode::exact ? "exact" : "fast") +
             std::to_string(one.param.threads);
    });

}  // namespace
