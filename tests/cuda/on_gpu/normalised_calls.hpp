// Calls of rms_norm and layer_norm with rows in device memory: elements of many kinds by their bits, what MPFR
// makes of them (oracle/normalised.hpp), and what a call does.
#pragma once

#include <cmath>
#include <cstring>
#include <cuda/host/workspace.hpp>
#include <exactdot/core/rounding.hpp>
#include <exactdot/cuda/normalise.hpp>
#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

#include "cuda/on_gpu/support.hpp"
#include "oracle/normalised.hpp"
#include "oracle/number.hpp"
#include "oracle/random.hpp"

namespace on_gpu {

using namespace exactdot;
using words = std::vector<std::uint64_t>;  // bits of elements

/// A call, with elements by their bits.
struct normalisation {
  element_type type, parameter_type;
  std::size_t rows, n;
  bool is_centred;
  double epsilon;
  words x, weight = {}, bias = {};
  std::size_t skew_x = 0, skew_out = 0, skew_parameters = 0;  ///< elements before the first
  std::size_t gap = 0;                                        ///< elements between rows
};

/// The number with these bits.
inline double value_of(element_type type, std::uint64_t bits) {
  const oracle::number x = oracle::decode(type, bits);
  const double size = x.kind == oracle::kind::nan ? NAN
                      : x.kind == oracle::kind::infinite
                          ? HUGE_VAL
                          : std::ldexp(static_cast<double>(x.value.mantissa), x.value.exponent);
  return x.value.negative ? -size : size;
}

/// The elements of a row, by the oracle.
class expected_row {
 public:
  expected_row(const normalisation& of, std::size_t row)
      : of_(of),
        x_(values_of(of, row)),
        oracle_(x_, of.is_centred, of.epsilon,
                {core::format_of(of.type).precision, core::format_of(of.type).exponent_bits}) {}

  [[nodiscard]] std::uint64_t element(std::size_t i) const {
    const double w = of_.weight.empty() ? 1 : value_of(of_.parameter_type, of_.weight[i]);
    const double b = of_.bias.empty() ? 0 : value_of(of_.parameter_type, of_.bias[i]);
    return oracle_.element(x_[i], w, b);
  }

