// Whether three numbers can be the moments of elements.
//
// The check of moments<T>'s constructor from words, of xd_moments_load and of Python's Moments.from_words.
#include <exactdot/core/quotient.hpp>
#include <exactdot/moments.hpp>
#include <run/run.hpp>

namespace exactdot::inline v0_3::detail {
namespace {

core::state_class class_of(state_view state) {
  normalise(state);
  return core::class_of(core::layout_of(state.type), state.words);
}

}  // namespace

void check_moments(std::int64_t count, state_view sum, state_view squares) {
  const auto refuse_if = [&](bool impossible, const char* why) {
    if (impossible) engine::throw_error(errc::bad_option, sum.caller, why);
  };
  const core::state_class of_sum = class_of(sum), of_squares = class_of(squares);
  refuse_if(count < 0, "the count is negative");
  refuse_if(count == 0 && !(of_sum.zero && of_squares.zero), "the count is 0, the sums are not");
  refuse_if((of_sum.nan || of_sum.infinite) != (of_squares.nan || of_squares.infinite),
            "one of the sums is finite, the other is not");
  refuse_if(!of_squares.nan && of_squares.negative, "the sum of squares is negative");
  refuse_if(of_squares.nan && !of_sum.nan, "the sum of squares is NaN, the sum is not");
  static_cast<void>(
      round_moments(sum, squares, element_type::float64, static_cast<std::uint64_t>(count), 0, false));
}

}  // namespace exactdot::inline v0_3::detail
