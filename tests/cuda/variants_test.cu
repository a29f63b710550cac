// The variants of the exact kernel, clusters and claims: the bits of the CPU, decided by the first
// level or by the second, for all lengths and alignments, on several schedules; and launches of all
// kernels in turn with one device state.
#include <gtest/gtest.h>

#include <cmath>
#include <cuda/shape/exact_vector.cuh>
#include <exactdot/reductions.hpp>
#include <random>
#include <vector>

#include "exact_launch.cuh"
#include "missing_gpu.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

class variants : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
    if (!has_variants()) GTEST_SKIP() << "clusters need compute capability 9.0";
  }
};

template <summation sums>
using in_grid = kernel_choice<64, 2, sums>;
template <int threads, int in_flight, summation sums>
using in_cluster = kernel_choice<threads, in_flight, sums, kernel_variant{true}>;
template <int in_flight, summation sums>
using claimed = kernel_choice<64, in_flight, sums, kernel_variant{false, true}>;

/// Integers, whose sums are exact and below 2^24, so that no float lies half way: the first level decides them.
template <class T>
terms<T> integers(std::size_t n) {
  terms<T> made{std::vector<T>(n), std::vector<T>(n)};
  std::mt19937 random(static_cast<unsigned>(n));
  const unsigned values = n < 6000 ? 75 : 25;
  for (T& x : made.a) x = static_cast<T>(random() % values);
  for (T& x : made.b) x = static_cast<T>(random() % values);
  return made;
}
template <class T>
terms<T> uniform(std::size_t n) {
  terms<T> made{std::vector<T>(n), std::vector<T>(n)};
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<T> in_range(-1, 1);
  for (T& x : made.a) x = in_range(random);
  for (T& x : made.b) x = in_range(random);
  return made;
}

template <class R, class Term, class T>
R on_cpu(const terms<T>& given) {
  const std::span<const T> a(given.a), b(given.b);
  const options on = {.device = device::cpu};
  if constexpr (std::is_same_v<Term, core::product>) {
    return dot<R>(a, b, on);
  } else if constexpr (std::is_same_v<Term, core::value>) {
    return sum<R>(a, on);
  } else {
    return sum_of_squares<R>(a, on);
  }
}

template <class R, class Term, class Kernel, class T>
void expect_bits_of_the_cpu(exact_launcher& on, const terms<T>& given, unsigned blocks, bound_choice bound = {},
                            std::size_t skew_a = 0, std::size_t skew_b = 0) {
  const R found = on.result<R, Term, Kernel>(given, blocks, bound, skew_a, skew_b), right = on_cpu<R, Term>(given);
  EXPECT_EQ(core::to_word(found), core::to_word(right))
      << given.a.size() << " elements, " << blocks << " blocks, skews " << skew_a << ' ' << skew_b;
}

/// Both levels: integers, which the first must decide, and the same launch without a bound.
template <class R, class Term, class Kernel, class T>
void expect_both_levels(std::size_t n, unsigned blocks, unsigned seed, std::size_t skew_a = 0,
                        std::size_t skew_b = 0) {
  exact_launcher on(seed);
  expect_bits_of_the_cpu<R, Term, Kernel>(on, integers<T>(n), blocks, {}, skew_a, skew_b);
  EXPECT_EQ(on.state().exchange.undecided_refined, 0U) << n;
  expect_bits_of_the_cpu<R, Term, Kernel>(on, uniform<T>(n), blocks, undecided, skew_a, skew_b);
  EXPECT_EQ(on.state().exchange.undecided_refined, 1U) << n;
}

TEST_F(variants, clusters_of_any_size_have_the_bits_of_the_cpu) {
  unsigned seed = 0;
  for (const unsigned blocks : {1U, 2U, 3U, 5U, 8U}) {
    for (const std::size_t n : {1, 700, 5000}) {
      expect_both_levels<float, core::product, in_cluster<128, 2, plain>, float>(n, blocks, ++seed);
      expect_both_levels<double, core::product, in_cluster<64, 1, compensated>, float>(n, blocks, ++seed);
      expect_both_levels<double, core::product, in_cluster<64, 4, compensated>, double>(n, blocks, ++seed, 1, 0);
      expect_both_levels<double, core::value, in_cluster<32, 2, compensated>, double>(n, blocks, ++seed);
    }
  }
}

