// exactdot dot --compare: the table, its rows as JSON, and their errors.
#include <gtest/gtest.h>

#include <cmath>
#include <io/data_source.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

using exactdot::io::data_set;
using exactdot::io::data_source;

class compare_program : public cli_test::program {
 protected:
  template <class T>
  std::vector<std::string> files(const exactdot::io::data_request& request, bool big_endian = false) {
    std::vector<T> a(request.n), b(request.n);
    data_source<T>{request}.next(a, b);
    return {write("a.npy", cli_test::npy_file(a, big_endian)), write("b.npy", cli_test::npy_file(b, big_endian))};
  }

  std::map<std::string, nlohmann::json> rows(const std::vector<std::string>& operands,
                                             const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"dot", operands[0], operands[1], "--compare"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto json = run_json(arguments);
    std::map<std::string, nlohmann::json> found;
    for (const auto& row : json["compare"]) found[row["method"]] = row;
    EXPECT_EQ(found.size(), 6U);
    EXPECT_EQ(found["exact"]["bits"], json["bits"]);
    return found;
  }
};

TEST_F(compare_program, prints_the_value_the_table_and_a_summary) {
  const auto operands = files<float>({data_set::uniform, 10000});
  std::istringstream out{run_well({"dot", operands[0], operands[1], "--compare"})};
  std::vector<std::string> lines;
  for (std::string line; std::getline(out, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_EQ(lines[0] + "\n", run_well({"dot", operands[0], operands[1]}));
  EXPECT_EQ(lines[1], "");
  const std::vector<std::string> starts = {"method",   "float loop",    "double loop",    "Dot2",
                                           "OpenBLAS", "exactdot fast", "exactdot exact", "Summary: "};
  for (std::size_t i = 0; i < starts.size(); ++i) EXPECT_TRUE(lines[i + 2].starts_with(starts[i])) << lines[i + 2];
  EXPECT_NE(lines[8].find(lines[0]), std::string::npos);
}

TEST_F(compare_program, gives_every_row_as_json) {
  const auto found = rows(files<double>({data_set::uniform, 10000}), {"--threads", "2"});
  for (const auto& [method, row] : found) {
    if (row.contains("fault")) continue;
    EXPECT_TRUE(row["value"].is_number()) << method;
    EXPECT_TRUE(row["error_ulps"].is_number()) << method;
    EXPECT_GT(row["seconds"], 0.0) << method;
    EXPECT_GT(row["gb_per_s"], 0.0) << method;
    EXPECT_GE(row["threads"], 1) << method;
    EXPECT_LE(row["threads"], 2) << method;
  }
  EXPECT_LE(found.at("exact")["error_ulps"], 0.5);
  EXPECT_EQ(found.at("float_loop")["threads"], 1);
}

TEST_F(compare_program, finds_no_error_if_every_partial_sum_is_exact) {
  for (const auto& [method, row] : rows(files<float>({data_set::halves, 4096}))) {
    if (row.contains("fault")) continue;
    EXPECT_EQ(row["error_ulps"], 0) << method;
  }
}

TEST_F(compare_program, shows_large_errors_of_other_methods_on_ill_conditioned_data) {
  const auto found = rows(files<double>({data_set::ill, 10000, 42, 1e40}));
  EXPECT_LE(found.at("exact")["error_ulps"], 0.5);
  for (const std::string method : {"double_loop", "dot2", "fast"}) {
    EXPECT_GT(found.at(method)["error_ulps"], 1e6) << method;
  }
}

TEST_F(compare_program, measures_errors_in_units_of_the_result_type) {
  const auto found = rows(files<double>({data_set::uniform, 10000}), {"--result", "float32"});
  EXPECT_LE(found.at("exact")["error_ulps"], 0.5);
  EXPECT_EQ(found.at("dot2")["error_ulps"], found.at("exact")["error_ulps"]);
}

TEST_F(compare_program, accepts_infinities_and_nans) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string a = write("a.npy", std::vector<double>{infinity, 1}),
                    b = write("b.npy", std::vector<double>{1, 1});
  const auto found = rows({a, b});
  EXPECT_EQ(found.at("exact")["value"], "inf");
  EXPECT_EQ(found.at("exact")["error_ulps"], 0);
  EXPECT_EQ(found.at("dot2")["value"], "nan");  // TwoSum of an infinity
  EXPECT_EQ(found.at("dot2")["error_ulps"], "nan");
  EXPECT_NE(run_well({"dot", a, b, "--compare"}).find("Dot2 gives nan"), std::string::npos);
}

TEST_F(compare_program, accepts_files_of_the_other_byte_order) {
  const auto native = rows(files<double>({data_set::uniform, 5000}));
  const auto swapped = rows(files<double>({data_set::uniform, 5000}, true));
  for (const std::string method : {"float_loop", "double_loop", "dot2", "fast", "exact"}) {
    EXPECT_EQ(native.at(method)["bits"], swapped.at(method)["bits"]) << method;
  }
}

}  // namespace
