// Sums aimed at the bound of a bounded sum, and launches with wrong bounds, which these sums must expose.
//
// Each case has a sum next to a tie, on the other side of it than the approximation that the kernel computes: what
// the additions lose is more than the distance. A right bound leaves the result to the second level; one that is
// too small decides for the wrong side.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cuda/shape/exact_vector.cuh>
#include <exactdot/reductions.hpp>
#include <vector>

#include "exact_launch.cuh"
#include "missing_gpu.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

class bounds : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

constexpr int threads = 128, in_flight = 4;
template <summation sums>
using in_grid = kernel_choice<threads, in_flight, sums>;
template <summation sums>
using in_cluster = kernel_choice<threads, in_flight, sums, kernel_variant{true}>;
template <summation sums>
using claimed = kernel_choice<threads, in_flight, sums, kernel_variant{false, true}>;

/// Elements between those that follow each other in the first accumulator of one block.
template <class Kernel, class T>
constexpr std::size_t stride_of = std::size_t{Kernel::threads} * pack<T>::count;

template <class T>
terms<T> of_one_accumulator(const std::vector<std::pair<T, T>>& values, std::size_t stride) {
  terms<T> made{std::vector<T>(values.size() * stride), std::vector<T>(values.size() * stride)};
  for (std::size_t i = 0; i < values.size(); ++i)
    made.a[i * stride] = values[i].first, made.b[i * stride] = values[i].second;
  return made;
}

/// 1 + 2^-24, a tie of floats, less 12 units of double; then 40 terms of 3/4 of half a unit, which plain sums lose.
terms<float> lost_by_plain_sums(std::size_t stride) {
  std::vector<std::pair<float, float>> values = {{1.0F, 1.0F}, {0x1p-24F, 1.0F}, {-12 * 0x1p-52F, 1.0F}};
  for (int i = 0; i < 40; ++i) values.emplace_back(0.75F * 0x1p-53F, 1.0F);
  return of_one_accumulator(values, stride);
}

/// The same sum in groups of the four elements of a load, of which 40 lose their small term.
terms<float> lost_in_groups(std::size_t stride) {
  constexpr std::size_t groups = 41;
  terms<float> made{std::vector<float>(groups * stride), std::vector<float>(groups * stride, 1.0F)};
  const auto set_group = [&](std::size_t group, std::array<float, 3> values) {
    std::copy(values.begin(), values.end(), made.a.begin() + static_cast<std::ptrdiff_t>(group * stride));
  };
  set_group(0, {1.0F, 0x1p-24F, -12 * 0x1p-52F});
  for (std::size_t group = 1; group < groups; ++group) set_group(group, {1.0F, 0.75F * 0x1p-53F, -1.0F});
  return made;
}

/// 1 + 2^-53, a tie of doubles, less 5·2^-106; then 20 terms of 3/4·2^-107, which the correction loses.
template <class T>
terms<T> lost_by_corrections(std::size_t stride) {
  std::vector<std::pair<T, T>> values = {{T(1), T(1)}, {T(0x1p-53), T(1)}, {T(-5 * 0x1p-106), T(1)}};
  for (int i = 0; i < 20; ++i) values.emplace_back(T(0.75 * 0x1p-107), T(1));
  return of_one_accumulator(values, stride);
}

/// Products that underflow to zero, and add up to more than the least double.
terms<double> lost_by_underflow() {
  return {std::vector<double>(3000, 0x1p-540), std::vector<double>(3000, 0x1p-540)};
}

template <class R, class Kernel, class T>
R sum_with(const terms<T>& given, bound_choice bound, unsigned blocks = 1) {
  return exact_launcher().result<R, core::product, Kernel>(given, blocks, bound);
}

template <class R, class T>
R exactly(const terms<T>& given) {
  return dot<R>(std::span<const T>(given.a), std::span<const T>(given.b), {.device = device::cpu});
}

