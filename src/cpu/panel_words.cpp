// Implementation of panel_words.hpp.
#include <cpu/integer_sums.hpp>
#include <cpu/panel_reducer.hpp>
#include <cpu/panel_words.hpp>
#include <cstring>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

engine::plan plan_of_words(const engine::batch& of) {
  engine::plan each = of.each;
  each.carrier = each.a.type;
  return each;
}

}  // namespace

std::size_t panel_words::width_of(const engine::batch& of) {
  constexpr std::size_t narrow = 64, widest = 1024;
  const std::size_t n = of.results.back().n, threads = static_cast<std::size_t>(of.threads);
  return std::min(n, std::clamp(n / threads, narrow, widest));
}

bool panel_words::suits(const engine::batch& of) {
  const engine::plan& each = of.each;
  const bool are_sums = each.has_parts() && !each.multiplies() && !each.info().needs_squares();
  return are_sums && of.states == nullptr && !of.results.empty() && each.n < std::size_t{1} << 32 &&
         panel_reducer::suits(of);
}

panel_words::panel_words(const engine::batch& of)
    : each_(plan_of_words(of)),
      rows_(each_, each_.a, of.results.back().a, width_of(of)),
      pitch_((width_of(of) + word_sums::padding - 1) / word_sums::padding * word_sums::padding),
      words_(2 * pitch_) {
  const bool has_sign = is_signed(each_.a.type), absolute = has_sign && each_.term_info().absolute;
  const instruction_set& set = current_instruction_set();
  kernel_ = absolute ? set.add_word_magnitudes : set.add_word_rows;
  flip_ = has_sign && !absolute ? std::uint64_t{1} << 63 : 0;
}

void panel_words::start(const engine::line& first, std::size_t width) noexcept {
  rows_.move_to(first.a, width);
  width_ = width;
  std::ranges::fill(words_, std::uint64_t{0});
}

void panel_words::add(std::size_t first, std::size_t count) noexcept {
  for (std::size_t done = 0, n = 0; done < count; done += n) {
    n = std::min(rows_.run_at(first + done, count - done), rows_.rows_at_a_time());
    kernel_(rows_.read(first + done, n), n, width_, flip_, nullptr, sums(), 0);
  }
}

void panel_words::add(const panel_words& other) noexcept {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] += other.words_[i];
}

bool panel_words::finish(char* to, bool* is_open) noexcept {
  if (each_.n >= max_bounded_words) {
    std::fill_n(is_open, width_, true);
    return true;
  }
  if (each_.result.is_integer() && each_.result.finish() == core::finish::round)
    return finish_integers(to, is_open);
  constexpr std::size_t at_once = 64;  // whose bounds stay in the nearest cache
  alignas(64) double memory[3][at_once + sum_bounds::padding];
  const sum_bounds found{memory[0], memory[1], memory[2]};
  const instruction_set& set = current_instruction_set();
  const asked_results asked(each_.result, each_.n);
  bool any_open = false;
  for (std::size_t first = 0, count = 0; first < width_; first += count) {
    count = std::min(at_once, width_ - first);
    set.bound_words(sums(), first, count, flip_ != 0 ? each_.n : 0, found);
    any_open |= set.decide_sums(asked, found, count, to + first * size_of(each_.result_type), is_open + first);
  }
  return any_open;
}

/// The same for integers: a sum is high · 2^32 + low, both halves below 2^51 in magnitude, and fits by its upper
/// half.
bool panel_words::finish_integers(char* to, bool* is_open) noexcept {
  const std::uint64_t flips = (flip_ != 0 ? std::uint64_t{each_.n} : 0) << 31;
  const bool has_sign = each_.result.precision() != 64;
  const std::uint64_t lowest = has_sign ? std::uint64_t{1} << 31 : 0;
  bool any_open = false;
  for (std::size_t i = 0; i < width_; ++i) {
    const std::uint64_t low = words_[i], high = words_[pitch_ + i] - flips, word = (high << 32) + low;
    is_open[i] = (high + (low >> 32) + lowest) >> 32 != 0;  // of two's complement
    any_open |= is_open[i];
    std::memcpy(to + i * sizeof word, &word, sizeof word);
  }
  return any_open;
}

core::outcome panel_words::result(std::size_t i) const noexcept {
  const core::uint128 flipped = (core::uint128{words_[pitch_ + i]} << 32) + words_[i];
  const core::uint128 sum = flipped - (flip_ != 0 ? core::uint128{each_.n} << 63 : 0);
  const bool negative = flip_ != 0 && sum >> 127 != 0;
  return finished_sum(each_.result, negative, negative ? core::uint128{0} - sum : sum, each_.n);
}

}  // namespace exactdot::inline v0_3::cpu_engine
