// Cases: one generator, one seed, one length, and the judge of the vectors they give.
//
// A loop over cases stops at the first failure, whose message names the case; the same name gives the same
// vectors on every machine. EXACTDOT_TEST_SCALE (percent, 100 unless set) shortens or lengthens the loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "oracle/checker.hpp"

namespace oracle {

template <class T>
struct test_case {
  std::string name;  // "tie_normal<float>, seed 17, n = 65"
  const generator<T>* made_by;
  checker<T> check;
};

template <class T>
[[nodiscard]] test_case<T> make_case(const generator<T>& made_by, std::uint64_t seed, std::size_t n);

/// The row of that name. Throws std::out_of_range when there is none.
template <class T>
[[nodiscard]] const generator<T>& generator_named(std::string_view name);

/// count · EXACTDOT_TEST_SCALE / 100, at least 1.
[[nodiscard]] int scaled(int count);

/// Calls visit(case) for every generator at every length, `repeats` times with other seeds, until done() is true.
template <class T, class Lengths, class Visit, class Done>
void for_each_case(const Lengths& lengths, int repeats, Visit visit, Done done) {
  for (const generator<T>& row : generators<T>()) {
    for (const std::size_t n : lengths) {
      for (int repeat = 0; repeat < repeats; ++repeat) {
        visit(make_case(row, static_cast<std::uint64_t>(repeat + 1), n));
        if (done()) return;
      }
    }
  }
}

}  // namespace oracle
