// Sums of states over GPUs, rounded: words to the owners of the rows, results back, in one launch on every GPU.
//
// A warp does for a group of rows, of which its rank rounds one (rows.hpp):
//
//   1  sends its words of the rows that other ranks round, by stores into their memory
//   2  waits for the others' words of its own row, adds and rounds them (round_limbs.cuh);
//      sends the result, if the row has one owner
//   3  waits for the results of the other rows, if rows have owners
//
// A warp waits only for data, and data need no fence. All groups are sent before the first wait, so that ranks do
// not wait for each other in a circle. Cost beside an allreduce: one or two crossings of a link, no launch for the
// rounding.
#pragma once

#include <cuda/core/kernel.cuh>
#include <cuda/words/round_limbs.cuh>
#include <cuda/words/rows.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

constexpr wide_unsigned sent_bit = wide_unsigned{1} << 63;

__device__ __forceinline__ void store_word(wide_unsigned* to, wide_unsigned message) {
  __nv_atomic_store_n(to, message, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
}
__device__ __forceinline__ wide_unsigned load_word(const wide_unsigned* from) {
  return __nv_atomic_load_n(const_cast<wide_unsigned*>(from), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
}

/// A word as a message. −2^63, which no state has, would be 0: it becomes another word that no state has.
__device__ __forceinline__ wide_unsigned message_of(std::int64_t word) {
  const wide_unsigned made = static_cast<wide_unsigned>(word) ^ sent_bit;
  return made == 0 ? 1 : made;
}

/// The words of a sum in the lanes of a warp, as they are in memory.
template <int chunks>
struct lane_row {
  wide_unsigned limb[chunks];
  wide_unsigned count;  ///< lane i: word i after the limbs
};

/// work(element, index) for every word of the lane.
template <int chunks, class Row, class Work>
__device__ __forceinline__ void for_each_word(const sum_rows& rows, Row& row, Work work) {
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    if (32 * c + lane < rows.layout.limbs) work(row.limb[c], 32 * c + lane);
  }
  if (lane < rows.counts) work(row.count, rows.layout.limbs + lane);
}

template <int chunks>
__device__ __forceinline__ lane_row<chunks> load_row(const sum_rows& rows, std::size_t i) {
  const std::int64_t* const words = rows.words + i * rows.stride;
  lane_row<chunks> found{};
  for_each_word<chunks>(rows, found,
                        [&](wide_unsigned& word, int k) { word = static_cast<wide_unsigned>(words[k]); });
  return found;
}

/// Adds the words that a sender has put at `from`, when all have come, and clears them.
template <int chunks>
__device__ __forceinline__ void add_messages(const sum_rows& rows, wide_unsigned* from, lane_row<chunks>& sum) {
  lane_row<chunks> received;
  bool missing = true;
  while (__any_sync(all_lanes, static_cast<int>(missing)) != 0) {
    missing = false;
    for_each_word<chunks>(rows, received, [&](wide_unsigned& word, int k) { word = load_word(from + k); });
    for_each_word<chunks>(rows, received, [&](wide_unsigned& word, int) { missing |= word == 0; });
  }
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    if (32 * c + static_cast<int>(threadIdx.x % 32) < rows.layout.limbs) sum.limb[c] += received.limb[c] ^ sent_bit;
  }
  if (static_cast<int>(threadIdx.x % 32) < rows.counts) sum.count += received.count ^ sent_bit;
  for_each_word<chunks>(rows, received, [&](wide_unsigned&, int k) { store_word(from + k, 0); });
}

template <int chunks>
__device__ __forceinline__ rounded_sum round_row(const sum_rows& rows, core::number_format format,
                                                 const lane_row<chunks>& sum) {
  lane_words<chunks> words;
#pragma unroll
  for (int c = 0; c < chunks; ++c) words.limb[c] = static_cast<lane_int>(sum.limb[c]);
  const auto count = static_cast<lane_int>(sum.count);
  words.special = static_cast<int>(threadIdx.x % 32) < rows.counts - 1 ? count : 0;
  words.states = __shfl_sync(all_lanes, count, rows.counts - 1);
  return round_limbs<chunks>(format, rows.layout, words);
}

