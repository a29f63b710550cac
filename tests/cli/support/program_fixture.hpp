// Fixture for tests of the program: a folder with files, runs of the program and checks of the outcome.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/npy_bytes.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace cli_test {

class program : public testing::Test {
 protected:
  [[nodiscard]] outcome run(const std::vector<std::string>& arguments);
  [[nodiscard]] process start(const std::vector<std::string>& arguments, process_settings settings = {});

  /// Runs the program, expects status 0 and no stderr, and returns stdout.
  std::string run_well(const std::vector<std::string>& arguments);
  /// Like run_well with --json; returns the object that it prints.
  nlohmann::json run_json(std::vector<std::string> arguments);

  /// Expects status 1, nothing on stdout and one line "exactdot: FILE: …" that contains all `phrases`.
  void expect_fault(const std::vector<std::string>& arguments, const std::string& file,
                    const std::vector<std::string>& phrases);
  static void check_fault(const outcome& result, const std::string& file, const std::vector<std::string>& phrases);
  /// Expects status 2, nothing on stdout and one line "exactdot: …" that contains all `phrases`.
  void expect_usage_fault(const std::vector<std::string>& arguments, const std::vector<std::string>& phrases);

  std::string write(const std::string& name, const std::string& bytes);
  template <exactdot::element T>
  std::string write(const std::string& name, const std::vector<T>& values) {
    return write(name, npy_file(values));
  }
  /// Writes a sparse .npy file of n float64 zeros, without disk space for them.
  std::string write_sparse(const std::string& name, std::size_t n);

  temporary_folder folder;

 private:
  temporary_folder streams_;
};

}  // namespace cli_test
