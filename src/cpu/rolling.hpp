// Sums, means and variances of every window of a vector, and prefix sums, each the real number rounded once, in a
// time that does not depend on the window.
//
// A window that moves by one element gains one term and loses one, in two doubles whose error is bounded: the
// result is rounded if both ends of the bound give the same bits. Otherwise it is rounded from the exact state of
// the window, the difference of two prefixes that each element is added to once at most; its enclosure replaces the
// two doubles. NaNs and infinities are counted apart, so they leave no trace. Cost: some 5 to 20 ns an
// element, of variances 15 to 70; where bounds leave results open (sums beyond 2^±900, squares beyond 2^±400, a spread
// far below the mean, exponents far apart) up to 2 microseconds, at worst 25.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exactdot/options.hpp>
#include <exactdot/reduction.hpp>
#include <exactdot/views.hpp>

namespace exactdot::inline v0_3::cpu_engine {

struct rolling_request {
  const char* caller;
  reduction what;         ///< sum, mean, variance or stddev
  std::size_t window;     ///< elements of a window; a greater one than the length: prefixes
  std::size_t min_count;  ///< of elements in a window that has a result other than NaN
  std::int64_t ddof = 0;
  bool skips_nan = false;  ///< NaNs are not there
  exactdot::monitor* monitor = nullptr;
};

/// out[i] = the result of the elements i − window + 1 to i, those before the first left out; both have n elements.
/// An integer `out` takes sums of integers. Throws errc::overflow, errc::bad_option for variances of integers
/// beyond 53 bits. Memory: 8 bytes an element, and 8 more for a second copy of the results.
void roll(const rolling_request& asked, const any_vector& x, const any_vector& out);

}  // namespace exactdot::inline v0_3::cpu_engine
