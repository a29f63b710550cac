// Watching a computation, and ending it, from another thread.
//
// The data are ones: any number of them that were added, lost or added twice shows in the result. Races between
// the end of the computation and its cancellation are allowed to go either way, but never to give a partial sum.
#include <gtest/gtest.h>

#include <exactdot/exactdot.hpp>
#include <thread>
#include <vector>

namespace {

using exactdot::errc;

struct setting {
  exactdot::mode mode;
  int threads;
};

class monitors : public testing::TestWithParam<setting> {
 protected:
  exactdot::options watched_by(exactdot::monitor& watch) const {
    return {.mode = GetParam().mode, .threads = GetParam().threads, .monitor = &watch};
  }
};

const std::vector<double>& many_ones() {
  static const std::vector<double> ones(10'000'000, 1.0);
  return ones;
}

TEST_P(monitors, count_to_n) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{70'001}, many_ones().size()}) {
    exactdot::monitor watch;
    const double result = exactdot::dot<double>(many_ones().data(), many_ones().data(), n, watched_by(watch));
    EXPECT_EQ(result, static_cast<double>(n));
    EXPECT_EQ(watch.done.load(), n);
  }
}

TEST_P(monitors, only_count_up) {
  exactdot::monitor watch;
  std::atomic<bool> running{true};
  bool fell = false;
  std::thread observer([&] {
    for (std::size_t last = 0; running;) {
      const std::size_t now = watch.done;
      fell |= now < last || now > many_ones().size();
      last = now;
    }
  });
  (void)exactdot::dot(many_ones(), many_ones(), watched_by(watch));
  running = false;
  observer.join();
  EXPECT_FALSE(fell);
}

TEST_P(monitors, end_a_computation_that_is_cancelled_beforehand) {
  exactdot::monitor watch;
  watch.cancel = true;
  try {
    (void)exactdot::dot(many_ones(), many_ones(), watched_by(watch));
    ADD_FAILURE() << "not cancelled";
  } catch (const exactdot::error& thrown) {
    EXPECT_EQ(thrown.code(), errc::cancelled);
  }
  EXPECT_LT(watch.done.load(), many_ones().size());
}

/// Cancels as soon as something is done. The call may win the race; then its result is whole.
TEST_P(monitors, end_a_computation_that_is_cancelled_while_it_runs) {
  exactdot::monitor watch;
  std::thread canceller([&] {
    while (watch.done == 0) std::this_thread::yield();
    watch.cancel = true;
  });
  try {
    EXPECT_EQ(exactdot::dot(many_ones(), many_ones(), watched_by(watch)), static_cast<double>(many_ones().size()));
  } catch (const exactdot::error& thrown) {
    EXPECT_EQ(thrown.code(), errc::cancelled);
  }
  canceller.join();
  EXPECT_GT(watch.done.load(), 0u);
}

TEST_P(monitors, leave_an_accumulator_as_it_was_when_cancelled) {
  if (GetParam().mode == exactdot::mode::fast) GTEST_SKIP() << "an accumulator is always exact";
  exactdot::accumulator<double> sum;
  sum.add(7.0);
  exactdot::monitor watch;
  watch.cancel = true;
  const std::span<const double> ones(many_ones());
  EXPECT_THROW(sum.add(ones, ones, watched_by(watch)), exactdot::error);
  EXPECT_EQ(sum.round<double>(), 7);
}

INSTANTIATE_TEST_SUITE_P(of_each_mode, monitors,
                         testing::Values(setting{exactdot::mode::exact, 1}, setting{exactdot::mode::exact, 3},
                                         setting{exactdot::mode::fast, 1}, setting{exactdot::mode::fast, 3}),
                         [](const auto& one) {
                           return std::string(one.param.mode == exactdot::mode::exact ? "exact" : "fast") +
                                  std::to_string(one.param.threads);
                         });

}  // namespace
