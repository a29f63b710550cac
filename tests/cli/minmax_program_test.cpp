// minmax: both extremes of vectors and arrays, special values, elements that are left out, errors.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

using cli_test::element_bytes;
using cli_test::npy_dict;
using cli_test::npy_with_header;

class minmax_program : public cli_test::program {};

TEST_F(minmax_program, prints_both) {
  EXPECT_EQ(run_well({"minmax", write("x.npy", std::vector<double>{1, -3, 2})}), "-3\n2\n");
  EXPECT_EQ(run_well({"minmax", write("z.npy", std::vector<float>{0.0F, -0.0F})}), "-0\n0\n");
  const std::string holes = write("n.npy", std::vector<float>{1, NAN, 5});
  EXPECT_EQ(run_well({"minmax", holes}), "nan\nnan\n");
  EXPECT_EQ(run_well({"minmax", holes, "--skip-nan"}), "1\n5\n");
  EXPECT_EQ(run_well({"minmax", holes, "--where", write("w.npy", std::vector<std::uint8_t>{0, 0, 1})}), "5\n5\n");
  const std::string raw = write("x.raw", element_bytes(std::vector<std::int8_t>{7, -128, 127}));
  EXPECT_EQ(run_well({"minmax", raw, "--dtype", "int8", "--threads", "2"}), "-128\n127\n");
  const std::string matrix =
      write("m.npy", npy_with_header(npy_dict("'>u8'", "(2, 1)", "True"),
                                     element_bytes(std::vector<std::uint64_t>{std::uint64_t{1} << 56, 0})));
  EXPECT_EQ(run_well({"minmax", matrix}), "0\n1\n");
  const auto json = run_json({"minmax", holes, "--skip-nan"});
  EXPECT_EQ(json["min"], 1);
  EXPECT_EQ(json["max"], 5);
  EXPECT_EQ(json["dtype"], "float32");
}

TEST_F(minmax_program, errors) {
  const std::string none = write("none.npy", std::vector<double>()), x = write("x.npy", std::vector<double>{NAN});
  expect_fault({"minmax", none}, none, {"has no elements; minmax needs at least one"});
  expect_fault({"minmax", x, "--skip-nan"}, x, {"no element that is left"});
  expect_fault({"minmax", "absent.npy"}, "absent.npy", {"No such file"});
  expect_usage_fault({"minmax"}, {"FILE"});
  expect_usage_fault({"minmax", x, "--axis", "0"}, {"--axis"});
}

}  // namespace
