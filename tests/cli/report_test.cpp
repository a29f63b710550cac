// Values as text and as JSON read back to the same bits.
#include <gtest/gtest.h>

#include <cli/report.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "oracle/bits.hpp"
#include "oracle/random.hpp"

namespace {

using exactdot::any_scalar;
using exactdot::bfloat16;
using exactdot::element;
using exactdot::element_type;
using exactdot::float16;
using exactdot::cli::put_value;
using exactdot::cli::value_text;

template <element T>
any_scalar scalar(T value) {
  any_scalar result{exactdot::type_of<T>, 0};
  std::memcpy(&result.bits, &value, sizeof value);  // a little-endian machine
  return result;
}

nlohmann::ordered_json json_of(any_scalar result) {
  nlohmann::ordered_json object;
  put_value(object, result);
  return nlohmann::ordered_json::parse(object.dump());
}

TEST(report, doubles_read_back) {
  oracle::rng random{1};
  for (int i = 0; i < 20000; ++i) {
    const double x = oracle::from_bits<double>(random.bits());
    if (!std::isfinite(x)) continue;
    const any_scalar result = scalar(x);
    const auto json = json_of(result);
    ASSERT_TRUE(oracle::same_bits(std::strtod(value_text(result).c_str(), nullptr), x));
    ASSERT_TRUE(oracle::same_bits(json["value"].get<double>(), x));
    ASSERT_TRUE(oracle::same_bits(std::strtod(json["hex"].get<std::string>().c_str(), nullptr), x));
    ASSERT_EQ(std::strtoull(json["bits"].get<std::string>().c_str(), nullptr, 16), oracle::to_bits(x));
    ASSERT_EQ(json["bits"].get<std::string>().size(), 16U);
  }
}

TEST(report, floats_read_back_as_float_and_through_double) {
  oracle::rng random{2};
  for (int i = 0; i < 100000; ++i) {
    const float x = oracle::from_bits<float>(static_cast<std::uint32_t>(random.bits()));
    if (!std::isfinite(x)) continue;
    const any_scalar result = scalar(x);
    const auto json = json_of(result);
    const std::string digits = json["value"].dump();
    ASSERT_TRUE(oracle::same_bits(std::strtof(value_text(result).c_str(), nullptr), x));
    ASSERT_TRUE(oracle::same_bits(std::strtof(digits.c_str(), nullptr), x)) << digits;
    ASSERT_TRUE(oracle::same_bits(static_cast<float>(json["value"].get<double>()), x)) << digits;
    ASSERT_TRUE(oracle::same_bits(std::strtof(json["hex"].get<std::string>().c_str(), nullptr), x));
    ASSERT_EQ(std::strtoul(json["bits"].get<std::string>().c_str(), nullptr, 16), oracle::to_bits(x));
    ASSERT_EQ(json["bits"].get<std::string>().size(), 8U);
  }
}

TEST(report, floats_are_short) {
  EXPECT_EQ(value_text(scalar(0.1F)), "0.1");
  EXPECT_EQ(json_of(scalar(0.1F))["value"].dump(), "0.1");
  EXPECT_EQ(json_of(scalar(double{0.1F}))["value"].dump(), "0.10000000149011612");
}

/// Of every finite number of 16 bits, text and JSON read back through float and through double.
template <class T>
void expect_every_number_reads_back() {
  for (std::uint32_t bits = 0; bits >> 8 * sizeof(T) == 0; ++bits) {
    T x;
    x.bits = static_cast<decltype(x.bits)>(bits);
    if (!std::isfinite(float{x})) continue;
    const std::string text = value_text(scalar(x));
    const nlohmann::ordered_json json = json_of(scalar(x));
    ASSERT_EQ(T(std::strtof(text.c_str(), nullptr)).bits, bits) << text;
    ASSERT_EQ(T(static_cast<float>(std::strtod(text.c_str(), nullptr))).bits, bits) << text;
    ASSERT_EQ(T(static_cast<float>(json["value"].get<double>())).bits, bits) << text;
    ASSERT_EQ(T(std::strtof(json["hex"].get<std::string>().c_str(), nullptr)).bits, bits);
    ASSERT_EQ(std::strtoul(json["bits"].get<std::string>().c_str(), nullptr, 16), bits);
    ASSERT_EQ(json["bits"].get<std::string>().size(), 2 * sizeof(T));
  }
}

TEST(report, numbers_of_8_and_16_bits_read_back) {
  expect_every_number_reads_back<float16>();
  expect_every_number_reads_back<bfloat16>();
  expect_every_number_reads_back<exactdot::float8_e4m3fn>();
  expect_every_number_reads_back<exactdot::float8_e5m2>();
}

TEST(report, numbers_of_16_bits_are_short) {
  EXPECT_EQ(value_text(scalar(float16(0.1F))), "0.1");
  EXPECT_EQ(value_text(scalar(bfloat16(0.1F))), "0.1");
  EXPECT_EQ(value_text(scalar(float16(65504.0F))), "65500");
  EXPECT_EQ(value_text(scalar(float16(2049.0F))), "2048");
  EXPECT_EQ(value_text(scalar(float16(0x1p-24F))), "6e-08");
  EXPECT_EQ(value_text(scalar(bfloat16(1.0F / 3))), "0.334");
  EXPECT_EQ(json_of(scalar(float16(0.1F)))["value"].dump(), "0.1");
  EXPECT_EQ(json_of(scalar(float16(0.1F)))["bits"], "2e66");
}

TEST(report, integers_have_all_their_digits) {
  EXPECT_EQ(value_text(scalar(std::int8_t{-128})), "-128");
  EXPECT_EQ(json_of(scalar(std::int8_t{-1})).dump(), R"({"value":-1,"bits":"ff"})");
  EXPECT_EQ(json_of(scalar(std::uint16_t{65535})).dump(), R"({"value":65535,"bits":"ffff"})");
  EXPECT_EQ(json_of(scalar(std::int32_t{-2})).dump(), R"({"value":-2,"bits":"fffffffe"})");
  EXPECT_EQ(json_of(scalar(~std::uint64_t{0})).dump(),
            R"({"value":18446744073709551615,"bits":"ffffffffffffffff"})");
  EXPECT_EQ(json_of(scalar(std::numeric_limits<std::int64_t>::min()))["value"].dump(), "-9223372036854775808");
  EXPECT_EQ(value_text(scalar((std::int64_t{1} << 53) + 1)), "9007199254740993");
}

TEST(report, zeros_keep_their_sign_and_special_values_have_names) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(value_text(scalar(-0.0)), "-0");
  EXPECT_EQ(value_text(scalar(float16(-0.0F))), "-0");
  EXPECT_EQ(json_of(scalar(-0.0F))["bits"], "80000000");
  EXPECT_EQ(json_of(scalar(bfloat16(-0.0F)))["value"].dump(), "-0.0");
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  for (const element_type type :
       {element_type::float16, element_type::bfloat16, element_type::float32, element_type::float64}) {
    const auto json_in = [type](double value) {
      return exactdot::with_element(type, [&]<class T>(T) {
        if constexpr (exactdot::floating_element<T>)
          return json_of(scalar(static_cast<T>(static_cast<float>(value))));
        return nlohmann::ordered_json();
      });
    };
    EXPECT_EQ(json_in(infinity)["value"], "inf");
    EXPECT_EQ(json_in(-infinity)["value"], "-inf");
    EXPECT_EQ(json_in(nan)["value"], "nan");
    EXPECT_EQ(json_in(nan)["hex"], "nan");
  }
  EXPECT_EQ(json_of(scalar(float16(std::nanf(""))))["bits"], "7e00");
  EXPECT_EQ(json_of(scalar(std::nanf("")))["bits"], "7fc00000");
  EXPECT_EQ(json_of(scalar(nan))["bits"], "7ff8000000000000");
}

