// The reductions of files: every subcommand on every element type against the integer oracle; options, JSON,
// errors.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <exactdot/exactdot.hpp>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "oracle/reference.hpp"
#include "support/program_fixture.hpp"

namespace {

using cli_test::npy_file;
using exactdot::any_scalar;
using exactdot::any_vector;
using exactdot::bfloat16;
using exactdot::element;
using exactdot::element_type;
using exactdot::float16;
using exactdot::reduction;

const std::vector<std::pair<std::string, reduction>> all_commands = {
    {"sum", reduction::sum},       {"asum", reduction::asum},     {"sum_of_squares", reduction::sum_of_squares},
    {"nrm2", reduction::nrm2},     {"mean", reduction::mean},     {"var", reduction::variance},
    {"std", reduction::stddev},    {"min", reduction::min},       {"max", reduction::max},
    {"argmin", reduction::argmin}, {"argmax", reduction::argmax}, {"dot", reduction::dot}};

/// Numbers with fractions and signs, if the type has them; all exact in every type.
template <element T>
std::vector<T> numbers() {
  std::vector<T> values;
  for (int i = 0; i < 77; ++i) {
    const int number = i * 37 % 101 - (exactdot::is_signed(exactdot::type_of<T>) ? 50 : 0);
    values.push_back(
        static_cast<T>(exactdot::integer_element<T> ? static_cast<float>(number) : static_cast<float>(number) / 4));
  }
  return values;
}

std::string name(element_type type) { return std::string(exactdot::name_of(type)); }

class reduction_program : public cli_test::program {
 protected:
  /// Runs a command on one file, as both inputs if it takes two, and compares with the oracle.
  template <element T>
  void expect_result(const std::pair<std::string, reduction>& command, const std::string& file,
                     const std::vector<T>& x, const std::vector<std::string>& more = {}) {
    const any_vector view = exactdot::to_any(x);
    const element_type type = exactdot::default_result_type(command.second, view.type);
    const auto expected = oracle::reference(command.second, view, view).exact(type);
    ASSERT_TRUE(expected.has_value());
    std::vector<std::string> arguments = {command.first, file};
    if (command.second == reduction::dot) arguments.push_back(file);
    if (exactdot::info_of(view.type).kind == 'V' && more.empty()) {
      arguments.insert(arguments.end(), {"--dtype", name(view.type)});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto json = run_json(arguments);
    EXPECT_EQ(json["dtype"], name(type)) << command.first;
    EXPECT_EQ(json["input_dtypes"][0], name(view.type)) << command.first;
    if (exactdot::gives_index(command.second)) {
      EXPECT_EQ(json["index"], expected->bits) << command.first << " of " << name(view.type);
    } else {
      EXPECT_EQ(bits(json), expected->bits) << command.first << " of " << name(view.type);
    }
  }

  static std::uint64_t bits(const nlohmann::json& json) {
    return std::strtoull(json["bits"].get<std::string>().c_str(), nullptr, 16);
  }
};

TEST_F(reduction_program, computes_every_reduction_of_every_type) {
  for (const exactdot::element_info& known : exactdot::elements) {
    exactdot::with_element(known.type, [&]<class T>(T) {
      bool big_endian = false;
      for (const auto& command : all_commands) {  // the byte order alternates
        const std::string file = write("x.npy", npy_file(numbers<T>(), big_endian));
        expect_result(command, file, numbers<T>());
        big_endian = !big_endian;
      }
    });
  }
}

TEST_F(reduction_program, reads_every_type_in_both_byte_orders_and_raw) {
  for (const exactdot::element_info& known : exactdot::elements) {
    exactdot::with_element(known.type, [&]<class T>(T) {
      const std::vector<T> x = numbers<T>();
      for (const bool big : {false, true}) expect_result(all_commands[0], write("x.npy", npy_file(x, big)), x);
      expect_result(all_commands[0], write("x", cli_test::element_bytes(x)), x,
                    {"--dtype", name(exactdot::type_of<T>)});
    });
  }
}

TEST_F(reduction_program, has_the_same_bits_on_a_gpu) {
  const auto cuda = run_json({"info"})["cuda"];
  if (cuda["engine"] != true || cuda["gpus"].empty()) GTEST_SKIP() << "no GPU, or no CUDA engine";
  const std::string floats = write("f.npy", npy_file(numbers<float>(), true));
  const std::string integers = write("i.npy", npy_file(numbers<std::int16_t>()));
  for (const auto& [command, what] : all_commands) {
    for (const std::string& file : {floats, integers}) {
      std::vector<std::string> arguments = {command, file};
      if (what == reduction::dot) arguments.push_back(file);
      const auto cpu = run_json(arguments);
      arguments.insert(arguments.end(), {"--device", "cuda:0"});
      const auto gpu = run_json(arguments);
      EXPECT_EQ(gpu["device"], "cuda:0");
      const char* const member = exactdot::gives_index(what) ? "index" : "bits";
      EXPECT_EQ(gpu[member], cpu[member]) << command << " " << file;
    }
  }
}

TEST_F(reduction_program, prints_one_line) {
  const std::string x = write("x.npy", std::vector<double>{1e16, 1, -1e16, -4});
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"sum", "-3\n"}, {"mean", "-0.75\n"}, {"min", "-1e+16\n"}, {"argmin", "2\n"}, {"argmax", "0\n"}};
  for (const auto& [command, line] : lines) EXPECT_EQ(run_well({command, x}), line) << command;
  EXPECT_EQ(run_well({"nrm2", write("y.npy", std::vector<double>{3e300, 4e300})}), "5e+300\n");
  EXPECT_EQ(run_well({"sum", write("h.npy", std::vector<float16>(3, float16(0.1F)))}), "0.2998\n");
  EXPECT_EQ(run_well({"max", write("i.npy", std::vector<std::int8_t>{-3, -2})}), "-2\n");
}

