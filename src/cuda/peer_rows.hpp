// Sums of states over GPUs that reach each other's memory: what a launch is given, and where its messages lie.
//
// Rows are dealt to the ranks in groups of one row each: the owner of a row adds the words of all ranks and rounds.
// A message is a word of 8 bytes that is never 0, because 0 says that none has come (the LL protocol of NCCL, with
// one reserved value instead of a flag). Its reader clears it. A group's messages have two places, used in turn: a
// rank that has finished a launch knows that every rank has begun it, and so has read and cleared what was sent in
// the launch before. The number of the launch lies beside the messages, so that a captured graph can be replayed.
#pragma once

#include <cuda/word_rows.hpp>

namespace exactdot::cuda_engine {

inline constexpr int max_peers = 8;

/// One row of each rank at most. In memory of every rank, zero before the first launch.
struct peer_layout {
  std::size_t ranks, max_groups, max_words;

  /// The number of launches of a group that have ended.
  [[nodiscard]] EXACTDOT_CORE std::size_t launches(std::size_t group) const { return group; }
  /// The words of a sender for the row of the group that this rank owns.
  [[nodiscard]] EXACTDOT_CORE std::size_t words(std::size_t turn, std::size_t group, std::size_t sender) const {
    return max_groups + ((turn * max_groups + group) * ranks + sender) * max_words;
  }
  /// The result of the row of the group that `owner` owns: two words.
  [[nodiscard]] EXACTDOT_CORE std::size_t result(std::size_t turn, std::size_t group, std::size_t owner) const {
    return words(2, 0, 0) + ((turn * max_groups + group) * ranks + owner) * 2;
  }
  [[nodiscard]] EXACTDOT_CORE std::size_t all() const { return result(2, 0, 0); }
};

/// A rank's part of a launch. Row i belongs to group i / ranks and to rank i % ranks.
struct peer_call {
  sum_rows rows;
  peer_layout layout;
  unsigned rank;
  wide_unsigned* memory[max_peers];  ///< of every rank
};

}  // namespace exactdot::cuda_engine
