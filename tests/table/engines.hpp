// Engines under test: every implementation of the reductions that a program contains, behind one interface.
//
// A program of tests links one file that implements engines_under_test(): cpu_engines.cpp or gpu_engines.cpp.
#pragma once

#include <cstdint>
#include <exactdot/options.hpp>
#include <exactdot/reduction.hpp>
#include <exactdot/views.hpp>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace table {

/// A reduction of elements of one type or, for a dot, of two; of complex numbers, too.
struct row {
  exactdot::reduction what;
  exactdot::element_type type, other;
  [[nodiscard]] std::string name() const;  // "dot_float32", "dot_float16_float64"
  [[nodiscard]] bool is_complex() const { return exactdot::is_complex(type); }
};

/// Whether an accumulator sums the terms of this row.
[[nodiscard]] inline bool has_words(const row& tested) {
  using exactdot::reduction;
  const bool is_sum = tested.what == reduction::sum || tested.what == reduction::sum_of_squares;
  if (tested.is_complex()) return false;
  return is_sum || (tested.what == reduction::dot && tested.type == tested.other);
}

/// One call of an engine.
struct call {
  exactdot::reduction what;
  exactdot::any_vector a, b;  ///< b only for reductions of two inputs
  exactdot::element_type result;  ///< of complex results that of a part
  exactdot::mode mode = exactdot::mode::exact;
  std::int64_t ddof = 0;
  unsigned variant = 0;  ///< selects what must not affect the result: threads, grid, block, schedule
  int part = 0;          ///< of a complex result: 0 is the real one
};

struct engine {
  std::string name;
  bool reads_misaligned;  ///< elements at addresses that are no multiples of their size
  std::function<bool(const row&)> computes = [](const row&) { return true; };
  /// Of a case, every so many result types; which ones depends on the variant.
  std::size_t every_type = 1;
  /// Nothing if the engine refused the call because the result type does not hold the result.
  std::function<std::optional<exactdot::any_scalar>(const call&)> run;
  /// The words of an exact state after the terms have been added twice; for the rows that have_words().
  std::function<std::vector<std::int64_t>(const call&)> words_of_two_additions;
  /// How many threads a call uses; null where that has no meaning.
  std::function<int(const call&)> threads = nullptr;
  /// Faults since the last call that no result shows; may be null.
  std::function<std::string()> take_faults = nullptr;
};

/// The engines of this program and the amount of work that suits them.
struct suite {
  std::vector<engine> engines;
  std::span<const std::size_t> lengths;       ///< with every generator
  std::span<const std::size_t> long_lengths;  ///< with every generator, a few of these
  int repeats = 1;                            ///< seeds
  int every = 1;                              ///< only every so many cases of the central rows
  int every_of_others = 23;                   ///< and of these, of the others
  std::size_t longest_of_others = std::numeric_limits<std::size_t>::max();
  std::string unavailable = {};  ///< the reason if no engine can run
};

[[nodiscard]] suite engines_under_test();

}  // namespace table
