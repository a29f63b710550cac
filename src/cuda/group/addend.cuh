// Results of groups that are added to, on a GPU: the value at a result's place is one more exact term of its sum
// (exactdot/core/addend.hpp).
//
//   traced sums   a term or, of a 64-bit integer, two: TwoSum, whose errors are traced like any, so the bound needs
//   the
//                 depth of one join more; an infinity or NaN makes the error one, which decides nothing
//   digits        added by one lane before they are rounded
//   windows       group/old_value.cuh
//
// The host refuses results whose values the carrier's exact states do not hold.
#pragma once

#include <cuda/group/old_value.cuh>
#include <cuda/work/total_of_line.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Two doubles whose sum the value is.
struct old_value {
  double high, low;
};

/// Not inlined, so that it costs sums that are not added no registers.
[[gnu::noinline]] __device__ old_value load_old_value(core::result_rule rule, const char* at) {
  const std::uint64_t word = load_result(rule, at);
  if (rule.gives<float>()) return {static_cast<double>(core::from_word<float>(word)), 0};
  if (rule.gives<double>()) return {core::from_word<double>(word), 0};
  const core::exact_term term = core::term_of_word(rule, word);
  if (term.kind != core::kind::finite) return {HUGE_VAL, 0};
  const auto magnitude = static_cast<std::uint64_t>(term.magnitude);
  const double sign = term.negative ? -1 : 1;
  if (rule.is_integer()) {
    return {sign * static_cast<double>(magnitude >> 32) * 0x1p32,
            sign * static_cast<double>(magnitude & 0xffffffff)};
  }
  // of at most 24 bits, and an exponent that a double has
  return {sign * static_cast<double>(magnitude) *
              core::bit_cast<double>(static_cast<std::uint64_t>(term.exponent + 1023) << 52),
          0};
}

/// total += the value, as a term.
template <bool tracks_least>
__device__ __forceinline__ void add_old_value(traced_sum<tracks_least>& total, const core::result_rule& rule,
                                              const char* at) {
  const old_value old = load_old_value(rule, at);
  total.add(old.high);
  total.add(old.low);
  if constexpr (tracks_least) {
    total.least = ::max(total.least, 0U - magnitude_word(old.high));
    total.least = ::max(total.least, 0U - magnitude_word(old.low));
  }
}

/// sum += the value. By the lanes of one warp.
template <class T>
[[gnu::noinline]] __device__ void add_old_digits(superaccumulator<T>& sum, core::result_rule rule, const char* at) {
  if (threadIdx.x % 32 == 0) {
    const core::exact_term term = old_term(rule, at);
    if (term.kind == core::kind::finite) {
      add_digits_of<T>(sum.digit, term);
    } else {
      ++sum.special[term.kind == core::kind::nan ? 0 : term.negative ? 2 : 1];
    }
  }
  __syncwarp();
}

/// The result of a line that level 1 leaves open, added to what is there. By all threads of a team.
template <class Work, class Team, class Line>
__device__ __forceinline__ void add_line_again(const Line& line, Team team, typename Work::storage& storage,
                                               const destination& to) {
  sum_exactly(core::describe_term<typename Work::Term>(), line, team, storage);
  Team::synchronise();  // all have read whether the sum is complete
  if (team.first_thread() < 32) {
    add_old_digits(storage.sum, to.rule, static_cast<const char*>(to.value));
    static_cast<void>(finish_sum(to, storage.sum, storage.carried_digit, storage.words));
  }
  Team::synchronise();
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
