// What every test of the whole program needs: a folder, files in it, and a run.
#pragma once

#include <gtest/gtest.h>

#include <concepts>
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

  /// Runs, expects status 0 and silence on stderr, and returns what stdout holds.
  std::string run_well(const std::vector<std::string>& arguments);
  /// As run_well, with --json added; the one object on stdout.
  nlohmann::json run_json(std::vector<std::string> arguments);

  /// Expects status 1, nothing on stdout and one line "exactdot: FILE: …" that holds all `parts`.
  void expect_fault(const std::vector<std::string>& arguments, const std::string& file,
                    const std::vector<std::string>& parts);
  static void check_fault(const outcome& result, const std::string& file, const std::vector<std::string>& parts);
  /// Expects status 2, nothing on stdout and one line "exactdot: …" that holds all `parts`.
  void expect_usage_fault(const std::vector<std::string>& arguments, const std::vector<std::string>& parts);

  std::string write(const std::string& name, const std::string& bytes);
  template <std::floating_point T>
  std::string write(const std::string& name, const std::vector<T>& values) {
    return write(name, npy_file(values));
  }
  /// A .npy file of n float64 zeros that takes no room on the disk.
  std::string write_sparse(const std::string& name, std::size_t n);

  temporary_folder folder;

 private:
  temporary_folder streams_;
};

}  // namespace cli_test
