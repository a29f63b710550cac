// Warp collectives: shuffles of 64-bit values, in segments, with partial masks; matches and reductions. Atomics of
// 64 bits, in shared memory and in every scope.
#include <exactdot/simt/tensor.hpp>

#include "self_check.cuh"

namespace {
using namespace simt_test;

constexpr unsigned all = 0xffffffffU;
using word = unsigned long long;

template <class T>
__global__ void shuffles(failed_checks* checks) {
  const unsigned lane = threadIdx.x % warpSize;
  const auto value_of = [](unsigned i) {
    return static_cast<T>(T{3} * static_cast<T>(i) + static_cast<T>(1ULL << 20));
  };
  const T value = value_of(lane);
  expect(checks, __shfl_sync(all, value, 31) == value_of(31));
  expect(checks, __shfl_sync(all, value, 35) == value_of(3));  // modulo the width
  expect(checks, __shfl_sync(all, value, static_cast<int>(lane) + 1, 4) == value_of(lane / 4 * 4 + (lane + 1) % 4));
  expect(checks, __shfl_up_sync(all, value, 3) == value_of(lane < 3 ? lane : lane - 3));
  expect(checks, __shfl_up_sync(all, value, 1, 8) == value_of(lane % 8 == 0 ? lane : lane - 1));
  expect(checks, __shfl_down_sync(all, value, 5) == value_of(lane + 5 < 32 ? lane + 5 : lane));
  expect(checks, __shfl_down_sync(all, value, 1, 2) == value_of(lane | 1U));
  expect(checks, __shfl_xor_sync(all, value, 21) == value_of(lane ^ 21U));
  expect(checks,
         __shfl_xor_sync(all, value, 16, 16) == value_of(lane < 16 ? lane : lane - 16));  // not to later segments
}

__global__ void wide_shuffles(failed_checks* checks) {
  const unsigned lane = threadIdx.x % warpSize;
  const long long low = -(1LL << 62) - static_cast<long long>(lane);
  expect(checks, __shfl_xor_sync(all, low, 1) == -(1LL << 62) - static_cast<long long>(lane ^ 1U));
  expect(checks, __shfl_sync(all, ~word{lane}, 9) == ~word{9});
  expect(checks, __shfl_down_sync(all, 1.0 + 0x1p-52 * lane, 1) == 1.0 + 0x1p-52 * (lane < 31 ? lane + 1 : lane));
}

/// Every element of the product of two tiles, of small integers.
__global__ void tile_products(failed_checks* checks) {
  const int lane = static_cast<int>(threadIdx.x % warpSize);
  const auto a = [](int row, int k) { return row * 5 + k * k - 7; };
  const auto b = [](int k, int column) { return 3 * k - column * column; };
  double upper[2] = {1, 2}, lower[2] = {3, 4};
  gpu::add_tile_product(upper, lower, a(lane / 4, lane % 4), a(lane / 4 + 8, lane % 4), b(lane % 4, lane / 4));
  for (int j = 0; j < 2; ++j) {
    int of_upper = 1 + j, of_lower = 3 + j;
    for (int k = 0; k < 4; ++k) {
      of_upper += a(lane / 4, k) * b(k, lane % 4 * 2 + j);
      of_lower += a(lane / 4 + 8, k) * b(k, lane % 4 * 2 + j);
    }
    expect(checks, upper[j] == of_upper && lower[j] == of_lower);
  }
}

__global__ void matches(failed_checks* checks) {
  const unsigned lane = threadIdx.x % warpSize;
  expect(checks, __match_any_sync(all, lane / 8) == 0xffU << lane / 8 * 8);
  expect(checks, __match_any_sync(all, word{1} << (lane % 2 == 0 ? 40 : 41)) == 0x55555555U << lane % 2);
  expect(checks,
         __match_any_sync(all, lane == 0 ? 0.0 : -0.0) == (lane == 0 ? 1U : 0xfffffffeU));  // bits, not values
  int same = 2;
  expect(checks, __match_all_sync(all, 5LL, &same) == all && same == 1);
  expect(checks, __match_all_sync(all, lane == 7 ? 1 : 2, &same) == 0 && same == 0);
  if (lane < 12) expect(checks, __match_any_sync(0xfffU, lane % 3) == 0x249U << lane % 3);
}

__global__ void reductions(failed_checks* checks) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  expect(checks, __reduce_add_sync(all, -lane) == -496 && __reduce_add_sync(all, 0xffffffffU) == 0U - 32);
  expect(checks, __reduce_min_sync(all, lane - 7) == -7 && __reduce_max_sync(all, 100U + threadIdx.x % 32) == 131);
  const unsigned half_mask = lane < 16 ? 0xffffU : 0xffff0000U;
  expect(checks, __reduce_add_sync(half_mask, lane) == (lane < 16 ? 120 : 376));
  expect(checks, __ballot_sync(half_mask, lane % 4 == 0) == (0x11111111U & half_mask));
  expect(checks,
         __all_sync(half_mask, lane < 16) == (lane < 16) && __any_sync(half_mask, lane == 31) == (lane >= 16));
  expect(checks, (__activemask() >> lane & 1U) == 1);
}