TEST_F(reduction_program, prints_integers_in_full) {
  const std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();
  const std::string x = write("x.npy", std::vector<std::uint64_t>{greatest - 1, 1});
  EXPECT_EQ(run_well({"sum", x}), "18446744073709551615\n");
  const auto json = run_json({"sum", x});
  EXPECT_TRUE(json["value"].is_number_unsigned());
  EXPECT_EQ(json["value"].get<std::uint64_t>(), greatest);
  EXPECT_FALSE(json.contains("hex"));
  EXPECT_EQ(json["bits"], "ffffffffffffffff");
  EXPECT_EQ(run_json({"min", write("y.npy", std::vector<std::int64_t>{-(std::int64_t{1} << 53) - 1})})["value"],
            -9007199254740993);
}

TEST_F(reduction_program, describes_the_call_as_json) {
  const std::string x = write("x.npy", std::vector<float>{1, 2, 3, 4});
  const auto keys = [](const nlohmann::json& json) {
    std::set<std::string> found;
    for (const auto& [key, value] : json.items()) found.insert(key);
    return found;
  };
  std::set<std::string> expected = {"reduction", "value", "hex",    "bits",   "dtype",   "input_dtypes",
                                    "n",         "mode",  "device", "engine", "seconds", "gb_per_s"};
  const auto sum = run_json({"sum", x, "--threads", "1", "--result", "float64", "--mode", "fast"});
  EXPECT_EQ(keys(sum), expected);
  EXPECT_EQ(sum["reduction"], "sum");
  EXPECT_EQ(sum["value"], 10);
  EXPECT_EQ(sum["hex"], "0x1.4p+3");
  EXPECT_EQ(sum["dtype"], "float64");
  EXPECT_EQ(sum["input_dtypes"], nlohmann::json::array({"float32"}));
  EXPECT_EQ(sum["n"], 4);
  EXPECT_EQ(sum["mode"], "fast");
  EXPECT_EQ(sum["device"], "cpu");
  EXPECT_EQ(sum["engine"], exactdot::cpu().instruction_set + ", 1 thread");
  EXPECT_GT(sum["seconds"], 0.0);
  EXPECT_NEAR(sum["gb_per_s"].get<double>() * sum["seconds"].get<double>(), 16 / 1e9, 1e-12);
  const auto index = run_json({"argmax", x});
  EXPECT_EQ(index["index"], 3);
  EXPECT_EQ(index["reduction"], "argmax");
  for (const char* const key : {"value", "hex", "bits"}) expected.erase(key);
  expected.insert("index");
  EXPECT_EQ(keys(index), expected);
  const auto variance = run_json({"var", x, "--ddof", "1"});
  EXPECT_EQ(variance["reduction"], "variance");
  EXPECT_EQ(variance["ddof"], 1);
  const auto mixed = run_json({"dot", x, write("y.npy", std::vector<double>{1, 1, 1, 1})});
  EXPECT_EQ(mixed["input_dtypes"], (nlohmann::json{"float32", "float64"}));
  EXPECT_EQ(mixed["dtype"], "float64");
  EXPECT_EQ(mixed["value"], 10);
}

