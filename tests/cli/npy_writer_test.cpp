// The .npy writer: bytes of the files; a failure leaves existing files unchanged and no temporary file.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <exactdot/error.hpp>
#include <filesystem>
#include <functional>
#include <io/npy_writer.hpp>
#include <span>
#include <string>
#include <vector>

#include "support/file_error.hpp"
#include "support/npy_bytes.hpp"
#include "support/temporary_folder.hpp"

namespace {

using cli_test::fault_of;
using cli_test::read_file;
using cli_test::temporary_folder;
using cli_test::write_file;
using exactdot::element_type;
using exactdot::io::npy_writer;
using names = std::vector<std::string>;

void write_three(const std::string& path) {
  npy_writer file{path, element_type::float32, 3};
  file.append<float>(std::vector<float>{1.5F, -2});
  file.append<float>(std::vector<float>{3});
  file.commit();
}

mode_t mode_of(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(npy_writer, writes_the_bytes_of_numpy) {
  const temporary_folder folder;
  write_three(folder / "a.npy");
  EXPECT_EQ(read_file(folder / "a.npy"), cli_test::npy_file(std::vector<float>{1.5F, -2, 3}));
  npy_writer file{folder / "b.npy", element_type::float64, 0};
  file.commit();
  EXPECT_EQ(read_file(folder / "b.npy"), cli_test::npy_file(std::vector<double>{}));
}

template <class T>
void expect_numpys_bytes() {
  const temporary_folder folder;
  const std::vector<T> values(5, static_cast<T>(3.0F));
  npy_writer file{folder / "a.npy", exactdot::type_of<T>, values.size()};
  file.template append<T>(values);
  file.commit();
  EXPECT_EQ(read_file(folder / "a.npy"), cli_test::npy_file(values)) << exactdot::name_of(exactdot::type_of<T>);
}

TEST(npy_writer, writes_every_type) {
  for (const exactdot::element_info& known : exactdot::elements) {
    exactdot::with_element(known.type, []<class T>(T) { expect_numpys_bytes<T>(); });
  }
}

TEST(npy_writer, aligns_the_data_at_any_length) {
  const temporary_folder folder;
  for (const std::size_t n : {0, 7, 100, 1234567}) {
    npy_writer file{folder / "a.npy", element_type::float64, n};
    file.append<double>(std::vector<double>(n));
    file.commit();
    const std::string bytes = read_file(folder / "a.npy");
    EXPECT_EQ((bytes.size() - n * sizeof(double)) % 64, 0U);
    EXPECT_NE(bytes.find("(" + std::to_string(n) + ",)"), std::string::npos);
  }
}

TEST(npy_writer, changes_nothing_before_commit) {
  const temporary_folder folder;
  write_file(folder / "a.npy", "old");
  {
    npy_writer file{folder / "a.npy", element_type::float32, 1};
    EXPECT_EQ(read_file(folder / "a.npy"), "old");
  }
  EXPECT_EQ(read_file(folder / "a.npy"), "old");
  EXPECT_EQ(folder.names(), names{"a.npy"});
}

TEST(npy_writer, commits_only_the_elements_of_its_header) {
  const temporary_folder folder;
  const std::string path = folder / "a.npy";
  npy_writer file{path, element_type::float32, 3};
  file.append<float>(std::vector<float>{1, 2});
  EXPECT_EQ(fault_of([&] { file.commit(); }), path + ": cannot be finished: 1 of 3 elements are missing");
  EXPECT_EQ(fault_of([&] { file.append<double>(std::vector<double>{3}); }),
            path + ": cannot write float64 elements: the header says float32");
  EXPECT_EQ(fault_of([&] {
              file.append<float>(std::vector<float>{3, 4});
            }),
            path + ": cannot write more elements than the header says: 3");
  EXPECT_FALSE(std::filesystem::exists(path));
  file.append<float>(std::vector<float>{3});
  file.commit();
  EXPECT_EQ(read_file(path), cli_test::npy_file(std::vector<float>{1, 2, 3}));
}

TEST(npy_writer, keeps_permissions_and_links) {
  const temporary_folder folder;
  write_file(folder / "a.npy", "old");
  std::filesystem::permissions(folder / "a.npy", std::filesystem::perms{0640});
  std::filesystem::create_symlink("a.npy", folder / "link.npy");
  write_three(folder / "link.npy");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.npy"));
  EXPECT_EQ(read_file(folder / "a.npy"), cli_test::npy_file(std::vector<float>{1.5F, -2, 3}));
  EXPECT_EQ(mode_of(folder / "a.npy"), 0640U);
}

TEST(npy_writer, writes_the_target_of_a_link) {
  const temporary_folder folder;
  std::filesystem::create_symlink("new.npy", folder / "link.npy");
  std::filesystem::create_symlink(folder / "link.npy", folder / "link to link.npy");
  write_three(folder / "link to link.npy");
  EXPECT_EQ(read_file(folder / "new.npy"), cli_test::npy_file(std::vector<float>{1.5F, -2, 3}));
  EXPECT_EQ(folder.names(), (names{"link to link.npy", "link.npy", "new.npy"}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.npy"));
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_EQ(fault_of([&] { write_three(folder / "circle"); }),
            (folder / "circle") + ": cannot write: Too many levels of symbolic links");
}

TEST(npy_writer, gives_new_files_the_permissions_of_the_umask) {
  const temporary_folder folder;
  const mode_t before = umask(027);
  write_three(folder / "a.npy");
  umask(before);
  EXPECT_EQ(mode_of(folder / "a.npy"), 0640U);
}

TEST(npy_writer, refuses_paths_that_are_not_a_file) {
  const temporary_folder folder;
  EXPECT_EQ(fault_of([&] { write_three(folder.path()); }), folder.path() + ": cannot write: it is a directory");
  EXPECT_EQ(fault_of([&] { write_three("/dev/full"); }), "/dev/full: cannot write: it is not a regular file");
  EXPECT_EQ(fault_of([&] { write_three(folder / "none/a.npy"); }),
            (folder / "none/a.npy") + ": cannot write: No such file or directory");
}

TEST(npy_writer, keeps_the_old_file_if_the_disk_is_full) {
  const temporary_folder folder;
  write_file(folder / "a.npy", "old");
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {4096, before.rlim_max};  // represents a full disk: the write fails half-way
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string fault = fault_of([&] {
    npy_writer file{folder / "a.npy", element_type::float64, 1000};
    file.append<double>(std::vector<double>(1000));
    file.commit();
  });
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(fault, (folder / "a.npy") + ": cannot write: File too large");
  EXPECT_EQ(read_file(folder / "a.npy"), "old");
  EXPECT_EQ(folder.names(), names{"a.npy"});
}

}  // namespace
