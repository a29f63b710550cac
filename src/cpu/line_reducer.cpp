// Implementation of line_reducer.hpp.
#include <cpu/equal_elements.hpp>
#include <cpu/inputs.hpp>
#include <cpu/integer_sums.hpp>
#include <cpu/line_reducer.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

engine::chunk_reader reader_of(const engine::plan& plan, const engine::operand& x) {
  return {x, plan.carrier, staged_elements(plan), current_widening(x.type)};
}

}  // namespace

std::size_t staged_elements(const engine::plan& plan) { return std::min(plan.n, chunk_of(plan)); }

line_reducer::line_reducer(const engine::plan& each)
    : each_(each),
      kernels_(each),
      a_(reader_of(each, each.a)),
      b_(reader_of(each, each.b)),
      words_(each.layout(), engine::states_of(each)) {}

template <class Step>
void line_reducer::for_chunks(std::size_t chunk, Step step, int i, int k) noexcept {
  const bool one_input = each_.info().inputs == 1 && !each_.has_parts();
  const bool in_runs = each_.mode == mode::exact;  // chunks of mode fast have a size
  for (std::size_t first = 0, n = 0; first < each_.n; first += n) {
    n = std::min(chunk, each_.n - first);
    if (in_runs) n = std::min({n, a_.run_at(first), one_input ? n : b_.run_at(first)});
    const void* const a = a_.read(first, n, i);
    step(a, one_input ? a : b_.read(first, n, k), first, n);
  }
}

void line_reducer::move_to(const engine::line& x) noexcept {
  each_.n = x.n, each_.a.data = x.a, each_.b.data = x.b;
  a_.move_to(x.a), b_.move_to(x.b);
}

core::outcome line_reducer::reduce(const engine::line& x, const addend* more) noexcept {
  move_to(x);
  if (x.n == 0 && more != nullptr) return {more->word()};
  const bool is_plain_sum = each_.mode == mode::exact && !each_.info().is_extremum && !each_.info().needs_squares();
  if (x.n == 0 && each_.info().is_extremum)
    return {result_of(each_, no_extreme)};  // of offsets that were overwritten
  if (x.n == 0) {                           // the same each time, and as costly as an exact sum
    if (!of_nothing_) of_nothing_ = finish_exactly().word;
    return {*of_nothing_};
  }
  if (suits_integers(each_)) {
    integer_sums sums;
    sums.add(each_, 0, x.n);
    return sums.finish(each_, x.n, more);
  }
  if (each_.contiguous && is_plain_sum) {
    std::uint64_t result = 0;
    return finish_in_place(x, more, result) ? core::outcome{result} : finish_exactly(more);
  }
  partial_.clear(each_);
  if (partial_.wants_elements()) {
    // the two sums of a variance read a chunk from the cache
    const bool in_one_chunk = each_.contiguous && !each_.info().needs_squares();
    for_chunks(in_one_chunk ? each_.n : chunk_of(each_),
               [&](const void* a, const void* b, std::size_t first, std::size_t n) {
                 const void* const next = first + n < each_.n ? a_.place_of_run(first + n) : nullptr;
                 partial_.add_chunk(each_, kernels_, a, b, first, n, next);
               });
    const core::decision found = partial_.finish(each_, more);
    if (found.certain) return {found.word};
    if (each_.is_zero_if_equal() && elements_are_equal()) return {0};
  }
  return finish_exactly(more);
}

/// Whether all elements of the line have the bits of the first, which is finite.
bool line_reducer::elements_are_equal() noexcept {
  const equal_elements equal(each_.carrier, a_.read(0, 1));
  const std::size_t chunk = chunk_of(each_);
  for (std::size_t first = 0, n = 0; first < each_.n; first += n) {
    n = std::min({chunk, each_.n - first, a_.run_at(first)});
    if (!equal.has_only(a_.read(first, n), n)) return false;
  }
  return true;
}

core::outcome line_reducer::reduce_open(const engine::line& x, const bounded_sum& sum) noexcept {
  std::uint64_t word = 0;  // a bound of many rows may be much wider than the line's own
  const bool is_done = is_next_to_tie(each_.result, sum) &&
                       finish_open_in_place(*kernels_.of_sums->term, each_.result, x.a, x.b, x.n, sum, word);
  return is_done ? core::outcome{word} : reduce(x);
}

/// The levels before the exact state. False if they leave the result open.
bool line_reducer::finish_in_place(const engine::line& x, const addend* more,
                                   std::uint64_t& result) const noexcept {
  if (!each_.bounded_sum_can_decide) return false;
  if (more != nullptr) {
    bounded_sum sum;
    if (!kernels_.of_sums->term->bounded(x.a, x.b, x.n, nullptr, sum)) return false;
    more->join(sum);
    return finish_if_certain(each_.result, x.n, sum, result);
  }
  return cpu_engine::finish_in_place(*kernels_.of_sums->term, each_.result, x.a, x.b, x.n, result);
}

/// The result of the exact state, or states.
core::outcome line_reducer::finish_exactly(const addend* more) noexcept {
  words_.clear();
  add_states();
  return outcome_of_states(more);
}

core::outcome line_reducer::outcome_of_states(const addend* more) noexcept {
  if (more != nullptr) return more->finish(each_.layout(), words_.data());
  return engine::outcome_of(each_, words_.data());
}

void line_reducer::start() noexcept {
  words_.clear();
  partial_.clear(each_);
}

void line_reducer::add(const engine::line& piece) noexcept {
  move_to(piece);
  if (!each_.info().is_extremum) return add_states();
  for_chunks(chunk_of(each_), [&](const void* a, const void* b, std::size_t first, std::size_t n) {
    partial_.add_chunk(each_, kernels_, a, b, first, n);
  });
}

core::outcome line_reducer::finish(std::size_t n, const addend* more) noexcept {
  each_.n = n;
  if (each_.info().is_extremum) return {partial_.finish(each_).word};
  return outcome_of_states(more);
}

line_sums line_reducer::sums_of(const engine::line& x) noexcept {
  move_to(x);
  if (suits_integers(each_)) {
    integer_sums sums;
    sums.add(each_, 0, x.n);
    sums.store(each_, words_.data());
    return {integer_line_layout, words_.data()};
  }
  words_.clear();
  add_states();
  return sums_of_pieces();
}

/// words_ += the exact sums of the line.
void line_reducer::add_states() noexcept {
  const sums& of = *kernels_.of_sums;
  add_state(*of.term, each_.multiplies(), words_.data());
  if (of.squares != nullptr) add_state(*of.squares, true, words_.data() + of.layout.words());
}

/// words += the exact sum of the terms, or with `multiplied` of their squares.
void line_reducer::add_state(const kernels& kernels, bool multiplied, std::int64_t* words) noexcept {
  const auto add_chunk = [&](const void* a, const void* b, std::size_t, std::size_t n) {
    kernels.accumulate(a, b, n, words);
  };
  for (int i = 0; i < each_.parts_of_a(); ++i) {
    for (int k = 0; k < each_.parts_of_b(multiplied); ++k)
      for_chunks(each_.contiguous ? each_.n : chunk_of(each_), add_chunk, i, k);
  }
}

}  // namespace exactdot::inline v0_3::cpu_engine
