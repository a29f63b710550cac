// States of groups: the exact sum of the elements of each key, added to the words of its state.
//
//   few groups       each block has accumulators in shared memory, as words of 32 bits with carries, and adds them
//                    to those in global memory at its end (terms.cuh)
//   more groups      atomics in global memory: a limb of 32 bits lies in 64, so 2^30 terms need no carry
//   thread a group   passes carries on
//   thread a word    adds it to the caller's
//
// Integers, so the order changes nothing, and the words get one canonical state. Cost: two to five atomics a term,
// and the accumulators cleared, carried and read. Elements whose key is out of range belong to no group; the first
// of them is noted.
#pragma once

#include <cuda/group/call.hpp>
#include <cuda/group/terms.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The place of element i's group in the pass; not below the number of its groups if it has none.
__device__ __forceinline__ unsigned slot_of_key(const group_input& in, const group_state_pass& pass, std::size_t i,
                                                wide_unsigned* first_bad_key) {
  const wide_unsigned key = load_key(in, i);
  if (key >= in.groups) {
    if (!in.skips_out_of_range) note_lowest(first_bad_key, i);
    return no_group;
  }
  return key < pass.first ? no_group : static_cast<unsigned>(key) - pass.first;
}

/// Counts a NaN or infinite term of a sum, whose words begin at `sum`: rare.
[[gnu::noinline]] __device__ void count_special_term(wide_unsigned* sum, int limbs, const core::exact_term& term) {
  const int place = term.kind == core::kind::nan ? 0 : term.negative ? 2 : 1;
  atomicAdd(sum + limbs + place, wide_unsigned{1});
}

/// Notes the first key out of range, before anything is added.
__global__ void __launch_bounds__(256)
    group_check_keys_kernel(const __grid_constant__ group_input in, wide_unsigned* first_bad_key) {
  begin_kernel(in.n);
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const group_state_pass all;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < in.n; i += stride) {
    static_cast<void>(slot_of_key(in, all, i, first_bad_key));
  }
}

/// Adds elements `begin` to end - 1, at most 2^30, by accumulators in shared memory: of all groups of the pass.
__global__ void __launch_bounds__(512)
    group_state_table_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_state_pass pass,
                             std::size_t begin, std::size_t end, wide_unsigned* first_bad_key) {
  begin_kernel(end - begin);
  unsigned* const words = gpu::dynamic_shared<unsigned>();
  const unsigned all = pass.count * pass.shared_words;
  for (unsigned i = threadIdx.x; i < all; i += blockDim.x) words[i] = word_of_zero;
  __syncthreads();
  const std::size_t share = (end - begin + gridDim.x - 1) / gridDim.x;
  const std::size_t first = begin + blockIdx.x * share, behind = ::min(end, first + share);
  for (std::size_t i = first + threadIdx.x; i < behind; i += blockDim.x) {
    const unsigned slot = slot_of_key(in, pass, i, first_bad_key);
    if (slot >= pass.count) continue;
    unsigned* to = words + slot * pass.shared_words;
    for (int sum = 0; sum < pass.sums; ++sum) {
      const core::exact_term term = any_addend(in, sum, i);
      const int limbs = pass.layout[sum].limbs;
      if (term.kind == core::kind::finite) {
        add_to_shared_state(to, pass.layout[sum], term);
      } else {
        count_special_term(pass.at(slot) + pass.word[sum], limbs, term);
      }
      to += limbs + 1;
    }
    if (pass.counts_elements) atomicAdd(to, 1U);
  }
  end_of_input(end - begin);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < all; i += blockDim.x) {
    const unsigned slot = i / pass.shared_words;
    unsigned word = i % pass.shared_words;
    const std::int64_t digit = static_cast<std::int64_t>(words[i]) - word_of_zero;
    if (digit == 0) continue;
    if (pass.counts_elements && word == pass.shared_words - 1) {  // modulo 2^32: at most 2^30
      atomicAdd(pass.at(slot) + pass.count_word(), wide_unsigned{words[i] - word_of_zero});
      continue;
    }
    const int sum = pass.sums == 2 && word > static_cast<unsigned>(pass.layout[0].limbs) ? 1 : 0;
    if (sum == 1) word -= static_cast<unsigned>(pass.layout[0].limbs) + 1;
    // the word above the last limb belongs to it
    const unsigned limb = ::min(word, static_cast<unsigned>(pass.layout[sum].limbs) - 1);
    const wide_unsigned value = static_cast<wide_unsigned>(digit) << (limb == word ? 0 : 32);
    atomicAdd(pass.at(slot) + pass.word[sum] + limb, value);
  }
}

/// The same by atomics in global memory.
__global__ void __launch_bounds__(256)
    group_state_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_state_pass pass,
                       std::size_t begin, std::size_t end, wide_unsigned* first_bad_key) {
  begin_kernel(end - begin);
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = begin + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end; i += stride) {
    const unsigned slot = slot_of_key(in, pass, i, first_bad_key);
    if (slot >= pass.count) continue;
    wide_unsigned* const words = pass.at(slot);
    for (int sum = 0; sum < pass.sums; ++sum) {
      const core::exact_term term = any_addend(in, sum, i);
      if (term.kind == core::kind::finite) {
        add_to_state(words + pass.word[sum], pass.layout[sum], term);
      } else {
        count_special_term(words + pass.word[sum], pass.layout[sum].limbs, term);
      }
    }
    if (pass.counts_elements) atomicAdd(words + pass.count_word(), wide_unsigned{1});
  }
  end_of_input(end - begin);
}

