// exactdot dot on valid files: bits of the values, every kind of file, JSON.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <exactdot/exactdot.hpp>
#include <io/data_source.hpp>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "oracle/bits.hpp"
#include "oracle/exact.hpp"
#include "oracle/order_v1.hpp"
#include "support/program_fixture.hpp"

namespace {

using cli_test::element_bytes;
using cli_test::npy_file;
using exactdot::io::data_request;
using exactdot::io::data_set;
using exactdot::io::data_source;

template <class T>
struct operands {
  explicit operands(const data_request& request) : a(request.n), b(request.n) {
    data_source<T>{request}.next(a, b);
  }
  std::vector<T> a, b;
};

class dot_program : public cli_test::program {
 protected:
  template <class T>
  oracle::exact_value exact_dot(const operands<T>& x) {
    return oracle::exact_dot(std::span<const T>(x.a), std::span<const T>(x.b));
  }
  template <class R>
  static std::string bits_of(R value) {
    constexpr int digits = 2 * sizeof(R);
    std::string text(digits + 1, '\0');
    std::snprintf(text.data(), text.size(), "%0*llx", digits,
                  static_cast<unsigned long long>(oracle::to_bits(value)));
    text.pop_back();
    return text;
  }
};

TEST_F(dot_program, prints_a_line_that_reads_back_to_the_bits) {
  const operands<double> x{{data_set::ill, 1000, 42, 1e40}};
  const std::string out = run_well({"dot", write("a.npy", x.a), write("b.npy", x.b)});
  EXPECT_TRUE(oracle::same_bits(std::strtod(out.c_str(), nullptr), exact_dot(x).as_double));
  EXPECT_EQ(out.find('\n'), out.size() - 1);
  const operands<float> y{{data_set::ill, 1000, 42, 1e20}};
  const std::string float_out = run_well({"dot", write("c.npy", y.a), write("d.npy", y.b)});
  EXPECT_TRUE(oracle::same_bits(std::strtof(float_out.c_str(), nullptr), exact_dot(y).as_float));
}

TEST_F(dot_program, prints_one_json_object) {
  const operands<double> x{{data_set::uniform, 5000}};
  const auto json = run_json({"dot", write("a.npy", x.a), write("b.npy", x.b), "--threads", "2"});
  const double truth = exact_dot(x).as_double;
  EXPECT_TRUE(oracle::same_bits(json["value"].get<double>(), truth));
  EXPECT_TRUE(oracle::same_bits(std::strtod(json["hex"].get<std::string>().c_str(), nullptr), truth));
  EXPECT_EQ(json["bits"], bits_of(truth));
  EXPECT_EQ(json["dtype"], "float64");
  EXPECT_EQ(json["n"], 5000);
  EXPECT_EQ(json["mode"], "exact");
  EXPECT_EQ(json["device"], "cpu");
  EXPECT_TRUE(json["engine"].get<std::string>().starts_with(exactdot::cpu().instruction_set + ", "));
  EXPECT_GT(json["seconds"], 0.0);
  EXPECT_NEAR(json["gb_per_s"].get<double>() * json["seconds"].get<double>(), 80000 / 1e9, 1e-9);
  EXPECT_EQ(json["reduction"], "dot");
  EXPECT_EQ(json["input_dtypes"], (nlohmann::json{"float64", "float64"}));
  EXPECT_EQ(json.size(), 12U);
}

TEST_F(dot_program, has_the_same_bits_on_a_gpu) {
  const auto cuda = run_json({"info"})["cuda"];
  if (cuda["engine"] != true || cuda["gpus"].empty()) GTEST_SKIP() << "no GPU, or no CUDA engine";
  const operands<double> x{{data_set::ill, 100'003, 42, 1e40}};
  const std::string a = write("a.npy", x.a), b = write("b.npy", x.b);
  for (const std::string mode : {"exact", "fast"}) {
    const auto gpu = run_json({"dot", a, b, "--mode", mode, "--device", "cuda:0"});
    const auto cpu = run_json({"dot", a, b, "--mode", mode, "--device", "cpu"});
    EXPECT_EQ(gpu["bits"], cpu["bits"]) << mode;
    EXPECT_EQ(gpu["device"], "cuda:0");
    EXPECT_EQ(gpu["engine"], cuda["gpus"][0]);
    EXPECT_EQ(cpu["device"], "cpu");
  }
  EXPECT_NE(run_well({"dot", a, b, "--compare", "--device", "cuda"}).find("exact on cuda:0"), std::string::npos);
}

TEST_F(dot_program, rounds_once_to_the_result_type) {
  const operands<float> x{{data_set::uniform, 5000}};
  const operands<double> y{{data_set::uniform, 5000}};
  const std::string a = write("a.npy", x.a), b = write("b.npy", x.b), c = write("c.npy", y.a),
                    d = write("d.npy", y.b);
  EXPECT_EQ(run_json({"dot", a, b})["bits"], bits_of(exact_dot(x).as_float));
  EXPECT_EQ(run_json({"dot", a, b, "--result", "float64"})["bits"], bits_of(exact_dot(x).as_double));
  EXPECT_EQ(run_json({"dot", c, d, "--result", "float32"})["bits"], bits_of(exact_dot(y).as_float));
  EXPECT_EQ(run_json({"dot", c, d, "--result", "float32"})["dtype"], "float32");
}

TEST_F(dot_program, gives_infinities_and_nans_as_strings) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string ones = write("ones.npy", std::vector<double>{1, 1});
  const std::string plus = write("plus.npy", std::vector<double>{infinity, 1});
  const std::string both = write("both.npy", std::vector<double>{infinity, -infinity});
  EXPECT_EQ(run_well({"dot", plus, ones}), "inf\n");
  EXPECT_EQ(run_json({"dot", plus, ones})["value"], "inf");
  EXPECT_EQ(run_json({"dot", plus, ones})["bits"], "7ff0000000000000");
  EXPECT_EQ(run_well({"dot", both, ones}), "nan\n");
  EXPECT_EQ(run_json({"dot", both, ones})["value"], "nan");
  EXPECT_EQ(run_json({"dot", both, ones, "--result", "float32"})["bits"], "7fc00000");
}

TEST_F(dot_program, accepts_empty_vectors) {
  const std::string a = write("a.npy", std::vector<float>{});
  EXPECT_EQ(run_well({"dot", a, a}), "0\n");
  EXPECT_EQ(run_json({"dot", a, a, "--mode", "fast"})["bits"], "00000000");
  EXPECT_NE(run_well({"dot", a, a, "--compare"}), "");
}

TEST_F(dot_program, accepts_every_byte_order_version_and_memory_order) {
  const operands<float> x{{data_set::ill, 300, 7, 1e20}};
  const operands<double> y{{data_set::ill, 300, 7, 1e50}};
  for (const int major : {1, 2, 3}) {
    for (const bool big_a : {false, true}) {
      for (const bool big_b : {false, true}) {
        const std::string a = write("a.npy", npy_file(x.a, big_a, {major, 0}, "True"));
        const std::string b = write("b.npy", npy_file(x.b, big_b, {1, 0}, "False"));
        EXPECT_EQ(run_json({"dot", a, b})["bits"], bits_of(exact_dot(x).as_float));
        const std::string c = write("c.npy", npy_file(y.a, big_a, {major, 0}));
        const std::string d = write("d.npy", npy_file(y.b, big_b, {2, 0}, "True"));
        EXPECT_EQ(run_json({"dot", c, d})["bits"], bits_of(exact_dot(y).as_double));
      }
    }
  }
}

TEST_F(dot_program, accepts_data_at_any_alignment) {
  const operands<double> x{{data_set::uniform, 3000}};
  std::string header = cli_test::npy_dict("'<f8'", "(3000,)");
  for (int shift = 0; shift < 8; ++shift, header.insert(header.size() - 1, " ")) {
    const std::string a = write("a.npy", cli_test::npy_with_header(header, element_bytes(x.a)));
    EXPECT_EQ(run_json({"dot", a, write("b.npy", x.b)})["bits"], bits_of(exact_dot(x).as_double));
    if (shift == 1) run_well({"dot", a, a, "--compare"});
  }
}

TEST_F(dot_program, accepts_raw_files) {
  const operands<float> x{{data_set::ill, 300, 7, 1e20}};
  const operands<double> y{{data_set::ill, 300, 7, 1e50}};
  const std::string a = write("a", element_bytes(x.a)), b = write("b", element_bytes(x.b));
  const std::string c = write("c", element_bytes(y.a)), d = write("d", element_bytes(y.b));
  EXPECT_EQ(run_json({"dot", a, b, "--dtype", "float32"})["bits"], bits_of(exact_dot(x).as_float));
  EXPECT_EQ(run_json({"dot", c, d, "--dtype", "float64"})["bits"], bits_of(exact_dot(y).as_double));
  EXPECT_EQ(run_json({"dot", c, write("d.npy", y.b), "--dtype", "float64"})["bits"],
            bits_of(exact_dot(y).as_double));
}

TEST_F(dot_program, fast_is_order_v1_in_every_byte_order) {
  // Longer than the chunks in which files of the other byte order are converted, with an incomplete last tile.
  const operands<float> x{{data_set::uniform, (std::size_t{5} << 20) + 12345}};
  const auto truth = oracle::fast_dot<float>(std::span<const float>(x.a), std::span<const float>(x.b));
  const auto wide = oracle::fast_dot<double>(std::span<const float>(x.a), std::span<const float>(x.b));
  for (const bool big_a : {false, true}) {
    for (const bool big_b : {false, true}) {
      const std::string a = write("a.npy", npy_file(x.a, big_a)), b = write("b.npy", npy_file(x.b, big_b));
      EXPECT_EQ(run_json({"dot", a, b, "--mode", "fast"})["bits"], bits_of(truth));
      EXPECT_EQ(run_json({"dot", a, b, "--mode", "fast", "--result", "float64"})["bits"], bits_of(wide));
      EXPECT_EQ(run_json({"dot", a, b})["bits"], bits_of(exact_dot(x).as_float));
    }
  }
}

TEST_F(dot_program, fast_gives_the_canonical_nan_in_every_byte_order) {
  const std::vector<double> infinities = {std::numeric_limits<double>::infinity()};
  const std::vector<double> zeros = {0};
  for (const bool big : {false, true}) {
    const std::string a = write("a.npy", npy_file(infinities, big)), b = write("b.npy", npy_file(zeros, big));
    EXPECT_EQ(run_json({"dot", a, b, "--mode", "fast"})["bits"], "7ff8000000000000");
    EXPECT_EQ(run_json({"dot", a, b, "--mode", "fast", "--result", "float32"})["bits"], "7fc00000");
  }
}

TEST_F(dot_program, gives_the_same_bits_at_any_thread_count) {
  const operands<double> x{{data_set::wide, 300000}};
  const operands<double> y{{data_set::uniform, 300000}};
  const std::string a = write("a.npy", x.a), b = write("b.npy", y.b);
  for (const std::string mode : {"exact", "fast"}) {
    const auto one = run_json({"dot", a, b, "--mode", mode, "--threads", "1"});
    for (const std::string threads : {"0", "2", "3", "8"}) {
      EXPECT_EQ(run_json({"dot", a, b, "--mode", mode, "--threads", threads})["bits"], one["bits"]);
    }
  }
}

TEST_F(dot_program, accepts_the_same_file_twice_and_devices_auto_and_cpu) {
  const std::string a = write("a.npy", std::vector<float>{3, 4});
  for (const std::string device : {"auto", "cpu"}) EXPECT_EQ(run_well({"dot", a, a, "--device", device}), "25\n");
}

}  // namespace
