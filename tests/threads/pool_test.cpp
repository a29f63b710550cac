// The pool of helpers: who works, who is waited for, and what it costs; with threads that never start or cannot.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <cfenv>
#include <plan/threads.hpp>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace exactdot::engine;

/// Runs work(thread) on a pool.
template <class Work>
thread_pool::times run(thread_pool& pool, int helpers, Work work) {
  return pool.run(helpers,
                  {[](void* context, int thread) noexcept { (*static_cast<Work*>(context))(thread); }, &work});
}

/// A thread that serves the pool for ever. Pools with such threads are never destroyed.
bool start(thread_pool& pool) noexcept {
  std::thread([&pool] { pool.serve(); }).detach();
  return true;
}

int tries = 0;
bool cannot_start(thread_pool&) noexcept { return ++tries, false; }
bool never_gets_a_processor(thread_pool&) noexcept { return ++tries, true; }

/// Waits until the condition holds; false after a minute.
template <class Condition>
bool comes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return condition();
}

TEST(pool, does_not_wait_for_threads_that_never_start) {
  thread_pool pool(never_gets_a_processor);
  tries = 0;
  for (int i = 0; i < 3; ++i) {
    std::vector<int> ran;
    run(pool, 7, [&](int thread) { ran.push_back(thread); });
    EXPECT_EQ(ran, std::vector<int>{0});
  }
  EXPECT_EQ(tries, 3) << "a call starts or wakes one helper, each helper the next";
}

TEST(pool, computes_alone_if_no_thread_can_be_started_and_does_not_try_at_every_call) {
  thread_pool pool(cannot_start);
  tries = 0;
  for (int i = 0; i < 3; ++i) {
    int calls = 0;
    run(pool, 7, [&](int thread) { calls += thread == 0; });
    EXPECT_EQ(calls, 1);
  }
  EXPECT_EQ(tries, 1);
}

TEST(pool, calls_each_thread_once_up_to_the_wanted_number) {
  auto& pool = *new thread_pool(start);
  for (int helpers : {1, 3, 2}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(helpers) + 1);
    std::atomic<int> started{0};
    run(pool, helpers, [&](int thread) {
      ++calls.at(static_cast<std::size_t>(thread));
      ++started;
      EXPECT_TRUE(comes_true([&] { return started > helpers; })) << "no " << helpers << " helpers";
    });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(pool, returns_after_its_helpers_and_with_what_they_wrote) {
  auto& pool = *new thread_pool(start);
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> started{false};
    int written = 0;
    const auto took = run(pool, 1, [&](int thread) {
      if (thread == 0) return void(comes_true([&] { return started.load(); }));
      started = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(i % 3));
      written = 1;
    });
    EXPECT_EQ(written, 1);
    EXPECT_GE(took.total, took.own_work);
  }
}

TEST(pool, serves_several_callers_and_calls_within_calls) {
  auto& pool = *new thread_pool(start);
  std::atomic<int> calls{0};
  const auto call_often = [&] {
    for (int i = 0; i < 2000; ++i) {
      std::atomic<int> inside{0};
      run(pool, 3, [&](int) {
        ++inside;
        run(pool, 2, [&](int thread) { calls += thread == 0; });
      });
      EXPECT_GE(inside, 1);
      calls -= inside;
    }
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) callers.emplace_back(call_often);
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(calls, 0);
}

TEST(helpers, have_the_environment_of_the_caller) {
  auto& pool = *new thread_pool(start);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TONEAREST}) {
    std::fesetround(mode);
    std::atomic<int> seen{-1};
    run(pool, 1, [&](int thread) {
      if (thread == 1) seen = std::fegetround();
      EXPECT_TRUE(comes_true([&] { return seen >= 0; }));
    });
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(seen, mode);
  }
}

TEST(helpers, leave_signals_to_the_threads_of_the_program) {
  thread_pool& pool = *thread_pool::of_this_process();
  std::atomic<bool> seen{false}, interrupts{false}, faults{false};
  run(pool, 1, [&](int thread) {
    if (thread == 1) {
      sigset_t blocked;
      pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
      interrupts = sigismember(&blocked, SIGINT), faults = sigismember(&blocked, SIGBUS);
      seen = true;
    }
    EXPECT_TRUE(comes_true([&] { return seen.load(); }));
  });
  EXPECT_TRUE(interrupts);
  EXPECT_FALSE(faults) << "a handler must see the fault of a mapped file";
}

TEST(shares, cover_the_range_once_with_borders_at_the_grain) {
  for (const std::size_t n : {0, 1, 99, 100, 101, 6400, 100'003}) {
    for (const std::size_t grain : {1, 100}) {
      for (const int threads : {1, 2, 3, 64}) {
        shares all(n, grain, threads);
        std::size_t end = 0, taken = 0;
        for (std::size_t start = 0, count = 0; all.take(start, count); end = start + count, ++taken) {
          EXPECT_EQ(start, end);
          EXPECT_EQ(start % grain, 0u);
          EXPECT_GT(count, 0u);
        }
        EXPECT_EQ(end, n);
        EXPECT_LE(taken, threads == 1 ? 1 : shares_per_thread * static_cast<std::size_t>(threads));
      }
    }
  }
}

TEST(budget, allows_no_helpers_for_eight_times_a_loss) {
  help_budget budget;
  budget.record_helped(1000 + help_budget::allowance, 1000);
  EXPECT_TRUE(budget.allows_helpers());
  budget.record_helped(2'000'000, 1'000'000);
  EXPECT_FALSE(budget.allows_helpers());
  budget.record_alone(help_budget::alone_per_loss * 1'000'000);
  EXPECT_FALSE(budget.allows_helpers()) << "the allowance was used";
  budget.record_alone(help_budget::alone_per_loss * help_budget::allowance);
  EXPECT_TRUE(budget.allows_helpers());
}

TEST(budget, limits_the_losses_to_an_eighth_of_the_time_alone_and_two_allowances) {
  std::mt19937 random(1);
  for (const int largest_gain : {0, 1000, 100'000}) {
    help_budget budget;
    std::int64_t lost = 0, alone = 0, largest_loss = 0;
    for (int call = 0; call < 100'000; ++call) {
      const auto time_alone = static_cast<std::int64_t>(10'000 + random() % 100'000);
      if (budget.allows_helpers()) {
        const auto loss = static_cast<std::int64_t>(random() % 1'000'000) - static_cast<std::int64_t>(largest_gain);
        budget.record_helped(time_alone + loss, time_alone);
        lost += loss, largest_loss = std::max(largest_loss, loss);
      } else {
        budget.record_alone(time_alone);
        alone += time_alone;
      }
    }
    EXPECT_GT(alone, 0);
    EXPECT_LE(lost, alone / help_budget::alone_per_loss + largest_loss + 2 * help_budget::allowance);
  }
}

}  // namespace
