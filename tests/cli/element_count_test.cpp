// Parser of lengths.
#include <gtest/gtest.h>

#include <cli/element_count.hpp>
#include <optional>
#include <string>

namespace {

using exactdot::cli::parse_element_count;

TEST(element_count, accepts_numbers_powers_and_suffixes) {
  EXPECT_EQ(parse_element_count("0"), 0U);
  EXPECT_EQ(parse_element_count("1000"), 1000U);
  EXPECT_EQ(parse_element_count("2^20"), 1048576U);
  EXPECT_EQ(parse_element_count("32*2^20"), 33554432U);
  EXPECT_EQ(parse_element_count("1e6"), 1000000U);
  EXPECT_EQ(parse_element_count("5E7"), 50000000U);
  EXPECT_EQ(parse_element_count("1k"), 1000U);
  EXPECT_EQ(parse_element_count("1K"), 1000U);
  EXPECT_EQ(parse_element_count("3M"), 3000000U);
  EXPECT_EQ(parse_element_count("2G"), 2000000000U);
  EXPECT_EQ(parse_element_count("64Ki"), 65536U);
  EXPECT_EQ(parse_element_count("1Ti"), std::size_t{1} << 40);
  EXPECT_EQ(parse_element_count("0*1e19"), 0U);
  EXPECT_EQ(parse_element_count("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(parse_element_count("1^99999999999"), 1U);
}

TEST(element_count, refuses_other_text) {
  for (const std::string text : {"",
                                 " ",
                                 "-1",
                                 "+1",
                                 "1.5",
                                 "1.5e6",
                                 "1e",
                                 "e6",
                                 "2^",
                                 "^2",
                                 "2^^3",
                                 "2^2^2",
                                 "k",
                                 "1kk",
                                 "1x",
                                 "1kB",
                                 "1i",
                                 "1 k",
                                 "1*",
                                 "*1",
                                 "0x10",
                                 "18446744073709551616",
                                 "2^64",
                                 "1e20",
                                 "99999999T",
                                 "4294967296*4294967296",
                                 "10^99999999999999999"}) {
    EXPECT_EQ(parse_element_count(text), std::nullopt) << text;
  }
}

}  // namespace
