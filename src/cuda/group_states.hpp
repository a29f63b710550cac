// States of groups on a GPU: what a pass of group_state_kernel.cuh consists of.
//
// The kernels sum into accumulators of the workspace, which have the limbs of the compact form, the fewest that
// hold every sum of such terms; the words of the caller may be of either form.
#pragma once

#include <cuda/group_call.hpp>
#include <plan/state_words.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Accumulators of a group, one after the other: of each sum its limbs and, if terms may be NaN or infinite, their
/// numbers; then the number of elements, if the states have it. `to`: the words of the states.
struct group_state_pass {
  unsigned first = 0, count = 0;  ///< groups
  int sums = 1;
  core::state_layout layout[2] = {};
  int word[2] = {0, 0};  ///< the first of each sum
  bool has_special = false;
  bool counts_elements = false;
  unsigned words = 0;         ///< of a group
  unsigned shared_words = 0;  ///< of 32 bits, of a group in shared memory
  wide_unsigned* accumulators = nullptr;
  std::int64_t* to = nullptr;  ///< of group 0
  std::ptrdiff_t next = 0;     ///< words between groups
  engine::stored_state of_state;

  [[nodiscard]] EXACTDOT_CORE wide_unsigned* at(unsigned slot) const {
    return accumulators + std::size_t{slot} * words;
  }
  /// The word that counts elements.
  [[nodiscard]] EXACTDOT_CORE unsigned count_word() const { return words - 1; }
};

/// The pass over all groups, without memory, of states of such elements in either form.
inline group_state_pass pass_of(reduction what, element_type type, const engine::stored_state& state,
                                std::size_t groups) {
  const engine::stored_state compact({what, type, state_form::compact});
  group_state_pass made;
  made.count = static_cast<unsigned>(groups);
  made.of_state = state;
  made.sums = compact.sums;
  made.has_special = !is_integer(type);
  made.counts_elements = compact.counts_elements != 0;
  for (int sum = 0; sum < made.sums; ++sum) {
    made.layout[sum] = compact.of[sum].layout;
    made.word[sum] = static_cast<int>(made.words);
    made.words += static_cast<unsigned>(made.layout[sum].limbs + (made.has_special ? 3 : 0));
    made.shared_words += static_cast<unsigned>(made.layout[sum].limbs) + 1;
  }
  if (made.counts_elements) ++made.words, ++made.shared_words;
  return made;
}

}  // namespace exactdot::inline v0_3::cuda_engine
