// Implementation of panel_sums.hpp.
#include <algorithm>
#include <cpu/column_decision.hpp>
#include <cpu/equal_elements.hpp>
#include <cpu/panel_reducer.hpp>
#include <cpu/panel_sums.hpp>
#include <cstring>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

/// The widths of panels: wide ones read more of a row at a time, and leave other threads less to do.
constexpr std::size_t narrow_panel = 256;

/// Rows along several axes are copied if fewer than this follow each other at one step.
constexpr std::size_t min_run = 4;

/// Whether plain sums decide most results. Products by numbers of few bits, such as 1, add up to ties, as values
/// do, but the rule that tells exact sums does not see them: one of few terms in eight, of many few.
bool decides_plainly(const engine::plan& each) {
  constexpr std::size_t many_terms = 256;
  return each.info().inputs == 1 || each.n >= many_terms;
}

/// Whether 64-bit integers are read as doubles, which most of them are; panels of others stay open, after which
/// long vectors would be read twice.
bool reads_words(const engine::plan& each) {
  constexpr std::size_t longest = 2048;
  return each.has_parts() && is_integer(each.a.type) && each.info().inputs == 1 && each.n < longest;
}

/// The plan of the same reduction of doubles.
engine::plan plan_of_doubles(const engine::plan& each) {
  if (!reads_words(each)) return each;
  engine::plan made = each;
  made.a.type = made.b.type = element_type::float64;
  made.term = made.info().term;
  return made;
}

}  // namespace

panel_rows::panel_rows(const engine::plan& plan, const engine::operand& x, std::ptrdiff_t step, std::size_t width)
    : x_(x),
      copy_(engine::along(x, step), core::parts_of(x.type) == 2 ? x.type : plan.carrier, current_widening(x.type)),
      target_(plan.carrier),
      step_(step),
      is_repeated_(step == 0),
      in_place_(!x.swapped && x.type == plan.carrier && (x.outer.empty() || x.inner >= min_run) &&
                (is_repeated_ || step == static_cast<std::ptrdiff_t>(size_of(x.type)))),
      converts_words_(target_ == element_type::float64 && core::parts_of(x.type) == 2),
      widen_(x.type == target_ ? nullptr : current_widening(x.type)),
      transposes_(!in_place_ && !is_repeated_ && !x.swapped && x.outer.empty() && is_carrier(target_) &&
                  x.stride == static_cast<std::ptrdiff_t>(size_of(x.type)) &&
                  (x.type == target_ || widen_ != nullptr || converts_words_)),
      row_bytes_((is_repeated_ ? 1 : width) * size_of(plan.carrier)) {
  if (!in_place_) buffer_ = std::make_unique_for_overwrite<std::byte[]>(max_rows * row_bytes_);
  if (transposes_ && x.type != target_) rows_ = std::make_unique_for_overwrite<std::byte[]>(max_rows * row_bytes_);
}

std::size_t panel_rows::rows_at_a_time() const noexcept {
  // the lines of rows that lie far apart often compete for one set of a cache, which has 8 places
  constexpr std::ptrdiff_t far = 256;
  return in_place_ && std::abs(x_.stride) >= far ? 8 : max_rows;
}

void panel_rows::move_to(const void* data, std::size_t width) noexcept {
  x_.data = data;
  width_ = is_repeated_ ? 1 : width;
  are_doubles_ = true;
}

row_block panel_rows::read(std::size_t first, std::size_t count) noexcept {
  if (in_place_) return {engine::address_of(x_, first), x_.stride, is_repeated_};
  if (transposes_) {
    read_transposed(first, count);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      std::byte* const row = buffer_.get() + i * row_bytes_;
      copy_(engine::address_of(x_, first + i), 0, width_, row);
      if (converts_words_) static_cast<void>(converted(reinterpret_cast<const char*>(row), width_, row));
    }
  }
  return {buffer_.get(), static_cast<std::ptrdiff_t>(row_bytes_), is_repeated_};
}

/// to = n consecutive elements as the target type; the elements themselves if they are of it.
const char* panel_rows::converted(const char* from, std::size_t n, std::byte* to) noexcept {
  if (!converts_words_ && widen_ == nullptr) return from;
  if (!converts_words_) {
    widen_(from, n, to);
  } else {
    const auto convert = current_instruction_set().convert_words;
    are_doubles_ &= convert(from, n, is_signed(x_.type), reinterpret_cast<double*>(to));
  }
  return reinterpret_cast<const char*>(to);
}