/// More sums of warps than one lane of a warp reads at once.
TEST_F(variants, clusters_of_large_blocks_have_the_bits_of_the_cpu) {
  expect_both_levels<double, core::product, in_cluster<256, 1, compensated>, double>(9000, 8, 1);
  expect_both_levels<float, core::product, in_cluster<512, 1, plain>, float>(9000, 5, 2);
}

/// Lengths of 7, 8, 9, 16 and 25 turns: the first without claims, the last with three turns of parts. Integers, of
/// which every one counts: a part that is left out or added twice shows.
TEST_F(variants, claimed_parts_have_the_bits_of_the_cpu) {
  unsigned seed = 0;
  for (const unsigned blocks : {1U, 2U, 5U}) {
    const std::size_t turn = std::size_t{blocks} * 64 * 2 * pack<float>::count;
    for (const std::size_t n : {7 * turn, 8 * turn - 5, 8 * turn + 1, 16 * turn, 25 * turn - 1000}) {
      expect_both_levels<float, core::product, claimed<2, grouped>, float>(n, blocks, ++seed, seed % 3, seed % 3);
      expect_both_levels<double, core::value, claimed<2, compensated>, double>(n / 2, blocks, ++seed, seed % 2);
    }
    expect_both_levels<float, core::product, claimed<1, plain>, float>(9 * turn, blocks, ++seed, 0, 1);
    expect_both_levels<double, core::product, claimed<4, compensated>, double>(8 * turn, blocks, ++seed, 1, 0);
  }
}

TEST_F(variants, decide_alike_on_every_schedule) {
  const terms<float> floats = uniform<float>(3000);
  const terms<double> doubles = uniform<double>(3000);
  for (unsigned seed = 0; seed < 20; ++seed) {
    exact_launcher on(seed);
    const bound_choice bound = seed % 4 == 3 ? undecided : bound_choice{};
    expect_bits_of_the_cpu<float, core::product, in_cluster<64, 2, plain>>(on, floats, 4, bound);
    expect_bits_of_the_cpu<double, core::product, in_cluster<64, 2, compensated>>(on, doubles, 3, bound);
    expect_bits_of_the_cpu<double, core::product, claimed<1, compensated>>(on, doubles, 2, bound);
  }
}

/// Clusters take tickets only for the second level; then the launch number must be new for claims and messages,
/// also where its flag wraps around.
TEST_F(variants, share_one_device_state_with_other_kernels) {
  const terms<double> given = uniform<double>(1500), claimable = uniform<double>(4000);
  for (const wide_unsigned launches : {0ULL, 0xfffffffdULL, 0xfffffffeULL}) {
    exact_launcher on(3);
    on.set_launches(launches);
    for (int round = 0; round < 3; ++round) {
      const bound_choice bound = round == 1 ? bound_choice{} : undecided;
      expect_bits_of_the_cpu<double, core::product, in_cluster<64, 2, compensated>>(on, given, 3, undecided);
      expect_bits_of_the_cpu<double, core::product, in_grid<compensated>>(on, given, 3, bound);
      expect_bits_of_the_cpu<double, core::product, in_cluster<64, 2, compensated>>(on, given, 2, bound);
      expect_bits_of_the_cpu<double, core::product, claimed<1, compensated>>(on, claimable, 3, bound);
      expect_bits_of_the_cpu<double, core::product, claimed<1, compensated>>(on, claimable, 2, bound);
    }
    EXPECT_EQ(on.state().exchange.claimed_parts, 0U);
    EXPECT_EQ(on.state().exchange.contributions, 0U);
  }
}

TEST_F(variants, leave_special_values_to_the_second_level) {
  const double huge = 0x1.fffffffffffffp1023, infinity = HUGE_VAL;
  const std::vector<std::vector<double>> cases = {
      {huge, huge, -huge, -huge, 3}, {infinity, 1, 2}, {infinity, -infinity}, {huge, huge}, {std::nan(""), 1}};
  for (const auto& values : cases) {
    terms<double> given{std::vector<double>(1000), std::vector<double>(1000, 1.0)};
    for (std::size_t i = 0; i < values.size(); ++i) given.a[77 + i] = values[i];
    exact_launcher on;
    expect_bits_of_the_cpu<double, core::product, in_cluster<64, 2, compensated>>(on, given, 3);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
