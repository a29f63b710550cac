// How contiguous inputs are loaded, for every alignment of one input relative to the other and lengths around all
// boundaries: which loads a launch chooses, that they read every element once, and the bits of the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cuda/shape/exact_vector.cuh>
#include <cuda/shape/fast_vector.cuh>
#include <exactdot/reductions.hpp>
#include <random>
#include <vector>

#include "exact_launch.cuh"
#include "missing_gpu.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

template <class T>
class loads : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};
using carriers = testing::Types<float, double>;
TYPED_TEST_SUITE(loads, carriers);

template <class T>
constexpr std::size_t width = pack<T>::count;

/// Calls visit(skew_a, skew_b) for all alignments, in elements after a multiple of 16 bytes.
template <class T, class Visit>
void for_each_alignment(Visit visit) {
  for (std::size_t a = 0; a < width<T>; ++a) {
    for (std::size_t b = 0; b < width<T>; ++b) visit(a, b);
  }
}

/// Numbers between powers of two that are far apart, so that a sum depends on the order in mode fast.
template <class T>
terms<T> numbers(std::size_t n) {
  terms<T> made{std::vector<T>(n), std::vector<T>(n)};
  std::mt19937 random(static_cast<unsigned>(n + 1));
  std::uniform_real_distribution<T> in_range(-1, 1);
  for (T& x : made.a) x = std::ldexp(in_range(random), static_cast<int>(random() % 8));
  for (T& x : made.b) x = in_range(random);
  return made;
}

template <class T>
T on_cpu(const terms<T>& given, mode mode) {
  return dot<T>(std::span<const T>(given.a), std::span<const T>(given.b), {.mode = mode, .device = device::cpu});
}

TYPED_TEST(loads, are_packs_if_both_inputs_can_be_aligned_at_once_and_interleaved_if_not) {
  using T = TypeParam;
  alignas(16) static T memory[64];  // only its address is used
  for_each_alignment<T>([&](std::size_t a, std::size_t b) {
    for (std::size_t n = 0; n < 5 * width<T>; ++n) {
      const operands<T, input_layout::contiguous> in(memory + a, memory + b, n), one(memory + a, nullptr, n);
      EXPECT_EQ(in.interleaved, a != b);
      EXPECT_FALSE(one.interleaved);
      EXPECT_EQ(one.head, std::min((width<T> - a) % width<T>, n));
      EXPECT_EQ(one.end, one.head + (n - one.head) / width<T> * width<T>);
      EXPECT_EQ(in.head, a == b ? one.head : 0);
      EXPECT_EQ(in.end, a == b ? one.end : n) << "all elements are interleaved";
    }
  });
}

/// Both levels of the exact kernel: the terms, which the first decides, and the same launch without a bound.
template <class Kernel, class T>
void expect_bits_of_the_cpu(std::size_t n, unsigned blocks, std::size_t skew_a, std::size_t skew_b) {
  const terms<T> given = numbers<T>(n);
  const T right = on_cpu(given, mode::exact);
  for (const bound_choice bound : {bound_choice{}, undecided}) {
    exact_launcher on(static_cast<unsigned>(n));
    const T found = on.result<T, core::product, Kernel>(given, blocks, bound, skew_a, skew_b);
    EXPECT_EQ(core::to_word(found), core::to_word(right))
        << n << " elements, " << blocks << " blocks, skews " << skew_a << ' ' << skew_b;
    EXPECT_EQ(on.state().exchange.undecided_refined, bound.factor == 1 || n == 0 ? 0U : 1U) << n;
  }
}

TYPED_TEST(loads, of_the_exact_kernel_read_every_element_once) {
  using T = TypeParam;
  constexpr std::size_t of_warp = 32 * width<T>;
  for_each_alignment<T>([&](std::size_t a, std::size_t b) {
    for (const std::size_t n :
         {std::size_t{1}, width<T>, 2 * width<T> + 1, std::size_t{31}, std::size_t{33}, of_warp - 1, of_warp,
          of_warp + 1, 2 * of_warp, 4 * of_warp + 31, 9 * of_warp + 33}) {
      expect_bits_of_the_cpu<kernel_choice<64, 2, compensated>, T>(n, 1, a, b);
      if (n > of_warp) expect_bits_of_the_cpu<kernel_choice<32, 1, compensated>, T>(n, 3, a, b);
    }
    expect_bits_of_the_cpu<kernel_choice<64, 4, compensated>, T>(30 * of_warp + 7, 2, a, b);
  });
}

template <int threads, int in_flight, class T>
T fast_dot(const terms<T>& given, unsigned blocks, std::size_t skew_a, std::size_t skew_b) {
  gpu::stream stream;
  const std::size_t n = given.a.size();
  gpu::buffer<T> a(stream, n + skew_a + 1), b(stream, n + skew_b + 1), value(stream, 1);
  gpu::buffer<device_state> state(stream, 1);
  state.fill_zero();
  const auto copy = [](gpu::buffer<T>& to, const std::vector<T>& from, std::size_t skew) {
    std::vector<T> all(to.size(), T(NAN));
    std::copy(from.begin(), from.end(), all.begin() + static_cast<std::ptrdiff_t>(skew));
    to.copy_from(all.data(), all.size());
  };
  copy(a, given.a, skew_a), copy(b, given.b, skew_b);
  const operands<T, input_layout::contiguous> in(a.data() + skew_a, b.data() + skew_b, n);
  constexpr auto kernel = fast_kernel<T, core::product, input_layout::contiguous, threads, in_flight>;
  const tile_counts counts = count_tiles<T>(n, threads / 32);
  gpu::launch(kernel, std::min(blocks, counts.nodes), threads, 0, stream, in, counts, &state.data()->exchange,
              value_at(value.data()));
  T found{};
  value.copy_to(&found, 1);
  for (const std::string& finding : gpu::findings(stream)) ADD_FAILURE() << finding;
  return found;
}

TYPED_TEST(loads, of_the_fast_kernel_read_every_element_in_its_place) {
  using T = TypeParam;
  constexpr std::size_t stripe = order_v1<T>::lanes, tile = order_v1<T>::tile;
  for_each_alignment<T>([&](std::size_t a, std::size_t b) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{31}, std::size_t{33}, stripe - 1, stripe, stripe + 1,
                                5 * stripe + 35, tile - 1, tile, tile + 1, 3 * tile + stripe + 2}) {
      const terms<T> given = numbers<T>(n);
      const T found = fast_dot<64, 8>(given, 2, a, b);
      EXPECT_EQ(core::to_word(found), core::to_word(on_cpu(given, mode::fast))) << n << ", skews " << a << ' ' << b;
    }
  });
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
