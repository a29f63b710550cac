// Results of exact states that lie in a GPU's memory, as words: after an allreduce by NCCL, or kept there.
//
// One warp a row (state_digits.cuh), rounded in integers by the finishes of exactdot/core; so many rows as there
// are, in one launch. Nothing of a workspace but its status word is used. A row that is no state gets NaN, or 0 in
// an integer type, and its problem goes to the status word. Sums that are rounded to a floating format, which is
// what follows an allreduce, have a kernel of their own (round_limbs.cuh) with a fraction of the instructions.
#pragma once

#include <cuda/core/exchange.cuh>
#include <cuda/core/kernel.cuh>
#include <cuda/words/round_limbs.cuh>
#include <cuda/words/state_digits.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// work(i) for the rows of the grid's warps.
template <class Work>
__device__ __forceinline__ void for_each_row(std::size_t count, Work work) {
  const std::size_t step = std::size_t{gridDim.x} * rows_per_block;
  for (std::size_t i = std::size_t{blockIdx.x} * rows_per_block + threadIdx.x / 32; i < count; i += step) work(i);
}

/// Stores result i, or what stands for it if the row has a problem. By one lane.
__device__ inline void store_row(const destination& to, std::size_t i, row_problem problem, core::outcome found) {
  if (found.overflows) problem = integer_overflow;
  if (problem != no_problem) {
    atomicMax(to.status, static_cast<unsigned>(problem));
    found.word = to.rule.is_integer() ? 0 : core::nan_word(to.rule.format());
  }
  destination at;
  at.value = static_cast<char*>(to.value) + i * static_cast<std::size_t>(to.rule.bytes());
  at.rule = to.rule;
  store_anywhere(at, found.word);
}

__device__ inline core::special_terms special_terms_of(lane_int special) {
  const unsigned found = __ballot_sync(all_lanes, static_cast<int>(special != 0));
  return {(found & 1) != 0, (found & 2) != 0, (found & 4) != 0};
}

/// The result of a finite sum. As the end of core::finish_state, which has limbs.
__device__ inline core::outcome finish_magnitude(const core::result_rule& rule, bool negative, core::wide magnitude,
                                                 std::uint64_t count) {
  const bool has_value = !(rule.finish() == core::finish::root && negative) &&
                         !(rule.finish() == core::finish::quotient && count == 0);
  if (!has_value) return {core::nan_word(rule.format())};
  if (rule.finish() == core::finish::root) core::take_root(magnitude);
  if (rule.finish() == core::finish::quotient) core::divide(magnitude, count);
  if (rule.is_integer()) return core::to_integer(rule, negative, magnitude);
  return {core::round_wide(rule.format(), negative, magnitude)};
}

/// The result for a sum with special terms: the root of −∞ is NaN.
__device__ inline std::uint64_t finish_special(const core::result_rule& rule, const core::special_terms& special) {
  const bool no_root = rule.finish() == core::finish::root && special.minus;
  return core::special_word(rule.format(), special.nan || no_root, special.plus, special.minus);
}

/// A sum of a row, its digits, and what is wrong with it. The same in all lanes.
struct row_state {
  row_problem problem;
  lane_int states;
  core::special_terms special;
  digit_number number;
};

/// Loads the index-th sum of a row; `digit` gets its magnitude.
template <int chunks>
__device__ __forceinline__ row_state load_state(const engine::stored_state& of, int index, const std::int64_t* row,
                                                unsigned* digit) {
  const core::state_layout& layout = of.of[index].layout;
  const lane_words<chunks> loaded = load_words<chunks>(layout, of.counts, row + of.of[index].first_word);
  row_state found{problem_of(layout, loaded), loaded.states, special_terms_of(loaded.special), {}};
  found.number = propagate<chunks>(digit, [&](int c) { return loaded.limb[c]; });
  const lane_int top = last_limb(layout, digit);
  const bool fits = top >= -layout.top_limit() && top < layout.top_limit();
  if (!fits && found.problem == no_problem) found.problem = no_headroom;
  __syncwarp();
  to_magnitude<chunks>(digit, found.number);
  return found;
}

/// results[i] = the sum of row i, rounded to a floating format.
template <int chunks>
__global__ void __launch_bounds__(32 * rows_per_block)
    round_sums_kernel(const __grid_constant__ sum_rows rows, const __grid_constant__ destination to) {
  const core::number_format format = to.rule.format();
  const int bytes = to.rule.bytes();
  begin_kernel(1);
  for_each_row(rows.count, [&](std::size_t i) {
    const lane_words<chunks> words = load_words<chunks>(rows.layout, rows.counts, rows.words + i * rows.stride);
    const rounded_sum found = round_limbs<chunks>(format, rows.layout, words);
    if (threadIdx.x % 32 == 0) store_row_result(to, bytes, i, found);
  });
}

