// Implementation of panel_reducer.hpp.
#include <algorithm>
#include <cpu/equal_elements.hpp>
#include <cpu/panel_reducer.hpp>
#include <cstdint>
#include <cstring>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

/// Elements of a column that are read at a time: whole tiles of order v1. Two buffers of 32 columns fit a cache of
/// 1 MiB.
std::size_t chunk_elements(const engine::plan& plan) {
  return with_carrier(core::carrier_of(plan.carrier), []<class T>(T) { return order_v1<T>::tile; });
}

constexpr std::size_t rows_at_a_time = 16;

/// to[i + k·pitch] = from[k + i·columns], for i < rows and k < columns.
template <class Word>
void transpose(const std::byte* from, std::size_t rows, std::size_t columns, std::byte* to, std::size_t pitch) {
  for (std::size_t k = 0; k < columns; ++k) {
    for (std::size_t i = 0; i < rows; ++i) {
      std::memcpy(to + k * pitch + i * sizeof(Word), from + (i * columns + k) * sizeof(Word), sizeof(Word));
    }
  }
}

void transpose(std::size_t size, const std::byte* from, std::size_t rows, std::size_t columns, std::byte* to,
               std::size_t pitch) {
  switch (size) {
    case 1:
      return transpose<std::uint8_t>(from, rows, columns, to, pitch);
    case 2:
      return transpose<std::uint16_t>(from, rows, columns, to, pitch);
    case 4:
      return transpose<std::uint32_t>(from, rows, columns, to, pitch);
    default:
      return transpose<std::uint64_t>(from, rows, columns, to, pitch);
  }
}

}  // namespace

panel_reader::panel_reader(const engine::plan& plan, const engine::operand& x, std::ptrdiff_t step,
                           std::size_t columns)
    : x_(x),
      step_(step),
      copy_(engine::along(x, step), plan.carrier, current_widening(x.type)),
      target_(plan.carrier),
      is_repeated_(step == 0),
      // 64 bytes more than the chunk, so that the columns do not compete for the same sets of a cache
      pitch_(std::min(plan.n, chunk_elements(plan)) * size_of(plan.carrier) / 64 * 64 + 128),
      vector_(x, plan.carrier, is_repeated_ ? std::min(plan.n, chunk_elements(plan)) : 0) {
  if (is_repeated_) return;
  buffer_ = std::make_unique_for_overwrite<std::byte[]>(columns * pitch_);
  rows_ = std::make_unique_for_overwrite<std::byte[]>(rows_at_a_time * columns * size_of(target_));
}

void panel_reader::move_to(const void* data, std::size_t columns) noexcept {
  x_.data = data;
  columns_ = columns;
  vector_.move_to(x_.data);
}

void panel_reader::read(std::size_t first, std::size_t n, int part) noexcept {
  if (is_repeated_) {
    vector_chunk_ = vector_.read(first, n, part);
    return;
  }
  const std::size_t size = size_of(target_);
  for (std::size_t done = 0; done < n; done += rows_at_a_time) {
    const std::size_t rows = std::min(rows_at_a_time, n - done);
    for (std::size_t i = 0; i < rows; ++i) {
      copy_(engine::address_of(x_, first + done + i), part, columns_, rows_.get() + i * columns_ * size);
    }
    transpose(size, rows_.get(), rows, columns_, buffer_.get() + done * size, pitch_);
  }
}

/// Columns whose elements differ are no longer `equal`. In place: a pass takes as long as reading.
void panel_reader::keep_equal(std::size_t n, bool* equal) noexcept {
  switch (size_of(x_.type)) {
    case 1:
      return keep_equal_words<std::uint8_t>(n, equal);
    case 2:
      return keep_equal_words<std::uint16_t>(n, equal);
    case 4:
      return keep_equal_words<std::uint32_t>(n, equal);
    default:
      return keep_equal_words<std::uint64_t>(n, equal);
  }
}

template <class Word>
void panel_reader::keep_equal_words(std::size_t n, bool* equal) noexcept {
  constexpr std::size_t rows_between_looks = 64;
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(Word));
  Word first[panel_reducer::widest], differ[panel_reducer::widest]{};
  const auto for_words = [&](std::size_t row, auto use) {
    const auto* const data = static_cast<const char*>(engine::address_of(x_, row));
    const auto each = [&](std::ptrdiff_t step) {
      for (std::size_t k = 0; k < columns_; ++k) {
        Word word;
        std::memcpy(&word, data + static_cast<std::ptrdiff_t>(k) * step, sizeof word);
        use(k, word);
      }
    };
    if (step_ == size) return each(size);  // a constant, for vectors
    each(step_);
  };
  for_words(0, [&](std::size_t k, Word word) { first[k] = word; });
  for (std::size_t row = 1; row < n; ++row) {
    for_words(row, [&](std::size_t k, Word word) { differ[k] |= word ^ first[k]; });
    if (row % rows_between_looks != 0 && row + 1 != n) continue;
    bool any = false;
    for (std::size_t k = 0; k < columns_; ++k) {
      equal[k] = equal[k] && differ[k] == 0;
      any |= equal[k];
    }
    if (!any) return;
  }
}

bool panel_reducer::suits(const engine::batch& of) {
  if (of.results.empty() || of.each.n < 2 || of.each.contiguous) return false;
  const engine::shared_axis& panel = of.results.back();
  const auto is_column = [](std::ptrdiff_t step, const engine::operand& x) {
    return step != 0 && std::abs(step) < std::abs(x.stride);
  };
  return is_column(panel.a, of.each.a) || is_column(panel.b, of.each.b);
}

