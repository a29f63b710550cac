// Exchanges of a warp with 64-bit values, in segments and in parts; matches; atomics of 64 bits, in shared memory
// and in every scope.
#include "self_check.cuh"

namespace {
using namespace simt_test;

constexpr unsigned all = 0xffffffffU;
using word = unsigned long long;

template <class T>
__global__ void shuffles(broken* to) {
  const unsigned lane = threadIdx.x % warpSize;
  const auto given = [](unsigned i) {
    return static_cast<T>(T{3} * static_cast<T>(i) + static_cast<T>(1ULL << 20));
  };
  const T own = given(lane);
  expect(to, __shfl_sync(all, own, 31) == given(31));
  expect(to, __shfl_sync(all, own, 35) == given(3));  // modulo the width
  expect(to, __shfl_sync(all, own, static_cast<int>(lane) + 1, 4) == given(lane / 4 * 4 + (lane + 1) % 4));
  expect(to, __shfl_up_sync(all, own, 3) == given(lane < 3 ? lane : lane - 3));
  expect(to, __shfl_up_sync(all, own, 1, 8) == given(lane % 8 == 0 ? lane : lane - 1));
  expect(to, __shfl_down_sync(all, own, 5) == given(lane + 5 < 32 ? lane + 5 : lane));
  expect(to, __shfl_down_sync(all, own, 1, 2) == given(lane | 1U));
  expect(to, __shfl_xor_sync(all, own, 21) == given(lane ^ 21U));
  expect(to, __shfl_xor_sync(all, own, 16, 16) == given(lane < 16 ? lane : lane - 16));  // not to later segments
}

__global__ void wide_shuffles(broken* to) {
  const unsigned lane = threadIdx.x % warpSize;
  const long long low = -(1LL << 62) - static_cast<long long>(lane);
  expect(to, __shfl_xor_sync(all, low, 1) == -(1LL << 62) - static_cast<long long>(lane ^ 1U));
  expect(to, __shfl_sync(all, ~word{lane}, 9) == ~word{9});
  expect(to, __shfl_down_sync(all, 1.0 + 0x1p-52 * lane, 1) == 1.0 + 0x1p-52 * (lane < 31 ? lane + 1 : lane));
}

__global__ void matches(broken* to) {
  const unsigned lane = threadIdx.x % warpSize;
  expect(to, __match_any_sync(all, lane / 8) == 0xffU << lane / 8 * 8);
  expect(to, __match_any_sync(all, word{1} << (lane % 2 == 0 ? 40 : 41)) == 0x55555555U << lane % 2);
  expect(to, __match_any_sync(all, lane == 0 ? 0.0 : -0.0) == (lane == 0 ? 1U : 0xfffffffeU));  // bits, not values
  int same = 2;
  expect(to, __match_all_sync(all, 5LL, &same) == all && same == 1);
  expect(to, __match_all_sync(all, lane == 7 ? 1 : 2, &same) == 0 && same == 0);
  if (lane < 12) expect(to, __match_any_sync(0xfffU, lane % 3) == 0x249U << lane % 3);
}

__global__ void reductions(broken* to) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  expect(to, __reduce_add_sync(all, -lane) == -496 && __reduce_add_sync(all, 0xffffffffU) == 0U - 32);
  expect(to, __reduce_min_sync(all, lane - 7) == -7 && __reduce_max_sync(all, 100U + threadIdx.x % 32) == 131);
  const unsigned part = lane < 16 ? 0xffffU : 0xffff0000U;
  expect(to, __reduce_add_sync(part, lane) == (lane < 16 ? 120 : 376));
  expect(to, __ballot_sync(part, lane % 4 == 0) == (0x11111111U & part));
  expect(to, __all_sync(part, lane < 16) == (lane < 16) && __any_sync(part, lane == 31) == (lane >= 16));
  expect(to, (__activemask() >> lane & 1U) == 1);
}

