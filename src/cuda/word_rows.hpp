// Rows of state words in a GPU's memory, and what becomes of them: parameters of the kernels of state_kernel.cuh.
#pragma once

#include <cuda/destination.hpp>
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

}  // namespace exactdot::inline v0_3::cuda_engine
