// Complex numbers in files: every reduction that has them against the oracle, whose sums of reals the test writes
// out; both types, byte orders, raw files, axes, groups, saved results, special values; what has none refuses by
// name.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <exactdot/exactdot.hpp>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "oracle/complex_numbers.hpp"
#include "oracle/random.hpp"
#include "oracle/reference.hpp"
#include "support/program_fixture.hpp"

namespace {

using cli_test::element_bytes;
using cli_test::npy_dict;
using cli_test::npy_with_header;
using exactdot::element_type;
using exactdot::reduction;
using parsed = nlohmann::json;
using oracle::parts;
using oracle::random_numbers;
template <class T>
using numbers = std::vector<std::complex<T>>;

template <class T>
std::string code_of(bool big_endian = false) {
  return std::string("'") + (big_endian ? '>' : '<') + (sizeof(T) == 4 ? "c8'" : "c16'");
}
template <class T>
std::string name_of_type() {
  return sizeof(T) == 4 ? "complex64" : "complex128";
}

class complex_program : public cli_test::program {
 protected:
  template <class T>
  std::string write_numbers(const std::string& name, const numbers<T>& x, bool big_endian = false,
                            const std::string& shape = "", const std::string& order = "False") {
    const std::string dict =
        npy_dict(code_of<T>(big_endian), shape.empty() ? "(" + std::to_string(x.size()) + ",)" : shape, order);
    return write(name, npy_with_header(dict, element_bytes(parts<T>(x, 1, 1), big_endian)));
  }

  static std::uint64_t word(const parsed& bits) {
    return std::strtoull(bits.get<std::string>().c_str(), nullptr, 16);
  }
  template <class T>
  static std::uint64_t expected(reduction what, const std::vector<T>& a, const std::vector<T>& b, bool fast) {
    const oracle::reference reference(what, exactdot::to_any(a), exactdot::to_any(b));
    const element_type type = exactdot::type_of<T>;
    return (fast ? reference.fast(type) : reference.exact(type))->bits;
  }
  template <class T>
  static void expect_parts(const parsed& object, std::uint64_t real, std::uint64_t imaginary) {
    EXPECT_EQ(object["dtype"], name_of_type<T>());
    ASSERT_EQ(object["bits"].size(), 2U);
    EXPECT_EQ(word(object["bits"][0]), real);
    EXPECT_EQ(word(object["bits"][1]), imaginary);
    for (std::size_t k = 0; k < 2; ++k) {
      const double hex = std::strtod(object["hex"][k].get<std::string>().c_str(), nullptr);
      EXPECT_EQ(static_cast<T>(object["value"][k].get<double>()), static_cast<T>(hex));
    }
  }

  template <class T>
  void check(const numbers<T>& a, const numbers<T>& b, const std::string& of_a, const std::string& of_b,
             const std::vector<std::string>& more, bool fast) {
    const auto with = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.end(), more.begin(), more.end());
      if (fast) arguments.insert(arguments.end(), {"--mode", "fast"});
      return run_json(arguments);
    };
    const std::vector<T> real = parts<T>(a, 1, 0), imaginary = parts<T>(a, 0, 1), both = parts<T>(a, 1, 1);
    for (const reduction what : {reduction::sum, reduction::mean}) {
      SCOPED_TRACE(exactdot::name_of(what));
      expect_parts<T>(with({exactdot::name_of(what), of_a}), expected(what, real, real, fast),
                      expected(what, imaginary, imaginary, fast));
    }
    for (const reduction what : {reduction::asum, reduction::sum_of_squares, reduction::nrm2}) {
      const parsed object = with({exactdot::name_of(what), of_a});
      EXPECT_EQ(word(object["bits"]), expected(what, both, both, fast)) << exactdot::name_of(what);
      EXPECT_EQ(object["dtype"], sizeof(T) == 4 ? "float32" : "float64");
      EXPECT_EQ(object["input_dtypes"], parsed{name_of_type<T>()});
    }
    for (const bool conjugates : {false, true}) {
      SCOPED_TRACE(conjugates);
      numbers<T> turned;  // Σ (xv ± yu), as x·v + y·(±u)
      for (const auto& each : b) turned.emplace_back(each.imag(), conjugates ? -each.real() : each.real());
      std::vector<std::string> arguments = {"dot", of_a, of_b};
      if (conjugates) arguments.emplace_back("--conjugate");
      const parsed object = with(arguments);
      EXPECT_EQ(object.contains("conjugate"), conjugates);
      expect_parts<T>(object, expected(reduction::dot, both, parts<T>(b, 1, conjugates ? 1 : -1), fast),
                      expected(reduction::dot, both, parts<T>(turned, 1, 1), fast));
    }
  }
};