/// One addition for all lanes that come together, and each gets a number of its own (NVIDIA, "CUDA Pro Tip:
/// Optimized Filtering with Warp-Aggregated Atomics").
__device__ int number_together(int* counter) {
  const unsigned active = __activemask(), lane = threadIdx.x % 32;
  const int leader = __ffs(static_cast<int>(active)) - 1;
  int first = 0;
  if (static_cast<int>(lane) == leader) first = atomicAdd(counter, __popc(active));
  first = __shfl_sync(active, first, leader);
  return first + __popc(active & ((1U << lane) - 1));
}
__global__ void filter(int* counter, int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i % 3 != 0) out[number_together(counter)] = i;
  if (i % 5 == 0) out[number_together(counter)] = -i;
}
__global__ void masks(unsigned* out, bool exchanges) {
  const unsigned lane = threadIdx.x % 32;
  if (exchanges) __shfl_sync(all, lane, 3);  // the last to come goes on first
  out[threadIdx.x] = __activemask();
  if (lane < 5) {
    out[threadIdx.x + 64] = __activemask();
  } else if (lane % 2 == 0) {
    out[threadIdx.x + 64] = __activemask();
  }
}

/// Every function of one scope, by its effect on one word that only this thread uses.
template <class T, class Add, class Exchange, class Least, class Most, class And, class Or, class Xor, class Swap>
__device__ void apply_all(broken* to, T* word_, Add add, Exchange exchange, Least least, Most most, And conjoin,
                          Or join, Xor differ, Swap swap) {
  const T high = T{1} << (sizeof(T) * 8 - 2);
  *word_ = high;
  expect(to, add(word_, T{5}) == high && *word_ == high + 5);
  expect(to, least(word_, T{9}) == high + 5 && *word_ == 9);
  expect(to, most(word_, high) == 9 && *word_ == high);
  expect(to, conjoin(word_, high | 1) == high && join(word_, T{6}) == high);
  expect(to, differ(word_, T{2}) == (high | 6) && *word_ == (high | 4));
  expect(to, swap(word_, T{0}, T{1}) == (high | 4) && swap(word_, high | 4, T{1}) == (high | 4));
  expect(to, exchange(word_, T{3}) == 1 && *word_ == 3);
}

template <class T>
__device__ void apply_in_every_scope(broken* to, T* one) {
  apply_all(
      to, one, [](T* at, T x) { return atomicAdd(at, x); }, [](T* at, T x) { return atomicExch(at, x); },
      [](T* at, T x) { return atomicMin(at, x); }, [](T* at, T x) { return atomicMax(at, x); },
      [](T* at, T x) { return atomicAnd(at, x); }, [](T* at, T x) { return atomicOr(at, x); },
      [](T* at, T x) { return atomicXor(at, x); }, [](T* at, T x, T y) { return atomicCAS(at, x, y); });
  apply_all(
      to, one, [](T* at, T x) { return atomicAdd_block(at, x); },
      [](T* at, T x) { return atomicExch_block(at, x); }, [](T* at, T x) { return atomicMin_block(at, x); },
      [](T* at, T x) { return atomicMax_block(at, x); }, [](T* at, T x) { return atomicAnd_block(at, x); },
      [](T* at, T x) { return atomicOr_block(at, x); }, [](T* at, T x) { return atomicXor_block(at, x); },
      [](T* at, T x, T y) { return atomicCAS_block(at, x, y); });
  apply_all(
      to, one, [](T* at, T x) { return atomicAdd_system(at, x); },
      [](T* at, T x) { return atomicExch_system(at, x); }, [](T* at, T x) { return atomicMin_system(at, x); },
      [](T* at, T x) { return atomicMax_system(at, x); }, [](T* at, T x) { return atomicAnd_system(at, x); },
      [](T* at, T x) { return atomicOr_system(at, x); }, [](T* at, T x) { return atomicXor_system(at, x); },
      [](T* at, T x, T y) { return atomicCAS_system(at, x, y); });
}

__global__ void atomics_of_every_scope(broken* to, word* global) {
  __shared__ word shared[32];
  __shared__ unsigned narrow[32];
  apply_in_every_scope(to, shared + threadIdx.x);
  apply_in_every_scope(to, narrow + threadIdx.x);
  apply_in_every_scope(to, global + blockIdx.x * 32 + threadIdx.x);
  narrow[threadIdx.x] = 1;
  expect(to, atomicInc_block(narrow + threadIdx.x, 1U) == 1 && atomicDec_system(narrow + threadIdx.x, 9U) == 0);
  expect(to, atomicSub_block(narrow + threadIdx.x, 2U) == 9 && atomicSub_system(narrow + threadIdx.x, 7U) == 7);
}

