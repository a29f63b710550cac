// Messages of the exact kernel, 16 words each.
//
// 0–13: the highest digits of the block's sum. 14: zero. 15: the header: index of the first digit, and log2_error.
// The last block adds up to 29 digits, one per lane, from a base taken from its own sum. Digits below the base
// raise the bound; a message above the range restarts the sum at a higher base.
#pragma once

#include <cuda/exchange.cuh>
#include <cuda/warp_partials.cuh>

namespace exactdot::cuda_engine {
namespace {

constexpr int message_words = 16, message_digits = 14, message_zero = 14, message_header = 15;
constexpr unsigned max_messages = exchange::words / message_words;
enum message_kind : int { empty_message = -1, special_message = -2 };  // in place of the index
constexpr unsigned unbounded = 0xffff;                                 // a log2_error that decides nothing

__device__ __forceinline__ int make_header(int first, unsigned log2_error) {
  return static_cast<int>(log2_error << 16 | (static_cast<unsigned>(first) & 0xffff));
}
__device__ __forceinline__ int first_of(int header) { return static_cast<short>(header); }
__device__ __forceinline__ unsigned log2_error_of(int header) { return static_cast<unsigned>(header) >> 16; }

/// Publishes the block's sum, or that it has infinite or NaN terms. By the lanes of one warp. Returns log2_error of
/// the message: 2^this bounds what it lacks; 0: nothing; `unbounded`: not all blocks had started by the deadline,
/// so this block must not wait for the decision.
__device__ __forceinline__ unsigned publish_message(const lane_digits& sum, bool special, exchange& exchange,
                                                    unsigned flag, long long deadline) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int carry = __shfl_up_sync(all_lanes, static_cast<int>(sum.digit >> digit_bits), 1);
  const int digit = static_cast<int>(sum.digit & digit_mask) + (lane == 0 ? 0 : carry);  // below 2^25
  const unsigned used = __ballot_sync(all_lanes, digit != 0);
  int lowest = __ffs(static_cast<int>(used)) - 1;
  unsigned log2_error = sum.log2_error;
  const int lowest_kept =
      32 - __clz(static_cast<int>(used)) - message_digits;  // in a message with the highest digit
  if (used != 0 && lowest_kept > lowest) {
    lowest = lowest_kept;
    log2_error = max(log2_error, log2_bound_of_digits(sum.first, lowest));
  }
  if (special) log2_error = 0;
  if (log2_error != 0 && !__all_sync(all_lanes, all_blocks_started(exchange, deadline))) log2_error = unbounded;
  const int first = special ? special_message : used == 0 ? empty_message : sum.first + lowest;
  int word = __shfl_sync(all_lanes, digit, lowest + lane);
  if (lowest + lane > 31 || lane == message_zero || used == 0) word = 0;
  if (lane == message_header) word = make_header(first, log2_error);
  if (lane < message_words) {
    store_word(&exchange.word[blockIdx.x * message_words + static_cast<unsigned>(lane)], flag,
               static_cast<unsigned>(word));
  }
  return log2_error;
}

/// Messages that a warp of the last block polls at once: 16 warps poll 160, one per multiprocessor.
constexpr int messages_per_round = 10;
struct messages {
  int word[messages_per_round][message_words];
};

/// What a warp has read: digits in its lanes, from a base digit on.
struct messages_sum {
  wide_int digit = 0;
  unsigned log2_error = 0;
  int above = 0;  ///< the first digit of the highest message above the range of the lanes; 0: none
  bool special = false;
};

/// Whether a message's highest digit lies within the lanes; digits below `base` only raise the bound.
__device__ __forceinline__ bool is_in_range(int first, int base) {
  return first - base <= max_lane_digits - message_digits;
}

/// Handles messages that are special, above the range or partly below it. By all lanes of a warp.
__device__ inline void add_unusual(const messages& read, int base, messages_sum& sum) {
#pragma unroll 1
  for (int k = 0; k < messages_per_round; ++k) {
    const int first = first_of(read.word[k][message_header]);
    sum.special |= first == special_message;
    if (!is_in_range(first, base)) {
      sum.above = max(sum.above, first);
    } else if (first >= 0 && first < base) {
      sum.log2_error = max(sum.log2_error, log2_bound_of_digits(first, min(message_digits, base - first)));
    }
  }
}

/// Adds messages to the lanes' digits. By all lanes of a warp.
__device__ __forceinline__ void add_messages(const messages& read, int base, messages_sum& sum) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  int total[2] = {};
#pragma unroll
  for (int k = 0; k < messages_per_round; ++k) {
    const int offset = first_of(read.word[k][message_header]) - base;
    const unsigned i = min(static_cast<unsigned>(lane - offset), static_cast<unsigned>(message_zero));
    total[k % 2] += read.word[k][i];  // zero for a message above all lanes
  }
  sum.digit += total[0] + total[1];  // less than 2^25 each
  const int first = first_of(read.word[lane < messages_per_round ? lane : 0][message_header]);
  const bool unusual = (!is_in_range(first, base)) | ((first < base) & (first != empty_message));
  if (__any_sync(all_lanes, unusual)) add_unusual(read, base, sum);
}

