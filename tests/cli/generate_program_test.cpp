// exactdot generate: the files it writes; after a failure nothing has changed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <io/data_source.hpp>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

using cli_test::npy_file;
using cli_test::read_file;
using exactdot::io::data_set;
using exactdot::io::data_source;
using names = std::vector<std::string>;
constexpr uid_t nobody = 65534;

class generate_program : public cli_test::program {
 protected:
  std::string a_ = folder / "a.npy";
  std::string b_ = folder / "b.npy";

  template <class T>
  void expect_files(const exactdot::io::data_request& request) {
    std::vector<T> a(request.n), b(request.n);
    data_source<T>{request}.next(a, b);
    EXPECT_EQ(read_file(a_), npy_file(a));
    EXPECT_EQ(read_file(b_), npy_file(b));
    EXPECT_EQ(folder.names(), (names{"a.npy", "b.npy"}));
  }
};

TEST_F(generate_program, writes_every_data_set) {
  for (std::size_t set = 0; set < std::size(exactdot::io::data_set_names); ++set) {
    const std::string name{exactdot::io::data_set_names[set]};
    const auto data = static_cast<data_set>(set);
    run_well({"generate", a_, b_, "--data", name, "--n", "1001"});
    expect_files<float>({data, 1001});
    run_well({"generate", a_, b_, "--data", name, "--n", "1001", "--dtype", "float64", "--seed", "7"});
    expect_files<double>({data, 1001, 7});
  }
}

TEST_F(generate_program, writes_the_same_in_many_chunks) {
  run_well({"generate", a_, b_, "--n", "200001"});
  expect_files<float>({data_set::uniform, 200001});
}

TEST_F(generate_program, accepts_a_condition_number) {
  run_well({"generate", a_, b_, "--data", "ill", "--cond", "1e30", "--n", "2^10"});
  expect_files<float>({data_set::ill, 1024, 42, 1e30});
}

TEST_F(generate_program, has_a_length_for_every_data_set) {
  EXPECT_EQ(run_json({"generate", a_, b_, "--data", "ones"})["n"], 1024);
  EXPECT_EQ(run_json({"generate", a_, b_, "--data", "ill"})["n"], 65536);
  EXPECT_EQ(run_json({"generate", a_, b_})["n"], 1048576);
}

TEST_F(generate_program, writes_empty_vectors) {
  run_well({"generate", a_, b_, "--n", "0"});
  expect_files<float>({data_set::uniform, 0});
}

TEST_F(generate_program, prints_what_it_wrote) {
  const auto json = run_json({"generate", a_, b_, "--data", "ill", "--n", "1k", "--dtype", "float64"});
  EXPECT_EQ(
      json,
      (nlohmann::json{
          {"a", a_}, {"b", b_}, {"data", "ill"}, {"n", 1000}, {"dtype", "float64"}, {"seed", 42}, {"cond", 1e16}}));
  EXPECT_EQ(run_well({"generate", a_, b_, "--n", "5"}), a_ + " and " + b_ + ": uniform, 5 x float32 each\n");
}

TEST_F(generate_program, writes_files_that_dot_reads) {
  run_well({"generate", a_, b_, "--data", "halves", "--n", "12345"});
  EXPECT_EQ(run_well({"dot", a_, b_}), "12345\n");
}

TEST_F(generate_program, replaces_existing_files) {
  write("a.npy", std::string("old"));
  run_well({"generate", a_, b_, "--n", "5"});
  expect_files<float>({data_set::uniform, 5});
}

TEST_F(generate_program, changes_neither_file_if_one_cannot_be_written) {
  write("a.npy", std::string("old"));
  const std::string nowhere = folder / "none/b.npy";
  expect_fault({"generate", a_, nowhere, "--n", "5"}, nowhere, {"cannot write", "No such file"});
  expect_fault({"generate", a_, folder.path(), "--n", "5"}, folder.path(), {"cannot write", "directory"});
  expect_fault({"generate", a_, "/dev/null", "--n", "5"}, "/dev/null", {"cannot write", "not a regular file"});
  EXPECT_EQ(read_file(a_), "old");
  EXPECT_EQ(folder.names(), names{"a.npy"});
}

TEST_F(generate_program, respects_write_protected_files_and_folders) {
  cli_test::process_settings settings;
  settings.in_child = [] {  // root may write everything
    if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) _exit(127);
  };
  write("b.npy", std::string("old"));
  std::filesystem::permissions(b_, std::filesystem::perms{0444});
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0777});
  const auto refused_file = start({"generate", a_, b_, "--n", "5"}, settings).wait();
  if (refused_file.status == 127) GTEST_SKIP() << "only root can read the program";
  check_fault(refused_file, b_, {"Permission denied"});
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0555});
  check_fault(start({"generate", a_, b_, "--n", "5"}, settings).wait(), a_, {"Permission denied"});
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
  EXPECT_EQ(read_file(b_), "old");
  EXPECT_EQ(folder.names(), names{"b.npy"});
}

TEST_F(generate_program, changes_nothing_if_a_file_cannot_grow) {
  write("a.npy", std::string("old"));
  cli_test::process_settings settings;
  settings.in_child = [] {  // also represents a full disk: the write fails half-way
    signal(SIGXFSZ, SIG_DFL);
    const rlimit small = {100000, 100000};
    setrlimit(RLIMIT_FSIZE, &small);
  };
  check_fault(start({"generate", a_, b_}, settings).wait(), a_, {"cannot write", "File too large"});
  EXPECT_EQ(read_file(a_), "old");
  EXPECT_EQ(folder.names(), names{"a.npy"});
}

TEST_F(generate_program, removes_temporary_files_when_interrupted) {
  write("a.npy", std::string("old"));
  const std::string half_of_the_disk = std::to_string(std::filesystem::space(a_).available / 16);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    cli_test::process running = start({"generate", a_, b_, "--n", half_of_the_disk});
    for (int tries = 0; folder.names().size() < 3 && tries < 10000; ++tries) usleep(1000);  // two temporary files
    running.send(number);
    const auto result = running.wait();
    EXPECT_EQ(result.status, 128 + number);
    EXPECT_EQ(result.err, "exactdot: interrupted\n");
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(read_file(a_), "old");
    EXPECT_EQ(folder.names(), names{"a.npy"});
  }
}

TEST_F(generate_program, refuses_vectors_larger_than_the_disk) {
  expect_fault({"generate", a_, b_, "--n", "1e17"}, a_, {"not enough space", "GB needed"});
  EXPECT_EQ(folder.names(), names{});
}

TEST_F(generate_program, refuses_the_same_file_twice) {
  expect_usage_fault({"generate", a_, a_, "--n", "5"}, {"same file"});
  expect_usage_fault({"generate", a_, folder / "./a.npy", "--n", "5"}, {"same file"});
  run_well({"generate", a_, b_, "--n", "5"});
  std::filesystem::create_symlink("a.npy", folder / "link.npy");
  expect_usage_fault({"generate", a_, folder / "link.npy", "--n", "5"}, {"same file"});
  std::filesystem::create_symlink("c.npy", folder / "early.npy");  // the target does not exist yet
  expect_usage_fault({"generate", folder / "c.npy", folder / "early.npy", "--n", "5"}, {"same file"});
}

}  // namespace