template <class Kernel>
void expect_plain_sums_to_need_their_bound() {
  const auto given = lost_by_plain_sums(stride_of<Kernel, float>);
  const auto expected = exactly<float>(given);
  EXPECT_EQ((sum_with<float, Kernel>(given, {})), expected);
  EXPECT_NE((sum_with<float, Kernel>(given, {0.25})), expected);
}

TEST_F(bounds, of_plain_sums_hold_next_to_ties_and_a_quarter_of_them_does_not) {
  expect_plain_sums_to_need_their_bound<in_grid<plain>>();
  expect_plain_sums_to_need_their_bound<claimed<plain>>();
  if (!has_variants()) return;
  expect_plain_sums_to_need_their_bound<in_cluster<plain>>();
}

template <class Kernel>
void expect_grouped_sums_to_need_their_bound() {
  const auto given = lost_in_groups(stride_of<Kernel, float>);
  const auto expected = exactly<float>(given);
  EXPECT_EQ((sum_with<float, Kernel>(given, {})), expected);
  EXPECT_NE((sum_with<float, Kernel>(given, {0.25})), expected);
}

TEST_F(bounds, of_grouped_sums_hold_next_to_ties_and_a_quarter_of_them_does_not) {
  expect_grouped_sums_to_need_their_bound<in_grid<grouped>>();
  expect_grouped_sums_to_need_their_bound<claimed<grouped>>();
  if (!has_variants()) return;
  expect_grouped_sums_to_need_their_bound<in_cluster<grouped>>();
}

template <class Kernel, class T>
void expect_corrections_to_need_their_bound() {
  const auto given = lost_by_corrections<T>(stride_of<Kernel, T>);
  const auto expected = exactly<double>(given);
  EXPECT_EQ((sum_with<double, Kernel>(given, {})), expected);
  EXPECT_NE((sum_with<double, Kernel>(given, {1e-4})), expected);
}

TEST_F(bounds, of_corrections_hold_next_to_ties_and_a_small_part_of_them_does_not) {
  expect_corrections_to_need_their_bound<in_grid<compensated>, double>();
  expect_corrections_to_need_their_bound<in_grid<compensated>, float>();
  if (!has_variants()) return;
  expect_corrections_to_need_their_bound<in_cluster<compensated>, double>();
}

TEST_F(bounds, include_products_that_underflow) {
  const auto given = lost_by_underflow();
  EXPECT_EQ((sum_with<double, in_grid<compensated>>(given, {})), exactly<double>(given));
  EXPECT_NE((sum_with<double, in_grid<compensated>>(given, {1, 0})), exactly<double>(given));
}

/// One lane different, infinities that cancel, sums that overflow in between, −0: the bounds decide nothing wrong.
TEST_F(bounds, decide_nothing_for_special_values) {
  const double huge = 0x1.fffffffffffffp1023, infinity = HUGE_VAL;
  const std::vector<std::vector<double>> cases = {{huge, huge, -huge, -huge, 3},
                                                  {infinity, 1, 2},
                                                  {infinity, -infinity},
                                                  {-0.0, -0.0, -0.0},
                                                  {huge, huge},
                                                  {std::nan(""), 1}};
  for (const auto& values : cases) {
    for (const std::size_t lane : {0, 77}) {
      terms<double> given{std::vector<double>(1000), std::vector<double>(1000, 1.0)};
      for (std::size_t i = 0; i < values.size(); ++i) given.a[lane + i] = values[i];
      for (const unsigned blocks : {1U, 3U}) {
        const auto found = sum_with<double, in_grid<compensated>>(given, {}, blocks),
                   right = exactly<double>(given);
        EXPECT_EQ(core::to_word(found), core::to_word(right)) << values[0] << ' ' << lane;
      }
    }
  }
}

