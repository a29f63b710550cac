// What the blocks of the exact kernel mail each other: their sums, 14 neighbouring pieces a letter; and how the
// reader adds them up.
//
// A letter holds the highest pieces of a sum and a bound on what is below. The reader adds within the reach of its
// lanes, from a piece that its own sum suggests; where a letter lies above, it begins again, higher.
#pragma once

#include <cuda/mailbox.cuh>
#include <cuda/warp_parts.cuh>

namespace exactdot::cuda_engine {
namespace {

/// A letter is a word for each lane of half a warp: pieces, a zero, and a header: the bound of what is lost, and
/// the index of the first piece.
constexpr int letter_words = 16, letter_pieces = 14, letter_zero = 14, letter_header = 15;
constexpr unsigned most_letters = mailbox::words / letter_words;
enum letter_kind : int { empty_letter = -1, special_letter = -2 };  // in place of the index
constexpr unsigned everything = 0xffff;                             // a bound that leaves nothing certain

__device__ __forceinline__ int make_header(int first, unsigned lost_end) {
  return static_cast<int>(lost_end << 16 | (static_cast<unsigned>(first) & 0xffff));
}
__device__ __forceinline__ int first_of(int header) { return static_cast<short>(header); }
__device__ __forceinline__ unsigned lost_end_of(int header) { return static_cast<unsigned>(header) >> 16; }

/// Mails the block's sum, or that it has infinities or NaNs; by the lanes of one warp. What the letter lacks is
/// bounded by 2^(what is returned), as a position; 0: nothing; `everything`: the block must not wait for the
/// reader, which was not there until the clock showed `patience`, and is to make its second pass at once.
__device__ __forceinline__ unsigned mail(const lane_sum& sum, bool special, mailbox& box, unsigned launch,
                                         long long patience) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int carry = __shfl_up_sync(all_lanes, static_cast<int>(sum.mine >> piece_bits), 1);
  const int digit = static_cast<int>(sum.mine & piece_mask) + (lane == 0 ? 0 : carry);  // below 2^25
  const unsigned used = __ballot_sync(all_lanes, digit != 0);
  int lowest = __ffs(static_cast<int>(used)) - 1;
  unsigned lost_end = sum.lost_end;
  const int needed =
      32 - __clz(static_cast<int>(used)) - letter_pieces;  // the lowest that a letter with the highest has room for
  if (used != 0 && needed > lowest) {
    lowest = needed;
    lost_end = max(lost_end, end_of_pieces(sum.first, lowest));
  }
  if (special) lost_end = 0;
  if (lost_end != 0 && !__all_sync(all_lanes, all_are_there(box, patience))) lost_end = everything;
  const int first = special ? special_letter : used == 0 ? empty_letter : sum.first + lowest;
  int word = __shfl_sync(all_lanes, digit, lowest + lane);
  if (lowest + lane > 31 || lane == letter_zero || used == 0) word = 0;
  if (lane == letter_header) word = make_header(first, lost_end);
  if (lane < letter_words) {
    post(&box.word[blockIdx.x * letter_words + static_cast<unsigned>(lane)], launch, static_cast<unsigned>(word));
  }
  return lost_end;
}

/// Letters that a warp of the reader has before it.
constexpr int letters_at_once = 10;  // 16 warps read 160 at once: a block for each multiprocessor
struct letters {
  int word[letters_at_once][letter_words];
};

/// What a warp has read: pieces in its lanes, from a base piece on.
struct letters_sum {
  wide_int mine = 0;
  unsigned lost_end = 0;
  int above = 0;  ///< the first piece of the highest letter that lies above the lanes' reach; 0: none
  bool special = false;
};

/// Whether a letter's highest piece lies within the lanes; what lies below `base` only raises the bound.
__device__ __forceinline__ bool within_reach(int first, int base) {
  return first - base <= reach_of_lanes - letter_pieces;
}

/// Adds letters that are not as usual. By all lanes of a warp.
__device__ inline void add_unusual(const letters& read, int base, letters_sum& sum) {
#pragma unroll 1
  for (int k = 0; k < letters_at_once; ++k) {
    const int first = first_of(read.word[k][letter_header]);
    sum.special |= first == special_letter;
    if (!within_reach(first, base)) {
      sum.above = max(sum.above, first);
    } else if (first >= 0 && first < base) {
      sum.lost_end = max(sum.lost_end, end_of_pieces(first, min(letter_pieces, base - first)));
    }
  }
}

/// Adds letters to the lanes' digits. By all lanes of a warp.
__device__ __forceinline__ void add_letters(const letters& read, int base, letters_sum& sum) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  int total[2] = {};
#pragma unroll
  for (int k = 0; k < letters_at_once; ++k) {
    const int place = first_of(read.word[k][letter_header]) - base;
    const unsigned i = min(static_cast<unsigned>(lane - place), static_cast<unsigned>(letter_zero));
    total[k % 2] += read.word[k][i];  // nothing of a letter that lies above all lanes
  }
  sum.mine += total[0] + total[1];  // less than 2^25 each
  const int first = first_of(read.word[lane < letters_at_once ? lane : 0][letter_header]);
  const bool unusual = (!within_reach(first, base)) | ((first < base) & (first != empty_letter));
  if (__any_sync(all_lanes, unusual)) add_unusual(read, base, sum);
}