TEST_F(complex_program, has_the_oracles_bits_in_every_form_of_file) {
  oracle::rng random{17};
  for (const std::size_t n : {1, 77, 2000}) {  // on the stack and in chunks
    const auto each = [&]<class T>(T) {
      const numbers<T> a = random_numbers<T>(random, n), b = random_numbers<T>(random, n);
      for (const bool big : {false, true}) {
        check(a, b, write_numbers("a.npy", a, big), write_numbers("b.npy", b, !big), {}, big);
      }
      const std::string raw = write("a.raw", element_bytes(parts<T>(a, 1, 1)));
      check(a, b, raw, write("b.raw", element_bytes(parts<T>(b, 1, 1))), {"--dtype", name_of_type<T>()}, false);
      // elements at an odd address
      const std::string dict =
          "{'descr': " + code_of<T>() + ", 'fortran_order': False, 'shape': (" + std::to_string(n) + ",)}";
      const std::string odd = dict + (dict.size() % 2 == 0 ? " " : "");
      check(a, a, write("odd.npy", npy_with_header(odd, element_bytes(parts<T>(a, 1, 1)))),
            write_numbers("a.npy", a), {}, false);
    };
    each(float{}), each(double{});
  }
}

TEST_F(complex_program, rounds_ties_to_even_and_keeps_what_cancels) {
  // 2^24 + 1 lies between two floats; half of the least bit more decides
  const std::string tie = write_numbers<float>("t.npy", {{0x1p24F, -0x1p24F}, {1, -1}});
  EXPECT_EQ(run_well({"sum", tie}), "16777216-16777216j\n");
  EXPECT_EQ(run_well({"sum", tie, "--result", "complex128"}), "16777217-16777217j\n");
  const std::string more = write_numbers<float>("m.npy", {{0x1p24F, -0x1p24F}, {1, -1}, {0x1p-149F, -0x1p-149F}});
  EXPECT_EQ(run_well({"sum", more}), "16777218-16777218j\n");
  // (2^27 + 1)² − (2^27 + 1)² = 0, beside it 10^-3 · 10^-3
  const std::string x = write_numbers<double>("x.npy", {{0x1p27 + 1, 0x1p27 + 1}, {1e-3, 0}});
  EXPECT_EQ(run_json({"dot", x, x})["value"][0], 1e-6);
  EXPECT_EQ(run_json({"dot", x, x, "--conjugate"})["value"], parsed({0x1p55 + 0x1p29, 0.0}));
  EXPECT_EQ(run_well({"nrm2", write_numbers<double>("n.npy", {{3e300, 4e300}})}), "5e+300\n");
}

TEST_F(complex_program, prints_special_values) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::string x = write_numbers<double>("x.npy", {{nan, 1}, {inf, -inf}});
  EXPECT_EQ(run_well({"sum", x}), "nan-infj\n");
  EXPECT_EQ(run_well({"nrm2", x}), "nan\n");
  EXPECT_EQ(run_json({"sum", x})["value"], parsed({"nan", "-inf"}));
  EXPECT_EQ(run_json({"sum", x})["hex"], parsed({"nan", "-inf"}));
  EXPECT_EQ(run_well({"sum", write_numbers<float>("i.npy", {{1, HUGE_VALF}, {2, -HUGE_VALF}})}), "3+nanj\n");
  const std::string none = write_numbers<float>("e.npy", {});
  EXPECT_EQ(run_well({"sum", none}), "0+0j\n");
  EXPECT_EQ(run_well({"mean", none}), "nan+nanj\n");
  EXPECT_EQ(run_well({"dot", none, none, "--conjugate"}), "0+0j\n");
  EXPECT_EQ(run_well({"nrm2", none}), "0\n");
  EXPECT_EQ(run_well({"sum", write_numbers<float>("s.npy", {{0.1F, -1e-3F}})}), "0.1-0.001j\n");
}

