// Second launches of reductions whose result is more than a rounded sum: roots, quotients, variances, integers,
// 16-bit results, and states of another layout. One thread reads the state that the first launch has left in the
// workspace, clears it, and stores the result. Cost: a launch, and some microseconds for the states of double.
#pragma once

#include <cuda/dependent_launch.cuh>
#include <cuda/exchange.cuh>
#include <cuda/fast_finish.cuh>
#include <exactdot/core/finish.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// result = the finish of the states, which become zero. Sets *status if an integer type does not hold the result.
__global__ void finish_states_kernel(core::state_layout layout, const __grid_constant__ finish_request asked,
                                     std::int64_t* words, std::int64_t* scratch, unsigned* status,
                                     const __grid_constant__ destination to) {
  begin_kernel(1);
  if (to.is_decided()) return;
  std::int64_t* const squares = words + layout.words();
  core::normalise(layout, words);
  core::outcome found{0};
  if (asked.states == 2) {
    core::normalise(layout, squares);
    found = core::finish_moments(to.rule, layout, words, squares, asked.count, asked.ddof, scratch);
  } else {
    found = core::finish_state(to.rule, layout, words, asked.count);
  }
  for (int i = 0; i < asked.states * layout.words(); ++i) words[i] = 0;
  if (found.overflows) *status = 1;
  store_anywhere(to, found.overflows ? 0 : found.word);
}

/// target += the state, as one more canonical state of its layout; the state becomes zero. `scratch`: as many words
/// as the target.
__global__ void add_state_kernel(core::state_layout layout, std::int64_t* words, core::state_layout target_layout,
                                 std::int64_t* target, std::int64_t* scratch) {
  begin_kernel(1);
  core::normalise(layout, words);
  for (int i = 0; i < target_layout.words(); ++i) scratch[i] = 0;
  core::add_state(target_layout, scratch, layout, words);
  core::normalise(target_layout, scratch);
  for (int i = 0; i < target_layout.words(); ++i) target[i] += scratch[i];
  for (int i = 0; i < 3; ++i) {
    std::int64_t& count = target[target_layout.nans() + i];
    count = min(count, core::state_layout::max_count);
  }
  ++target[target_layout.states()];
  for (int i = 0; i < layout.words(); ++i) words[i] = 0;
}

/// Takes the root or the quotient of the sum in *sum, if the rule asks for it, and converts it to the result type.
template <class T>
__global__ void finish_fast_kernel(const T* sum, std::uint64_t count, const __grid_constant__ destination to) {
  begin_kernel(1);
  store_anywhere(to, core::converted_word(to.rule, finished_sum(to.rule, count, *sum)));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