/// Reads letters, `letters_at_once` for each of `readers` warps in turn, but for the block's own. By all lanes of a
/// warp.
__device__ __forceinline__ letters_sum read_letters(letters& read, unsigned reader, unsigned readers, int base,
                                                    const mailbox& box, unsigned launch) {
  const unsigned lane = threadIdx.x % 32, half = lane / letter_words, place = lane % letter_words;
  letters_sum sum;
  unsigned lost_end = 0;  // of this lane's words
  for (unsigned start = letters_at_once * reader; start < gridDim.x; start += letters_at_once * readers) {
    constexpr int loads = letters_at_once / 2;
    const auto letter = [&](int k) { return start + 2 * static_cast<unsigned>(k) + half; };
    const auto look = [&](int k) { return peek(&box.word[letter(k) * letter_words + place]); };
    const auto nothing = static_cast<unsigned>(place == letter_header ? make_header(empty_letter, 0) : 0);
    wide_unsigned seen[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      seen[k] = wide_unsigned{launch} << 32 | nothing;
      if (letter(k) < gridDim.x && letter(k) != blockIdx.x) seen[k] = look(k);
    }
    for (bool missing = true; missing;) {  // all that is missing is on its way at once
      missing = false;
#pragma unroll
      for (int k = 0; k < loads; ++k) missing |= !arrived(seen[k], launch);
#pragma unroll
      for (int k = 0; k < loads; ++k) {
        if (!arrived(seen[k], launch)) seen[k] = look(k);
      }
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const auto word = static_cast<int>(static_cast<unsigned>(seen[k]));
      read.word[2 * k + half][place] = word;
      lost_end = max(lost_end, place == letter_header ? lost_end_of(word) : 0);
    }
    __syncwarp();
    add_letters(read, base, sum);
  }
  sum.lost_end = max(sum.lost_end, __reduce_max_sync(all_lanes, lost_end));
  if (sum.special) __threadfence();  // the counts that the letters told of are there
  return sum;
}

/// Moves a sum up in its lanes, so that letters beginning at piece `above` are within reach.
__device__ inline void move_up(lane_sum& sum, int above) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int by = above - (reach_of_lanes - letter_pieces) / 2 - sum.first;
  const wide_int found = __shfl_sync(all_lanes, sum.mine, (lane + by) & 31);
  if (__any_sync(all_lanes, lane < by && sum.mine != 0)) {
    sum.lost_end = max(sum.lost_end, end_of_pieces(sum.first, by));
  }
  sum.mine = lane + by < 32 ? found : 0;
  sum.first += by;
}

/// Where the reader's warps leave what they read.
template <int warps>
struct mail_room {
  letters letters_of[warps];
  wide_int digit[warps][32];
  int base;
  unsigned lost_end;
  int above;
  unsigned special;

  __device__ void clear() { lost_end = 0, above = 0, special = 0; }
};

struct mail_sum {
  lane_sum sum;
  bool special;
};

/// Adds to this block's sum, which its first warp has, what the others mailed. By all threads; valid in the first
/// warp.
template <int warps>
__device__ __forceinline__ mail_sum add_mail(lane_sum own, mail_room<warps>& room, const mailbox& box,
                                             unsigned launch) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (gridDim.x <= letters_at_once) {  // one warp has it sooner than all of them with their barriers
    if (warp != 0) return {own, false};
    letters_sum sum = read_letters(room.letters_of[0], 0, 1, own.first, box, launch);
    if (sum.above != 0) {
      move_up(own, sum.above);
      sum = read_letters(room.letters_of[0], 0, 1, own.first, box, launch);
    }
    own.mine += sum.mine, own.lost_end = max(own.lost_end, sum.lost_end);
    return {own, sum.special};
  }
  for (;;) {
    if (threadIdx.x == 0) room.base = own.first;
    __syncthreads();
    const letters_sum sum = read_letters(room.letters_of[warp], warp, warps, room.base, box, launch);
    room.digit[warp][lane] = sum.mine;
    if (lane == 0) {
      if (sum.lost_end != 0) atomicMax(&room.lost_end, sum.lost_end);
      if (sum.above != 0) atomicMax(&room.above, sum.above);
      if (sum.special) atomicOr(&room.special, 1U);
    }
    __syncthreads();
    const int above = room.above;
    if (above == 0) break;
    if (warp == 0) move_up(own, above);
    __syncthreads();
    if (threadIdx.x == 0) room.clear();
  }
  if (warp != 0) return {own, false};
  wide_int odd = 0;  // two chains of additions
#pragma unroll
  for (int k = 0; k < warps; ++k) (k % 2 == 0 ? own.mine : odd) += room.digit[k][lane];
  own.mine += odd;
  own.lost_end = max(own.lost_end, room.lost_end);
  return {own, room.special != 0};
}

}  // namespace
}  // namespace exactdot::cuda_engine