/// buffer_ = elements first to first + count of each vector, all of them in one piece if they follow each other.
void panel_rows::read_transposed(std::size_t first, std::size_t count) noexcept {
  const char* from = engine::address_of(x_, first);
  std::ptrdiff_t step = step_;
  if (x_.type != target_) {
    const auto stretch = static_cast<std::ptrdiff_t>(count * size_of(x_.type));
    const std::size_t bytes = count * size_of(target_), calls = stretch == step ? 1 : width_;
    for (std::size_t k = 0; k < calls; ++k)
      static_cast<void>(
          converted(from + static_cast<std::ptrdiff_t>(k) * step, width_ / calls * count, rows_.get() + k * bytes));
    from = reinterpret_cast<const char*>(rows_.get()), step = static_cast<std::ptrdiff_t>(bytes);
  }
  const instruction_set& set = current_instruction_set();
  const auto transpose = target_ == element_type::float32 ? set.transpose_floats : set.transpose_doubles;
  transpose(from, step, width_, count, buffer_.get(), static_cast<std::ptrdiff_t>(row_bytes_));
}

bool panel_sums::suits(const engine::batch& of) {
  if (of.results.empty() || of.each.mode != mode::exact || of.each.info().is_extremum) return false;
  const bool can_decide = of.states == nullptr && reads_words(of.each);
  if (!(of.each.bounded_sum_can_decide || can_decide) || of.each.n == 0) return false;
  const engine::shared_axis& panel = of.results.back();
  if (panel.a == 0 && (of.each.info().inputs == 1 || panel.b == 0)) return false;  // the same vector each time
  // integers of a row add up in less time than they are transposed; the result takes longer only of few
  constexpr std::size_t few_words = 16;
  const bool adds_words = can_decide && !of.each.multiplies() && of.each.result.finish() == core::finish::round;
  const bool is_short = of.each.n <= (adds_words ? few_words : short_row) && panel.n >= 8;
  return is_short || panel_reducer::suits(of);
}

std::size_t panel_sums::width_of(const engine::batch& of) {
  const std::size_t n = of.results.back().n, threads = static_cast<std::size_t>(of.threads);
  if (!panel_reducer::suits(of)) return std::min(n, narrow_panel);
  return std::min(n, std::clamp(n / threads, narrow_panel, widest));
}

panel_sums::panel_sums(const engine::batch& of, bool is_plain, std::size_t width)
    : each_(plan_of_doubles(of.each)),
      of_(each_),
      is_plain_(is_plain && decides_plainly(of.each) && of_.term->add_plain_columns != nullptr),
      a_(of.each, of.each.a, of.results.back().a, width),
      b_(of.each, of.each.b, of.results.back().b, width),
      folds_(folds_of(of, width)),
      width_((folds_ * width + plain_sums::padding + 7) / 8 * 8),
      memory_(static_cast<std::size_t>(arrays * of_.states()) * width_ * sizeof(double) / sizeof(cache_line)) {}

/// A row of a few columns fills no register, so several that follow each other are added as one. Columns of two
/// inputs, of which one is often repeated, are left alone. Such rows are never split into smaller panels.
std::size_t panel_sums::folds_of(const engine::batch& of, std::size_t width) const {
  constexpr std::size_t filled = 16;  // columns; more would read memory in another order than its own
  const std::size_t folds = filled / width;
  if (folds < 2 || of.each.info().inputs == 2 || of.each.n / 16 < folds || !a_.are_consecutive(width)) return 1;
  return folds;
}

column_sums panel_sums::sums_at(int index) noexcept {
  return {array(index, 0), array(index, 1), array(index, 2), array(index, 3)};
}

plain_sums panel_sums::plain_sums_at(int index) noexcept {
  auto* const sizes = reinterpret_cast<std::uint32_t*>(array(index, 3));  // each takes half as much as a sum
  return {array(index, 0), array(index, 1), array(index, 2), sizes, sizes + width_};
}

void panel_sums::clear(int index) noexcept {
  for (int i = 0; i < arrays; ++i) std::memset(array(index, i), 0, width_ * sizeof(double));
  if (!is_plain_) {
    std::fill_n(sums_at(index).smallest, width_, HUGE_VAL);
  } else {
    std::fill_n(plain_sums_at(index).smallest, width_, plain_sums::no_smallest);
  }
}

void panel_sums::start(const engine::line& first, std::size_t width) noexcept {
  a_.move_to(first.a, width), b_.move_to(first.b, width);
  panel_width_ = width;
  added_ = 0;
  is_new_ = true;
  if (folds_ != 1) clear_new();
}