/// The terms of the fullest accumulator, counted by the loops that the kernel runs.
template <class T>
std::size_t counted_terms(const sum_shape& shape, const operands<T, input_layout::contiguous>& in) {
  constexpr std::size_t width = pack<T>::count;
  const std::size_t stride = std::size_t{shape.blocks} * shape.threads, singles = in.n - (in.end - in.head);
  const auto in_flight = static_cast<std::size_t>(shape.in_flight);
  std::size_t fullest = 0;
  for (std::size_t thread = 0; thread < stride; ++thread) {
    std::vector<std::size_t> terms(width);
    const auto add_packs = [&] {
      for (std::size_t& each : terms) each += in_flight;
    };
    std::size_t i = in.head + thread * width;
    if (in.interleaved) i = thread / 32 * 32 * width + thread % 32;
    if (shape.variant.claims) {  // whichever parts a block claims: as many as it may
      const std::size_t length = in_flight * stride * width;
      const turn_counts turns = divide_turns((in.end + length - 1) / length, shape.blocks);
      EXPECT_GE(turns.limit * shape.blocks, turns.claimed * shape.blocks) << "parts would be left";
      for (std::size_t turn = 0; turn < turns.own + turns.limit; ++turn) add_packs();
    } else {
      for (; i < in.end; i += in_flight * stride * width) add_packs();
    }
    if (thread < singles) ++terms[0];
    fullest = std::max(fullest, *std::max_element(terms.begin(), terms.end()));
  }
  return fullest;
}

void expect_enough_terms(const sum_shape& shape, int skew) {
  alignas(16) static float memory[64];  // only its address is used
  const operands<float, input_layout::contiguous> in(memory + 1, memory + 1 + skew, shape.n);
  const std::size_t counted = counted_terms(shape, in), bound = terms_of_accumulator(shape);
  const auto loads = static_cast<std::size_t>(shape.in_flight);
  EXPECT_GE(bound, counted) << shape.n << ' ' << shape.blocks << ' ' << loads << ' ' << skew;
  // loops of single elements use fewer accumulators; packs fill all
  EXPECT_LE(bound, 5 * counted + (shape.variant.claims ? 8 : 2) * loads + 3);
}

TEST(error_bound, count_no_fewer_terms_than_an_accumulator_adds) {
  constexpr int accumulators = bounded_thread_sum<float, core::product, compensated>::accumulators;
  for (const std::size_t n : {1, 5, 500, 2047, 4099, 20000}) {
    for (const unsigned blocks : {1U, 3U}) {
      for (const int loads : {1, 2, 4, 8}) {
        for (const int skew : {0, 1}) {
          expect_enough_terms({n, blocks, 64, loads, accumulators}, skew);
          expect_enough_terms({n, blocks, 64, loads, accumulators, {false, true}}, skew);
        }
      }
    }
  }
}

TEST(error_bound, count_the_joins_of_thread_warp_block_and_grid) {
  const auto joins = [](unsigned blocks, int accumulators) {
    return joins_of({1000, blocks, 128, 4, accumulators});
  };
  EXPECT_EQ(joins(1, 2), 1U + 5 + 5);
  EXPECT_EQ(joins(1, 4), 2U + 5 + 5);
  EXPECT_GE(joins(2, 4), 2U + 5 + 5 + 1 + 5);    // a lane adds one message to zero
  EXPECT_GE(joins(132, 4), 2U + 5 + 5 + 5 + 5);  // up to five
  EXPECT_GE(joins(1024, 4), 2U + 5 + 5 + 32 + 5);
  const auto joins_in_cluster = [](unsigned blocks, unsigned of_block) {
    return joins_of({1000, blocks, of_block, 4, 4, {true, 0}});
  };
  EXPECT_GE(joins_in_cluster(8, 128), 2U + 5 + 5);
  EXPECT_GE(joins_in_cluster(8, 1024), 2U + 5 + 7 + 5);  // a lane adds the sums of eight warps
  // kernels for older GPUs exchange messages instead
  EXPECT_GE(joins_in_cluster(8, 128), joins(8, 4));
  EXPECT_GT(bound_of({1 << 20, 128, 128, 4, 4}, compensated, true).factor,
            bound_of({1 << 20, 128, 128, 4, 4}, compensated, false).factor);
  EXPECT_TRUE(std::isinf(bound_of({std::size_t{1} << 50, 128, 128, 4, 4}, compensated, true).factor));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
