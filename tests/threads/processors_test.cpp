// How many threads a call may use: the thread's affinity, the control group's quota, OMP_NUM_THREADS.
#include <gtest/gtest.h>
#include <sched.h>

#include <cmath>
#include <cstdlib>
#include <exactdot/exactdot.hpp>
#include <filesystem>
#include <fstream>
#include <plan/cpu_quota.hpp>
#include <plan/thread_count.hpp>
#include <thread>

namespace {

using exactdot::engine::cpu_quota;
using exactdot::engine::threads_for;
namespace fs = std::filesystem;

/// A folder that looks like the root of a file system, with these files.
class fake_root {
 public:
  explicit fake_root(const std::string& name)
      : folder_(fs::path(testing::TempDir()) / ("exactdot_quota_" + name + "_" + std::to_string(getpid()))) {}
  ~fake_root() { fs::remove_all(folder_); }
  fake_root(const fake_root&) = delete;
  fake_root& operator=(const fake_root&) = delete;

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  [[nodiscard]] double quota() const { return cpu_quota(folder_.string() + "/"); }

 private:
  fs::path folder_;
};

TEST(quota, is_infinite_without_files_or_limits) {
  fake_root root("none");
  EXPECT_EQ(root.quota(), INFINITY);
  root.write("proc/self/cgroup", "0::/a\n");
  root.write("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  EXPECT_EQ(root.quota(), INFINITY);
  root.write("sys/fs/cgroup/a/cpu.max", "max 100000\n");
  EXPECT_EQ(root.quota(), INFINITY);
}

TEST(quota, is_the_least_of_the_group_and_those_above_it_in_version_2) {
  fake_root root("v2");
  root.write("proc/self/cgroup", "1:name=systemd:/\n0::/a/b/c\n");
  root.write("proc/self/mountinfo",
             "22 1 8:1 / / rw - ext4 /dev/sda rw\n30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  root.write("sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n");
  EXPECT_EQ(root.quota(), 4);
  root.write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  EXPECT_EQ(root.quota(), 1.5);
  root.write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(root.quota(), 1.5);
}

TEST(quota, is_found_in_a_container_whose_root_is_its_group) {
  fake_root root("container");
  root.write("proc/self/cgroup", "0::/\n");
  root.write("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  root.write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(root.quota(), 0.5);
}

TEST(quota, is_found_in_version_1) {
  fake_root root("v1");
  root.write("proc/self/cgroup", "5:cpuset:/x\n4:cpu,cpuacct:/docker/1234/sub\n0::/\n");
  root.write("proc/self/mountinfo",
             "31 23 0:27 /docker/1234 /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
             "32 23 0:28 / /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(root.quota(), INFINITY);
  root.write("sys/fs/cgroup/cpu,cpuacct/sub/cpu.cfs_quota_us", "250000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/sub/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(root.quota(), 2.5);
}

TEST(quota, of_this_process_can_be_read) { EXPECT_GT(cpu_quota("/"), 0); }

TEST(threads, follow_the_affinity_of_the_calling_thread) {
  if (exactdot::cpu().threads < 2) GTEST_SKIP() << "one processor";
  int with_one = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    with_one = exactdot::cpu().threads;
  }).join();
  EXPECT_EQ(with_one, 1);
  EXPECT_GT(exactdot::cpu().threads, 1);
}

TEST(threads, are_one_below_the_length_from_which_they_are_worth_it) {
  constexpr std::size_t shortest = 2 * exactdot::engine::elements_per_thread;
  EXPECT_EQ(threads_for(shortest - 1, 0), 1);
  EXPECT_EQ(threads_for(shortest - 1, 64), 1);
  EXPECT_EQ(threads_for(shortest, 64), 2);
  EXPECT_EQ(threads_for(shortest, 1), 1);
  const int available = exactdot::cpu().threads;
  EXPECT_EQ(threads_for(shortest << 20, 0), available);
  EXPECT_EQ(threads_for(shortest << 20, 1 << 30), 8 * available);
}

/// Skipped unless ctest sets OMP_NUM_THREADS to a list that begins with 1.
TEST(threads, follow_the_environment_variable) {
  if (std::getenv("OMP_NUM_THREADS") == nullptr) GTEST_SKIP() << "OMP_NUM_THREADS is not set";
  EXPECT_EQ(exactdot::cpu().threads, 1);
}

}  // namespace