TEST_F(reduction_program, divides_by_n_minus_ddof) {
  const std::string x = write("x.npy", std::vector<double>{1, 2, 3, 4});
  EXPECT_EQ(run_well({"var", x}), "1.25\n");
  EXPECT_EQ(run_well({"var", x, "--ddof", "0"}), "1.25\n");
  EXPECT_EQ(run_well({"var", x, "--ddof", "1"}), "1.6666666666666667\n");
  EXPECT_EQ(run_well({"std", x, "--ddof", "3"}), "2.23606797749979\n");
  EXPECT_EQ(run_well({"std", x, "--ddof", "4"}), "nan\n");
  EXPECT_EQ(run_well({"var", x, "--ddof", "1.0"}), "1.6666666666666667\n");
  EXPECT_EQ(run_well({"std", x, "--ddof", "3e0"}), "2.23606797749979\n");
  EXPECT_EQ(run_json({"var", x, "--ddof", "1.0"})["ddof"], 1);
  expect_usage_fault({"var", x, "--ddof", "1.5"},
                     {"--ddof", "'1.5' has a fraction", "Python's xd.var", "0 or more"});
  for (const std::string ddof : {"-1", "-1.0", "-0.5", "nan", "1e300", "1.0x", "x", "", "9223372036854775808"}) {
    expect_usage_fault({"var", x, "--ddof", ddof},
                       {"--ddof", "'" + ddof + "' is not a number of degrees of freedom", "0 or more"});
  }
}

TEST_F(reduction_program, rounds_to_the_result_type) {
  const std::string x = write("x.npy", std::vector<std::int32_t>{2049, 2048});
  EXPECT_EQ(run_json({"sum", x})["dtype"], "int64");
  EXPECT_EQ(run_json({"sum", x})["value"], 4097);
  EXPECT_EQ(run_json({"sum", x, "--result", "uint64"})["dtype"], "uint64");
  EXPECT_EQ(run_json({"sum", x, "--result", "float16"})["value"], 4096);
  EXPECT_EQ(run_json({"sum", x, "--result", "bfloat16"})["bits"], "4580");
  EXPECT_EQ(run_json({"mean", x})["value"], 2048.5);
  EXPECT_EQ(run_json({"mean", x, "--result", "float32"})["dtype"], "float32");
  const std::string bytes = write("b.npy", std::vector<std::uint8_t>{255, 1});
  EXPECT_EQ(run_json({"sum", bytes})["dtype"], "uint64");
  EXPECT_EQ(run_json({"dot", x, bytes})["dtype"], "int64");
  EXPECT_EQ(run_json({"dot", x, bytes})["value"], 255 * 2049 + 2048);
  const std::string halves = write("h.npy", std::vector<float16>{float16(0.5F), float16(2)});
  EXPECT_EQ(run_json({"dot", halves, write("f.npy", std::vector<float>{1, 3})})["dtype"], "float32");
  EXPECT_EQ(run_json({"dot", halves, halves})["dtype"], "float16");
  const std::string brains = write("b.npy", std::vector<bfloat16>{bfloat16(3), bfloat16(-0.5F)});
  const std::string raw = write("raw", cli_test::element_bytes(std::vector<double>{0x1p-40, 2}));
  EXPECT_EQ(run_json({"dot", brains, halves, "--dtype", "bfloat16", "--dtype-b", "float16"})["value"], 0.5);
  EXPECT_EQ(run_json({"dot", brains, raw, "--dtype", "bfloat16", "--dtype-b", "float64"})["value"],
            3 * 0x1p-40 - 1);
  EXPECT_EQ(run_json({"dot", halves, raw, "--dtype-b", "float64"})["dtype"], "float64");
  expect_fault({"dot", brains, halves, "--dtype", "bfloat16"}, halves,
               {"holds float16, but --dtype says bfloat16"});
}