TEST_F(complex_program, multiplies_types_that_differ) {
  const std::string z = write_numbers<float>("z.npy", {{1, 2}, {3, -4}});
  const std::string wide = write_numbers<double>("w.npy", {{1, 0}, {0, 1}});
  const std::string real = write("r.npy", std::vector<double>{10, 100});
  const std::string half =
      write("h.npy", std::vector<exactdot::float16>{exactdot::float16(2.0F), exactdot::float16(0.5F)});
  EXPECT_EQ(run_well({"dot", z, wide}), "5+5j\n");
  EXPECT_EQ(run_json({"dot", z, wide})["dtype"], "complex128");
  EXPECT_EQ(run_well({"dot", z, real}), "310-380j\n");
  EXPECT_EQ(run_json({"dot", z, real})["dtype"], "complex128");
  EXPECT_EQ(run_well({"dot", z, real, "--conjugate"}), "310+380j\n");
  EXPECT_EQ(run_well({"dot", real, z, "--conjugate"}), "310-380j\n");
  EXPECT_EQ(run_well({"dot", real, real, "--conjugate"}), "10100\n");
  EXPECT_EQ(run_json({"dot", half, z})["dtype"], "complex64");
  EXPECT_EQ(run_well({"dot", half, z}), "3.5+2j\n");
  EXPECT_EQ(run_well({"nrm2", write_numbers<float>("n.npy", {{3, 4}}), "--result", "float64"}), "5\n");
}

TEST_F(complex_program, reduces_axes_of_arrays_and_saves_results) {
  const numbers<double> m = {{1, 2}, {3, -1}, {0, 5}, {4, 0}, {5, -1}, {6, 1}};
  const std::string rows = write_numbers("m.npy", m, true, "(2, 3)");
  const std::string columns = write_numbers("f.npy", m, false, "(3, 2)", "True");
  EXPECT_EQ(run_well({"sum", rows, "--axis", "0"}), "5+2j\n8-2j\n6+6j\n");
  EXPECT_EQ(run_well({"sum", columns, "--axis", "1"}), "5+2j\n8-2j\n6+6j\n");
  EXPECT_EQ(run_well({"asum", rows, "--axis", "1"}), "12\n17\n");
  const std::string x = write_numbers<double>("x.npy", {{0, 1}, {1, 0}, {0, 0}});
  EXPECT_EQ(run_well({"dot", rows, x, "--axis", "1"}), "1+0j\n5+3j\n");
  EXPECT_EQ(run_well({"dot", rows, x, "--axis", "1", "--conjugate"}), "5+2j\n5+5j\n");
  const std::string real = write("r.npy", std::vector<float>{1, 0, 2});
  EXPECT_EQ(run_well({"dot", rows, real, "--axis", "1", "--conjugate"}), "1-12j\n16-2j\n");
  EXPECT_EQ(run_well({"dot", rows, rows, "--axis", "0", "--conjugate"}), "21+0j\n36+0j\n62+0j\n");
  const parsed all = run_json({"sum", rows, "--axis", "1"});
  EXPECT_EQ(all["values"], parsed({{4.0, 6.0}, {15.0, 0.0}}));
  EXPECT_EQ(all["shape"], parsed{2});
  EXPECT_EQ(all["dtype"], "complex128");
  const std::string out = folder / "out.npy";
  run_well({"sum", rows, "--axis", "1", "--out", out, "--result", "complex64"});
  EXPECT_EQ(cli_test::read_file(out),
            npy_with_header(npy_dict("'<c8'", "(2,)"), element_bytes(std::vector<float>{4, 6, 15, 0})));
}

