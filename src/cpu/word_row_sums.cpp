// Implementation of word_row_sums.hpp.
#include <cpu/addend.hpp>
#include <cpu/integer_sums.hpp>
#include <cpu/word_row_sums.hpp>

namespace exactdot::inline v0_3::cpu_engine {

word_row_sums::word_row_sums(const batch& of, std::size_t first, std::size_t count, std::size_t entries,
                             result_sink& sink, unsigned char*)
    : of_(of),
      column_(of.each),
      sink_(sink),
      first_(first),
      count_(count),
      width_(padded_width(count)),
      step_(2 * width_),
      groups_(of.groups()),
      memory_(std::make_unique<std::uint64_t[]>(entries * step_)) {
  const bool has_sign = is_signed(column_.a.type), absolute = has_sign && column_.term_info().absolute;
  const instruction_set& set = current_instruction_set();
  add_rows_ = absolute ? set.add_word_magnitudes : set.add_word_rows;
  sum_words_ = absolute ? set.sum_word_magnitudes : set.sum_words;
  flip_ = has_sign && !absolute ? std::uint64_t{1} << 63 : 0;
  engine::plan empty = column_;
  empty.n = 0;
  of_nothing_ = engine::result_of_nothing(empty);
  for (std::size_t i = first; i < first + count; ++i) places_.push_back(of.column_at(i).out);
}

void word_row_sums::add_column(std::size_t column, const char* x, std::size_t n, std::size_t entry) noexcept {
  const word_sum of_column = sum_words_(x, n, flip_);
  const word_sums to = sums_at(entry);
  to.low[column] += of_column.low, to.high[column] += of_column.high;
}

void word_row_sums::merge(word_row_sums& other, std::size_t entry) noexcept {
  const word_sums to = sums_at(entry), from = other.sums_at(entry);
  for (std::size_t k = 0; k < 2 * width_; ++k) to.low[k] += from.low[k];  // and high, which follows
}

word_row_sums::sum word_row_sums::sum_at(const word_sums& from, std::size_t column, std::size_t n) const noexcept {
  const std::uint64_t added = flip_ != 0 ? std::uint64_t{n} << 31 : 0;  // 2^63 of each word
  return {from.high[column] + (from.low[column] >> 32) - added, from.low[column] & 0xffffffff};
}

core::outcome word_row_sums::result_of(const sum& x, std::size_t n) const noexcept {
  if (n == 0) return {of_nothing_};
  const bool negative = flip_ != 0 && x.high >> 63 != 0;
  const core::uint128 high = core::uint128{negative ? std::uint64_t{0} - x.high : x.high} << 32;
  return finished_sum(column_.result, negative, negative ? high - x.low : high + x.low, n);
}

/// The sum with what is there.
core::outcome word_row_sums::added(const sum& x, std::size_t n, const char* to) const noexcept {
  const addend old(of_, to);
  if (n == 0) return {old.word()};
  const core::uint128 value = (core::uint128{x.high} << 32) + x.low;
  const bool negative = flip_ != 0 && x.high >> 63 != 0;
  const core::uint128 sign = negative ? ~core::uint128{0} << 96 : 0;  // above the 96 bits of the sum
  return with_addend({value | sign, negative ? ~std::uint64_t{0} : 0}, old);
}

bool word_row_sums::decide(std::size_t entry, std::size_t, std::size_t n, std::size_t group) const noexcept {
  const word_sums from = sums_at(entry);
  const std::ptrdiff_t offset = of_.offset_of(group);
  const bool is_word = column_.result.is_integer(), is_plain = sink_.stores_plainly();
  constexpr std::int64_t limit = std::int64_t{1} << 31;
  const std::int64_t least = !is_word ? limit : flip_ != 0 && column_.result.precision() == 63 ? -limit : 0;
  for (std::size_t k = 0; k < count_; ++k) {
    const sum x = sum_at(from, k, n);
    if (of_.adds_to_results) {
      char* const to = places_[k] + offset;
      sink_.take((first_ + k) * groups_ + group, to, added(x, n, to));
      continue;
    }
    const auto high = static_cast<std::int64_t>(x.high);
    const bool is_held = high >= least && high < limit;
    const std::uint64_t word = x.high << 32 | x.low;
    if (is_held && is_plain) [[likely]] {
      std::memcpy(places_[k] + offset, &word, sizeof word);
    } else {
      sink_.take((first_ + k) * groups_ + group, places_[k] + offset,
                 is_held ? core::outcome{word} : result_of(x, n));
    }
  }
  return true;
}

}  // namespace exactdot::inline v0_3::cpu_engine
