// exactdot dot --compare: the table, its rows as JSON, and their errors.
#include <gtest/gtest.h>

#include <cmath>
#include <exactdot/element.hpp>
#include <io/data_source.hpp>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
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

  using rows_by_method = std::map<std::string, nlohmann::json>;

  rows_by_method rows_of(std::vector<std::string> arguments) {
    arguments.emplace_back("--compare");
    const auto json = run_json(arguments);
    rows_by_method found;
    for (const auto& row : json["compare"]) found[row["method"]] = row;
    EXPECT_EQ(found["exact"]["bits"], json["bits"]);
    return found;
  }

  rows_by_method rows(const std::vector<std::string>& operands, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"dot", operands[0], operands[1]};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const rows_by_method found = rows_of(arguments);
    EXPECT_EQ(found.size(), 6U);
    return found;
  }

  static std::vector<std::string> methods(const rows_by_method& rows) {
    std::vector<std::string> names;
    for (const auto& [name, row] : rows) names.push_back(name);
    return names;
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

TEST_F(compare_program, compares_every_reduction_with_the_methods_it_has) {
  const std::string x = write("x.npy", std::vector<float>{3, -4, 12, 0});
  using names = std::vector<std::string>;
  const names of_sums = {"double_loop", "exact", "fast", "float_loop", "sum2"};
  const names of_magnitudes = {"double_loop", "exact", "fast", "float_loop", "openblas", "sum2"};
  const names of_squares = {"dot2", "double_loop", "exact", "fast", "float_loop", "openblas"};
  const std::vector<std::tuple<std::string, names, double>> all = {{"sum", of_sums, 11},
                                                                   {"mean", of_sums, 2.75},
                                                                   {"asum", of_magnitudes, 19},
                                                                   {"sum_of_squares", of_squares, 169},
                                                                   {"nrm2", of_squares, 13}};
  for (const auto& [command, expected, value] : all) {
    const rows_by_method found = rows_of({command, x});
    EXPECT_EQ(methods(found), expected) << command;
    for (const auto& [method, row] : found) {
      if (row.contains("fault")) continue;
      EXPECT_EQ(row["value"], value) << command << " " << method;
      EXPECT_EQ(row["error_ulps"], 0) << command << " " << method;
      EXPECT_GT(row["seconds"], 0.0) << command << " " << method;
    }
  }
  EXPECT_NE(run_well({"nrm2", x, "--compare"}).find("Summary: every method returns the correctly rounded float32"),
            std::string::npos);
}

TEST_F(compare_program, measures_the_errors_of_roots_and_means) {
  // 1/3 in double: half the distance of its neighbours is 2^-55, its error a third of that.
  const std::string thirds = write("thirds.npy", std::vector<double>{1, 0, 0});
  EXPECT_DOUBLE_EQ(rows_of({"mean", thirds})["exact"]["error_ulps"].get<double>(), 1.0 / 3);
  const std::string twos = write("twos.npy", std::vector<double>{1, 1});
  const double root_error = rows_of({"nrm2", twos})["exact"]["error_ulps"];
  EXPECT_NEAR(root_error, 0.4355, 1e-3);  // (1.41421356237309504880 - double) / 2^-52
  const std::string huge = write("huge.npy", std::vector<double>{3e200, 4e200});
  const rows_by_method norms = rows_of({"nrm2", huge});
  EXPECT_LE(norms.at("exact")["error_ulps"], 0.5);
  EXPECT_EQ(norms.at("double_loop")["value"], "inf");
  EXPECT_EQ(norms.at("double_loop")["error_ulps"], "inf");
}

TEST_F(compare_program, loops_over_16_bits_in_their_type) {
  const std::string x = write("x.npy", std::vector<exactdot::float16>(4096, exactdot::float16(1.0F)));
  const rows_by_method found = rows_of({"sum", x});
  EXPECT_EQ(found.at("float16_loop")["value"], 2048);      // 2048 + 1 rounds to 2048
  EXPECT_EQ(found.at("float16_loop")["error_ulps"], 512);  // float16s next to 4096 lie 4 apart above it
  EXPECT_EQ(found.at("double_loop")["value"], 4096);
  EXPECT_EQ(found.at("exact")["bits"], "6c00");
  const std::string y = write("y.npy", std::vector<exactdot::bfloat16>(512, exactdot::bfloat16(-1.0F)));
  const rows_by_method others = rows_of({"dot", y, y, "--dtype", "bfloat16"});
  EXPECT_EQ(others.at("bfloat16_loop")["value"], 256);
  EXPECT_EQ(others.at("exact")["value"], 512);
}

TEST_F(compare_program, converts_mixed_types) {
  const std::string a = write("a.npy", std::vector<float>{0.5, 2}), b = write("b.npy", std::vector<double>{4, 8});
  for (const auto& [method, row] : rows({a, b})) {
    if (row.contains("fault")) continue;
    EXPECT_EQ(row["value"], 18) << method;
  }
}

TEST_F(compare_program, refuses_what_has_no_other_methods) {
  const std::string x = write("x.npy", std::vector<float>{1});
  for (const std::string command : {"var", "std", "min", "max", "argmin", "argmax"}) {
    expect_usage_fault({command, x, "--compare"}, {"--compare: there are no other methods of " + command +
                                                   "; expected one of dot, sum, asum, sum_of_squares, nrm2, mean"});
  }
  const std::string integers = write("i.npy", std::vector<std::int16_t>{1});
  expect_fault({"sum", integers, "--compare"}, integers, {"holds int16; --compare needs floating-point elements"});
  expect_fault({"dot", integers, integers, "--compare"}, integers, {"holds int16"});
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