std::size_t panel_reducer::width_of(const engine::batch& of) {
  constexpr std::size_t bytes_of_row = 128;
  return std::min(of.results.back().n, std::clamp<std::size_t>(bytes_of_row / size_of(of.each.a.type), 8, widest));
}

panel_reducer::panel_reducer(const engine::batch& of)
    : each_(of.each),
      monitor_(of.monitor),
      kernels_(of.each),
      reads_b_(of.each.info().inputs == 2 || of.each.has_parts()),
      a_(of.each, of.each.a, of.results.back().a, width_of(of)),
      b_(of.each, of.each.b, of.results.back().b, reads_b_ ? width_of(of) : 0),
      partials_(width_of(of)) {
  if (kernels_.of_sums) words_.resize(width_of(of) * kernels_.of_sums->words());
}

/// Reads the panel chunk by chunk, of elements with two parts the parts i and k, and calls step(first, n) after
/// each.
template <class Step>
void panel_reducer::for_chunks(Step step, int i, int k) noexcept {
  const std::size_t chunk = chunk_elements(each_);
  for (std::size_t first = 0; first < each_.n; first += chunk) {
    if (monitor_ != nullptr && monitor_->cancel.load(std::memory_order_relaxed)) return;
    const std::size_t n = std::min(chunk, each_.n - first);
    a_.read(first, n, i);
    if (reads_b_) b_.read(first, n, k);
    step(first, n);
  }
}

void panel_reducer::reduce(const engine::line& first, std::size_t columns, const bool* wanted,
                           core::outcome* outcomes) noexcept {
  a_.move_to(first.a, columns), b_.move_to(first.b, columns);
  if (each_.mode == mode::exact && !each_.info().is_extremum) {
    bool open[widest];
    std::copy_n(wanted, columns, open);
    if (take_equal(columns, open, outcomes)) finish_exactly(columns, open, outcomes);
    return;
  }
  for (std::size_t i = 0; i < columns; ++i) partials_[i].clear(each_);
  for_chunks([&](std::size_t start, std::size_t n) {
    for (std::size_t i = 0; i < columns; ++i) {
      if (wanted[i]) partials_[i].add_chunk(each_, kernels_, a_.column(i), column_of_b(i), start, n);
    }
  });
  for (std::size_t i = 0; i < columns; ++i) {
    if (wanted[i]) outcomes[i] = {partials_[i].finish(each_).word};
  }
}

std::int64_t* panel_reducer::sums_of(const engine::line& first, std::size_t columns) noexcept {
  a_.move_to(first.a, columns), b_.move_to(first.b, columns);
  bool wanted[widest];
  std::fill_n(wanted, columns, true);
  compute_sums(columns, wanted);
  return words_.data();
}

/// words_ = the exact states of the wanted columns.
void panel_reducer::compute_sums(std::size_t columns, const bool* wanted) noexcept {
  const sums& of = *kernels_.of_sums;
  std::ranges::fill(words_, 0);
  add_states(*of.term, each_.multiplies(), columns, wanted, words_.data());
  if (of.squares != nullptr) add_states(*of.squares, true, columns, wanted, words_.data() + of.layout.words());
}

/// The results of columns of variances whose elements are all equal; these are no longer wanted. Whether others
/// are.
bool panel_reducer::take_equal(std::size_t columns, bool* wanted, core::outcome* outcomes) noexcept {
  if (!each_.is_zero_if_equal()) return true;
  bool equal[widest];
  a_.read(0, 1, 0);
  for (std::size_t i = 0; i < columns; ++i)
    equal[i] = wanted[i] && equal_elements(each_.carrier, a_.column(i)).is_finite();
  a_.keep_equal(each_.n, equal);
  for (std::size_t i = 0; i < columns; ++i) {
    if (equal[i]) outcomes[i] = {0}, wanted[i] = false;
  }
  return std::find(wanted, wanted + columns, true) != wanted + columns;
}

/// The results of the wanted columns from exact states.
void panel_reducer::finish_exactly(std::size_t columns, const bool* wanted, core::outcome* outcomes) noexcept {
  const sums& of = *kernels_.of_sums;
  compute_sums(columns, wanted);
  for (std::size_t i = 0; i < columns; ++i) {
    if (wanted[i]) outcomes[i] = engine::outcome_of(each_, &words_[i * of.words()]);
  }
}

/// Adds the exact sums of the wanted columns to their states, of which the first begins at `words`.
void panel_reducer::add_states(const kernels& kernels, bool multiplied, std::size_t columns, const bool* wanted,
                               std::int64_t* words) noexcept {
  const std::size_t words_of_column = kernels_.of_sums->words();
  for (int i = 0; i < each_.parts_of_a(); ++i) {
    for (int k = 0; k < each_.parts_of_b(multiplied); ++k) {
      for_chunks(
          [&](std::size_t, std::size_t n) {
            for (std::size_t c = 0; c < columns; ++c) {
              if (!wanted[c]) continue;
              kernels.accumulate(a_.column(c), column_of_b(c), n, words + c * words_of_column);
            }
          },
          i, k);
    }
  }
}

}  // namespace exactdot::inline v0_3::cpu_engine
