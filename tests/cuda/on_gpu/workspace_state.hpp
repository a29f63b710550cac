// What calls leave on the device, and a workspace that looks as after many launches.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cuda/group/call.hpp>
#include <cuda/host/workspace.hpp>
#include <exactdot/error.hpp>
#include <string>
#include <vector>

namespace on_gpu {

/// What a call has not reset: digits, counts or contributions of the workspace's states; "" if nothing. Waits.
inline std::string unreset_state(exactdot::cuda::workspace& of) {
  const auto& storage = of.library_storage();
  static exactdot::cuda_engine::device_state after;  // too large for a stack
  std::vector<std::int64_t> words(2 * exactdot::core::max_state_words);
  if (cudaMemcpy(&after, storage.state, sizeof after, cudaMemcpyDefault) != cudaSuccess ||
      cudaMemcpy(words.data(), storage.words, words.size() * sizeof words[0], cudaMemcpyDefault) != cudaSuccess) {
    return "the device state cannot be read\n";
  }
  const auto is_zero = [](auto x) { return x == 0; };
  std::string found;
  if (!std::ranges::all_of(after.sum.digit, is_zero) || !std::ranges::all_of(after.sum.special, is_zero) ||
      after.sum.log2_error != 0 || after.exchange.contributions != 0) {
    found += "a launch did not reset the device state\n";
  }
  if (!std::ranges::all_of(words, is_zero)) found += "a launch did not clear the words of a state\n";
  return found;
}

/// The state as after so many launches that the next ones' flags wrap around.
inline void age(exactdot::cuda::workspace& of) {
  using exactdot::cuda_engine::wide_unsigned;
  auto* const state = of.library_storage().state;
  const wide_unsigned tickets = wide_unsigned{0xfffffffe} << exactdot::cuda_engine::blocks_bits;
  static_cast<void>(cudaMemset(state, 0, sizeof *state));
  static_cast<void>(cudaMemcpy(&state->exchange.tickets, &tickets, sizeof tickets, cudaMemcpyDefault));
}

/// What a call has not reset of the lists and sums of long lines; "" if nothing. Waits.
inline std::string unreset_lines(exactdot::cuda::workspace& of) {
  static exactdot::cuda_engine::line_state after;  // too large for a stack
  if (cudaMemcpy(&after, of.library_storage().lines, sizeof after, cudaMemcpyDefault) != cudaSuccess) return "no state\n";
  const auto is_zero = [](auto x) { return x == 0; };
  std::string found;
  if (after.listed != 0 || after.listed_for_balance != 0 || after.open_count != 0 || after.finished != 0) {
    found += "a launch did not clear its lists\n";
  }
  if (!std::ranges::all_of(after.arrived, is_zero) || !std::ranges::all_of(after.open_arrived, is_zero)) {
    found += "a launch did not reset who has arrived\n";
  }
  for (const auto& sum : after.open_sum) {
    if (!std::ranges::all_of(sum.digit, is_zero) || !std::ranges::all_of(sum.special, is_zero)) {
      return found + "a launch did not clear an open sum\n";
    }
  }
  return found;
}

/// That the calls of long lines have reset what they used. *problem: the sentence of the error that they noted; without
/// `problem` there must be none. Waits.
inline void expect_finished(exactdot::cuda::workspace& of, std::string* problem) {
  try {
    of.check();
  } catch (const exactdot::error& refusal) {
    if (problem != nullptr) *problem = refusal.what();
    EXPECT_NE(problem, nullptr) << refusal.what();
  }
  EXPECT_EQ(unreset_lines(of), "");
}

/// What the device knows of the last call on groups, which has not waited. Waits.
inline exactdot::cuda_engine::group_status status_of_groups(exactdot::cuda::workspace& of) {
  auto& storage = of.library_storage();
  exactdot::cuda_engine::group_status status;
  static_cast<void>(cudaStreamSynchronize(storage.stream));
  static_cast<void>(
      cudaMemcpy(&status, storage.group_memory.at_least(1, storage.stream), sizeof status, cudaMemcpyDefault));
  return status;
}

}  // namespace on_gpu