 private:
  static std::vector<double> values_of(const normalisation& of, std::size_t row) {
    std::vector<double> x(of.n);
    for (std::size_t i = 0; i < of.n; ++i) x[i] = value_of(of.type, of.x[row * of.n + i]);
    return x;
  }
  const normalisation& of_;
  std::vector<double> x_;
  oracle::normalised_row oracle_;
};

/// Elements as bytes, `skew` elements before the first; rows `next` elements apart.
inline std::vector<unsigned char> bytes_of(const words& x, element_type type, std::size_t skew, std::size_t n,
                                           std::size_t next) {
  const std::size_t size = size_of(type), rows = n == 0 ? 0 : x.size() / n;
  std::vector<unsigned char> all((skew + rows * next + 1) * size, 0x77);
  for (std::size_t i = 0; i < x.size(); ++i) std::memcpy(&all[(skew + i / n * next + i % n) * size], &x[i], size);
  return all;
}

/// The call's results, row by row. Nothing else is written.
inline words results_of(const normalisation& of, cuda::workspace& workspace) {
  const std::size_t size = size_of(of.type), next = of.n + of.gap;
  const device_vector<unsigned char> x(bytes_of(of.x, of.type, of.skew_x, of.n, next));
  const device_vector<unsigned char> weight(bytes_of(of.weight, of.parameter_type, of.skew_parameters, of.n, of.n));
  const device_vector<unsigned char> bias(bytes_of(of.bias, of.parameter_type, of.skew_parameters, of.n, of.n));
  const std::vector<unsigned char> unwritten((of.skew_out + of.rows * next + 1) * size, 0x5a);
  const device_vector<unsigned char> out(unwritten);
  const std::size_t parameters = of.skew_parameters * size_of(of.parameter_type);
  const auto parameter = [&](const words& given, const device_vector<unsigned char>& on_device) -> any_vector {
    const auto stride = static_cast<std::ptrdiff_t>(size_of(of.parameter_type));
    return {on_device.data() + parameters, given.size(), of.parameter_type, stride, false};
  };
  const auto bytes = static_cast<std::ptrdiff_t>(size);
  const axis places[] = {{of.rows, static_cast<std::ptrdiff_t>(next) * bytes}, {of.n, bytes}};
  cuda::detail::enqueue_normalised(
      workspace, {"cuda", of.is_centred, of.epsilon, parameter(of.weight, weight), parameter(of.bias, bias)},
      {x.data() + of.skew_x * size, of.type, {places, 1}, {places + 1, 1}},
      {out.data() + of.skew_out * size, of.type, places, false});
  workspace.check();
  std::vector<unsigned char> found = out.read(unwritten.size());
  words results(of.rows * of.n);
  for (std::size_t i = 0; i < results.size(); ++i) {
    unsigned char* const at = &found[(of.skew_out + i / of.n * next + i % of.n) * size];
    std::memcpy(&results[i], at, size);
    std::memset(at, 0x5a, size);
  }
  EXPECT_EQ(found, unwritten) << "bytes beside the results";
  return results;
}

inline std::string text_of(const normalisation& of) {
  return std::string(of.is_centred ? "layer norm" : "RMS norm") + " of " + std::string(name_of(of.type)) + " by " +
         (of.weight.empty() ? "no weight" : std::string(name_of(of.parameter_type))) +
         (of.bias.empty() ? "" : " and bias") + ", " + std::to_string(of.rows) + " x " + std::to_string(of.n) +
         ", epsilon " + std::to_string(of.epsilon) + ", skews " + std::to_string(of.skew_x) + ", " +
         std::to_string(of.skew_out) + ", " + std::to_string(of.skew_parameters);
}

inline void expect_right(const normalisation& of, const std::string& name) {
  if (!is_tried()) return;
  cuda::workspace workspace;
  if (of.n % 3 != 0) workspace.library_storage().multiprocessors = 1;
  const words found = results_of(of, workspace);
  for (std::size_t row = 0; row < of.rows; ++row) {
    expected_row expected(of, row);
    for (std::size_t i = 0; i < of.n; ++i) {
      const std::uint64_t right = expected.element(i), result = found[row * of.n + i];
      ASSERT_EQ(result, right) << name << ": " << text_of(of) << ", element " << i << " of row " << row << ": "
                               << oracle::describe({of.type, result}) << ", not "
                               << oracle::describe({of.type, right}) << ", of "
                               << oracle::describe({of.type, of.x[row * of.n + i]});
    }
  }
}

/// Numbers as elements.
inline words encoded(element_type type, const std::vector<double>& x) {
  words to;
  for (const double each : x) to.push_back(core::round_finite(core::format_of(type), each));
  return to;
}

inline double bell(oracle::rng& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.unit();
  return sum;
}

enum class data {
  bells,
  integers,
  ties,
  exponents,
  far_mean,
  cancelling,
  equal,
  signs,
  one_hot,
  tiny,
  bits,
  zeros
};

inline std::vector<double> row_of(data kind, oracle::rng& random, std::size_t n, element_type type) {
  const core::number_format format = core::format_of(type);
  std::vector<double> x(n);
  const double scale = std::ldexp(1.0, random.between(-9, 1)),
               same = std::ldexp(1 + random.unit(), random.between(-9, 9));
  const auto few_bits = static_cast<double>(
      1 + random.below(std::uint64_t{1} << (format.precision - 3)));  // 7 times it is an element
  for (std::size_t i = 0; i < n; ++i) {
    double& each = x[i];
    const double sign = random.coin() ? 1 : -1;
    switch (kind) {
      case data::bells:
        each = scale * bell(random);
        break;
      case data::integers:
        each = random.between(-4, 4);
        break;
      case data::ties:  // of 4 elements the mean square is 25 times a square
        each = few_bits * scale * (i % 2 == 0 ? 1 : -1) * (i % 4 < 2 ? 1 : 7);
        break;
      case data::cancelling: {
        const double large = std::ldexp(i % 8 == 0 ? 1 : -1, std::min(format.highest_exponent() - 2, 60));
        each = i % 4 == 0 ? large : scale * bell(random);
        break;
      }
      case data::exponents:
        each = sign * std::ldexp(1 + random.unit(), random.between(std::max(format.lowest_exponent(), -900),
                                                                   std::min(format.highest_exponent(), 900) - 1));
        break;
      case data::far_mean:
        each = 1000 + bell(random);
        break;
      case data::equal:
        each = same;
        break;
      case data::tiny:
        each = sign * std::ldexp(1 + random.unit(), format.lowest_exponent() + random.between(0, 20));
        break;
      case data::signs:
        each = i % 2 == 0 ? same : -same;
        break;
      default:
        each = 0;
    }
  }
  if (kind == data::one_hot) x[random.below(n)] = same;
  if (kind == data::far_mean && random.coin()) x.assign(n, x[0]), x[random.below(n)] += scale;
  return x;
}

/// A number of at most as many bits as an element, 7/5 of which has one more; or 7/5 of which is an odd multiple of
/// half the least element.
inline double weight_of_tie(oracle::rng& random, core::number_format format, bool is_normal) {
  const double least = std::ldexp(0.143, format.precision),
               more = std::ldexp(0.056 * random.unit(), format.precision);
  const double odd =
      2 * std::floor((is_normal ? least + more : std::ldexp(random.unit(), format.precision - 3)) / 2) + 1;
  return std::ldexp(5 * odd, is_normal ? random.between(-20, -10) : format.lowest_exponent() - 1);
}

/// Any finite bits, infinities and NaNs.
inline words any_bits(oracle::rng& random, std::size_t n, element_type type, unsigned specials) {
  const core::number_format format = core::format_of(type);
  words x(n);
  for (std::uint64_t& each : x) {
    each = random.bits() >> (64 - 8 * size_of(type));
    const std::uint64_t infinite = core::infinity_word(format, false),
                        magnitude = each & ~core::sign_bit(format, true);
    if (magnitude >= infinite) each = random.below(4) == 0 ? 0 : each & ~(infinite & (infinite << 1));
  }
  if (specials % 4 == 1) x[random.below(n)] = core::infinity_word(format, random.coin());
  if (specials % 4 == 2) x[random.below(n)] = core::nan_word(format) | random.below(2);
  return x;
}

inline normalisation any_case(oracle::rng& random, element_type type, std::size_t n, data kind) {
  const element_type parameter = random.coin() ? type : element_type::float32;
  normalisation of{type, parameter, 1 + random.below(3), n, random.coin(), 0, {}};
  constexpr double epsilons[] = {1e-5, 1e-6, 0, 1e-12, 1e-30};
  of.epsilon = epsilons[random.below(5)];
  if (kind == data::signs || kind == data::ties || (kind == data::integers && random.below(3) != 0)) of.epsilon = 0;
  for (std::size_t row = 0; row < of.rows; ++row) {
    const words x = kind == data::bits ? any_bits(random, n, type, static_cast<unsigned>(row))
                                       : encoded(type, row_of(kind, random, n, type));
    of.x.insert(of.x.end(), x.begin(), x.end());
  }
  const auto parameters = [&] {
    if (kind == data::bits) return any_bits(random, n, parameter, static_cast<unsigned>(random.below(8)));
    std::vector<double> values(n);
    const bool are_normal = random.coin();
    for (double& each : values) {
      each = kind == data::integers ? random.between(-9, 9) * 0.125 : 1 + 0.25 * bell(random);
      if (kind == data::ties) each = weight_of_tie(random, core::format_of(type), are_normal);
      if (random.below(40) == 0) each = 0;
      if (kind == data::tiny) each = std::ldexp(each, -random.between(0, 20));
    }
    return encoded(parameter, values);
  };
  if (random.below(4) != 0) of.weight = parameters();
  if (of.is_centred ? random.below(4) != 0 : random.below(4) == 0) of.bias = parameters();
  if (kind == data::ties && !of.bias.empty()) {  // on which side of a tie
    for (std::uint64_t& each : of.bias)
      each = core::sign_bit(core::format_of(parameter), random.coin()) | random.below(2);
  }
  if (kind == data::signs && !of.weight.empty()) {  // results are w + b and b - w, if the mean is 0
    of.bias = of.weight;
    for (std::size_t i = 0; i < n; i += 1 + random.below(2))
      of.bias[i] ^= core::sign_bit(core::format_of(parameter), true);
  }
  if (random.coin()) {
    of.skew_x = random.below(9), of.skew_out = random.below(9), of.skew_parameters = random.below(9);
    of.gap = random.below(9);
  } else {
    of.gap = random.coin() ? 0 : (16 - n % 16) % 16;
  }
  return of;
}

}  // namespace on_gpu
