// The table of tests: reductions × elements × engines × layouts × data, compared with the oracle bit by bit.
//
// A new reduction, element type or layout is tested by being in its list. check() computes one cell: all results of
// one engine for one input.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "oracle/cases.hpp"
#include "oracle/reference.hpp"
#include "table/engines.hpp"
#include "table/layouts.hpp"

namespace table {

[[nodiscard]] std::vector<row> rows();

/// The result types that a row allows.
[[nodiscard]] std::vector<exactdot::element_type> result_types(const row& tested);

/// The data of a case, without a layout.
struct input {
  std::string name;
  std::vector<std::byte> a, b;
};

[[nodiscard]] std::size_t generator_count();
/// The data of generator number `source` for a row. At least one element for a row that needs one.
[[nodiscard]] input make_input(const row& tested, std::size_t source, std::uint64_t seed, std::size_t n);

/// An input in a layout, and its expected results.
class cell {
 public:
  cell(const row& tested, const input& data, const layout& arrangement, unsigned shift);
  /// The first fault of the engine's results: every result type in both modes, and the words. Empty if none.
  [[nodiscard]] std::string fault(const engine& tested, unsigned variant) const;
  /// The calls whose results fault() compares, without those for words.
  [[nodiscard]] std::vector<call> calls(const engine& tested, unsigned variant) const;

 private:
  [[nodiscard]] std::vector<exactdot::element_type> types(const engine& tested, unsigned variant) const;
  [[nodiscard]] std::string result_fault(const engine& tested, const call& asked) const;
  [[nodiscard]] bool has_mode_fast() const;
  [[nodiscard]] call first_call(unsigned variant) const;

  row row_;
  std::int64_t ddof_;
  placed_vector a_, b_;
  std::vector<oracle::reference> expected_;  // of each part of a complex result
};

/// What an engine computed.
struct combination {
  std::string row;  ///< reduction and element type
  exactdot::mode mode;
  exactdot::element_type result;
  std::string engine;
  [[nodiscard]] std::string name() const;  // "dot_float32 to float64, exact, avx2"
  auto operator<=>(const combination&) const = default;
};
using counts = std::map<combination, long long>;

[[nodiscard]] const char* name_of(exactdot::mode mode);

/// What has been checked, and the faults.
class report {
 public:
  /// Checks the input under every engine that reads the layout.
  void check(const suite& tested, const row& row, const input& data, const layout& arrangement, unsigned variant);
  /// Checks it under one engine.
  void check(const engine& tested, const row& row, const input& data, const layout& arrangement, unsigned variant);

  [[nodiscard]] long long results() const { return results_; }
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
  /// Results for each combination of reduction, element type, engine and layout.
  [[nodiscard]] const std::map<std::string, long long>& combinations() const { return combinations_; }
  /// Results for each combination of reduction, element type, mode, result type and engine.
  [[nodiscard]] const counts& results_by_type() const { return results_by_type_; }
  /// Those of calls that used several threads, whatever the engine; its name is "threads".
  [[nodiscard]] const counts& results_with_threads() const { return results_with_threads_; }

 private:
  void check(const engine& tested, const row& row, const cell& checked, const std::string& name,
             const layout& arrangement, unsigned variant);

  long long results_ = 0;
  std::vector<std::string> faults_;
  std::map<std::string, long long> combinations_;
  counts results_by_type_, results_with_threads_;
};

/// The layout of case number `index`, pseudo-random; not a misaligned one if no engine reads those.
[[nodiscard]] const layout& layout_of_case(unsigned index, bool may_misalign);

}  // namespace table