/// Clears the sums if no rows have begun them.
void panel_sums::clear_new() noexcept {
  if (is_new_) {
    for (int i = 0; i < of_.states(); ++i) clear(i);
  }
  is_new_ = false;
}

void panel_sums::add_rows(const row_block& a, const row_block& b, std::size_t rows, std::size_t width) noexcept {
  const auto add = [&](int index, const kernels& kernels, const row_block& second) {
    if (is_plain_) return kernels.add_plain_columns(a, second, rows, width, is_new_, plain_sums_at(index));
    kernels.add_columns(a, second, rows, width, is_new_, sums_at(index));
  };
  add(0, *of_.term, b);
  if (of_.squares != nullptr) add(1, *of_.squares, a);
  is_new_ = false;
}

void panel_sums::add(std::size_t first, std::size_t count) noexcept {
  const std::size_t folded = folds_ == 1 ? 0 : count / folds_ * folds_;
  if (folded != 0) add_folded(first, folded);
  add_unfolded(first + folded, count - folded);
  added_ += count;
}

void panel_sums::add_unfolded(std::size_t first, std::size_t count) noexcept {
  const bool two = each_.info().inputs == 2;
  const std::size_t step = two ? std::min(a_.rows_at_a_time(), b_.rows_at_a_time()) : a_.rows_at_a_time();
  for (std::size_t done = 0, rows = 0; done < count; done += rows) {
    rows = a_.run_at(first + done, std::min(step, count - done));
    if (two) rows = b_.run_at(first + done, rows);
    row_block a = a_.read(first + done, rows), b = two ? b_.read(first + done, rows) : a;
    if (a.is_repeated) std::swap(a, b);
    add_rows(a, b, rows, panel_width_);
  }
}

/// A multiple of folds_ rows of one input.
void panel_sums::add_folded(std::size_t first, std::size_t count) noexcept {
  const std::size_t step = folds_ * a_.rows_at_a_time();
  for (std::size_t done = 0; done < count; done += step) {
    row_block a = a_.read(first + done, std::min(step, count - done));
    a.step *= static_cast<std::ptrdiff_t>(folds_);
    add_rows(a, a, std::min(step, count - done) / folds_, panel_width_ * folds_);
  }
}

bounded_sum panel_sums::column(int index, std::size_t i) noexcept {
  return is_plain_ ? plain_column_at(index, i) : compensated_column_at(index, i);
}

bounded_sum panel_sums::plain_column_at(int index, std::size_t i) noexcept {
  const plain_sums sums = plain_sums_at(index);
  double sum = sums.sum[i], error = sums.error[i], magnitude = sums.magnitude[i];
  std::uint32_t largest = sums.largest[i], smallest = sums.smallest[i];
  for (std::size_t k = i + panel_width_; k < panel_width_ * folds_; k += panel_width_) {
    const auto [next, lost] = core::two_sum(sum, sums.sum[k]);
    sum = next, error += sums.error[k] + lost, magnitude += sums.magnitude[k];
    largest = std::max(largest, sums.largest[k]), smallest = std::min(smallest, sums.smallest[k]);
  }
  const double n = static_cast<double>(added_) + 2 * static_cast<double>(folds_);  // as many errors, or fewer
  return are_products(index) ? plain_column(sum, error, magnitude, n)
                             : plain_column_of_values(sum, error, largest, smallest, n);
}

bounded_sum panel_sums::compensated_column_at(int index, std::size_t i) noexcept {
  const kernels& kernels = index == 0 ? *of_.term : *of_.squares;
  const column_sums sums = sums_at(index);
  const auto part = [&](std::size_t k) {
    return group_sums{sums.sum[k], sums.error[k], sums.magnitude[k], sums.smallest[k]};
  };
  if (folds_ == 1) {
    return bounded_column(sums.sum[i], sums.error[i], sums.magnitude[i], sums.smallest[i], added_,
                          kernels.has_two_part_terms);
  }
  group_sums total = part(i);
  for (std::size_t k = i + panel_width_; k < panel_width_ * folds_; k += panel_width_)
    total = merged(total, part(k));
  return bounded_column(total.sum, total.error, total.magnitude, total.smallest, added_ + 2 * folds_,
                        kernels.has_two_part_terms);
}