/// Passes carries on.
__global__ void __launch_bounds__(128)
    group_carry_accumulators_kernel(const __grid_constant__ group_state_pass pass) {
  begin_kernel(0);
  const unsigned stride = gridDim.x * blockDim.x, each = static_cast<unsigned>(pass.sums);
  const wide_unsigned all = wide_unsigned{pass.count} * each;
  for (wide_unsigned i = wide_unsigned{blockIdx.x} * blockDim.x + threadIdx.x; i < all; i += stride) {
    const auto sum = static_cast<int>(i % each);
    auto* const words = reinterpret_cast<std::int64_t*>(pass.at(static_cast<unsigned>(i / each)) + pass.word[sum]);
    core::normalise(pass.layout[sum], words);
  }
}

/// Limb i of a state whose limbs continue those of an accumulator: 32 bits, of the last limb 64.
__device__ __forceinline__ std::int64_t limb_of_state(const core::state_layout& of, const std::int64_t* words,
                                                      const core::state_layout& to, int i) {
  constexpr std::int64_t low = 0xffffffff;
  const int at = i + (to.lowest_exponent - of.lowest_exponent) / 32;
  const std::int64_t top = words[of.limbs - 1];
  const bool is_last = i == to.limbs - 1;
  if (at < 0) return 0;
  if (at < of.limbs - 1) return words[at];
  if (at == of.limbs - 1) return is_last ? top : top & low;
  const std::int64_t above = at == of.limbs ? top >> 32 : top < 0 ? -1 : 0;
  return is_last ? above : above & low;
}

/// The word of a state that is added to the caller's: of a sum with NaN or infinite terms no limbs.
__device__ __forceinline__ std::int64_t added_word(const group_state_pass& pass, const std::int64_t* words,
                                                   unsigned index) {
  const engine::stored_state& state = pass.of_state;
  auto word = static_cast<int>(index);
  if (state.counts_elements != 0 && word == 0) return words[pass.count_word()];
  const int sum = state.sums == 2 && word >= state.of[1].first_word ? 1 : 0;
  word -= state.of[sum].first_word;
  const core::state_layout& to = state.of[sum].layout;
  const int limbs = pass.layout[sum].limbs, behind = word - to.limbs;
  const std::int64_t* const from = words + pass.word[sum];
  const std::int64_t* const special = from + limbs;
  if (behind == state.counts - 1) return 1;  // a state more
  if (behind >= 0) {
    if (!pass.has_special) return 0;
    return special[behind] < core::state_layout::max_count ? special[behind] : core::state_layout::max_count;
  }
  if (pass.has_special && (special[0] | special[1] | special[2]) != 0) return 0;
  return limb_of_state(pass.layout[sum], from, to, word);
}

/// Adds the states of the pass to the caller's words.
__global__ void __launch_bounds__(256) group_add_states_kernel(const __grid_constant__ group_state_pass pass) {
  begin_kernel(0);
  const auto each = static_cast<unsigned>(pass.of_state.words);
  const std::size_t all = std::size_t{pass.count} * each, stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all; i += stride) {
    const auto slot = static_cast<unsigned>(i / each), word = static_cast<unsigned>(i % each);
    const auto* const words = reinterpret_cast<const std::int64_t*>(pass.at(slot));
    std::int64_t* const to = pass.to + static_cast<std::ptrdiff_t>(pass.first + slot) * pass.next;
    to[word] += added_word(pass, words, word);
  }
}

/// The launches of all passes, as in sums.cuh: launch(kernel, blocks, threads, shared bytes, arguments…).
/// `room`: groups whose accumulators the memory holds. `shared_bytes`: of a block, at most.
template <class Launch>
void enqueue_group_states(const group_input& in, group_state_pass pass, std::size_t room, unsigned multiprocessors,
                          std::size_t shared_bytes, wide_unsigned* first_bad_key, const Launch& launch) {
  constexpr std::size_t limit = core::additions_between_normalisations;
  constexpr std::size_t table_passes = 4;  // as many reads of all keys cost less than atomics in global memory
  const auto blocks_for = [&](std::size_t items, std::size_t of_block, unsigned per_multiprocessor) {
    const std::size_t most = std::size_t{multiprocessors} * per_multiprocessor;
    return static_cast<unsigned>(std::clamp<std::size_t>((items + of_block - 1) / of_block, 1, most));
  };
  const std::size_t bytes = 4 * static_cast<std::size_t>(pass.shared_words), in_shared = shared_bytes / bytes;
  const bool by_tables = in.groups <= in_shared * table_passes;
  if (by_tables) room = std::min(room, in_shared);
  for (std::size_t first = 0; first < in.groups; first += room) {
    pass.first = static_cast<unsigned>(first);
    pass.count = static_cast<unsigned>(std::min(room, in.groups - first));
    const std::size_t words = std::size_t{pass.count} * pass.words;
    launch(group_clear_kernel, blocks_for(words, 256, 16), 256U, std::size_t{0}, pass.accumulators, words);
    for (std::size_t begin = 0; begin < in.n;) {
      const std::size_t end = begin + std::min(limit, in.n - begin);
      if (by_tables) {
        launch(group_state_table_kernel, blocks_for(end - begin, 4096, 1), 512U, pass.count * bytes, in, pass,
               begin, end, first_bad_key);
      } else {
        launch(group_state_kernel, blocks_for(end - begin, 256, 16), 256U, std::size_t{0}, in, pass, begin, end,
               first_bad_key);
      }
      begin = end;
      launch(group_carry_accumulators_kernel, blocks_for(std::size_t{pass.count} * 2, 128, 16), 128U,
             std::size_t{0}, pass);
    }
    launch(group_add_states_kernel, blocks_for(words, 256, 16), 256U, std::size_t{0}, pass);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
