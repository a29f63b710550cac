// Rows of state words in a GPU's memory, and what becomes of them: parameters of the kernels of state_kernel.cuh.
#pragma once

#include <cuda/core/destination.hpp>
#include <plan/state_words.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// What a row can be; the greatest number of all rows is left in the workspace's status word.
enum row_problem : unsigned {
  no_problem = 0,
  integer_overflow = 1,  ///< an integer type does not hold the result
  no_headroom = 2,       ///< more than 2^31 − 1 states, or a sum beyond 2^63 largest products
  impossible_words = 3,  ///< words that are no sum of states, or moments of no elements
};

/// Row i begins at words + i·stride.
struct word_rows {
  engine::stored_state state;  ///< what a row holds
  std::int64_t* words;
  std::size_t stride;
  std::size_t count;

  [[nodiscard]] EXACTDOT_CORE std::int64_t* row(std::size_t i) const { return words + i * stride; }
};

/// Which sum of a row a result is made of, and how, beside destination::rule. Result i follows result i − 1.
struct row_finish {
  int sum = 0;
  std::uint64_t ddof = 0;  ///< of variances
};

/// One sum of every row, rounded to a floating format without a look at anything else of the row. Few bytes; see
/// destination.
struct sum_rows {
  const std::int64_t* words;  ///< of the sum of row 0
  std::size_t stride, count;
  core::state_layout layout;
  int counts;  ///< words after the limbs

  sum_rows(const word_rows& rows, int sum)
      : words(rows.words + rows.state.of[sum].first_word),
        stride(rows.stride),
        count(rows.count),
        layout(rows.state.of[sum].layout),
        counts(rows.state.counts) {}
};

/// Whether rows are rounded as sum_rows.
inline bool are_sums_only(const word_rows& rows, const core::result_rule& rule) {
  return rule.finish() == core::finish::round && !rule.is_integer() && rows.state.counts_elements == 0;
}

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
