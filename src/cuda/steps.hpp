// What a block of the exact kernel does next: the states of its second half, and the transitions between them.
//
// Pure functions, tested on the host for all arguments. On exit from every state the grid's digits, the counts of
// special terms and the contributions are zero again, and nobody writes the exchange any more.
#pragma once

#include <core/config.hpp>

namespace exactdot::cuda_engine {

enum class step : unsigned {
  finished,               ///< nothing more to do
  await_decision,         ///< other blocks: poll the last block's decision
  add_block_digits,       ///< last block: second pass; its own sum is complete and is added as it is
  reread_share,           ///< second pass; the block sums its share again
  discard_contributions,  ///< last block: the result is special, but blocks contribute digits unasked
};

/// After an incomplete or complete message was published. A block that cannot be sure that all others have started
/// must not wait: the last block may need its multiprocessor.
EXACTDOT_CORE step after_publish(bool complete, bool all_started) {
  if (complete) return step::finished;
  return all_started ? step::await_decision : step::reread_share;
}

/// After the last block's decision.
EXACTDOT_CORE step after_decision(bool second_pass) { return second_pass ? step::reread_share : step::finished; }

/// The last block, after its attempt to finish. `special`: there are infinite or NaN terms. `unbounded`: some block
/// did not wait for the decision. `complete`: nothing is missing in the last block's own sum.
EXACTDOT_CORE step after_finish(bool certain, bool special, bool unbounded, bool complete) {
  if (special) return unbounded ? step::discard_contributions : step::finished;
  if (certain) return step::finished;
  return complete ? step::add_block_digits : step::reread_share;
}

/// Whether the other incomplete blocks have to make a second pass.
EXACTDOT_CORE bool needs_second_pass(step of_last_block) { return of_last_block != step::finished; }

}  // namespace exactdot::cuda_engine
