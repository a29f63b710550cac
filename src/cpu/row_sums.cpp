// Implementation of row_sums.hpp.
#include <cpu/addend.hpp>
#include <cpu/column_decision.hpp>
#include <cpu/row_sums.hpp>

namespace exactdot::inline v0_3::cpu_engine {

row_sums::row_sums(const batch& of, std::size_t first, std::size_t count, std::size_t entries, result_sink& sink,
                   unsigned char* open)
    : of_(of),
      column_(of.each),
      sums_(of.each),
      sink_(sink),
      open_(open),
      groups_(of.groups()),
      first_(first),
      count_(count),
      width_(padded_width(count)),
      step_(width_ * column_sums::arrays * static_cast<std::size_t>(sums_.states())),
      memory_(std::make_unique<double[]>(entries * step_)) {
  engine::plan empty = column_;
  empty.n = 0;
  of_nothing_ = engine::result_of_nothing(empty);
  for (std::size_t i = first; i < first + count; ++i) places_.push_back(of.column_at(i).out);
}

column_sums row_sums::sums_at(int state, std::size_t entry) const noexcept {
  double* const at = memory_.get() + entry * step_ + static_cast<std::size_t>(state * column_sums::arrays) * width_;
  return {at, at + width_, at + 2 * width_, at + 3 * width_};
}

void row_sums::clear(std::size_t entries) noexcept {
  for (std::size_t i = 0; i < entries; ++i) {
    for (int state = 0; state < sums_.states(); ++state) {
      const column_sums to = sums_at(state, i);
      std::fill_n(to.sum, 3 * width_, 0.0), std::fill_n(to.smallest, width_, HUGE_VAL);
    }
  }
}

void row_sums::add(const row_block& a, const row_block& b, std::size_t rows,
                   const std::uint32_t* entries) noexcept {
  sums_.term->add_rows(a, b, rows, count_, entries, sums_at(0, 0), step_);
  if (sums_.squares != nullptr) sums_.squares->add_rows(a, a, rows, count_, entries, sums_at(1, 0), step_);
}

void row_sums::add_run(const row_block& a, const row_block& b, std::size_t rows, std::size_t entry) noexcept {
  sums_.term->add_columns(a, b, rows, count_, false, sums_at(0, entry));
  if (sums_.squares != nullptr) sums_.squares->add_columns(a, a, rows, count_, false, sums_at(1, entry));
}

void row_sums::merge(row_sums& other, std::size_t entry) noexcept {
  for (int state = 0; state < sums_.states(); ++state) {
    const column_sums to = sums_at(state, entry), from = other.sums_at(state, entry);
    for (std::size_t k = 0; k < count_; ++k) {
      const group_sums sum = merged({to.sum[k], to.error[k], to.magnitude[k], to.smallest[k]},
                                    {from.sum[k], from.error[k], from.magnitude[k], from.smallest[k]});
      to.sum[k] = sum.sum, to.error[k] = sum.error, to.magnitude[k] = sum.magnitude, to.smallest[k] = sum.smallest;
    }
  }
}

bounded_sum row_sums::sum_of(int state, std::size_t entry, std::size_t column, std::size_t terms) const noexcept {
  const column_sums of = sums_at(state, entry);
  const kernels& kernels = state == 0 ? *sums_.term : *sums_.squares;
  return bounded_column(of.sum[column], of.error[column], of.magnitude[column], of.smallest[column], terms,
                        kernels.has_two_part_terms);
}

bool row_sums::decide(std::size_t entry, std::size_t merged, std::size_t n, std::size_t group) const noexcept {
  core::decision found[columns_of_block];
  const std::size_t terms = n + (merged == 1 ? 0 : 2 * merged);
  const core::result_rule& rule = column_.result;
  const bool is_rounded = n != 0 && sums_.squares == nullptr && rule.finish() == core::finish::round;
  const bool has_two_parts = sums_.term->has_two_part_terms;
  if (of_.adds_to_results) {
    decide_added(entry, terms, n, group, found);
  } else if (is_rounded && rule.gives<double>()) {
    decide_columns<double>(sums_at(0, entry), terms, count_, has_two_parts, found);
  } else if (is_rounded && rule.gives<float>()) {
    decide_columns<float>(sums_at(0, entry), terms, count_, has_two_parts, found);
  } else {
    decide_each(entry, terms, n, found);
  }
  return give(group, found);
}

void row_sums::decide_each(std::size_t entry, std::size_t terms, std::size_t n,
                           core::decision* found) const noexcept {
  const bool is_nothing = n == 0 || (sums_.squares != nullptr && n <= column_.ddof);
  for (std::size_t k = 0; k < count_; ++k) {
    if (is_nothing) {
      found[k] = {of_nothing_, true};
    } else if (sums_.squares == nullptr) {
      found[k] = decide_column(column_.result, n, sum_of(0, entry, k, terms));
    } else {
      found[k] = decide_moments(column_, n, {sum_of(0, entry, k, terms), sum_of(1, entry, k, terms)});
    }
  }
}

/// Sums that are added to what is there, of each column.
void row_sums::decide_added(std::size_t entry, std::size_t terms, std::size_t n, std::size_t group,
                            core::decision* found) const noexcept {
  const column_sums of = sums_at(0, entry);
  const std::ptrdiff_t offset = of_.offset_of(group);
  for (std::size_t k = 0; k < count_; ++k) {
    const addend old(of_, places_[k] + offset);
    if (n == 0) {
      found[k] = {old.word(), true};
      continue;
    }
    const group_sums sum = old.joined({of.sum[k], of.error[k], of.magnitude[k], of.smallest[k]});
    found[k] = decide_column(column_.result, n,
                             bounded_column(sum.sum, sum.error, sum.magnitude, sum.smallest,
                                            terms + terms_of_addend, sums_.term->has_two_part_terms));
  }
}

/// Stores the certain results of a group; the others stay open.
bool row_sums::give(std::size_t group, const core::decision* found) const noexcept {
  const std::ptrdiff_t offset = of_.offset_of(group);
  bool are_certain = true;
  for (std::size_t k = 0; k < count_; ++k) are_certain = are_certain && found[k].certain;
  const auto store = [&](auto size) {  // one store each; the low bytes come first
    for (std::size_t k = 0; k < count_; ++k) std::memcpy(places_[k] + offset, &found[k].word, size);
    return true;
  };
  if (are_certain && sink_.stores_plainly()) {
    if (column_.result.gives<double>()) return store(std::integral_constant<std::size_t, sizeof(double)>());
    if (column_.result.gives<float>()) return store(std::integral_constant<std::size_t, sizeof(float)>());
  }
  for (std::size_t k = 0; k < count_; ++k) {
    if (found[k].certain) {
      sink_.take((first_ + k) * groups_ + group, places_[k] + offset, {found[k].word});
    } else {
      open_[k * groups_ + group] = segment_undecided;
    }
  }
  return are_certain;
}

}  // namespace exactdot::inline v0_3::cpu_engine
