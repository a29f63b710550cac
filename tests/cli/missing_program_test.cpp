// --where and --skip-nan: elements that are left out of reductions of vectors, axes and groups; errors.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

using cli_test::element_bytes;
using cli_test::npy_dict;
using cli_test::npy_with_header;

class missing_program : public cli_test::program {
 protected:
  template <class T>
  std::string write_array(const std::string& name, const std::string& descr, const std::string& shape,
                          const std::vector<T>& values, const std::string& order = "False") {
    return write(name, npy_with_header(npy_dict(descr, shape, order), element_bytes(values)));
  }
  std::string x() { return write("x.npy", std::vector<double>{1, NAN, 3, 5, NAN, 7}); }
  /// 2 rows of 3.
  std::string matrix() {
    return write_array("m.npy", "'<f8'", "(2, 3)", std::vector<double>{1, NAN, 3, 5, NAN, 7});
  }
  std::string mask(const std::string& shape = "(6,)") {
    return write_array("mask.npy", "'|b1'", shape, std::vector<std::uint8_t>{1, 1, 0, 1, 1, 1});
  }
};

TEST_F(missing_program, vectors) {
  EXPECT_EQ(run_well({"sum", x()}), "nan\n");
  EXPECT_EQ(run_well({"sum", x(), "--skip-nan"}), "16\n");
  EXPECT_EQ(run_well({"mean", x(), "--skip-nan", "--where", mask(), "--result", "float32"}), "4.3333335\n");
  EXPECT_EQ(run_well({"var", x(), "--skip-nan", "--ddof", "1"}), "6.666666666666667\n");
  EXPECT_EQ(run_well({"argmax", x(), "--skip-nan"}), "5\n");
  EXPECT_EQ(run_well({"dot", x(), x(), "--skip-nan", "--mode", "fast"}), "84\n");
  const std::string raw = write("mask.raw", element_bytes(std::vector<std::uint8_t>{0, 0, 9, 9, 0, 0}));
  EXPECT_EQ(run_well({"sum", x(), "--where", raw}), "8\n");
  EXPECT_EQ(run_well({"weighted_mean", x(), x(), "--where", raw}), "4.25\n");
  const std::string zeros = write("zeros.npy", std::vector<std::int8_t>(6));
  EXPECT_EQ(run_well({"sum", x(), "--where", zeros}), "0\n");
  EXPECT_EQ(run_well({"mean", x(), "--where", zeros}), "nan\n");
  const auto json = run_json({"sum", x(), "--skip-nan", "--where", mask()});
  EXPECT_EQ(json["value"], 13);
  EXPECT_EQ(json["skip_nan"], true);
  EXPECT_TRUE(json["where"].get<std::string>().ends_with("mask.npy"));
}

TEST_F(missing_program, axes) {
  EXPECT_EQ(run_well({"sum", matrix(), "--axis", "0", "--skip-nan"}), "6\n0\n10\n");
  EXPECT_EQ(run_well({"sum", matrix(), "--axis", "1", "--skip-nan", "--where", mask("(2, 3)")}), "1\n12\n");
  const std::string columns = write("columns.npy", std::vector<std::uint8_t>{0, 1, 1});
  EXPECT_EQ(run_well({"sum", matrix(), "--axis", "1", "--skip-nan", "--where", columns}), "3\n7\n");
  const std::string rows = write_array("rows.npy", "'|i1'", "(2, 1)", std::vector<std::int8_t>{0, 1});
  EXPECT_EQ(run_well({"sum", matrix(), "--axis", "0,1", "--skip-nan", "--where", rows}), "12\n");
  EXPECT_EQ(run_well({"dot", matrix(), matrix(), "--axis", "1", "--skip-nan"}), "10\n74\n");
}

TEST_F(missing_program, groups) {
  const std::string keys = write("keys.npy", std::vector<int>{0, 0, 1, 1, 2, 2});
  EXPECT_EQ(run_well({"group", x(), keys, "--skip-nan"}), "1\n8\n7\n");
  EXPECT_EQ(run_well({"group", x(), keys, "--skip-nan", "--where", mask(), "--reduction", "max"}), "1\n5\n7\n");
  const std::string two = write("two.npy", std::vector<int>{1, 1});
  EXPECT_EQ(run_well({"group", matrix(), two, "--skip-nan"}), "0\n0\n0\n6\n0\n10\n");
}

TEST_F(missing_program, errors) {
  const std::string keys = write("keys.npy", std::vector<int>{0, 0, 1, 1, 2, 2});
  const auto nothing = write("zeros.npy", std::vector<std::int8_t>(6));
  expect_fault({"min", x(), "--where", nothing}, x(), {"no element that is left"});
  expect_fault({"max", matrix(), "--axis", "0", "--skip-nan"}, matrix(), {"no element that is left"});
  expect_fault({"group", x(), keys, "--where", nothing, "--reduction", "min"}, x(), {"no element is left"});
  const std::string five = write("five.npy", std::vector<std::uint8_t>(5));
  expect_fault({"sum", x(), "--where", five}, five,
               {"has length 5, but", "has length 6; expected a flag for each"});
  expect_fault({"sum", x(), "--where", mask("(2, 3)")}, mask("(2, 3)"), {"the shape (2, 3), but"});
  expect_fault({"sum", x(), "--where", x()}, x(), {"holds float64; a mask holds booleans or 8-bit integers"});
  expect_fault({"sum", x(), "--where", "absent.npy"}, "absent.npy", {"No such file"});
  expect_usage_fault({"sum", x(), "--where", ""}, {"'' is not a file name"});
  expect_usage_fault({"sum", x(), "--skip-nan", "--compare"}, {"--compare is for all elements"});
  expect_usage_fault({"group", x(), keys, "--skip-nan", "--reduction", "count"}, {"count is that of the keys"});
  expect_fault({"sum", matrix(), "--axis", "0", "--where", mask("(2, 3)"), "--out", mask("(2, 3)")}, mask("(2, 3)"),
               {});
}

}  // namespace
