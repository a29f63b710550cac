// exactdot group: reductions of the elements with the same key; files, options and errors. The results have the
// bits of the vector calls, which other tests compare.
#include <gtest/gtest.h>

#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

using cli_test::element_bytes;
using cli_test::npy_dict;
using cli_test::npy_with_header;

class group_program : public cli_test::program {
 protected:
  std::string values() { return write("x.npy", std::vector<double>{1e100, 5, 1, -1e100, 2}); }
  std::string keys(const std::vector<std::int64_t>& of = {2, 0, 2, 2, 0}) { return write("k.npy", of); }
};

TEST_F(group_program, prints_a_result_on_each_line) {
  EXPECT_EQ(run_well({"group", values(), keys()}), "7\n0\n1\n");
  EXPECT_EQ(run_well({"group", values(), keys(), "--groups", "4"}), "7\n0\n1\n0\n");
  EXPECT_EQ(run_well({"group", values(), keys(), "--reduction", "count", "--threads", "2"}), "2\n0\n3\n");
  EXPECT_EQ(run_well({"group", values(), keys(), "--reduction", "mean"}), "3.5\nnan\n0.3333333333333333\n");
  EXPECT_EQ(run_well({"group", values(), keys(), "--reduction", "mean", "--result", "float32"}),
            "3.5\nnan\n0.33333334\n");
  EXPECT_EQ(run_well({"group", values(), keys({0, 0, 1, 0, 1}), "--reduction", "max"}), "1e+100\n2\n");
  const std::vector<std::string> variance = {
      "group", values(), keys({-1, 0, 0, -1, 0}), "--skip", "--reduction", "var", "--ddof", "1"};
  EXPECT_EQ(run_well(variance), "4.333333333333333\n");
}

