// Exhaustive test of the transitions in src/cuda/steps.hpp, on the host.
//
// Each function is tested for all arguments. Then a model of a launch with a last block and two other blocks
// combines them: the last block collects contributions if and only if each incomplete block contributes.
#include <gtest/gtest.h>

#include <array>
#include <cuda/steps.hpp>

namespace {

using namespace exactdot::cuda_engine;

constexpr std::array booleans = {false, true};
constexpr std::array all_steps = {step::finished, step::await_decision, step::add_block_digits, step::reread_share,
                                  step::discard_contributions};

/// The arguments of after_finish. The others' bound is added before the rounding, so an unbounded block makes the
/// rounding uncertain, unless special terms determine the result.
struct finish_state {
  bool certain, special, unbounded, complete;

  [[nodiscard]] step next() const { return after_finish(certain, special, unbounded, complete); }
  [[nodiscard]] bool is_possible() const { return special || !(certain && unbounded); }
};

template <class Visit>
void for_each_finish_state(Visit visit) {
  for (const bool certain : booleans)
    for (const bool special : booleans)
      for (const bool unbounded : booleans)
        for (const bool complete : booleans) visit(finish_state{certain, special, unbounded, complete});
}

/// A block that is not the last one.
struct other_block {
  bool complete, all_started;

  [[nodiscard]] bool is_unbounded() const { return !complete && !all_started; }
  [[nodiscard]] bool contributes(bool second_pass) const {
    step next = after_publish(complete, all_started);
    if (next == step::await_decision) next = after_decision(second_pass);
    return next == step::reread_share;
  }
};

constexpr std::array<other_block, 4> other_blocks = {{{.complete = false, .all_started = false},
                                                      {.complete = false, .all_started = true},
                                                      {.complete = true, .all_started = false},
                                                      {.complete = true, .all_started = true}}};

TEST(after_publish, finishes_complete_blocks) {
  for (const bool all_started : booleans) EXPECT_EQ(after_publish(true, all_started), step::finished);
}

TEST(after_publish, waits_only_if_all_blocks_have_started) {
  EXPECT_EQ(after_publish(false, true), step::await_decision);
  EXPECT_EQ(after_publish(false, false), step::reread_share);
}

TEST(after_decision, rereads_the_share_only_in_a_second_pass) {
  EXPECT_EQ(after_decision(true), step::reread_share);
  EXPECT_EQ(after_decision(false), step::finished);
}

TEST(after_finish, never_rounds_a_special_result_again) {
  for_each_finish_state([](const finish_state& state) {
    if (!state.special) return;
    EXPECT_EQ(state.next(), state.unbounded ? step::discard_contributions : step::finished);
  });
}

TEST(after_finish, finishes_certain_results_and_rounds_uncertain_results_again) {
  for_each_finish_state([](const finish_state& state) {
    if (state.special) return;
    const step second_pass = state.complete ? step::add_block_digits : step::reread_share;
    EXPECT_EQ(state.next(), state.certain ? step::finished : second_pass);
  });
}

TEST(after_finish, does_not_discard_digits_of_finite_sums_and_does_not_wait) {
  for_each_finish_state([](const finish_state& state) {
    EXPECT_NE(state.next(), step::await_decision);
    if (!state.special) {
      EXPECT_NE(state.next(), step::discard_contributions);
    }
  });
}

TEST(needs_second_pass, is_false_only_for_finished) {
  for (const step next : all_steps) EXPECT_EQ(needs_second_pass(next), next != step::finished);
}

TEST(other_blocks_of_a_launch, contribute_always_if_they_are_unbounded) {
  for (const other_block& block : other_blocks) {
    for (const bool second_pass : booleans) {
      if (block.is_unbounded()) {
        EXPECT_TRUE(block.contributes(second_pass));
      }
      if (block.complete) {
        EXPECT_FALSE(block.contributes(second_pass));
      }
    }
  }
}

TEST(launch, collects_contributions_if_and_only_if_all_incomplete_blocks_contribute) {
  for_each_finish_state([](const finish_state& state) {
    if (!state.is_possible()) return;
    const bool collects = state.next() != step::finished;
    for (const other_block& first : other_blocks) {
      for (const other_block& second : other_blocks) {
        if (state.unbounded != (first.is_unbounded() || second.is_unbounded())) continue;
        for (const other_block& block : {first, second}) {
          if (!block.complete) {
            EXPECT_EQ(block.contributes(needs_second_pass(state.next())), collects);
          }
        }
      }
    }
  });
}

}  // namespace