/// results[i] = a sum of row i, finished: rounded, its root, or its quotient by a count.
template <int chunks>
__global__ void __launch_bounds__(32 * rows_per_block)
    round_rows_kernel(const __grid_constant__ word_rows rows, const __grid_constant__ row_finish asked,
                      const __grid_constant__ destination to) {
  __shared__ unsigned digits[rows_per_block][32 * chunks];
  begin_kernel(1);
  unsigned* const digit = digits[threadIdx.x / 32];
  for_each_row(rows.count, [&](std::size_t i) {
    const std::int64_t* const row = rows.row(i);
    const bool is_counted = rows.state.counts_elements != 0;
    const std::int64_t count = is_counted ? row[0] : static_cast<std::int64_t>(to.count);
    const row_state state = load_state<chunks>(rows.state, asked.sum, row, digit);
    if (threadIdx.x % 32 == 0) {
      const bool bad_integer = to.rule.is_integer() && state.special.any();
      const bool bad_count = is_counted && count < 0;
      const row_problem problem =
          state.problem == no_problem && (bad_integer || bad_count) ? impossible_words : state.problem;
      core::outcome found{0};
      if (state.special.any()) {
        found.word = finish_special(to.rule, state.special);
      } else {
        found = finish_magnitude(to.rule, state.number.negative,
                                 leading_bits(digit, state.number, rows.state.of[asked.sum].layout.lowest_exponent),
                                 static_cast<std::uint64_t>(count));
      }
      store_row(to, i, problem, found);
    }
    __syncwarp();  // before the next row's digits
  });
}

/// limb = n·Σx² − (Σx)², in units of the square of the sum's lowest bit, from the magnitudes of both. Each lane
/// computes some limbs: of the squares one digit times n, of the square of Σx all pairs of digits, below 2^72. The
/// lowest bit of Σx² weighs at least that unit.
template <int chunks>
__device__ __forceinline__ void add_numerator(lane_int* limb, const engine::stored_state& of, const unsigned* sum,
                                              const digit_number& of_sum, const unsigned* squares,
                                              std::uint64_t n) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const core::state_layout& layout = of.of[1].layout;
  const int up = layout.lowest_exponent - 2 * of.of[0].layout.lowest_exponent, offset = up / 32, shift = up % 32;
  for (int m = lane; m < 32 * chunks + 4; m += 32) limb[m] = 0;
  __syncwarp();
  for (int c = 0; c < chunks; ++c) {
    const int m = 32 * c + lane, of_squares = m - offset;
    core::uint128 plus = 0, minus = 0;
    if (of_squares >= 0 && of_squares <= layout.limbs) {
      plus = static_cast<core::uint128>(squares[of_squares]) * n << shift;
    }
    if (of_sum.top >= 0) {
      const int last = ::min(of_sum.top, m - of_sum.lowest);
      for (int i = ::max(of_sum.lowest, m - of_sum.top); i <= last; ++i) {
        minus += static_cast<std::uint64_t>(sum[i]) * sum[m - i];
      }
    }
    for (int k = 0; k < 4; ++k, plus >>= 32, minus >>= 32) {
      limb[m + k] +=
          static_cast<lane_int>(static_cast<unsigned>(plus)) - static_cast<lane_int>(static_cast<unsigned>(minus));
      __syncwarp();
    }
  }
}

/// results[i] = the variance, or its root, of the moments of row i; values and NaNs as core::finish_moments.
template <int chunks, int chunks_of_square>
__global__ void __launch_bounds__(32 * rows_per_block)
    variance_rows_kernel(const __grid_constant__ word_rows rows, const __grid_constant__ row_finish asked,
                         const __grid_constant__ destination to) {
  __shared__ unsigned digits[rows_per_block][2][32 * chunks];
  __shared__ unsigned digits_of_numerator[rows_per_block][32 * chunks_of_square];
  __shared__ lane_int limbs[rows_per_block][32 * chunks_of_square + 4];
  begin_kernel(1);
  const unsigned warp = threadIdx.x / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  unsigned *const digit = digits_of_numerator[warp], *const sum = digits[warp][0], *const squares = digits[warp][1];
  lane_int* const limb = limbs[warp];
  for_each_row(rows.count, [&](std::size_t i) {
    const std::int64_t* const row = rows.row(i);
    const std::int64_t count = row[0];
    const auto n = static_cast<std::uint64_t>(count);
    const row_state of_sum = load_state<chunks>(rows.state, 0, row, sum);
    const row_state of_squares = load_state<chunks>(rows.state, 1, row, squares);
    row_problem problem = of_sum.problem > of_squares.problem ? of_sum.problem : of_squares.problem;
    if (count < 0 || of_sum.states != of_squares.states) problem = impossible_words;
    core::outcome found{core::nan_word(to.rule.format())};
    const bool special = of_sum.special.any() || of_squares.special.any();
    if (problem == no_problem && !special && n > asked.ddof) {
      add_numerator<chunks_of_square>(limb, rows.state, sum, of_sum.number, squares, n);
      const digit_number numerator = propagate<chunks_of_square>(digit, [&](int c) { return limb[32 * c + lane]; });
      if (numerator.negative || of_squares.number.negative) problem = impossible_words;  // of no elements
      core::wide ratio = leading_bits(digit, numerator, 2 * rows.state.of[0].layout.lowest_exponent);
      core::divide(ratio, n);
      core::divide(ratio, n - asked.ddof);
      if (to.rule.finish() == core::finish::deviation) core::take_root(ratio);
      found.word = core::round_wide(to.rule.format(), false, ratio);
    }
    if (lane == 0) store_row(to, i, problem, found);
    __syncwarp();
  });
}

