// Mode exact on a GPU: one launch, one pass over the vectors, one rounding.
//
// Threads keep expansions, warps turn theirs into integers (pieces.cuh, warp_parts.cuh), blocks add them up and
// mail their sums to the block that comes last (mailbox.cuh, letters.cuh), which rounds. Where what was lost on the
// way may matter to the rounding, the blocks that lost something make a second pass over their shares, which loses
// nothing (exact_sum.cuh). A warp that met infinities or NaNs walks over its share once more to count them.
#pragma once

#include <cuda/deliver.cuh>

namespace exactdot::cuda_engine {
namespace {

/// Shared by the threads of a block.
template <class T, int warps>
struct exact_memory {
  warp_parts<warps> parts;
  mail_room<warps> room;
  exact_sum<T> sum;                      // of the second pass
  unsigned digit[piece_grid<T>::count];  // of a rounding
  turn now;
  unsigned expected;  // givers in the second pass
  bool lost;          // the first pass lost something of this block's share
  bool at_once;       // the second pass is not to wait for the reader
  bool again;         // there is to be a second pass
};

enum verdict : unsigned { done = 1, once_more = 2 };
constexpr int verdict_bits = 2;  // of its word; above, the count of launches

/// By one thread.
__device__ inline void pronounce(verdict what, mailbox& box, const turn& now) {
  __nv_atomic_store_n(&box.verdict, now.count << verdict_bits | what, __NV_ATOMIC_RELAXED,
                      __NV_THREAD_SCOPE_DEVICE);
}

/// By one thread. Whether there is to be a second pass.
__device__ inline bool wait_for_verdict(const mailbox& box, const turn& now) {
  const wide_unsigned count = now.count;
  wide_unsigned seen = peek(&box.verdict);
  while (seen >> verdict_bits != count) seen = peek(&box.verdict);
  return (seen & ((1U << verdict_bits) - 1)) == once_more;
}

/// Adds the blocks' counts of infinities and NaNs; by the lanes of one warp. `others`: a letter told of such.
template <class T>
__device__ inline void take_special(exact_sum<T>& sum, grid_sum<T>& all, bool others) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (!others) return;
  __syncwarp();
  if (lane < 3) sum.special[lane] += __ldcg(&all.special[lane]), all.special[lane] = 0;
  __syncwarp();
}

/// What a block does that is not the reader: mails its sum and, if that lacks something, waits whether it matters,
/// or, where the reader perhaps has no place to start in, makes the second pass at once.
template <class T, int warps>
__device__ __forceinline__ void report(const T* a, const T* b, std::size_t n, const lane_sum& own, bool special,
                                       exact_memory<T, warps>& mine, grid_sum<T>& all, mailbox& box,
                                       long long patience) {
  const unsigned launch = mine.now.launch;
  if (threadIdx.x < 32) {
    if (special) {
      if (threadIdx.x < 3 && mine.sum.special[threadIdx.x] != 0) {
        atomicAdd(&all.special[threadIdx.x], mine.sum.special[threadIdx.x]);
      }
      __syncwarp();
      if (threadIdx.x == letter_header) __threadfence();  // for the warp, by the lane whose word tells of it
    }
    const unsigned lost_end = mail(own, special, box, launch, patience);
    if (threadIdx.x == 0) mine.lost = lost_end != 0, mine.at_once = lost_end == everything;
  }
  __syncthreads();
  if (!mine.lost) return;
  if (threadIdx.x == 0) mine.again = mine.at_once || wait_for_verdict(box, mine.now);
  mine.sum.clear_pieces(threadIdx.x, blockDim.x);
  __syncthreads();
  if (!mine.again) return;
  add_share(a, b, n, mine.sum);
  __syncthreads();
  give_pieces(mine.sum, all, box);
}

/// What the reader does, or a block that is alone.
template <class T, int warps, class Result>
__device__ __forceinline__ void conclude(const T* a, const T* b, std::size_t n, const lane_sum& own, bool special,
                                         exact_memory<T, warps>& mine, grid_sum<T>& all, mailbox& box,
                                         Result result) {
  const bool alone = gridDim.x == 1;
  mail_sum total{own, false};
  if (!alone) total = add_mail(own, mine.room, box, mine.now.launch);
  const bool any_special = special || total.special;  // in the first warp
  if (threadIdx.x < 32) {
    if (!alone && threadIdx.x == 0) end_turn(box, mine.now);
    bool certain = true;
    if (any_special) {
      take_special(mine.sum, all, total.special);
      deliver_special(result, mine.sum);
      certain = total.sum.lost_end != everything;  // else blocks give pieces unasked, which are to be taken away
    } else {
      certain = deliver(result, total.sum, mine.sum, mine.digit);
    }
    if (threadIdx.x == 0) {
      mine.lost = own.lost_end != 0 && !any_special;
      mine.again = !certain;
      if (!alone && total.sum.lost_end != 0) pronounce(certain ? done : once_more, box, mine.now);
    }
  }
  __syncthreads();
  if (!mine.again) {
    if (!alone) forget_old_mail(box, mine.now);
    return;
  }
  mine.sum.clear_pieces(threadIdx.x, blockDim.x);
  __syncthreads();
  if (mine.lost) add_share(a, b, n, mine.sum);
  if (!mine.lost && threadIdx.x < 32) mine.sum.add(own);
  if (!alone) take_all(mine.sum, all, box, &mine.expected);
  __syncthreads();
  if (threadIdx.x < 32 && !any_special) deliver(result, mine.sum, mine.digit);
  if (!alone) forget_old_mail(box, mine.now);
}

template <class T, class Result, int threads, int packs_at_once>
__global__ void __launch_bounds__(threads, 1)
    exact_kernel(const T* a, const T* b, std::size_t n, grid_sum<T>* all, mailbox* box, Result result) {
  constexpr int warps = threads / 32;
  __shared__ exact_memory<T, warps> mine;
  const bool alone = gridDim.x == 1;
  const long long start = clock64();
  mine.sum.clear_special();
  if (threadIdx.x == 0) mine.room.clear();
  thread_sum<T> sum;
  for_each_chunk<packs_at_once>(a, b, n, [&](const auto& x, const auto& y) { sum.add(x, y); });
  wide_unsigned ticket = 0;
  if (!alone && threadIdx.x == 0) ticket = take_ticket(box->tickets);
  __syncwarp();
  const bool special = !sum.leave(mine.parts);
  if (!alone && threadIdx.x == 0) mine.now = turn_of(ticket);
  const bool block_special = __syncthreads_or(special) != 0;
  if (block_special) {
    if (special) count_special(a, b, n, mine.sum);
    __syncthreads();
  }
  lane_sum own{0, 0, 0};
  if (threadIdx.x < 32) own = add_parts(mine.parts);
  if (alone || mine.now.reads) {
    conclude(a, b, n, own, block_special, mine, *all, *box, result);
  } else {
    constexpr long long clocks = 20000;  // and as long as the loop took
    const long long now = clock64();
    report(a, b, n, own, block_special, mine, *all, *box, now + (now - start) + clocks);
  }
}

}  // namespace
}  // namespace exactdot::cuda_engine
