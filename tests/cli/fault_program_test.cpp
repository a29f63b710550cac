// One test per fault: status 1, one line on stderr with file and fault, nothing on stdout.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

using cli_test::npy_dict;
using cli_test::npy_file;
using cli_test::npy_with_header;

class dot_faults : public cli_test::program {
 protected:
  void SetUp() override { good_ = write("good.npy", std::vector<float>{1, 2, 3}); }

  /// The faulty file as A, then as B.
  void expect_refused(const std::string& path, const std::vector<std::string>& phrases) {
    expect_fault({"dot", path, good_}, path, phrases);
    expect_fault({"dot", good_, path}, path, phrases);
  }
  void expect_header_refused(const std::string& descr, const std::string& shape, const std::string& phrase) {
    expect_refused(write("bad.npy", npy_with_header(npy_dict(descr, shape), std::string(96, '\0'))), {phrase});
  }

  std::string good_;
};

TEST_F(dot_faults, missing_file) { expect_refused(folder / "none.npy", {"No such file"}); }

TEST_F(dot_faults, directory) { expect_refused(folder.path(), {"is a directory"}); }

TEST_F(dot_faults, pipe) {
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_refused(folder / "pipe", {"is a pipe"});
}

TEST_F(dot_faults, empty_file) { expect_refused(write("empty.npy", ""), {"is empty"}); }

TEST_F(dot_faults, not_npy) { expect_refused(write("text.npy", "1.0 2.0 3.0\n"), {"is not a .npy file"}); }

TEST_F(dot_faults, wrong_version) {
  expect_refused(write("bad.npy", npy_with_header(npy_dict("'<f4'", "(0,)"), "", {4, 0})), {"version 4.0"});
}

TEST_F(dot_faults, truncated_header) {
  const std::string whole = npy_file(std::vector<float>{1, 2, 3});
  for (const std::size_t length : {3, 7, 9, 50}) {
    expect_refused(write("bad.npy", whole.substr(0, length)), {"truncated header"});
  }
}

TEST_F(dot_faults, header_length_past_the_end) {
  std::string bytes = npy_file(std::vector<float>{1, 2, 3}, false, {2, 0});
  bytes[11] = '\x7f';
  expect_refused(write("bad.npy", bytes), {"truncated header", "2130706"});
}

TEST_F(dot_faults, header_that_is_not_a_dict) {
  expect_refused(write("bad.npy", npy_with_header("[1, 2, 3]\n")), {"header is not a dict"});
}

TEST_F(dot_faults, unknown_key) {
  expect_refused(
      write("bad.npy", npy_with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (0,), 'colour': 1}")),
      {"unknown key 'colour'"});
}

TEST_F(dot_faults, missing_key) {
  expect_refused(write("bad.npy", npy_with_header("{'descr': '<f4', 'fortran_order': False}")),
                 {"key 'shape' is missing"});
}

TEST_F(dot_faults, object_type) { expect_header_refused("'|O'", "(3,)", "dtype object '|O'"); }
TEST_F(dot_faults, long_double_type) { expect_header_refused("'<f16'", "(3,)", "dtype float128 '<f16'"); }
TEST_F(dot_faults, bfloat16_without_its_name) { expect_header_refused("'<V2'", "(3,)", "add --dtype bfloat16"); }
TEST_F(dot_faults, long_complex_type) { expect_header_refused("'<c32'", "(3,)", "dtype complex256 '<c32'"); }
TEST_F(dot_faults, string_type) { expect_header_refused("'<U4'", "(3,)", "dtype unicode string '<U4'"); }
TEST_F(dot_faults, structured_type) {
  expect_header_refused("[('x', '<f4')]", "(3,)", "dtype structured [('x', '<f4')]");
}

TEST_F(dot_faults, two_dimensions) { expect_header_refused("'<f4'", "(3, 2)", "2-D array of shape (3, 2)"); }
TEST_F(dot_faults, no_dimension) { expect_header_refused("'<f4'", "()", "0-D array"); }

TEST_F(dot_faults, truncated_data) {
  const std::string whole = npy_file(std::vector<float>{1, 2, 3});
  expect_refused(write("bad.npy", whole.substr(0, whole.size() - 1)), {"truncated data", "12 bytes", "has 11"});
}

TEST_F(dot_faults, length_whose_bytes_overflow) {
  expect_header_refused("'<f8'", "(2305843009213693952,)", "more than 2^64 bytes");
  expect_header_refused("'<f4'", "(99999999999999999999999999,)", "more than 2^64 bytes");
}

