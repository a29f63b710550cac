// Both modes return the expected bits on every generator, at all border lengths and at some long ones.
//
// Options are the defaults: the library selects the instruction set and the number of threads.
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
void check_case(const test_case<T>& test) {
  EXPECT_EQ(any_fault(test.check, exactdot::options{}), "") << test.name;
}

TYPED_TEST(dots, have_the_bits_of_the_oracle_at_border_lengths) {
  for_each_case<TypeParam>(border_lengths, scaled(10), check_case<TypeParam>, testing::Test::HasFailure);
}

TYPED_TEST(dots, have_the_bits_of_the_oracle_at_short_lengths) {
  const std::array<std::size_t, 5> lengths = {1, 2, 3, 5, 20};
  for_each_case<TypeParam>(lengths, scaled(100), check_case<TypeParam>, testing::Test::HasFailure);
}

/// Each generator at three of the long lengths.
TYPED_TEST(dots, have_the_bits_of_the_oracle_at_long_lengths) {
  const auto sources = generators<TypeParam>();
  const int lengths_each = std::min(3, scaled(3));
  for (std::size_t i = 0; i < sources.size() && !this->HasFailure(); ++i) {
    for (int k = 0; k < lengths_each; ++k) check_case(make_case(sources[i], 1, long_lengths[(i + 3 * k) % 9]));
  }
}

TYPED_TEST(dots, have_the_bits_of_the_oracle_at_a_million_terms) {
  for (const char* name : {"uniform", "log_uniform", "blocks", "same_sign_growth", "tie_normal", "all_subnormal"}) {
    check_case(make_case(generator_named<TypeParam>(name), 1, long_lengths.back()));
  }
}

/// If every partial sum is representable, the order does not matter: both modes return the same number.
TYPED_TEST(dots, agree_between_modes_if_no_partial_sum_rounds) {
  for_each_case<TypeParam>(
      border_lengths, 1,
      [](const test_case<TypeParam>& test) {
        if (!test.source->exact_in_any_order) return;
        const auto fast = library_dot<TypeParam, TypeParam>({.mode = exactdot::mode::fast});
        EXPECT_EQ(test.check.template exact_fault<TypeParam>(fast), "") << test.name;
      },
      testing::Test::HasFailure);
}

}  // namespace