TEST_F(reduction_program, refuses_result_types_that_do_not_fit) {
  const std::string floats = write("f.npy", std::vector<float>{1});
  expect_usage_fault({"sum", floats, "--result", "int64"},
                     {"the result type is int64; use a floating-point type for elements of float32"});
  const std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();
  const std::string large = write("l.npy", std::vector<std::uint64_t>{greatest, 1});
  const std::string too_large = "the result does not fit into uint64; use --result float64";
  expect_fault({"sum", large}, large, {too_large});
  expect_fault({"dot", large, large}, large, {too_large});
  EXPECT_EQ(run_well({"sum", large, "--result", "float64"}), "1.8446744073709552e+19\n");
  const std::string negative = write("n.npy", std::vector<std::int8_t>{-1});
  expect_fault({"sum", negative, "--result", "uint64"}, negative, {too_large});
}

TEST_F(reduction_program, has_results_of_no_elements_but_for_extrema) {
  const std::string none = write("none.npy", std::vector<float>{});
  for (const std::string command : {"sum", "asum", "sum_of_squares", "nrm2"}) {
    EXPECT_EQ(run_well({command, none}), "0\n") << command;
  }
  for (const std::string command : {"mean", "var", "std"}) EXPECT_EQ(run_well({command, none}), "nan\n") << command;
  for (const std::string command : {"min", "max", "argmin", "argmax"}) {
    expect_fault({command, none}, none, {"has no elements; " + command + " needs at least one"});
  }
  EXPECT_EQ(run_json({"mean", none, "--compare"})["compare"].size(), 5U);
}

TEST_F(reduction_program, computes_fast_sums_in_order_v1) {
  std::vector<float> x;
  for (int i = 0; i < 20'000; ++i) x.push_back(1.0F / static_cast<float>(i + 1));
  const std::string file = write("x.npy", x), swapped = write("y.npy", npy_file(x, true));
  const any_vector view = exactdot::to_any(x);
  for (const auto& [command, what] : all_commands) {
    if (what == reduction::dot || exactdot::gives_element(what) || exactdot::gives_index(what)) continue;
    if (what == reduction::variance || what == reduction::stddev) {
      expect_usage_fault({command, file, "--mode", "fast"}, {"--mode: fast not in {exact}"});
      continue;
    }
    const auto expected = oracle::reference(what, view, view).fast(element_type::float32);
    for (const std::string& path : {file, swapped}) {
      EXPECT_EQ(bits(run_json({command, path, "--mode", "fast", "--threads", "2"})), expected->bits) << command;
    }
  }
}

TEST_F(reduction_program, knows_special_values) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::string both = write("both.npy", std::vector<double>{infinity, -infinity});
  EXPECT_EQ(run_well({"sum", both}), "nan\n");
  EXPECT_EQ(run_json({"asum", both})["value"], "inf");
  EXPECT_EQ(run_json({"min", both})["value"], "-inf");
  const std::string with_nan = write("nan.npy", std::vector<double>{1, nan, -1, nan});
  EXPECT_EQ(run_json({"max", with_nan})["value"], "nan");
  EXPECT_EQ(run_json({"argmin", with_nan})["index"], 1);
  EXPECT_EQ(run_well({"min", write("zeros.npy", std::vector<float>{0.0F, -0.0F})}), "-0\n");
}

TEST_F(reduction_program, names_the_file_that_it_cannot_use) {
  const std::string nothing = folder / "none.npy";
  expect_fault({"sum", nothing}, nothing, {"No such file"});
  const std::string text = write("text", "1 2 3");
  expect_fault({"nrm2", text}, text, {"is not a .npy file but text; "});
  const std::string broken = write("raw", "12345");
  expect_fault({"max", broken, "--dtype", "int16"}, broken, {"5 bytes is not a multiple of 2, the size of int16"});
  const std::string halves = write("h.npy", std::vector<bfloat16>(2));
  expect_fault({"sum", halves}, halves, {"dtype void 'V2'", "add --dtype bfloat16"});
  const std::string floats = write("f.npy", std::vector<float>(2));
  expect_fault({"sum", floats, "--dtype", "bfloat16"}, floats, {"holds float32, but --dtype says bfloat16"});
}

}  // namespace
