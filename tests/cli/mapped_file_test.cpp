// Mapped files, also if another process truncates or writes them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <exactdot/error.hpp>
#include <filesystem>
#include <functional>
#include <io/mapped_file.hpp>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "support/file_error.hpp"
#include "support/temporary_folder.hpp"

namespace {

using cli_test::fault_of;
using cli_test::temporary_folder;
using cli_test::write_file;
using exactdot::io::mapped_file;

constexpr std::size_t page = 4096;

/// Returns the sentence of the error that the function throws; empty if none.
unsigned sum_of(std::span<const std::byte> bytes) {
  return std::transform_reduce(bytes.begin(), bytes.end(), 0U, std::plus<>{},
                               [](std::byte byte) { return std::to_integer<unsigned>(byte); });
}

TEST(mapped_file, shows_the_bytes_of_the_file) {
  const temporary_folder folder;
  write_file(folder / "a", "some bytes");
  const mapped_file file{folder / "a"};
  EXPECT_EQ(file.bytes().size(), 10U);
  EXPECT_EQ(sum_of(file.bytes()), sum_of(std::as_bytes(std::span("some bytes", 10))));
  EXPECT_EQ(fault_of([&] { file.check(); }), "");
}

TEST(mapped_file, accepts_an_empty_file) {
  const temporary_folder folder;
  write_file(folder / "a", "");
  const mapped_file file{folder / "a"};
  EXPECT_TRUE(file.bytes().empty());
  EXPECT_EQ(fault_of([&] { file.check(); }), "");
}

TEST(mapped_file, refuses_missing_files_folders_and_devices) {
  const temporary_folder folder;
  EXPECT_EQ(fault_of([&] { mapped_file{folder / "a"}; }),
            (folder / "a") + ": cannot open: No such file or directory");
  EXPECT_EQ(fault_of([&] { mapped_file{folder.path()}; }),
            folder.path() + ": is a directory; expected a regular file");
  EXPECT_EQ(fault_of([&] { mapped_file{"/dev/null"}; }), "/dev/null: is a device; expected a regular file");
}

TEST(mapped_file, refuses_a_pipe_without_waiting_for_its_writer) {
  const temporary_folder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(fault_of([&] { mapped_file{folder / "pipe"}; }),
            (folder / "pipe") + ": is a pipe; expected a regular file");
}

TEST(mapped_file, reports_truncation) {
  const temporary_folder folder;
  write_file(folder / "a", std::string(64 * page, '\1'));
  const mapped_file file{folder / "a"};
  std::filesystem::resize_file(folder / "a", 2 * page);
  EXPECT_EQ(sum_of(file.bytes()), 2 * page);  // without the handler this read ends the process
  EXPECT_EQ(fault_of([&] { file.check(); }),
            (folder / "a") + ": was truncated from 262144 to 8192 bytes while it was read");
}

TEST(mapped_file, reports_truncation_without_a_read) {
  const temporary_folder folder;
  write_file(folder / "a", std::string(10, '\1'));
  const mapped_file file{folder / "a"};
  std::filesystem::resize_file(folder / "a", 9);
  EXPECT_NE(fault_of([&] { file.check(); }), "");
}

TEST(mapped_file, reports_truncation_after_it_has_grown_again) {
  const temporary_folder folder;
  write_file(folder / "a", std::string(64 * page, '\1'));
  const mapped_file file{folder / "a"};
  std::filesystem::resize_file(folder / "a", page);
  EXPECT_EQ(sum_of(file.bytes()), page);
  std::filesystem::resize_file(folder / "a", 64 * page);
  EXPECT_NE(fault_of([&] { file.check(); }).find("could not be read to its end"), std::string::npos);
}

TEST(mapped_file, reports_writes) {
  const temporary_folder folder;
  write_file(folder / "a", "before");
  std::filesystem::last_write_time(folder / "a",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const mapped_file file{folder / "a"};
  write_file(folder / "a", "after!");
  EXPECT_EQ(fault_of([&] { file.check(); }), (folder / "a") + ": was written to while it was read");
}

TEST(mapped_file, reports_truncation_under_many_threads) {
  const temporary_folder folder;
  constexpr std::size_t size = 2048 * page;
  write_file(folder / "a", std::string(size, '\1'));
  write_file(folder / "b", std::string(size, '\1'));
  const mapped_file truncated{folder / "a"};
  const mapped_file whole{folder / "b"};
  std::filesystem::resize_file(folder / "a", 0);
  std::vector<std::jthread> readers;
  std::atomic<unsigned> truncated_sum{0}, whole_sum{0};
  for (std::size_t reader = 0; reader < 8; ++reader) {
    readers.emplace_back([&, reader] {
      truncated_sum += sum_of(truncated.bytes().subspan(reader * size / 8, size / 8));
      whole_sum += sum_of(whole.bytes().subspan(reader * size / 8, size / 8));
    });
  }
  readers.clear();
  EXPECT_EQ(truncated_sum, 0U);
  EXPECT_EQ(whole_sum, size);
  EXPECT_NE(fault_of([&] { truncated.check(); }), "");
  EXPECT_EQ(fault_of([&] { whole.check(); }), "");
}

TEST(mapped_file, passes_other_bus_errors_to_the_previous_handler) {
  // In a separate process: the other handler must be installed before the first mapping.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto foreign_fault = [] {
    signal(SIGBUS, [](int) { _exit(42); });
    const int descriptor = memfd_create("foreign", 0);  // not in a folder, which would remain after _exit
    if (ftruncate(descriptor, page) != 0) _exit(1);
    const mapped_file file{"/proc/self/fd/" + std::to_string(descriptor)};
    const auto* foreign = static_cast<volatile char*>(mmap(nullptr, page, PROT_READ, MAP_SHARED, descriptor, 0));
    if (ftruncate(descriptor, 0) != 0) _exit(1);
    _exit(foreign[0] == 0 ? 2 : 3);
  };
  EXPECT_EXIT(foreign_fault(), testing::ExitedWithCode(42), "");
}

TEST(mapped_file, refuses_more_mappings_than_the_guard_holds) {
  const temporary_folder folder;
  write_file(folder / "a", "x");
  std::vector<std::unique_ptr<mapped_file>> files;
  const auto map_many = [&] {
    for (int i = 0; i < 257; ++i) files.push_back(std::make_unique<mapped_file>(folder / "a"));
  };
  EXPECT_EQ(fault_of(map_many), (folder / "a") + ": more than 256 files are mapped");
  EXPECT_EQ(files.size(), 256U);
  files.clear();
  EXPECT_EQ(fault_of([&] { mapped_file{folder / "a"}; }), "");
}

}  // namespace