/// Sum `index` of `count` columns from `first` on. room: for what is not in memory yet.
sum_bounds panel_sums::bounds_of(int index, std::size_t first, std::size_t count, const sum_bounds& room) noexcept {
  const instruction_set& set = current_instruction_set();
  if (folds_ != 1) {
    for (std::size_t i = 0; i < count; ++i) room.set(i, column(index, first + i));
    return room;
  }
  if (is_plain_) {
    const auto bound = are_products(index) ? set.bound_plain_products : set.bound_plain_values;
    bound(plain_sums_at(index), first, count, static_cast<double>(added_), room.bound);
  } else {
    const kernels& kernels = index == 0 ? *of_.term : *of_.squares;
    set.bound_columns(sums_at(index), first, count, added_, kernels.has_two_part_terms, room.bound);
  }
  return {array(index, 0) + first, array(index, 1) + first, room.bound};
}

/// The same of all parts.
sum_bounds panel_sums::joined_bounds(std::span<panel_sums> parts, int index, std::size_t first, std::size_t count,
                                     const sum_bounds& room) noexcept {
  if (parts.size() == 1) return parts[0].bounds_of(index, first, count, room);
  for (std::size_t i = 0; i < count; ++i) {
    bounded_sum sum;
    for (panel_sums& part : parts) cpu_engine::add(sum, part.column(index, first + i));
    room.set(i, sum);
  }
  return room;
}

/// The result of a vector that the lanes of registers left open, if it is certain.
core::decision panel_sums::decide(std::span<panel_sums> parts, std::size_t i) noexcept {
  panel_sums& first = parts.front();
  const bool has_squares = first.of_.squares != nullptr;
  bounded_moments total{first.column(0, i), has_squares ? first.column(1, i) : bounded_sum{}};
  for (panel_sums& part : parts.subspan(1)) {
    cpu_engine::add(total.sum, part.column(0, i));
    if (has_squares) cpu_engine::add(total.squares, part.column(1, i));
  }
  return has_squares ? decide_moments(first.each_, first.each_.n, total)
                     : decide_column(first.each_.result, first.each_.n, total.sum);
}

bool panel_sums::finish(std::span<panel_sums> parts, char* to, bool* is_open) noexcept {
  constexpr std::size_t at_once = 64;  // whose bounds stay in the nearest cache
  alignas(64) double memory[9][at_once + sum_bounds::padding];
  const auto room = [&](int i) { return sum_bounds{memory[3 * i], memory[3 * i + 1], memory[3 * i + 2]}; };
  const engine::plan& each = parts[0].each_;
  const instruction_set& set = current_instruction_set();
  const asked_results asked(each.result, each.n, each.ddof);
  const std::size_t width = parts[0].panel_width_, size = size_of(each.result_type);
  if (!std::ranges::all_of(parts, [](const panel_sums& part) { return part.are_doubles(); })) {
    std::fill_n(is_open, width, true);
    return true;
  }
  for (panel_sums& part : parts) part.clear_new();
  bool any_open = false;
  for (std::size_t first = 0, count = 0; first < width; first += count) {
    count = std::min(at_once, width - first);
    sum_bounds sums = joined_bounds(parts, 0, first, count, room(0));
    if (parts[0].of_.squares != nullptr) {
      const sum_bounds squares = joined_bounds(parts, 1, first, count, room(1));
      set.bound_numerators(static_cast<double>(each.n), sums, squares, count, room(2));
      sums = room(2);
    }
    any_open |= set.decide_sums(asked, sums, count, to + first * size, is_open + first);
  }
  if (!any_open) return false;
  if (each.is_zero_if_equal()) parts[0].take_equal(to, is_open);
  any_open = false;
  for (std::size_t i = 0; i < width; ++i) {
    if (!is_open[i]) continue;
    const core::decision found = decide(parts, i);
    is_open[i] = !found.certain;
    any_open |= !found.certain;
    if (found.certain) std::memcpy(to + i * size, &found.word, size);  // the low bytes come first
  }
  return any_open;
}

/// Stores the results of open columns whose elements are all equal, which are 0; these are no longer open.
void panel_sums::take_equal(char* to, bool* is_open) noexcept {
  static_assert(equal_columns::widest >= widest);
  const std::size_t size = size_of(each_.result_type);
  equal_columns columns(each_.carrier, panel_width_);
  for (std::size_t done = 0, rows = 0; done < each_.n; done += rows) {
    rows = a_.run_at(done, std::min(panel_rows::max_rows, each_.n - done));
    if (!columns.add(a_.read(done, rows), rows, is_open)) return;
  }
  for (std::size_t i = 0; i < panel_width_; ++i) {
    if (is_open[i] && columns.are_equal(i)) is_open[i] = false, std::memset(to + i * size, 0, size);
  }
}

}  // namespace exactdot::inline v0_3::cpu_engine