/// The groups first, first + step, … of a rank. By the lanes of one warp.
template <int chunks>
__device__ __forceinline__ void round_among_peers(const peer_call& call, const destination& to, std::size_t first,
                                                  std::size_t step) {
  const sum_rows& rows = call.rows;
  const peer_layout& layout = call.layout;
  const auto lane = static_cast<unsigned>(threadIdx.x % 32), ranks = static_cast<unsigned>(layout.ranks);
  const std::size_t groups = call.groups();
  const core::number_format format = to.rule.format();
  const int bytes = to.rule.bytes();
  wide_unsigned* const memory = call.memory[call.rank];
  for (std::size_t group = first; group < groups; group += step) {
    const std::size_t slot = memory[layout.launches(group)] & 1;
    for (unsigned k = 1; k < ranks; ++k) {  // to another rank each, so that no link waits
      const unsigned owner = call.rank + k < ranks ? call.rank + k : call.rank + k - ranks;
      if (call.row(group, owner) >= rows.count) continue;
      lane_row<chunks> row = load_row<chunks>(rows, call.row(group, owner));
      wide_unsigned* const place = call.memory[owner] + layout.words(slot, group, call.rank);
      for_each_word<chunks>(rows, row, [&](wide_unsigned& word, int i) {
        store_word(place + i, message_of(static_cast<std::int64_t>(word)));
      });
    }
  }
  // Lane 2r + h has half h of the result that goes to rank r, or that comes from it.
  const unsigned other = lane / 2, half = lane % 2;
  const bool has_other = other < ranks && other != call.rank && !call.to_all;
  for (std::size_t group = first; group < groups; group += step) {
    const std::size_t i = call.row(group, call.rank);
    if (i >= rows.count) continue;
    const std::size_t slot = memory[layout.launches(group)] & 1;
    lane_row<chunks> sum = load_row<chunks>(rows, i);
    for (unsigned sender = 0; sender < ranks; ++sender) {
      if (sender != call.rank) add_messages<chunks>(rows, memory + layout.words(slot, group, sender), sum);
    }
    rounded_sum found = round_row<chunks>(rows, format, sum);
    if (found.problem != no_problem) found.word = core::nan_word(format);
    if (has_other) {
      const wide_unsigned data =
          half == 0 ? found.word & 0xffffffff : found.word >> 32 | static_cast<wide_unsigned>(found.problem) << 32;
      store_word(call.memory[other] + layout.result(slot, group, call.rank) + half, sent_bit | data);
    }
    if (lane == 0) store_row_result(to, bytes, i, found);
  }
  for (std::size_t group = first; group < groups; group += step) {
    const wide_unsigned launches = memory[layout.launches(group)];
    const std::size_t i = call.row(group, other);
    const bool comes = has_other && i < rows.count;
    wide_unsigned* const place = memory + layout.result(launches & 1, group, comes ? other : 0) + half;
    wide_unsigned received = sent_bit;
    do {
      if (comes) received = load_word(place);
    } while (__any_sync(all_lanes, static_cast<int>(received == 0)) != 0);
    if (comes) store_word(place, 0);
    const wide_unsigned upper = __shfl_down_sync(all_lanes, received, 1) & ~sent_bit;
    if (comes && half == 0) {
      const auto problem = static_cast<row_problem>(upper >> 32);
      store_row_result(to, bytes, i, {problem, upper << 32 | (received & 0xffffffff)});
    }
    __syncwarp();  // all lanes have read the number of launches
    if (lane == 0) memory[layout.launches(group)] = launches + 1;
  }
}

template <int chunks>
__global__ void __launch_bounds__(32 * rows_per_block)
    round_among_peers_kernel(const __grid_constant__ peer_call call, const __grid_constant__ destination to) {
  begin_kernel(1);
  round_among_peers<chunks>(call, to, std::size_t{blockIdx.x} * rows_per_block + threadIdx.x / 32,
                            std::size_t{gridDim.x} * rows_per_block);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