/// One atomic addition for all active lanes; returns a different number to each (NVIDIA, "CUDA Pro Tip: Optimized
/// Filtering with Warp-Aggregated Atomics").
__device__ int aggregated_increment(int* counter) {
  const unsigned active = __activemask(), lane = threadIdx.x % 32;
  const int leader = __ffs(static_cast<int>(active)) - 1;
  int first = 0;
  if (static_cast<int>(lane) == leader) first = atomicAdd(counter, __popc(active));
  first = __shfl_sync(active, first, leader);
  return first + __popc(active & ((1U << lane) - 1));
}
__global__ void filter(int* counter, int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i % 3 != 0) out[aggregated_increment(counter)] = i;
  if (i % 5 == 0) out[aggregated_increment(counter)] = -i;
}
__global__ void masks(unsigned* out, bool shuffle_first) {
  const unsigned lane = threadIdx.x % 32;
  if (shuffle_first) __shfl_sync(all, lane, 3);  // the last lane to arrive continues first
  out[threadIdx.x] = __activemask();
  if (lane < 5) {
    out[threadIdx.x + 64] = __activemask();
  } else if (lane % 2 == 0) {
    out[threadIdx.x + 64] = __activemask();
  }
}

/// Checks every function of one scope by its effect on a word that only this thread uses.
template <class T, class Add, class Exchange, class Min, class Max, class And, class Or, class Xor, class Cas>
__device__ void apply_all(failed_checks* checks, T* target, Add add, Exchange exchange, Min minimum, Max maximum,
                          And bit_and, Or bit_or, Xor bit_xor, Cas compare_and_swap) {
  const T high = T{1} << (sizeof(T) * 8 - 2);
  *target = high;
  expect(checks, add(target, T{5}) == high && *target == high + 5);
  expect(checks, minimum(target, T{9}) == high + 5 && *target == 9);
  expect(checks, maximum(target, high) == 9 && *target == high);
  expect(checks, bit_and(target, high | 1) == high && bit_or(target, T{6}) == high);
  expect(checks, bit_xor(target, T{2}) == (high | 6) && *target == (high | 4));
  expect(checks, compare_and_swap(target, T{0}, T{1}) == (high | 4) &&
                     compare_and_swap(target, high | 4, T{1}) == (high | 4));
  expect(checks, exchange(target, T{3}) == 1 && *target == 3);
}

template <class T>
__device__ void apply_in_every_scope(failed_checks* checks, T* target) {
  apply_all(
      checks, target, [](T* address, T x) { return atomicAdd(address, x); },
      [](T* address, T x) { return atomicExch(address, x); }, [](T* address, T x) { return atomicMin(address, x); },
      [](T* address, T x) { return atomicMax(address, x); }, [](T* address, T x) { return atomicAnd(address, x); },
      [](T* address, T x) { return atomicOr(address, x); }, [](T* address, T x) { return atomicXor(address, x); },
      [](T* address, T x, T y) { return atomicCAS(address, x, y); });
  apply_all(
      checks, target, [](T* address, T x) { return atomicAdd_block(address, x); },
      [](T* address, T x) { return atomicExch_block(address, x); },
      [](T* address, T x) { return atomicMin_block(address, x); },
      [](T* address, T x) { return atomicMax_block(address, x); },
      [](T* address, T x) { return atomicAnd_block(address, x); },
      [](T* address, T x) { return atomicOr_block(address, x); },
      [](T* address, T x) { return atomicXor_block(address, x); },
      [](T* address, T x, T y) { return atomicCAS_block(address, x, y); });
  apply_all(
      checks, target, [](T* address, T x) { return atomicAdd_system(address, x); },
      [](T* address, T x) { return atomicExch_system(address, x); },
      [](T* address, T x) { return atomicMin_system(address, x); },
      [](T* address, T x) { return atomicMax_system(address, x); },
      [](T* address, T x) { return atomicAnd_system(address, x); },
      [](T* address, T x) { return atomicOr_system(address, x); },
      [](T* address, T x) { return atomicXor_system(address, x); },
      [](T* address, T x, T y) { return atomicCAS_system(address, x, y); });
}

__global__ void atomics_of_every_scope(failed_checks* checks, word* global) {
  __shared__ word shared[32];
  __shared__ unsigned narrow[32];
  apply_in_every_scope(checks, shared + threadIdx.x);
  apply_in_every_scope(checks, narrow + threadIdx.x);
  apply_in_every_scope(checks, global + blockIdx.x * 32 + threadIdx.x);
  narrow[threadIdx.x] = 1;
  expect(checks, atomicInc_block(narrow + threadIdx.x, 1U) == 1 && atomicDec_system(narrow + threadIdx.x, 9U) == 0);
  expect(checks, atomicSub_block(narrow + threadIdx.x, 2U) == 9 && atomicSub_system(narrow + threadIdx.x, 7U) == 7);
}

