// Long computations: a progress line on a terminal only, and a clean exit when interrupted.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <string>
#include <thread>

#include "support/program_fixture.hpp"

namespace {

class long_computation : public cli_test::program {
 protected:
  // 16 GiB of zeros without disk space: seconds of work for any engine.
  void SetUp() override { path_ = write_sparse("big.npy", std::size_t{1} << 31); }
  std::string path_;
};

TEST_F(long_computation, shows_progress_on_a_terminal_and_ends_cleanly_when_interrupted) {
  if (const std::string fault = cli_test::terminal_fault(); !fault.empty()) GTEST_SKIP() << fault;
  cli_test::process_settings settings;
  settings.err_is_terminal = true;
  cli_test::process running = start({"dot", path_, path_}, settings);
  EXPECT_TRUE(running.read_terminal_until(" %, "));
  EXPECT_TRUE(running.read_terminal_until(" s left\x1b[K"));
  running.send(SIGINT);
  const auto result = running.wait();
  EXPECT_EQ(result.status, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("\rexactdot: computing ")) << result.err;
  EXPECT_TRUE(result.err.ends_with("\r\x1b[Kexactdot: interrupted\r\n")) << result.err;
}

TEST_F(long_computation, is_silent_in_a_pipe) {
  cli_test::process running = start({"dot", path_, path_});
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  running.send(SIGINT);
  const auto result = running.wait();
  EXPECT_EQ(result.status, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "exactdot: interrupted\n");
}

TEST_F(long_computation, of_one_vector_ends_cleanly_when_interrupted) {
  for (const std::string command : {"sum", "var", "argmax"}) {
    cli_test::process running = start({command, path_});
    ASSERT_TRUE(running.wait_until_mapped(path_));
    running.send(SIGTERM);
    const auto result = running.wait();
    EXPECT_EQ(result.status, 143) << command;
    EXPECT_EQ(result.out, "") << command;
    EXPECT_EQ(result.err, "exactdot: interrupted\n") << command;
  }
}

TEST_F(long_computation, in_other_libraries_ends_immediately) {
  if (const std::string fault = cli_test::terminal_fault(); !fault.empty()) GTEST_SKIP() << fault;
  const std::string small = write_sparse("small.npy", std::size_t{1} << 28);
  cli_test::process_settings settings;
  settings.err_is_terminal = true;
  cli_test::process running = start({"dot", small, small, "--compare"}, settings);
  EXPECT_TRUE(running.read_terminal_until("comparing: float loop"));
  running.send(SIGTERM);
  const auto result = running.wait();
  EXPECT_EQ(result.status, 143);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.ends_with("\r\x1b[Kexactdot: interrupted\r\n")) << result.err;
}

#if EXACTDOT_HAS_SIMT
class lab_run : public cli_test::program {};

TEST_F(lab_run, ends_immediately_within_a_rung) {
  cli_test::process running =
      start({"lab", "--device", "simt", "--n", "2^20", "--rung", "cpu_loop", "--runs", "100000"});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const auto signal_time = std::chrono::steady_clock::now();
  running.send(SIGINT);
  const auto result = running.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - signal_time, std::chrono::seconds(2));
  EXPECT_EQ(result.status, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "exactdot: interrupted\n");
}
#endif

}  // namespace
