// A test case: the vectors that a generator makes from a seed and a length, and their checker.
//
// A loop over cases stops at the first failure; its message names the case. The same name gives the same vectors on
// every machine. EXACTDOT_TEST_SCALE (percent; default: 100) scales the number of cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "oracle/checker.hpp"

namespace oracle {

template <class T>
struct test_case {
  std::string name;  // "tie_normal<float>, seed 17, n = 65"
  const generator<T>* source;
  checker<T> check;
};

template <class T>
[[nodiscard]] test_case<T> make_case(const generator<T>& source, std::uint64_t seed, std::size_t n);

/// The vectors of a case; the same name, seed and length give the same vectors.
template <class T>
[[nodiscard]] vectors<T> make_vectors(const generator<T>& source, std::uint64_t seed, std::size_t n);
template <class T>
[[nodiscard]] std::string case_name(const generator<T>& source, std::uint64_t seed, std::size_t n);

/// The generator with that name. Throws std::out_of_range if there is none.
template <class T>
[[nodiscard]] const generator<T>& generator_named(std::string_view name);

/// count · EXACTDOT_TEST_SCALE / 100, at least 1.
[[nodiscard]] int scaled(int count);

/// Calls visit(case) for every generator, every length and `repeats` seeds, until done() returns true.
template <class T, class Lengths, class Visit, class Done>
void for_each_case(const Lengths& lengths, int repeats, Visit visit, Done done) {
  for (const generator<T>& source : generators<T>()) {
    for (const std::size_t n : lengths) {
      for (int repeat = 0; repeat < repeats; ++repeat) {
        visit(make_case(source, static_cast<std::uint64_t>(repeat + 1), n));
        if (done()) return;
      }
    }
  }
}

}  // namespace oracle
