// --axis and --out: reductions over axes of arrays in .npy files; errors. The results have the bits of the vectors
// alone.
#include <gtest/gtest.h>
#include <unistd.h>

#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

using cli_test::element_bytes;
using cli_test::npy_dict;
using cli_test::npy_with_header;

class axes_program : public cli_test::program {
 protected:
  template <exactdot::element T>
  std::string write_array(const std::string& name, const std::string& descr, const std::string& shape,
                          const std::vector<T>& values, const std::string& order = "False") {
    return write(name, npy_with_header(npy_dict(descr, shape, order), element_bytes(values)));
  }
  /// 2 rows of 3.
  std::string matrix(const std::string& order = "False") {
    return write_array("m.npy", "'<f8'", "(2, 3)", std::vector<double>{1, 2, 3, 4, 5, 6}, order);
  }
};

TEST_F(axes_program, prints_a_result_on_each_line) {
  EXPECT_EQ(run_well({"sum", matrix(), "--axis", "0"}), "5\n7\n9\n");
  EXPECT_EQ(run_well({"sum", matrix(), "--axis", "1"}), "6\n15\n");
  EXPECT_EQ(run_well({"sum", matrix(), "--axis", "-1"}), "6\n15\n");
  EXPECT_EQ(run_well({"sum", matrix(), "--axis", "0,1"}), "21\n");
  EXPECT_EQ(run_well({"argmax", matrix(), "--axis", "0"}), "1\n1\n1\n");
  EXPECT_EQ(run_well({"var", matrix(), "--axis", "0", "--ddof", "1"}), "4.5\n4.5\n4.5\n");
  EXPECT_EQ(run_well({"mean", matrix(), "--axis", "1", "--mode", "fast"}), "2\n5\n");
}

TEST_F(axes_program, reads_both_orders_and_any_number_of_axes) {
  EXPECT_EQ(run_well({"sum", matrix("True"), "--axis", "0"}), "3\n7\n11\n");  // 1 2 | 3 4 | 5 6
  std::vector<std::int32_t> x(24);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int32_t>(i);
  const std::string file = write_array("x.npy", "'<i4'", "(2, 3, 4)", x);
  EXPECT_EQ(run_well({"sum", file, "--axis", "0,2"}), "60\n92\n124\n");
  EXPECT_EQ(run_well({"max", file, "--axis", "0,1,2"}), "23\n");
  const std::string vector = write("v.npy", std::vector<double>{1, 2});
  EXPECT_EQ(run_well({"sum", vector, "--axis", "0"}), "3\n");
}

TEST_F(axes_program, multiplies_a_matrix_and_a_vector) {
  const std::string x = write("x.npy", std::vector<double>{1, 0, -1});
  EXPECT_EQ(run_well({"dot", matrix(), x, "--axis", "1"}), "-2\n-2\n");
  EXPECT_EQ(run_well({"dot", matrix(), matrix(), "--axis", "0"}), "17\n29\n45\n");
}

TEST_F(axes_program, computes_ratios) {
  const std::string x = write("x.npy", std::vector<double>{1, 2, 4}), y = write("y.npy", std::vector<double>{3, 5, 9});
  const std::string counts = write("n.npy", std::vector<std::int64_t>{1, 1, 2});
  EXPECT_EQ(run_well({"weighted_mean", x, counts}), "2.75\n");
  EXPECT_EQ(run_well({"corr", x, y}), "1\n");
  EXPECT_EQ(run_well({"slope", x, y}) + run_well({"intercept", x, y}), "2\n1\n");
  EXPECT_EQ(run_well({"covariance", x, y, "--ddof", "0"}), run_well({"cov", x, y, "--ddof=0"}));
  EXPECT_EQ(run_well({"cov", x, x}), run_well({"var", x, "--ddof", "1"}));
  EXPECT_EQ(run_well({"sem", write("z.npy", std::vector<float>{1, 3})}), "1\n");
  EXPECT_EQ(run_well({"weighted_mean", matrix(), counts, "--axis", "1"}), "2.25\n5.25\n");
  EXPECT_EQ(run_well({"distance", matrix(), matrix(), "--axis", "0"}), "0\n0\n0\n");
  EXPECT_EQ(run_well({"weighted_var", x, counts}) + run_well({"weighted_stddev", x, x, "--ddof", "6"}), "1.6875\n3.1622776601683795\n");
  EXPECT_EQ(run_well({"variance_about", x, y, "--ddof", "1"}) + run_well({"root_mean_squared_error", x, x}), "19\n0\n");
  expect_usage_fault({"cosine", x, y, "--mode", "fast"}, {"--mode", "exact"});
  expect_usage_fault({"corr", x, y, "--ddof", "1"}, {"--ddof"});
  EXPECT_NE(run({"cosine", x, matrix()}).status, 0);
}

