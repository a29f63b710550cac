// The words of mergeable states in memory (exactdot/state_format.hpp): reading, adding, converting, checking.
//
// A compact state is a state with a shorter layout: fewer limbs from a higher one on. So the functions of
// core/state.hpp work on it, and to convert is to move limbs.
#pragma once

#include <exactdot/core/state.hpp>
#include <exactdot/state_format.hpp>

namespace exactdot::inline v0_3::engine {

/// Where the words of a state are.
struct stored_state {
  struct sum {
    core::state_layout layout;
    int first_word;
  };

  int counts_elements = 0;  ///< 1: the first word is the number of elements
  int sums = 0;
  sum of[2] = {};
  int counts = 4;  ///< words of a sum after its limbs: 4, or 1 for the number of states only
  int words = 0;

  stored_state() = default;
  /// Of a format whose words() is not 0.
  explicit stored_state(const state_format& format);
};

/// to = a sum in another layout, with its counts. False if it does not fit. The words are normalised, `to` is then
/// too; both layouts begin at a multiple of 32 bits of each other.
[[nodiscard]] bool move_limbs(const core::state_layout& from, const std::int64_t* words,
                              const core::state_layout& to, std::int64_t* moved) noexcept;

[[noreturn]] void throw_headroom(const char* caller, const char* sum = "the sum");

/// Throws errc::size_mismatch unless so many words are one state.
void require_word_count(std::size_t given, const state_format& of, const char* caller);

/// words = the index-th sum of a state, with its four counts.
void load_sum(const stored_state& of, int index, const std::int64_t* state, std::int64_t* words) noexcept;
/// The index-th sum of a state = words, normalised, as one state.
void store_sum(const stored_state& of, int index, const std::int64_t* words, std::int64_t* state) noexcept;

/// state += the sums of n elements, as one more state. `words`: the normalised sums in a layout that holds their
/// terms, one after the other, which may be overwritten.
void add_to_state(const stored_state& of, std::size_t n, const core::state_layout& layout, std::int64_t* words,
                  std::int64_t* state) noexcept;

/// Throws, with a sentence, unless these words can be the elementwise sum of the words of 1 to 2^31 − 1 normalised
/// states.
void check_sum(const char* caller, const core::state_layout& layout, const std::int64_t* words);

/// Throws unless every sum of a state is so, or is of no state at all, and unless `more_states` and `more_elements`
/// can be added.
void check_state(const char* caller, const stored_state& of, const std::int64_t* state, std::int64_t more_states,
                 std::uint64_t more_elements);

/// Throws if the last limb of a sum of two checked states is none of a state.
void check_merged_tops(const char* caller, const stored_state& of, const std::int64_t* a, const std::int64_t* b);

}  // namespace exactdot::inline v0_3::engine
