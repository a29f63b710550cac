// Order v1 is frozen: the reference and every engine return the golden bits.
//
// If this test fails, the code is wrong, not the table: a new order would be order v2.
#include "unit/order_v1_golden.hpp"

#include <gtest/gtest.h>

#include <exactdot/exactdot.hpp>

#include "oracle/checker.hpp"
#include "oracle/order_v1.hpp"
#include "unit/order_v1_data.hpp"

namespace {

template <class T>
auto golden_bits(std::size_t index) {
  if constexpr (std::is_same_v<T, float>) {
    return golden::of_float[index];
  } else {
    return golden::of_double[index];
  }
}

template <class T>
class order_v1 : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(order_v1, element_types);

TYPED_TEST(order_v1, has_its_golden_bits) {
  static_assert(std::size(golden::of_float) == golden::lengths.size());
  static_assert(std::size(golden::of_double) == golden::lengths.size());
  for (std::size_t index = 0; index < golden::lengths.size(); ++index) {
    const auto [a, b] = golden::data<TypeParam>(golden::lengths[index]);
    const auto expected = oracle::from_bits<TypeParam>(golden_bits<TypeParam>(index));
    const auto reference =
        oracle::fast_dot<TypeParam>(std::span<const TypeParam>(a), std::span<const TypeParam>(b));
    EXPECT_EQ(oracle::difference(expected, reference), "") << "reference, n = " << a.size();
    for (const std::string& set : exactdot::cpu().instruction_sets) {
      exactdot::use_instruction_set(set);
      for (const int threads : {1, 3}) {
        const auto got = exactdot::dot(a, b, {.mode = exactdot::mode::fast, .threads = threads});
        EXPECT_EQ(oracle::difference(expected, got), "") << set << ", threads " << threads << ", n = " << a.size();
      }
    }
    exactdot::use_instruction_set("");
  }
}

/// The constants that define the order.
TEST(order_v1_constants, are_frozen) {
  EXPECT_EQ(oracle::order_v1_row_bytes, 512u);
  EXPECT_EQ(oracle::order_v1_tile_rows, 16u);
}

/// The data distinguish summation orders: for long vectors the exact sum has other bits.
TYPED_TEST(order_v1, differs_from_the_exact_sum) {
  int different = 0;
  for (const std::size_t n : golden::lengths) {
    const auto [a, b] = golden::data<TypeParam>(n);
    const auto fast = oracle::fast_dot<TypeParam>(std::span<const TypeParam>(a), std::span<const TypeParam>(b));
    different += !oracle::same_bits(fast, exactdot::dot(a, b));
  }
  EXPECT_GT(different, 10);
}

}  // namespace
