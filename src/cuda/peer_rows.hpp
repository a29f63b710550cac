// Sums of states over GPUs that reach each other's memory: what a launch is given, and where its messages lie.
//
// Few words go from every rank to every other, which then rounds them itself: one crossing of a link. More go, in
// groups of a row for each rank, to the rank that owns the row; it rounds, and sends the result back.
//
// A message is a word of 8 bytes that is never 0, because 0 says that none has come (the LL protocol of NCCL, with
// one reserved value instead of a flag). Its reader clears it. A group's messages have two slots, for odd and for
// even launches: a rank that has finished a launch knows that every rank has begun it, because no result is without
// words of all, and so has read and cleared what was sent in the launch before. The number of the launch lies
// beside the messages, so that a captured graph can be replayed.
#pragma once

#include <cuda/word_rows.hpp>

namespace exactdot::inline v0_3::cuda_engine {

inline constexpr int max_peers = 8;

/// Places in the memory of a rank, in words. All are zero before the first launch.
struct peer_layout {
  std::size_t ranks, max_groups, max_words;

  /// The number of launches of a group that have ended.
  [[nodiscard]] EXACTDOT_CORE std::size_t launches(std::size_t group) const { return group; }
  /// The words of a sender for the row of the group that this rank rounds.
  [[nodiscard]] EXACTDOT_CORE std::size_t words(std::size_t slot, std::size_t group, std::size_t sender) const {
    return max_groups + ((slot * max_groups + group) * ranks + sender) * max_words;
  }
  /// The result of the row of the group that `owner` owns: two words.
  [[nodiscard]] EXACTDOT_CORE std::size_t result(std::size_t slot, std::size_t group, std::size_t owner) const {
    return words(2, 0, 0) + ((slot * max_groups + group) * ranks + owner) * 2;
  }
  [[nodiscard]] EXACTDOT_CORE std::size_t all() const { return result(2, 0, 0); }
};

/// Rows of which there is room for the words of all ranks, if max_rows are no fewer.
inline constexpr std::size_t max_rows_to_all = 1024;

/// A rank's part of a launch.
struct peer_call {
  sum_rows rows;
  peer_layout layout;
  unsigned rank;
  bool to_all;  ///< group i is row i, which every rank rounds; else rows have owners: i % ranks
  wide_unsigned* memory[max_peers];  ///< of every rank

  [[nodiscard]] EXACTDOT_CORE std::size_t groups() const {
    return to_all ? rows.count : (rows.count + layout.ranks - 1) / layout.ranks;
  }
  /// The row of a group that a rank rounds. It may be beyond the last.
  [[nodiscard]] EXACTDOT_CORE std::size_t row(std::size_t group, unsigned of_rank) const {
    return to_all ? group : group * layout.ranks + of_rank;
  }
};

}  // namespace exactdot::inline v0_3::cuda_engine
