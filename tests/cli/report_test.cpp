// Values as text and as JSON read back to the same bits.
#include <gtest/gtest.h>

#include <cli/report.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "oracle/bits.hpp"
#include "oracle/random.hpp"

namespace {

using exactdot::element_type;
using exactdot::cli::put_value;
using exactdot::cli::rounded_value;
using exactdot::cli::value_text;

nlohmann::ordered_json json_of(rounded_value result) {
  nlohmann::ordered_json object;
  put_value(object, result);
  return nlohmann::ordered_json::parse(object.dump());
}

TEST(report, doubles_read_back) {
  oracle::rng random{1};
  for (int i = 0; i < 20000; ++i) {
    const double x = oracle::from_bits<double>(random.bits());
    if (!std::isfinite(x)) continue;
    const rounded_value result{x, element_type::float64};
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
    const rounded_value result{x, element_type::float32};
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
  EXPECT_EQ(value_text({0.1F, element_type::float32}), "0.1");
  EXPECT_EQ(json_of({0.1F, element_type::float32})["value"].dump(), "0.1");
  EXPECT_EQ(json_of({0.1F, element_type::float64})["value"].dump(), "0.10000000149011612");
}

TEST(report, zeros_keep_their_sign_and_special_values_have_names) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(value_text({-0.0, element_type::float64}), "-0");
  EXPECT_EQ(json_of({-0.0, element_type::float32})["bits"], "80000000");
  for (const element_type type : {element_type::float32, element_type::float64}) {
    EXPECT_EQ(json_of({infinity, type})["value"], "inf");
    EXPECT_EQ(json_of({-infinity, type})["value"], "-inf");
    EXPECT_EQ(json_of({std::nan(""), type})["value"], "nan");
    EXPECT_EQ(json_of({std::nan(""), type})["hex"], "nan");
  }
  EXPECT_EQ(json_of({std::nan(""), element_type::float32})["bits"], "7fc00000");
  EXPECT_EQ(json_of({std::nan(""), element_type::float64})["bits"], "7ff8000000000000");
}

}  // namespace