/// A merged state before it is stored: its digits, its last limb, and in lane 0, 1, 2 its counts.
struct merged_state {
  row_problem problem;
  lane_int top, special;
};

/// The index-th sum of a row and of another; of one, if `other` is null. By the lanes of one warp.
template <int chunks>
__device__ __forceinline__ merged_state merge_states(const engine::stored_state& of, int index,
                                                     const std::int64_t* row, const std::int64_t* other,
                                                     unsigned* digit) {
  const auto& [layout, first] = of.of[index];
  lane_words<chunks> sum = load_words<chunks>(layout, of.counts, row + first);
  row_problem problem = problem_of(layout, sum);
  if (other != nullptr) {
    const lane_words<chunks> added = load_words<chunks>(layout, of.counts, other + first);
    const row_problem other_problem = problem_of(layout, added);
    if (other_problem > problem) problem = other_problem;
    if (problem == no_problem && sum.states + added.states > core::state_layout::max_states) problem = no_headroom;
    if (problem == no_problem) {  // else a sum may overflow
#pragma unroll
      for (int c = 0; c < chunks; ++c) sum.limb[c] += added.limb[c];
      sum.special += added.special;
    }
  }
  propagate<chunks>(digit, [&](int c) { return sum.limb[c]; });
  const lane_int top = last_limb(layout, digit);
  const bool fits = top >= -layout.top_limit() && top < layout.top_limit();
  if (!fits && problem == no_problem) problem = no_headroom;
  return {problem, top, ::min(sum.special, lane_int{core::state_layout::max_count})};
}

/// The canonical words of one state. By the lanes of one warp.
__device__ inline void store_state(const engine::stored_state& of, int index, std::int64_t* row,
                                   const merged_state& state, const unsigned* digit) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const core::state_layout& layout = of.of[index].layout;
  std::int64_t* const words = row + of.of[index].first_word;
  for (int i = lane; i < layout.limbs; i += 32) words[i] = i == layout.limbs - 1 ? state.top : lane_int{digit[i]};
  if (lane < of.counts - 1) words[layout.limbs + lane] = state.special;
  if (lane == 0) words[layout.limbs + of.counts - 1] = 1;
}

/// The problem of a row's count, and of that which is added to it.
__device__ inline row_problem problem_of_counts(std::int64_t count, std::int64_t added) {
  constexpr std::int64_t max_elements = 0x7fffffffffffffff;
  if (count < 0 || added < 0) return impossible_words;
  return count > max_elements - added ? no_headroom : no_problem;
}

/// Row i of `rows` += row i of `others`, as the canonical words of one state. `others` may be null: then the words
/// become canonical. Rows with a problem are left as they are.
template <int chunks>
__global__ void __launch_bounds__(32 * rows_per_block)
    merge_rows_kernel(const __grid_constant__ word_rows rows, const std::int64_t* others, std::size_t other_stride,
                      unsigned* status) {
  __shared__ unsigned digits[rows_per_block][2][32 * chunks];
  begin_kernel(1);
  auto& digit = digits[threadIdx.x / 32];
  const engine::stored_state& of = rows.state;
  for_each_row(rows.count, [&](std::size_t i) {
    std::int64_t* const row = rows.row(i);
    const std::int64_t* const other = others == nullptr ? nullptr : others + i * other_stride;
    const std::int64_t added = of.counts_elements == 0 || other == nullptr ? 0 : other[0];
    row_problem problem = of.counts_elements == 0 ? no_problem : problem_of_counts(row[0], added);
    merged_state merged[2];
    for (int sum = 0; sum < of.sums; ++sum) {
      merged[sum] = merge_states<chunks>(of, sum, row, other, digit[sum]);
      if (merged[sum].problem > problem) problem = merged[sum].problem;
    }
    if (problem == no_problem) {
      for (int sum = 0; sum < of.sums; ++sum) store_state(of, sum, row, merged[sum], digit[sum]);
    }
    __syncwarp();  // all lanes have read the count; before the next row's digits
    if (threadIdx.x % 32 == 0) {
      if (problem == no_problem && added != 0) row[0] += added;
      if (problem != no_problem) atomicMax(status, static_cast<unsigned>(problem));
    }
  });
}

/// *count += n.
[[maybe_unused]] __global__ void add_count_kernel(std::int64_t* count, std::int64_t n) {
  begin_kernel(1);
  *count += n;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