// Evaluated by the compiler, which refuses an overflow of signed numbers.
static_assert(exactdot::simt::detail::sum(2147483647, 1) == -2147483647 - 1);
static_assert(exactdot::simt::detail::difference(-2147483647, 2) == 2147483647);

__global__ void wraps(broken* to) {
  __shared__ int one;
  one = 2147483647;
  expect(to, atomicAdd(&one, 1) == 2147483647 && one == -2147483647 - 1);
  expect(to, atomicSub(&one, 1) == -2147483647 - 1 && one == 2147483647);
}

/// As an exact sum does it: limbs in shared memory, by all threads, then one addition a limb to global memory.
__global__ void __launch_bounds__(64) limbs(broken*, word* sums) {
  __shared__ word own[4];
  if (threadIdx.x < 4) own[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&own[threadIdx.x % 4], word{1} << (8 * (threadIdx.x % 4)));
  atomicAdd(&own[threadIdx.x % 4], static_cast<word>(-3LL));
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&sums[threadIdx.x], own[threadIdx.x]);
}

TEST(simt_warp, shuffles_of_every_type_and_width) {
  expect_whole(shuffles<int>, 1, 64);
  expect_whole(shuffles<unsigned>, 1, 32);
  expect_whole(shuffles<long long>, 1, 32);
  expect_whole(shuffles<word>, 1, 32);
  expect_whole(shuffles<float>, 1, 32);
  expect_whole(shuffles<double>, 1, 64);
  expect_whole(wide_shuffles, 2, 64);
}

TEST(simt_warp, matches_and_reductions_of_parts) {
  expect_whole(matches, 1, 64);
  expect_whole(reductions, 2, 64);
}

TEST(simt_warp, active_lanes_may_exchange) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const execution model : both_models) {
      stream on({.seed = seed, .model = model});
      const filled<int> counter(on, 1), out(on, 400);
      gpu::launch(filter, 3, 96, 0, on, counter.data(), out.data());
      ASSERT_EQ(faults_of(on), "");
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

TEST(simt_warp, active_lanes_are_those_of_the_step_or_the_caller_alone) {
  for (const bool exchanges : {false, true}) {
    stream together({.model = execution::lock_step}), apart;
    const filled<unsigned> step(together, 128), alone(apart, 128);
    gpu::launch(masks, 1, 64, 0, together, step.data(), exchanges);
    gpu::launch(masks, 1, 64, 0, apart, alone.data(), exchanges);
    for (unsigned i = 0; i < 64; ++i) {
      const unsigned lane = i % 32;
      EXPECT_EQ(step[i], all);
      EXPECT_EQ(step[i + 64], lane < 5 ? 0x1fU : lane % 2 == 0 ? 0x55555540U : 0U) << lane;
      EXPECT_EQ(alone[i], 1U << lane);
    }
    EXPECT_EQ(faults_of(together) + faults_of(apart), "");
  }
}

TEST(simt_warp, names_lanes_that_a_match_waits_for) {
  stream on;
  filled<broken> unused(on, 1);
  gpu::launch(
      +[](broken*) {
        if (threadIdx.x < 9) __match_any_sync(all, 1);  // match
        __syncthreads();
      },
      1, 32, 0, on, unused.data());
  EXPECT_TRUE(has_fault(on, fault_kind::missing_lanes, "", "match"));
}

TEST(simt_warp, atomics_of_64_bits_in_every_scope_and_memory) {
  for (const execution model : both_models) {
    stream on({.model = model});
    filled<word> global(on, 64), sums(on, 4);
    EXPECT_EQ(lines_broken_by(on, atomics_of_every_scope, 2, 32, 0, global.data()), "");
    EXPECT_EQ(lines_broken_by(on, wraps, 1, 1, 0), "");
    EXPECT_EQ(lines_broken_by(on, limbs, 5, 64, 0, sums.data()), "");
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(sums[i], 5 * 16 * ((word{1} << 8 * i) - 3));
  }
}

}  // namespace