TEST_F(complex_program, reduces_groups) {
  const std::string x = write_numbers<double>("x.npy", {{1, 2}, {1e16, -3}, {-1, 0.5}, {3, 4}});
  const std::string keys = write("k.npy", std::vector<std::int8_t>{0, 2, 0, 2});
  EXPECT_EQ(run_well({"group", x, keys}), "0+2.5j\n0+0j\n1.0000000000000004e+16+1j\n");
  EXPECT_EQ(run_json({"group", x, keys, "--reduction", "mean"})["values"][1], parsed({"nan", "nan"}));
  EXPECT_EQ(run_well({"group", x, keys, "--reduction", "asum"}), "4.5\n0\n1.000000000000001e+16\n");
  EXPECT_EQ(run_well({"group", x, keys, "--reduction", "count"}), "2\n0\n2\n");
  const std::string raw = write("x.raw", element_bytes(std::vector<float>{1, 2, 3, 4}));
  const std::string two = write("two.npy", std::vector<std::int8_t>{1, 0});
  EXPECT_EQ(run_well({"group", raw, two, "--dtype", "complex64"}), "3+4j\n1+2j\n");
}

TEST_F(complex_program, refuses_by_name_what_complex_numbers_do_not_have) {
  const std::string x = write_numbers<double>("x.npy", {{1, 2}, {3, 4}});
  const std::string real = write("r.npy", std::vector<float>{1, 2});
  const std::string whole = write("i.npy", std::vector<std::int32_t>{1, 2});
  const std::string keys = write("k.npy", std::vector<std::int8_t>{0, 1});
  const std::string sentence =
      "takes real numbers, of complex ones there are dot, sum, asum, sum_of_squares, nrm2, mean";
  for (const std::string command : {"var", "std", "min", "argmax", "standard_error"}) {
    expect_fault({command, x}, x, {"holds complex128; " + command + " " + sentence});
    expect_fault({command, x, "--axis", "0"}, x, {"holds complex128; " + command + " " + sentence});
  }
  for (const std::string command : {"weighted_mean", "cosine", "corr", "variance_about"}) {
    expect_fault({command, x, real}, x, {"holds complex128; " + command + " " + sentence});
    expect_fault({command, real, x}, x, {"holds complex128; " + command + " " + sentence});
  }
  expect_fault({"group", x, keys, "--reduction", "max"}, x, {"holds complex128; max " + sentence});
  const std::string only_real = "holds complex128, expected real numbers; save x.real and x.imag";
  expect_fault({"minmax", x}, x, {only_real});
  expect_fault({"cumsum", x}, x, {only_real});
  expect_fault({"rolling", x, "--window", "2"}, x, {only_real});
  expect_fault({"group", real, x}, x, {only_real});
  expect_fault({"sum", real, "--where", x}, x, {only_real});
  for (const std::string command : {"sum", "nrm2"}) {
    expect_fault({command, x, "--compare"}, x, {"--compare is for real numbers only"});
    expect_fault({command, x, "--device", "cuda:0"}, x, {"--device cuda:0 is for real numbers only"});
  }
  expect_fault({"dot", real, x, "--compare"}, x, {"--compare is for real numbers only"});
  expect_fault({"dot", x, whole}, whole,
               {"holds int32, but " + x + " holds complex128; expected two types of floating-point or complex"});
  expect_fault({"dot", x, write_numbers<float>("s.npy", {{1, 2}})}, folder / "s.npy", {"has length 1"});
}