/// Polls messages, `messages_per_round` for each of `readers` warps in turn, but not the block's own. By all lanes
/// of a warp.
__device__ __forceinline__ messages_sum poll_messages(messages& read, unsigned reader, unsigned readers, int base,
                                                      const exchange& exchange, unsigned flag) {
  const unsigned lane = threadIdx.x % 32, half = lane / message_words, index = lane % message_words;
  messages_sum sum;
  unsigned log2_error = 0;  // of this lane's words
  for (unsigned start = messages_per_round * reader; start < gridDim.x; start += messages_per_round * readers) {
    constexpr int loads = messages_per_round / 2;
    const auto message = [&](int k) { return start + 2 * static_cast<unsigned>(k) + half; };
    const auto load = [&](int k) { return load_word(&exchange.word[message(k) * message_words + index]); };
    const auto nothing = static_cast<unsigned>(index == message_header ? make_header(empty_message, 0) : 0);
    wide_unsigned word[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      word[k] = wide_unsigned{flag} << 32 | nothing;
      if (message(k) < gridDim.x && message(k) != blockIdx.x) word[k] = load(k);
    }
    for (bool missing = true; missing;) {  // reloads all missing words at once
      missing = false;
#pragma unroll
      for (int k = 0; k < loads; ++k) missing |= !has_flag(word[k], flag);
#pragma unroll
      for (int k = 0; k < loads; ++k) {
        if (!has_flag(word[k], flag)) word[k] = load(k);
      }
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const auto data = static_cast<int>(static_cast<unsigned>(word[k]));
      read.word[2 * k + half][index] = data;
      log2_error = max(log2_error, index == message_header ? log2_error_of(data) : 0);
    }
    __syncwarp();
    add_messages(read, base, sum);
  }
  sum.log2_error = max(sum.log2_error, __reduce_max_sync(all_lanes, log2_error));
  if (sum.special) __threadfence();  // orders the counts before the messages that announce them
  return sum;
}

/// Shifts a sum to a higher base, so that messages beginning at digit `above` are in range.
__device__ inline void raise_base(lane_digits& sum, int above) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int by = above - (max_lane_digits - message_digits) / 2 - sum.first;
  const wide_int found = __shfl_sync(all_lanes, sum.digit, (lane + by) & 31);
  if (__any_sync(all_lanes, lane < by && sum.digit != 0)) {
    sum.log2_error = max(sum.log2_error, log2_bound_of_digits(sum.first, by));
  }
  sum.digit = lane + by < 32 ? found : 0;
  sum.first += by;
}

/// Where the warps of the last block store what they read.
template <int warps>
struct message_storage {
  messages messages_of[warps];
  wide_int digit[warps][32];
  int base;
  unsigned log2_error;
  int above;
  unsigned special;

  __device__ void clear() { log2_error = 0, above = 0, special = 0; }
};

struct combined_sum {
  lane_digits sum;
  bool special;
};

/// Adds all messages to this block's sum, which its first warp has. By all threads; valid in the first warp.
template <int warps>
__device__ __forceinline__ combined_sum combine_messages(lane_digits block, message_storage<warps>& storage,
                                                         const exchange& exchange, unsigned flag) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (gridDim.x <= messages_per_round) {  // one warp is faster than all of them with their barriers
    if (warp != 0) return {block, false};
    messages_sum sum = poll_messages(storage.messages_of[0], 0, 1, block.first, exchange, flag);
    if (sum.above != 0) {
      raise_base(block, sum.above);
      sum = poll_messages(storage.messages_of[0], 0, 1, block.first, exchange, flag);
    }
    block.digit += sum.digit, block.log2_error = max(block.log2_error, sum.log2_error);
    return {block, sum.special};
  }
  for (;;) {
    if (threadIdx.x == 0) storage.base = block.first;
    __syncthreads();
    const messages_sum sum = poll_messages(storage.messages_of[warp], warp, warps, storage.base, exchange, flag);
    storage.digit[warp][lane] = sum.digit;
    if (lane == 0) {
      if (sum.log2_error != 0) atomicMax(&storage.log2_error, sum.log2_error);
      if (sum.above != 0) atomicMax(&storage.above, sum.above);
      if (sum.special) atomicOr(&storage.special, 1U);
    }
    __syncthreads();
    const int above = storage.above;
    if (above == 0) break;
    if (warp == 0) raise_base(block, above);
    __syncthreads();
    if (threadIdx.x == 0) storage.clear();
  }
  if (warp != 0) return {block, false};
  wide_int odd = 0;  // two chains of additions
#pragma unroll
  for (int k = 0; k < warps; ++k) (k % 2 == 0 ? block.digit : odd) += storage.digit[k][lane];
  block.digit += odd;
  block.log2_error = max(block.log2_error, storage.log2_error);
  return {block, storage.special != 0};
}

}  // namespace
}  // namespace exactdot::cuda_engine
