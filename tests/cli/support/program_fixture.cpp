// Runs the program and checks the outcome; see program_fixture.hpp.
#include "support/program_fixture.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace cli_test {
namespace {

void check_line(const outcome& result, int status, const std::string& start,
                const std::vector<std::string>& phrases) {
  EXPECT_EQ(result.status, status) << "signal " << result.signal << ", stderr: " << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_TRUE(result.err.ends_with('\n')) << result.err;
  EXPECT_TRUE(result.err.starts_with(start)) << result.err;
  EXPECT_EQ(result.err.find("::"), std::string::npos) << "words of C++: " << result.err;
  for (const std::string& phrase : phrases)
    EXPECT_NE(result.err.find(phrase), std::string::npos) << phrase << "\n" << result.err;
}

}  // namespace

process program::start(const std::vector<std::string>& arguments, process_settings settings) {
  settings.folder = streams_.path();
  return process{arguments, std::move(settings)};
}

outcome program::run(const std::vector<std::string>& arguments) { return start(arguments).wait(); }

std::string program::run_well(const std::vector<std::string>& arguments) {
  const outcome result = run(arguments);
  EXPECT_EQ(result.status, 0) << "signal " << result.signal;
  EXPECT_EQ(result.err, "");
  return result.out;
}

nlohmann::json program::run_json(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const std::string out = run_well(arguments);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1) << out;
  return nlohmann::json::parse(out);
}

void program::check_fault(const outcome& result, const std::string& file, const std::vector<std::string>& phrases) {
  check_line(result, 1, "exactdot: " + file + ": ", phrases);
}

void program::expect_fault(const std::vector<std::string>& arguments, const std::string& file,
                           const std::vector<std::string>& phrases) {
  check_fault(run(arguments), file, phrases);
}

void program::expect_usage_fault(const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& phrases) {
  check_line(run(arguments), 2, "exactdot: ", phrases);
}

std::string program::write(const std::string& name, const std::string& bytes) {
  write_file(folder / name, bytes);
  return folder / name;
}

std::string program::write_sparse(const std::string& name, std::size_t n) {
  const std::string header = npy_with_header(npy_dict("'<f8'", "(" + std::to_string(n) + ",)"));
  const std::string path = write(name, header);
  std::filesystem::resize_file(path, header.size() + n * sizeof(double));
  return path;
}

}  // namespace cli_test