// Evaluated by the compiler, which refuses an overflow of signed numbers.
static_assert(exactdot::simt::detail::sum(2147483647, 1) == -2147483647 - 1);
static_assert(exactdot::simt::detail::difference(-2147483647, 2) == 2147483647);

__global__ void wraps(failed_checks* checks) {
  __shared__ int value;
  value = 2147483647;
  expect(checks, atomicAdd(&value, 1) == 2147483647 && value == -2147483647 - 1);
  expect(checks, atomicSub(&value, 1) == -2147483647 - 1 && value == 2147483647);
}

/// An exact sum's pattern: all threads add to limbs in shared memory, then one addition per limb to global memory.
__global__ void __launch_bounds__(64) limbs(failed_checks*, word* sums) {
  __shared__ word block_limbs[4];
  if (threadIdx.x < 4) block_limbs[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&block_limbs[threadIdx.x % 4], word{1} << (8 * (threadIdx.x % 4)));
  atomicAdd(&block_limbs[threadIdx.x % 4], static_cast<word>(-3LL));
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&sums[threadIdx.x], block_limbs[threadIdx.x]);
}

TEST(simt_warp, shuffles_of_every_type_and_width) {
  expect_all_hold(shuffles<int>, 1, 64);
  expect_all_hold(shuffles<unsigned>, 1, 32);
  expect_all_hold(shuffles<long long>, 1, 32);
  expect_all_hold(shuffles<word>, 1, 32);
  expect_all_hold(shuffles<float>, 1, 32);
  expect_all_hold(shuffles<double>, 1, 64);
  expect_all_hold(wide_shuffles, 2, 64);
  expect_all_hold(tile_products, 2, 64);
}

TEST(simt_warp, matches_and_reductions_with_partial_masks) {
  expect_all_hold(matches, 1, 64);
  expect_all_hold(reductions, 2, 64);
}

TEST(simt_warp, active_lanes_may_shuffle) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const execution model : both_models) {
      gpu::stream stream({.seed = seed, .model = model});
      const filled<int> counter(stream, 1), out(stream, 400);
      gpu::launch(filter, 3, 96, 0, stream, counter.data(), out.data());
      ASSERT_EQ(faults_of(stream), "");
      ASSERT_EQ(counter[0], 192 + 58);
      std::vector<int> numbers(400), expected(400 - 250, 0);
      out.copy_to(numbers.data(), 400);
      for (int i = 0; i < 288; ++i) {
        if (i % 3 != 0) expected.push_back(i);
        if (i % 5 == 0) expected.push_back(-i);
      }
      std::sort(numbers.begin(), numbers.end());
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(numbers, expected);
    }
  }
}

TEST(simt_warp, active_mask_has_the_lanes_of_the_step_or_the_caller) {
  for (const bool shuffle_first : {false, true}) {
    gpu::stream lock_step({.model = execution::lock_step}), independent;
    const filled<unsigned> step_masks(lock_step, 128), caller_masks(independent, 128);
    gpu::launch(masks, 1, 64, 0, lock_step, step_masks.data(), shuffle_first);
    gpu::launch(masks, 1, 64, 0, independent, caller_masks.data(), shuffle_first);
    for (unsigned i = 0; i < 64; ++i) {
      const unsigned lane = i % 32;
      EXPECT_EQ(step_masks[i], all);
      EXPECT_EQ(step_masks[i + 64], lane < 5 ? 0x1fU : lane % 2 == 0 ? 0x55555540U : 0U) << lane;
      EXPECT_EQ(caller_masks[i], 1U << lane);
    }
    EXPECT_EQ(faults_of(lock_step) + faults_of(independent), "");
  }
}

TEST(simt_warp, reports_missing_lanes_of_a_match) {
  gpu::stream stream;
  filled<failed_checks> unused(stream, 1);
  gpu::launch(
      +[](failed_checks*) {
        if (threadIdx.x < 9) __match_any_sync(all, 1);  // match
        __syncthreads();
      },
      1, 32, 0, stream, unused.data());
  EXPECT_TRUE(has_fault(stream, fault_kind::missing_lanes, "", "match"));
}

TEST(simt_warp, atomics_of_64_bits_in_every_scope_and_memory) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    filled<word> global(stream, 64), sums(stream, 4);
    EXPECT_EQ(failures_of(stream, atomics_of_every_scope, 2, 32, 0, global.data()), "");
    EXPECT_EQ(failures_of(stream, wraps, 1, 1, 0), "");
    EXPECT_EQ(failures_of(stream, limbs, 5, 64, 0, sums.data()), "");
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(sums[i], 5 * 16 * ((word{1} << 8 * i) - 3));
  }
}

}  // namespace
