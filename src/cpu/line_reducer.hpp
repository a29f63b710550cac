// One thread's reducer of one vector after the other, for the results of a batch.
//
// It takes the levels of levels.hpp on one thread. Its buffers are allocated when it is made; a reduction neither
// allocates nor throws, so that helpers may run it.
#pragma once

#include <cpu/addend.hpp>
#include <cpu/partial_result.hpp>
#include <plan/batch.hpp>
#include <plan/staging.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// The normalised states of a line's sums, one after the other; they may be overwritten.
struct line_sums {
  core::state_layout layout;
  std::int64_t* words;
};

class line_reducer {
 public:
  explicit line_reducer(const engine::batch& of) : line_reducer(of.each) {}
  /// For lines of at most the plan's length.
  explicit line_reducer(const engine::plan& each);

  /// The result of a line, to whose sum `more` is added unless it is null. Cost: that of a vector call, but for the
  /// checks.
  [[nodiscard]] core::outcome reduce(const engine::line& x, const addend* more = nullptr) noexcept;

  /// The same of a line in place whose bounded sum is known and leaves its result open.
  [[nodiscard]] core::outcome reduce_open(const engine::line& x, const bounded_sum& sum) noexcept;

  /// To be called after elements have changed in memory that lines were read from.
  void forget_elements() noexcept { a_.forget(), b_.forget(); }

  /// A line in pieces, in mode exact: start(), add(piece) for each, and its result of n elements in all. Indices
  /// are of no use. Cost: that of exact states.
  void start() noexcept;
  void add(const engine::line& piece) noexcept;
  [[nodiscard]] core::outcome finish(std::size_t n, const addend* more = nullptr) noexcept;
  /// The sums of the pieces, of moments also those of squares. Valid until the next line.
  [[nodiscard]] line_sums sums_of_pieces() noexcept { return {each_.layout(), words_.data()}; }
  /// The same of a whole line.
  [[nodiscard]] line_sums sums_of(const engine::line& x) noexcept;

 private:
  void move_to(const engine::line& x) noexcept;
  void add_states() noexcept;
  /// Calls step(a, b, first, n) for the chunks of the line; of elements with two parts with the parts i and k.
  template <class Step>
  void for_chunks(std::size_t chunk, Step step, int i = 0, int k = 0) noexcept;
  bool finish_in_place(const engine::line& x, const addend* more, std::uint64_t& result) const noexcept;
  bool elements_are_equal() noexcept;
  core::outcome finish_exactly(const addend* more = nullptr) noexcept;
  core::outcome outcome_of_states(const addend* more) noexcept;
  void add_state(const kernels& kernels, bool multiplied, std::int64_t* words) noexcept;

  engine::plan each_;  // its operands and length are those of the line
  batch_kernels kernels_;
  engine::chunk_reader a_, b_;
  partial_result partial_;
  state_words words_;
  std::optional<std::uint64_t> of_nothing_;
};

/// The greatest number of elements that are staged at a time.
[[nodiscard]] std::size_t staged_elements(const engine::plan& plan);

}  // namespace exactdot::inline v0_3::cpu_engine