TEST_F(dot_faults, lengths_that_differ) {
  const std::string longer = write("longer.npy", std::vector<float>{1, 2, 3, 4});
  expect_fault({"dot", good_, longer}, longer, {"length 4", "good.npy has length 3"});
}

TEST_F(dot_faults, types_that_differ) {
  const std::string other = write("other.npy", std::vector<std::int32_t>{1, 2, 3});
  expect_fault({"dot", good_, other}, other,
               {"holds int32", "good.npy holds float32", "expected two floating-point or two integer types"});
}

TEST_F(dot_faults, raw_file_of_a_broken_length) {
  const std::string raw = write("raw", "12345");
  expect_fault({"dot", raw, raw, "--dtype", "float32"}, raw, {"5 bytes", "float32"});
}

TEST_F(dot_faults, raw_files_without_their_type) {
  const std::string raw = write("raw", "12345678");
  expect_fault({"dot", raw, raw}, raw, {"is not a .npy file", "add --dtype with one of float32, ", "uint64"});
}

TEST_F(dot_faults, raw_file_without_elements) {
  const std::string raw = write("raw", "");
  expect_fault({"dot", raw, raw, "--dtype", "float32"}, raw, {"is empty", "length 0 needs a .npy file"});
}

TEST_F(dot_faults, raw_type_that_contradicts_the_file) {
  expect_fault({"dot", good_, good_, "--dtype", "float64"}, good_, {"holds float32", "float64"});
}

TEST_F(dot_faults, name_with_a_line_break) {
  const std::string path = write("two\nlines\x1b.npy", "nothing");
  expect_fault({"dot", path, good_}, folder / "two\\x0alines\\x1b.npy", {"is not a .npy file"});
}

TEST_F(dot_faults, missing_gpu) {
  const auto cuda = run_json({"info"})["cuda"];
  if (cuda["gpus"].empty()) {
    const std::string why = cuda["engine"] == true ? "no GPU found" : "no CUDA engine";
    for (const std::string device : {"cuda", "cuda:0", "cuda:7"}) {
      expect_fault({"dot", good_, good_, "--device", device}, "--device " + device, {why, "--device cpu"});
    }
  } else if (cuda["engine"] == true) {
    expect_fault({"dot", good_, good_, "--device", "cuda:99"}, "--device cuda:99", {"this machine has", "cuda:0"});
  }
}

TEST_F(dot_faults, truncated_while_it_computes) {
  const std::string path = write_sparse("big.npy", std::size_t{1} << 31);  // 16 GiB: seconds of work
  cli_test::process running = start({"dot", path, path});
  ASSERT_TRUE(running.wait_until_mapped(path));
  std::filesystem::resize_file(path, 4096);
  const auto result = running.wait();
  EXPECT_EQ(result.signal, 0);
  check_fault(result, path, {});  // reported by check(), or by the parser if it had not yet read the header
}

TEST_F(dot_faults, full_disk_behind_stdout) {
  std::vector<std::vector<std::string>> runs;
#if EXACTDOT_HAS_BENCH
  runs.push_back({"bench", "--device", "cpu", "--quick", "--rounds", "1", "--sizes", "16", "--types", "float32",
                  "--threads", "1", "--data", "none"});
#endif
  runs.insert(runs.end(), {std::vector<std::string>{"dot", good_, good_},
                           {"dot", good_, good_, "--json"},
                           {"dot", good_, good_, "--compare"},
                           {"sum", good_},
                           {"info"},
                           {"--help"}});
  for (const std::vector<std::string>& arguments : runs) {
    cli_test::process_settings settings;
    settings.out_path = "/dev/full";
    const auto result = start(arguments, settings).wait();
    check_fault(result, "standard output",
                {arguments[0] == "bench" ? "cannot write all of the output" : "No space left on device"});
  }
}

TEST_F(dot_faults, closed_pipe_behind_stdout) {
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  cli_test::process_settings settings;
  settings.out_path = folder / "pipe";
  cli_test::process running = start({"dot", good_, good_}, settings);
  std::FILE* const reader = std::fopen((folder / "pipe").c_str(), "r");
  ASSERT_NE(reader, nullptr);
  std::fclose(reader);
  const auto result = running.wait();
  EXPECT_EQ(result.signal, 0);
  check_fault(result, "standard output", {"Broken pipe"});
}

}  // namespace
