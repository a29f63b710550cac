// The kernels of the CUDA engine beyond the table of tests (table/): many variants of the same data, and the state
// that a launch leaves behind. On the simulator or on a GPU. EXACTDOT_TEST_SCALE=400 runs four times as many
// variants.
#include "cuda/kernels.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "table/table.hpp"

namespace {

template <class T>
class kernels : public testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = kernels_under_test::unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(kernels, element_types);

TYPED_TEST(kernels, do_not_depend_on_the_variant) {
  const bool simulated = kernels_under_test::is_simulated();
  const table::suite suite = table::engines_under_test();
  const table::row row{exactdot::reduction::dot, exactdot::type_of<TypeParam>, exactdot::type_of<TypeParam>};
  const auto sources = oracle::generators<TypeParam>();
  table::report done;
  for (const char* name : {"uniform", "log_uniform", "cancels_to_last_bit", "special_mix", "staircase"}) {
    const auto source = static_cast<std::size_t>(&oracle::generator_named<TypeParam>(name) - sources.data());
    const table::input data = table::make_input(row, source, 3, simulated ? 700 : 30001);
    for (unsigned variant = 0; variant < static_cast<unsigned>(oracle::scaled(simulated ? 4 : 60)); ++variant) {
      done.check(suite, row, data, table::layouts[variant % 5 == 2 ? 2 : 0], variant);
    }
  }
  for (const std::string& fault : done.faults()) ADD_FAILURE() << fault;
  EXPECT_GT(done.results(), 0);
}

/// Blocks that do not wait for the decision contribute digits, although the infinite term determines the result.
TYPED_TEST(kernels, reset_the_state_if_an_infinity_occurs_in_data_of_a_wide_range) {
  auto [a, b] = oracle::make_vectors(oracle::generator_named<TypeParam>("log_uniform"), 7, 9000);
  a[a.size() / 2] = std::numeric_limits<TypeParam>::infinity(), b[a.size() / 2] = TypeParam{-1};
  const auto type = exactdot::type_of<TypeParam>;
  for (const unsigned variant : {18U, 20U}) {  // 19 blocks, more than the simulator runs at once
    const auto result = kernels_under_test::run({exactdot::reduction::dot, exactdot::to_any(a), exactdot::to_any(b),
                                                 type, exactdot::mode::exact, 0, variant});
    const TypeParam expected = -std::numeric_limits<TypeParam>::infinity();
    EXPECT_EQ(oracle::difference({type, oracle::to_bits(expected)}, *result), "") << variant;
    EXPECT_EQ(kernels_under_test::take_faults(), "") << variant;
  }
}

/// Blocks that wait for the decision hold the places of those that have not started.
TYPED_TEST(kernels, add_to_words_if_more_blocks_than_are_resident_sum_data_of_a_wide_range) {
  const auto [a, b] = oracle::make_vectors(oracle::generator_named<TypeParam>("cancels_to_small"), 2, 9000);
  const auto type = exactdot::type_of<TypeParam>;
  for (const unsigned variant : {18U, 20U}) {  // 19 blocks
    const table::call asked{exactdot::reduction::dot,
                            exactdot::to_any(a),
                            exactdot::to_any(b),
                            type,
                            exactdot::mode::exact,
                            /*ddof=*/0,
                            variant};
    const oracle::reference expected(asked.what, asked.a, asked.b, 0);
    EXPECT_EQ(expected.words_fault(kernels_under_test::words_of_two_launches(asked), 2), "") << variant;
    EXPECT_EQ(kernels_under_test::take_faults(), "") << variant;
  }
}

}  // namespace
