// Both modes give the right bits on every generator, at every border length and some long ones.
//
// With the best instruction set and as many threads as the library chooses: what a user gets who sets no option.
#include <gtest/gtest.h>

#include "property/engines.hpp"

namespace {

using namespace oracle;
using namespace property;

template <class T>
class dots : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(dots, element_types);

template <class T>
void judge(const test_case<T>& one) {
  EXPECT_EQ(any_fault(one.check, exactdot::options{}), "") << one.name;
}

TYPED_TEST(dots, have_the_bits_of_the_oracle_at_border_lengths) {
  for_each_case<TypeParam>(border_lengths, scaled(10), judge<TypeParam>, testing::Test::HasFailure);
}

TYPED_TEST(dots, have_the_bits_of_the_oracle_at_short_lengths) {
  const std::array<std::size_t, 5> lengths = {1, 2, 3, 5, 20};
  for_each_case<TypeParam>(lengths, scaled(100), judge<TypeParam>, testing::Test::HasFailure);
}

/// Each generator at three of the long lengths, in turn.
TYPED_TEST(dots, have_the_bits_of_the_oracle_at_long_lengths) {
  const auto rows = generators<TypeParam>();
  const int lengths_each = std::min(3, scaled(3));
  for (std::size_t i = 0; i < rows.size() && !this->HasFailure(); ++i) {
    for (int k = 0; k < lengths_each; ++k) judge(make_case(rows[i], 1, long_lengths[(i + 3 * k) % 9]));
  }
}

TYPED_TEST(dots, have_the_bits_of_the_oracle_at_a_million_terms) {
  for (const char* name : {"uniform", "log_uniform", "blocks", "same_sign_growth", "tie_normal", "all_subnormal"}) {
    judge(make_case(generator_named<TypeParam>(name), 1, long_lengths.back()));
  }
}

/// Where every partial sum is representable, order cannot matter: both modes give the same number.
TYPED_TEST(dots, agree_between_modes_where_no_partial_sum_rounds) {
  for_each_case<TypeParam>(
      border_lengths, 1,
      [](const test_case<TypeParam>& one) {
        if (!one.made_by->exact_in_any_order) return;
        const auto fast = library_dot<TypeParam, TypeParam>({.mode = exactdot::mode::fast});
        EXPECT_EQ(one.check.template exact_fault<TypeParam>(fast), "") << one.name;
      },
      testing::Test::HasFailure);
}

}  // namespace
