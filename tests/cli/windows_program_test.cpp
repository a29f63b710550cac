// cumsum and rolling: results as text, JSON and files, axes, element types, errors.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

using cli_test::element_bytes;
using cli_test::npy_dict;
using cli_test::npy_with_header;

class windows_program : public cli_test::program {
 protected:
  std::string x() { return write("x.npy", std::vector<double>{1e100, 1, -1e100, 2}); }
  std::string matrix() {
    return write("m.npy", npy_with_header(npy_dict("'<f8'", "(2, 3)", "False"),
                                          element_bytes(std::vector<double>{1, 2, 3, 4, 5, 6})));
  }
};

TEST_F(windows_program, cumsum) {
  EXPECT_EQ(run_well({"cumsum", x()}), "1e+100\n1e+100\n1\n3\n");
  EXPECT_EQ(run_well({"cumsum", matrix(), "--axis", "0"}), "1\n2\n3\n5\n7\n9\n");
  EXPECT_EQ(run_well({"cumsum", matrix(), "--axis", "-1", "--result", "float32"}), "1\n3\n6\n4\n9\n15\n");
  const std::string raw = write("x.raw", element_bytes(std::vector<std::int8_t>{100, 100, -1}));
  EXPECT_EQ(run_well({"cumsum", raw, "--dtype", "int8"}), "100\n200\n199\n");
  EXPECT_EQ(run_well({"cumsum", write("none.npy", std::vector<float>())}), "");
  const auto json = run_json({"cumsum", x()});
  EXPECT_EQ(json["reduction"], "cumsum");
  EXPECT_EQ(json["values"], (std::vector<double>{1e100, 1e100, 1, 3}));
  EXPECT_EQ(json["dtype"], "float64");
  const std::string out = folder / "out.npy";
  EXPECT_EQ(run_well({"cumsum", x(), "--out", out}), "");
  EXPECT_EQ(run_well({"cumsum", out}), "1e+100\n2e+100\n2e+100\n2e+100\n");
}

TEST_F(windows_program, rolling) {
  EXPECT_EQ(run_well({"rolling", x(), "--window", "2"}), "nan\n1e+100\n-1e+100\n-1e+100\n");
  EXPECT_EQ(
      run_well({"rolling", matrix(), "--window", "2", "--axis", "1", "--reduction", "mean", "--min-periods", "1"}),
      "1\n1.5\n2.5\n4\n4.5\n5.5\n");
  EXPECT_EQ(run_well({"rolling", matrix(), "--window", "2", "--axis", "0", "--reduction", "var", "--ddof", "1"}),
            "nan\nnan\nnan\n4.5\n4.5\n4.5\n");
  const std::string holes = write("holes.npy", std::vector<float>{1, NAN, 3});
  EXPECT_EQ(run_well({"rolling", holes, "--window", "2", "--min-periods", "1", "--skip-nan"}), "1\n1\n3\n");
  const auto json = run_json({"rolling", holes, "--window", "2", "--reduction", "stddev"});
  EXPECT_EQ(json["reduction"], "stddev");
  EXPECT_EQ(json["window"], 2);
  EXPECT_EQ(json["min_periods"], 2);
  EXPECT_EQ(json["ddof"], 0);
}

TEST_F(windows_program, errors) {
  expect_usage_fault({"rolling", x()}, {"--window"});
  expect_usage_fault({"rolling", x(), "--window", "0"}, {"'0' is too short"});
  expect_usage_fault({"rolling", x(), "--window", "-1"}, {"-1"});
  expect_usage_fault({"rolling", x(), "--window", "2", "--min-periods", "3"},
                     {"--min-periods 3 is more than --window 2"});
  expect_usage_fault({"rolling", x(), "--window", "2", "--reduction", "max"}, {"max"});
  expect_usage_fault({"rolling", x(), "--window", "2", "--ddof", "1"}, {"sum has no such divisor"});
  expect_usage_fault({"rolling", x(), "--window", "2", "--result", "int64"}, {"int64"});
  expect_usage_fault({"cumsum", x(), "--result", "int64"}, {"the result type is int64"});
  expect_fault({"cumsum", matrix()}, matrix(), {"the shape (2, 3); expected a vector (1-D), or --axis N"});
  expect_fault({"cumsum", matrix(), "--axis", "2"}, matrix(), {"has 2 dimensions; --axis names 2"});
  const std::string large =
      write("large.npy", std::vector<std::int64_t>{std::int64_t{1} << 62, std::int64_t{1} << 62});
  expect_fault({"cumsum", large}, large, {"result 1 does not fit into int64; use --result float64"});
  const std::string odd = write("odd.npy", std::vector<std::int64_t>{(std::int64_t{1} << 60) + 1, 0});
  expect_fault({"rolling", odd, "--window", "2", "--reduction", "var"}, odd, {"more than 53 bits"});
  expect_fault({"cumsum", x(), "--out", x()}, x(), {});
}

}  // namespace
