// Implementation of panel_extrema.hpp.
#include <cpu/panel_extrema.hpp>
#include <cpu/panel_reducer.hpp>
#include <cstring>
#include <numeric>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

std::size_t lanes_of(const engine::batch& of) { return 64 / size_of(of.each.carrier); }

/// Calls with(Word()) for the unsigned word of `size` bytes.
template <class With>
void with_word(std::size_t size, With with) noexcept {
  if (size == 1) return with(std::uint8_t{});
  if (size == 2) return with(std::uint16_t{});
  if (size == 4) return with(std::uint32_t{});
  with(std::uint64_t{});
}

template <class Word>
Word word_at(const std::vector<std::byte>& words, std::size_t i) noexcept {
  Word word;
  std::memcpy(&word, words.data() + i * sizeof(Word), sizeof word);
  return word;
}

/// Stores the elements of n keys. Some at a time in an array of their own, which lets the compiler take many at
/// once.
template <class T, bool greatest, class Word>
void store_elements(const std::byte* keys, std::size_t n, char* to) noexcept {
  constexpr std::size_t some = 256 / sizeof(Word);
  Word words[some];
  const auto convert = [&](std::size_t first, std::size_t count) {
    std::memcpy(words, keys + first * sizeof(Word), count * sizeof(Word));
    for (Word& each : words) each = static_cast<Word>(core::element_of_key<T, greatest>(each));
    std::memcpy(to + first * sizeof(Word), words, count * sizeof(Word));
  };
  std::size_t i = 0;
  for (; i + some <= n; i += some) convert(i, some);
  if (i < n) {
    std::ranges::fill(words, Word{0});
    convert(i, n - i);
  }
}

}  // namespace

/// Narrow rows that follow each other without a gap are read as one: so many that they fill registers.
std::size_t panel_extrema::folds_of(const engine::batch& of, const panel_rows& rows) {
  const std::size_t width = of.results.back().n, lanes = lanes_of(of);
  if (2 * width > lanes || !rows.are_consecutive(width)) return 1;
  const std::size_t folds = lanes / std::gcd(lanes, width);
  return of.each.n / 16 < folds ? 1 : folds;
}

std::size_t panel_extrema::width_of(const engine::batch& of) {
  constexpr std::size_t narrow = 256, widest_bytes = 8192;
  const std::size_t n = of.results.back().n, threads = static_cast<std::size_t>(of.threads);
  return std::min(n, std::clamp(n / threads, narrow, widest_bytes / size_of(of.each.carrier)));
}

bool panel_extrema::suits(const engine::batch& of) {
  if (of.results.empty() || !of.each.info().is_extremum || !panel_reducer::suits(of)) return false;
  if (2 * of.results.back().n >= lanes_of(of)) return true;
  return folds_of(of, {of.each, of.each.a, of.results.back().a, 0}) > 1;  // others leave most of a register empty
}

panel_extrema::panel_extrema(const engine::batch& of)
    : each_(of.each),
      rows_(of.each, of.each.a, of.results.back().a, width_of(of)),
      kernel_(current_instruction_set()
                  .column_extrema[extremum_index(of.each.carrier, selects_greatest(of.each.what))]),
      size_(size_of(of.each.carrier)),
      folds_(folds_of(of, rows_)),
      keys_(folds_ * width_of(of) * size_ + column_extremes::padding),
      places_(gives_index(of.each.what) ? keys_.size() : 0),
      best_(width_of(of)) {}

void panel_extrema::start(const engine::line& first, std::size_t width) noexcept {
  rows_.move_to(first.a, width);
  width_ = width;
  has_best_ = false;
  std::ranges::fill(keys_, std::byte{0xff});
}

void panel_extrema::add(std::size_t first, std::size_t count) noexcept {
  const std::size_t folded = count / folds_ * folds_;
  const bool has_index = !places_.empty();  // add_rows keeps what it finds
  add_rows(first, folded, folds_);
  if (folded == count) return;
  if (!has_index && folds_ != 1) keep(first, folds_);  // a narrow row writes whole registers
  add_rows(first + folded, count - folded, 1);
  if (!has_index && folds_ != 1) keep(first, 1);
}

/// A multiple of `folds` rows, so many read as one.
void panel_extrema::add_rows(std::size_t first, std::size_t count, std::size_t folds) noexcept {
  constexpr std::size_t bytes_at_a_time = 16384;
  const std::size_t row_bytes = folds * width_ * size_;
  const std::size_t step = folds == 1 ? rows_.rows_at_a_time()
                                      : folds * std::min(bytes_at_a_time / row_bytes, column_extremes::max_rows);
  const std::size_t end = first + count, most = folds * column_extremes::max_rows;
  const bool has_index = !places_.empty();
  std::size_t kept = first;  // rows before it are in best_
  for (std::size_t rows = 0; first < end; first += rows) {
    if (has_index && first - kept + step > most) keep(kept, folds), kept = first;
    rows = rows_.run_at(first, std::min(step, end - first));
    row_block block = rows_.read(first, rows);
    block.step *= static_cast<std::ptrdiff_t>(folds);
    kernel_(block, rows / folds, (first - kept) / folds, width_ * folds,
            {keys_.data(), has_index ? places_.data() : nullptr});
  }
  if (has_index && count != 0) keep(kept, folds);
}

/// best_ has the rows too that count from `first`. A key of all ones may be that of an element.
void panel_extrema::keep(std::size_t first, std::size_t folds) noexcept {
  if (!has_best_) std::fill_n(best_.begin(), width_, no_extreme);
  has_best_ = true;
  with_word(size_, [&]<class Word>(Word) {
    for (std::size_t k = 0; k < folds; ++k) {
      for (std::size_t i = 0; i < width_; ++i) {
        const std::size_t lane = k * width_ + i;
        const std::uint64_t index = places_.empty() ? 0 : first + word_at<Word>(places_, lane) * folds + k;
        const extreme found{word_at<Word>(keys_, lane), index};
        if (is_better(found, best_[i])) best_[i] = found;
      }
    }
  });
  std::ranges::fill(keys_, std::byte{0xff});
  std::ranges::fill(places_, std::byte{0});
}

std::span<extreme> panel_extrema::found() noexcept {
  if (places_.empty()) keep(0, folds_);
  if (!has_best_) std::fill_n(best_.begin(), width_, no_extreme);  // this thread had no rows of the panel
  has_best_ = true;
  return {best_.data(), width_};
}

bool panel_extrema::store(char* to, std::ptrdiff_t step) const noexcept {
  const bool are_elements = places_.empty() && each_.carrier == each_.result_type;
  if (!are_elements || folds_ != 1 || step != static_cast<std::ptrdiff_t>(size_)) return false;
  with_element(each_.carrier, [&]<class T>(T) {
    with_word(sizeof(T), [&]<class Word>(Word) {
      if (selects_greatest(each_.what)) {
        store_elements<T, true, Word>(keys_.data(), width_, to);
      } else {
        store_elements<T, false, Word>(keys_.data(), width_, to);
      }
    });
  });
  return true;
}

}  // namespace exactdot::inline v0_3::cpu_engine
