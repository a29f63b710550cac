// Implementation of panel_extrema.hpp.
#include <cpu/panel_extrema.hpp>
#include <cpu/panel_reducer.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

std::uint64_t word_at(const std::byte* words, std::size_t size, std::size_t i) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, words + i * size, size);  // the low bytes come first
  return word;
}

}  // namespace

bool panel_extrema::suits(const engine::batch& of) {
  if (of.results.empty() || !of.each.info().is_extremum || of.each.n < 2) return false;
  const std::size_t lanes = 64 / size_of(of.each.a.type);  // narrower rows leave most of a register empty
  return of.results.back().n >= lanes / 2 && panel_reducer::suits(of);
}

panel_extrema::panel_extrema(const engine::batch& of)
    : each_(of.each),
      rows_(of.each, of.each.a, of.results.back().a, panel_sums::width_of(of)),
      kernel_(
          current_instruction_set().column_extrema[extremum_index(of.each.carrier, selects_greatest(of.each.what))]),
      size_(size_of(of.each.carrier)),
      keys_(panel_sums::width_of(of) * size_ + column_extremes::padding),
      places_(gives_index(of.each.what) ? keys_.size() : 0),
      best_(panel_sums::width_of(of)) {}

void panel_extrema::start(const engine::line& first, std::size_t width) noexcept {
  rows_.move_to(first.a, width);
  width_ = width;
  std::ranges::fill(best_, no_extreme);
  std::ranges::fill(keys_, std::byte{0xff});
}

void panel_extrema::add(std::size_t first, std::size_t count) noexcept {
  const std::size_t step = rows_.rows_at_a_time(), end = first + count;
  const bool has_index = !places_.empty();
  std::size_t kept = first;  // rows before it are in best_
  for (std::size_t rows = 0; first < end; first += rows) {
    if (has_index && first - kept + step > column_extremes::max_rows) keep(kept), kept = first;
    rows = rows_.run_at(first, std::min(step, end - first));
    kernel_(rows_.read(first, rows), rows, first - kept, width_,
            {keys_.data(), has_index ? places_.data() : nullptr});
  }
  if (has_index) keep(kept);
}

/// best_ has the rows too that count from `first`. A key of all ones may be that of an element.
void panel_extrema::keep(std::size_t first) noexcept {
  for (std::size_t i = 0; i < width_; ++i) {
    const extreme found{word_at(keys_.data(), size_, i), first + word_at(places_.data(), size_, i)};
    if (is_better(found, best_[i])) best_[i] = found;
  }
  std::ranges::fill(keys_, std::byte{0xff});
  std::ranges::fill(places_, std::byte{0});
}

void panel_extrema::join(extreme* best) const noexcept {
  for (std::size_t i = 0; i < width_; ++i) {
    const extreme found = places_.empty() ? extreme{word_at(keys_.data(), size_, i), 0} : best_[i];
    if (is_better(found, best[i])) best[i] = found;
  }
}

}  // namespace exactdot::inline v0_3::cpu_engine