/// The numbers that stay, in a file of their own, give the same text.
TEST_F(complex_program, leaves_out_numbers) {
  oracle::rng random(81);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  numbers<double> x = random_numbers<double>(random, 300), y = random_numbers<double>(random, 300), x_left, y_left;
  std::vector<std::uint8_t> mask(x.size());
  std::vector<double> real(x.size()), real_left;
  std::vector<std::int8_t> keys(x.size()), keys_left;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 7 == 0) x[i].real(nan);
    if (i % 11 == 0) x[i].imag(nan);
    if (i % 13 == 0) y[i].imag(nan);
    mask[i] = i % 5 != 0, keys[i] = static_cast<std::int8_t>(i % 3), real[i] = static_cast<double>(i);
    if (i % 7 == 0 || i % 11 == 0 || i % 13 == 0 || mask[i] == 0) continue;
    x_left.push_back(x[i]), y_left.push_back(y[i]), real_left.push_back(real[i]), keys_left.push_back(keys[i]);
  }
  std::vector<std::uint8_t> mask_of_y = mask;  // of calls that do not read y
  for (std::size_t i = 0; i < x.size(); i += 13) mask_of_y[i] = 0;
  const std::string a = write_numbers<double>("x.npy", x), b = write_numbers<double>("y.npy", y),
                    left = write_numbers<double>("x_left.npy", x_left), b_left = write_numbers<double>("y_left.npy", y_left),
                    r = write("r.npy", real), r_left = write("r_left.npy", real_left), k = write("k.npy", keys),
                    k_left = write("k_left.npy", keys_left), m = write("m.npy", mask), m_of_y = write("my.npy", mask_of_y);
  for (const std::string command : {"sum", "mean", "nrm2", "sum_of_squares", "asum"}) {
    EXPECT_EQ(run_well({command, a, "--skip-nan", "--where", m_of_y}), run_well({command, left})) << command;
    EXPECT_EQ(run_well({command, a, "--axis", "0", "--skip-nan", "--where", m_of_y}), run_well({command, left}));
    EXPECT_EQ(run_well({"group", a, k, "--reduction", command, "--skip-nan", "--where", m_of_y}),
              run_well({"group", left, k_left, "--reduction", command}))
        << command;
  }
  EXPECT_EQ(run_well({"dot", a, b, "--skip-nan", "--where", m}), run_well({"dot", left, b_left}));
  EXPECT_EQ(run_well({"dot", a, b, "--conjugate", "--skip-nan", "--where", m}),
            run_well({"dot", left, b_left, "--conjugate"}));
  EXPECT_EQ(run_well({"dot", a, r, "--skip-nan", "--where", m_of_y}), run_well({"dot", left, r_left}));
  const auto json = run_json({"sum", a, "--skip-nan", "--where", m_of_y});
  EXPECT_EQ(json["skip_nan"], true);
  EXPECT_EQ(json["value"], run_json({"sum", left})["value"]);
  const std::string none = write("none.npy", std::vector<std::uint8_t>(x.size()));
  EXPECT_EQ(run_well({"sum", a, "--where", none}), "0+0j\n");
  EXPECT_EQ(run_well({"mean", a, "--where", none}), "nan+nanj\n");
}

TEST_F(complex_program, refuses_types_that_do_not_fit) {
  const std::string x = write_numbers<double>("x.npy", {{1, 2}, {3, 4}});
  const std::string real = write("r.npy", std::vector<float>{1, 2});
  const std::string keys = write("k.npy", std::vector<std::int8_t>{0, 1});
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--axis", "0"}}) {
    std::vector<std::string> arguments = {"sum", x, "--result", "float64"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_usage_fault(arguments,
                       {"--result float64: sum of complex numbers is complex; expected complex64 or complex128"});
    arguments[1] = real, arguments[3] = "complex64";
    expect_usage_fault(arguments, {"--result complex64: sum of real numbers is real; expected a real type"});
  }
  expect_usage_fault({"group", x, keys, "--result", "int64"},
                     {"--result int64: sum of complex numbers is complex"});
  expect_usage_fault({"group", x, keys, "--reduction", "nrm2", "--result", "complex64"},
                     {"nrm2 of complex numbers is real"});
  expect_usage_fault({"nrm2", x, "--result", "complex64"}, {"--result", "complex64"});
  expect_usage_fault({"cumsum", real, "--result", "complex64"}, {"--result", "complex64"});
  expect_usage_fault({"var", real, "--dtype", "complex64"}, {"--dtype", "complex64"});
  expect_usage_fault({"sum", x, "--conjugate"}, {"--conjugate"});
  expect_fault({"sum", x, "--dtype", "complex64"}, x, {"holds complex128, but --dtype says complex64"});
  const std::string odd = write("odd.raw", std::string(20, '\0'));
  expect_fault({"sum", odd, "--dtype", "complex64"}, odd,
               {"size of 20 bytes is not a multiple of 8, the size of complex64"});
  const std::string cut = write("cut.npy", npy_with_header(npy_dict("'<c16'", "(2,)"), std::string(31, '\0')));
  expect_fault({"sum", cut}, cut, {"truncated data: 2 x complex128 needs 32 bytes, the file has 31"});
  const std::string wide = write("wide.npy", npy_with_header(npy_dict("'<c32'", "(2,)"), std::string(64, '\0')));
  expect_fault({"sum", wide}, wide,
               {"dtype complex256 '<c32' is not supported; save x.astype(\"complex128\"), which rounds"});
}

}  // namespace