TEST_F(axes_program, writes_a_file_that_it_reads_again) {
  const std::string out = folder.path() + "/out.npy";
  EXPECT_EQ(run_well({"sum", matrix(), "--axis", "0", "--out", out}), "");
  EXPECT_EQ(run_well({"sum", out}), "21\n");
  const auto json = run_json({"sum", matrix(), "--axis", "0", "--out", out, "--result", "float32"});
  EXPECT_EQ(json["out"], out);
  EXPECT_FALSE(json.contains("values"));
  EXPECT_EQ(run_json({"sum", out})["dtype"], "float32");
  EXPECT_EQ(run_well({"sum", matrix(), "--axis", "0,1", "--out", out}),
            "");  // one result: an array without an axis
  expect_fault({"sum", out}, out, {"is a 0-D array, a single number; expected a vector (1-D)\n"});
}

/// The input, by its name, by a link and by another path, keeps its content; so does a file that cannot be
/// replaced.
TEST_F(axes_program, never_overwrites_an_input) {
  const std::string file = matrix(), link = folder.path() + "/link.npy";
  ASSERT_EQ(symlink(file.c_str(), link.c_str()), 0);
  for (const std::string& out : {file, link, folder.path() + "/./m.npy"}) {
    expect_fault({"sum", file, "--axis", "0", "--out", out}, out, {"is an input"});
  }
  const std::string x = write("x.npy", std::vector<double>{1, 0, -1});
  expect_fault({"dot", file, x, "--axis", "1", "--out", x}, x, {"is an input"});
  EXPECT_EQ(run_well({"dot", file, x, "--axis", "1"}), "-2\n-2\n");
  const std::string nowhere = folder.path() + "/none/out.npy";
  expect_fault({"sum", file, "--axis", "0", "--out", nowhere}, nowhere, {""});
}

TEST_F(axes_program, prints_json) {
  const auto json = run_json({"sum", matrix(), "--axis", "0"});
  EXPECT_EQ(json["values"], (std::vector<double>{5, 7, 9}));
  EXPECT_EQ(json["shape"], (std::vector<int>{3}));
  EXPECT_EQ(json["axis"], (std::vector<int>{0}));
  EXPECT_EQ(json["n"], 6);
}

TEST_F(axes_program, names_faults) {
  const std::string file = matrix();
  expect_fault(
      {"sum", file}, file,
      {"2-D array of shape (2, 3)", "expected a vector", "--axis N reduces an axis, --axis 0,1 all elements"});
  expect_fault({"argmax", file}, file, {"--axis N reduces an axis\n"});
  expect_fault({"sum", file, "--axis", "2"}, file, {"has 2 dimensions; --axis names 2"});
  expect_fault({"sum", file, "--axis", "-3"}, file, {"--axis names -3"});
  expect_usage_fault({"sum", file, "--axis", "0,0"}, {"--axis names axis 0 twice"});
  for (const std::string axes : {"x", "0,", "1.5", "", "99999999999"}) {
    expect_usage_fault({"sum", file, "--axis", axes}, {"--axis"});
  }
  expect_usage_fault({"sum", file, "--out", "o.npy"}, {"--out", "--axis"});
  expect_usage_fault({"sum", file, "--axis", "0", "--compare"}, {"--compare", "--axis"});
  const std::string x = write("x.npy", std::vector<double>{1, 2});
  const std::string of_a = "but " + file + " has the shape (2, 3)";
  expect_fault({"dot", file, x, "--axis", "1"}, x,
               {"has length 2, " + of_a +
                ", with vectors of length 3 along axis 1; expected the same shape, or one "
                "vector of length 3\n"});
  expect_fault({"dot", file, x, "--axis", "-1"}, x, {"with vectors of length 3 along axis -1;"});
  const std::string square = write_array("s.npy", "'<f8'", "(3, 3)", std::vector<double>(9));
  expect_fault({"dot", file, square, "--axis", "0"}, square,
               {"has the shape (3, 3), " + of_a + ", with vectors of length 2 along axis 0;"});
  expect_fault({"dot", x, square, "--axis", "0"}, square,
               {"has the shape (3, 3), but " + x + " has length 2; expected the same length\n"});
  expect_fault({"dot", x, file, "--axis", "0"}, file, {"has the shape (2, 3), but " + x + " has length 2;"});
  expect_usage_fault({"dot", file, file, "--axis", "0,1"}, {"name one axis"});
  const std::string empty = write_array("e.npy", "'<f8'", "(2, 0)", std::vector<double>{});
  EXPECT_EQ(run_well({"sum", empty, "--axis", "1"}), "0\n0\n");
  expect_fault({"min", empty, "--axis", "1"}, empty, {"has no elements"});
  const std::string large = write_array(
      "l.npy", "'<i8'", "(2, 2)", std::vector<std::int64_t>{1, 1, std::int64_t{1} << 62, std::int64_t{1} << 62});
  expect_fault({"sum", large, "--axis", "1"}, large,
               {"sum: result 1 does not fit into int64; use --result float64"});
  const std::string huge = write_array("h.npy", "'<f8'", "(18446744073709551615, 2)", std::vector<double>{1});
  expect_fault({"sum", huge, "--axis", "0"}, huge, {"needs more than 2^64 bytes"});
}

}  // namespace