TEST(report, complex_numbers_have_two_parts) {
  using exactdot::cli::any_number, exactdot::cli::number_at;
  const auto text = [](double real, double imaginary) {
    return value_text(any_number{scalar(real), scalar(imaginary)});
  };
  EXPECT_EQ(text(1.5, 2), "1.5+2j");
  EXPECT_EQ(text(-0.0, -0.0), "-0-0j");
  EXPECT_EQ(text(1e300, -1e-7), "1e+300-1e-07j");
  EXPECT_EQ(text(-HUGE_VAL, HUGE_VAL), "-inf+infj");
  EXPECT_EQ(text(NAN, -NAN), "nan+nanj");
  EXPECT_EQ(value_text(any_number{scalar(2.0)}), "2");
  const float pair[] = {0.1F, -3};
  const any_number number = number_at(element_type::complex64, reinterpret_cast<const std::byte*>(pair));
  EXPECT_EQ(value_text(number), "0.1-3j");
  nlohmann::ordered_json object;
  put_value(object, number);
  EXPECT_EQ(object.dump(),
            R"({"value":[0.1,-3.0],"hex":["0x1.99999ap-4","-0x1.8p+1"],"bits":["3dcccccd","c0400000"]})");
  nlohmann::ordered_json real;
  put_value(real, any_number{scalar(std::int64_t{-3})});
  EXPECT_EQ(real["value"], -3);
}

}  // namespace
