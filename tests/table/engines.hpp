// Engines under test: every implementation of the reductions that a program contains, behind one interface.
//
// A program of tests links one file that implements engines_under_test(): cpu_engines.cpp or kernel_engines.cpp.
#pragma once

#include <cstdint>
#include <exactdot/options.hpp>
#include <exactdot/reduction.hpp>
#include <exactdot/views.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace table {

/// One call of an engine.
struct call {
  exactdot::reduction what;
  exactdot::any_vector a, b;
  exactdot::element_type result;
  exactdot::mode mode = exactdot::mode::exact;
  unsigned variant = 0;  ///< selects what must not affect the result: threads, grid, block, schedule
};

struct engine {
  std::string name;
  bool reads_misaligned;  ///< elements at addresses that are no multiples of their size
  std::function<exactdot::any_scalar(const call&)> run;
  /// The words of an exact state after the terms have been added twice.
  std::function<std::vector<std::int64_t>(const call&)> words_of_two_additions;
  /// Faults since the last call that no result shows; may be null.
  std::function<std::string()> take_faults = nullptr;
};

/// The engines of this program and the amount of work that suits them.
struct suite {
  std::vector<engine> engines;
  std::span<const std::size_t> lengths;       ///< with every generator
  std::span<const std::size_t> long_lengths;  ///< with every generator, a few of these
  int repeats = 1;                            ///< seeds
  int every = 1;                              ///< only every so many cases
  std::string unavailable = {};               ///< the reason if no engine can run
};

[[nodiscard]] suite engines_under_test();

}  // namespace table