TEST_F(group_program, reads_every_kind_of_file) {
  const std::string few = write("k4.npy", std::vector<std::uint32_t>{1, 0, 1});
  const std::string matrix =
      write("m.npy", npy_with_header(npy_dict("'<i2'", "(3, 2)", "False"),
                                     element_bytes(std::vector<std::int16_t>{1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(run_well({"group", matrix, few}), "3\n4\n6\n8\n");
  EXPECT_EQ(run_json({"group", matrix, few})["shape"], (std::vector<int>{2, 2}));
  EXPECT_EQ(run_well({"group", matrix, few, "--reduction", "count"}), "1\n2\n");
  const std::string raw = write("x.raw", element_bytes(std::vector<float>{1, 2, 4}));
  const std::string raw_keys = write("k.raw", element_bytes(std::vector<std::int32_t>{1, 1, 0}));
  EXPECT_EQ(run_well({"group", raw, raw_keys, "--dtype", "float32", "--dtype-keys", "int32"}), "4\n3\n");
  const std::string bytes = write("k1.npy", std::vector<std::int8_t>{1, 0, 1});
  EXPECT_EQ(run_well({"group", matrix, bytes}), "3\n4\n6\n8\n");
  const std::string raw_bytes = write("k1.raw", element_bytes(std::vector<std::uint8_t>{1, 1, 0}));
  EXPECT_EQ(run_well({"group", raw, raw_bytes, "--dtype", "float32", "--dtype-keys", "uint8"}), "4\n3\n");
  const std::string swapped = write(
      "b.npy", npy_with_header(npy_dict("'>i4'", "(3,)", "False"), std::string("\0\0\0\1\0\0\0\0\0\0\0\1", 12)));
  EXPECT_EQ(run_well({"group", matrix, swapped}), "3\n4\n6\n8\n");
  EXPECT_EQ(run_well({"group", matrix, swapped, "--reduction", "count"}), "1\n2\n");
  const std::string flags =
      write("f.npy", npy_with_header(npy_dict("'|b1'", "(3,)", "False"), std::string("\1\0\1", 3)));
  EXPECT_EQ(run_well({"group", matrix, flags}), "3\n4\n6\n8\n");
  const std::string nothing = write("e.npy", std::vector<double>{}),
                    no_keys = write("ek.npy", std::vector<std::int64_t>{});
  EXPECT_EQ(run_well({"group", nothing, no_keys}), "");
  EXPECT_EQ(run_well({"group", nothing, no_keys, "--groups", "2"}), "0\n0\n");
}

TEST_F(group_program, leaves_out_elements_without_a_group) {
  expect_fault({"group", values(), keys({0, 1, -3, 0, 9})}, folder / "k.npy",
               {"key 2 is -3, and there are 10 groups; correct it, or leave such elements out with --skip"});
  expect_fault({"group", values(), keys({0, 1, 3, 0, 9}), "--groups", "3"}, folder / "k.npy",
               {"key 2 is 3, and there are 3 groups"});
  EXPECT_EQ(run_well({"group", values(), keys({0, 1, -3, 0, 9}), "--groups", "3", "--skip"}), "0\n5\n0\n");
  EXPECT_EQ(run_well({"group", values(), keys({-1, -1, -1, -1, -1}), "--skip"}), "");
}

TEST_F(group_program, prints_json_and_writes_files) {
  const auto json = run_json({"group", values(), keys(), "--reduction", "std", "--ddof", "1"});
  EXPECT_EQ(json["reduction"], "stddev");
  EXPECT_EQ(json["groups"], 3);
  EXPECT_EQ(json["ddof"], 1);
  EXPECT_EQ(json["n"], 5);
  EXPECT_EQ(json["dtype"], "float64");
  EXPECT_EQ(json["values"][1], "nan");
  EXPECT_EQ(run_json({"group", values(), keys(), "--reduction", "count"})["values"], (std::vector<int>{2, 0, 3}));
  const std::string out = folder / "out.npy";
  EXPECT_EQ(run_well({"group", values(), keys(), "--out", out}), "");
  EXPECT_EQ(run_well({"sum", out}), "8\n");
  EXPECT_EQ(run_json({"group", values(), keys(), "--out", out})["out"], out);
  for (const std::string input : {"x.npy", "k.npy"}) {
    expect_fault({"group", values(), keys(), "--out", folder / input}, folder / input, {"is an input"});
  }
  EXPECT_EQ(run_well({"group", values(), keys()}), "7\n0\n1\n");
}

/// A failed call leaves the file of results as it was.
TEST_F(group_program, names_faults) {
  const std::string out = write("out.npy", std::vector<double>{7});
  const auto refused = [&](const std::string& x, const std::string& k, const std::string& file,
                           const std::vector<std::string>& phrases) {
    expect_fault({"group", x, k, "--out", out}, file, phrases);
  };
  const std::string large =
      write("l.npy", std::vector<std::int64_t>{1, std::int64_t{1} << 62, std::int64_t{1} << 62, 0, 0});
  refused(large, keys({0, 1, 1, 0, 0}), large, {"result 1 does not fit into int64; use --result float64"});
  refused(values(), keys({0, 1}), folder / "k.npy", {"has length 2, but the first axis of", "has length 5"});
  refused(values(), keys({0, 0, 0, 0, std::int64_t{1} << 62}), folder / "k.npy",
          {"has the greatest key 4611686018427387904, and 5 keys make at most 1048656 groups", "--groups N"});
  refused(values(), keys({0, 0, 0, 0, std::int64_t{1} << 50}), folder / "k.npy",
          {"has the greatest key 1125899906842624, and 5 keys make", "number the keys"});
  refused(values(), values(), folder / "x.npy", {"holds float64; keys are integers"});
  const std::string square =
      write("s.npy", npy_with_header(npy_dict("'<i4'", "(5, 1)", "False"), std::string(20, 0)));
  refused(values(), square, square, {"2-D array", "expected a vector"});
  const std::string scalar = write("0.npy", npy_with_header(npy_dict("'<f8'", "()", "False"), std::string(8, 0)));
  refused(scalar, keys(), scalar, {"is a 0-D array"});
  refused(folder / "none.npy", keys(), folder / "none.npy", {"cannot open"});
  EXPECT_EQ(run_well({"sum", out}), "7\n");
  expect_fault({"group", values(), keys(), "--reduction", "min"}, folder / "k.npy", {"group 1 is empty"});
}

TEST_F(group_program, refuses_wrong_usage) {
  const std::string x = values(), k = keys();
  expect_usage_fault({"group", x}, {"KEYS"});
  expect_usage_fault({"group", x, k, "--reduction", "dot"}, {"--reduction", "dot", "sum", "count"});
  expect_usage_fault({"group", x, k, "--reduction", "argmin"}, {"--reduction"});
  expect_usage_fault({"group", x, k, "--reduction", "min", "--result", "float32"}, {"--result", "min"});
  expect_usage_fault({"group", x, k, "--ddof", "1"}, {"--ddof", "sum", "var, std or standard_error"});
  expect_usage_fault({"group", x, k, "--reduction", "var", "--ddof", "-1"}, {"--ddof"});
  expect_usage_fault({"group", x, k, "--reduction", "mean", "--result", "int64"}, {"int64"});
  expect_usage_fault({"group", x, k, "--dtype-keys", "float32"}, {"--dtype-keys"});
  for (const std::string groups : {"-1", "x", "1.5"}) {
    expect_usage_fault({"group", x, k, "--groups", groups}, {"--groups"});
  }
  expect_usage_fault({"group", x, k, "--mode", "fast"}, {"'--mode': unknown option of exactdot group"});
}

}  // namespace
