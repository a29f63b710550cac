// Exact sums of 64-bit integers, in integers: of vectors, lines, and (group_integers.hpp) groups.
//
// The engine's other sums take such integers as two halves, each a double, into a state for the whole range of
// double: some microseconds a line, and 13 ns an element. Here a sum is an integer of two's complement of 192 bits:
// 2^63 values below 2^64 in magnitude add up to less than 2^127, products of two to less than 2^191. Cost: values
// that follow each other 0.3 ns (word_rows-inl.h), products 1 to 2 ns, other strides 1 ns more. No floating-point
// operation, so any environment will do.
#pragma once

#include <algorithm>
#include <bit>
#include <cpu/addend.hpp>
#include <cpu/kernels.hpp>
#include <cstring>
#include <exactdot/core/finish.hpp>
#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cpu_engine {

__extension__ using int128 = __int128;

/// An integer of two's complement of 192 bits.
struct wide_integer {
  core::uint128 low = 0;
  std::uint64_t high = 0;

  void add(const wide_integer& x) noexcept {
    low += x.low;
    high += x.high + (low < x.low ? 1U : 0U);
  }
  /// Adds 128 bits of two's complement, with or without a sign.
  template <bool has_sign>
  void add(core::uint128 x) noexcept {
    low += x;
    high += low < x ? 1U : 0U;                                             // a carry
    if constexpr (has_sign) high -= static_cast<std::uint64_t>(x >> 127);  // the upper bits of a negative one
  }
};

/// The layout of the sums of such lines.
inline constexpr core::state_layout integer_line_layout = core::layout_of(element_type::int64);

/// words = the normalised state of an integer.
inline void store_integer(wide_integer x, std::int64_t* words) noexcept {
  constexpr core::state_layout layout = integer_line_layout;
  const bool negative = x.high >> 63 != 0;
  if (negative) x.low = core::uint128{0} - x.low, x.high = std::uint64_t{0} - x.high - (x.low != 0 ? 1U : 0U);
  std::fill_n(words, layout.words(), 0);
  core::add<64>(layout.number(words), static_cast<std::uint64_t>(x.low), 0, negative);
  core::add<64>(layout.number(words), static_cast<std::uint64_t>(x.low >> 64), 64, negative);
  core::add<64>(layout.number(words), x.high, 128, negative);
  core::normalise(layout, words);
}

/// The 128 bits of two's complement of an integer.
template <bool has_sign>
core::uint128 extended(std::uint64_t word) noexcept {
  if constexpr (has_sign) return static_cast<core::uint128>(static_cast<int128>(static_cast<std::int64_t>(word)));
  return word;
}

/// x = |x|
inline void take_magnitudes(std::uint64_t* x, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) x[i] = x[i] >> 63 != 0 ? std::uint64_t{0} - x[i] : x[i];
}

/// n integers that are `stride` bytes apart, at any address, as words of two's complement.
inline void load_words(const void* from, std::ptrdiff_t stride, element_type type, bool swapped, std::size_t n,
                       std::uint64_t* to) noexcept {
  with_element(type, [&]<class T>(T value) {
    if constexpr (integer_element<T>) {
      constexpr int unused = 64 - 8 * static_cast<int>(sizeof value);
      for (std::size_t i = 0; i < n; ++i) {
        const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(i) * stride;
        std::memcpy(&value, static_cast<const char*>(from) + offset, sizeof value);
        if (swapped) {
          const std::uint64_t bits = __builtin_bswap64(static_cast<std::uint64_t>(value)) >> unused;
          value = static_cast<T>(bits);
        }
        to[i] = static_cast<std::uint64_t>(value);
      }
    }
  });
}

/// Whether the plan's lines are summed this way: elements are integers, one stride apart.
inline bool suits_integers(const engine::plan& plan) {
  return plan.has_parts() && is_integer(plan.a.type) && is_integer(plan.b.type) && plan.a.outer.empty() &&
         plan.b.outer.empty();
}

/// The sums of a plan's terms.
class integer_sums {
 public:
  /// Adds n elements from element `first` on.
  void add(const engine::plan& plan, std::size_t first, std::size_t n) noexcept {
    const engine::operand a = plan.a.from(first), b = plan.b.from(first);
    const bool has_sign = is_signed(a.type), absolute = plan.term_info().absolute;
    if (!plan.multiplies() && !plan.info().needs_squares() && a.stride == sizeof(std::uint64_t) && !a.swapped) {
      return add_run(a.data, n, has_sign, absolute);
    }
    std::uint64_t x[slice], y[slice];
    for (std::size_t done = 0, count = 0; done < n; done += count) {
      count = std::min(slice, n - done);
      load(a, done, count, absolute, x);
      if (plan.multiplies()) {
        load(b, done, count, absolute, y);
        add_products(x, has_sign && !absolute, y, is_signed(b.type) && !absolute, count, values_);
        continue;
      }
      add_run(x, count, has_sign && !absolute, false);
      if (plan.info().needs_squares()) add_products(x, has_sign, x, has_sign, count, squares_);
    }
  }
  void add(const integer_sums& other) noexcept { values_.add(other.values_), squares_.add(other.squares_); }

  /// words = the normalised states of the plan's sums, one or two.
  void store(const engine::plan& plan, std::int64_t* words) const noexcept {
    store_integer(values_, words);
    if (plan.info().needs_squares()) store_integer(squares_, words + integer_line_layout.words());
  }
  /// The result of a plan of n elements, of which `more` is one more term, or null.
  [[nodiscard]] core::outcome finish(const engine::plan& plan, std::size_t n,
                                     const addend* more = nullptr) const noexcept;

 private:
  static constexpr std::size_t slice = 128;

  static void load(const engine::operand& x, std::size_t first, std::size_t n, bool absolute,
                   std::uint64_t* to) noexcept {
    load_words(x.from(first).data, x.stride, x.type, x.swapped, n, to);
    if (absolute && is_signed(x.type)) take_magnitudes(to, n);
  }
  /// Words that follow each other.
  void add_run(const void* x, std::size_t n, bool has_sign, bool absolute) noexcept {
    constexpr std::size_t max_run = std::size_t{1} << 30;
    const instruction_set& set = current_instruction_set();
    const word_run_kernel sum = absolute && has_sign ? set.sum_word_magnitudes : set.sum_words;
    const std::uint64_t flip = has_sign && !absolute ? std::uint64_t{1} << 63 : 0;
    for (std::size_t done = 0, count = 0; done < n; done += count) {
      count = std::min(max_run, n - done);
      const word_sum found = sum(static_cast<const char*>(x) + done * sizeof(std::uint64_t), count, flip);
      const core::uint128 flipped = (core::uint128{found.high} << 32) + found.low;
      values_.add<true>(flipped - (flip != 0 ? core::uint128{count} << 63 : 0));
    }
  }
  template <bool x_has_sign, bool y_has_sign>
  static void add_signed_products(const std::uint64_t* x, const std::uint64_t* y, std::size_t n,
                                  wide_integer& sum) noexcept {
    wide_integer total = sum;
    for (std::size_t i = 0; i < n; ++i)
      total.add<x_has_sign || y_has_sign>(extended<x_has_sign>(x[i]) * extended<y_has_sign>(y[i]));
    sum = total;
  }
  static void add_products(const std::uint64_t* x, bool x_has_sign, const std::uint64_t* y, bool y_has_sign,
                           std::size_t n, wide_integer& sum) noexcept {
    const auto add_all = x_has_sign
                             ? (y_has_sign ? add_signed_products<true, true> : add_signed_products<true, false>)
                             : (y_has_sign ? add_signed_products<false, true> : add_signed_products<false, false>);
    add_all(x, y, n, sum);
  }

  wide_integer values_;  ///< or products
  wide_integer squares_;
};

/// A magnitude rounded to any floating-point format.
inline std::uint64_t rounded_integer(const core::result_rule& rule, bool negative,
                                     core::uint128 magnitude) noexcept {
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  const int above = high == 0 ? 0 : 64 - core::leading_zeros(high);  // bits that 64 do not hold
  auto significand = static_cast<std::uint64_t>(magnitude >> above);
  if (significand == 0) return 0;
  const bool sticky = above != 0 && (magnitude & ((core::uint128{1} << above) - 1)) != 0;
  const int up = core::leading_zeros(significand);
  return core::round_significand(rule.format(), negative, significand << up, above - up, sticky);
}

/// The result of an exact sum, rounded once: without a state.
inline core::outcome rounded_sum(const core::result_rule& rule, bool negative, core::uint128 magnitude) noexcept {
  if (!rule.is_integer()) return {rounded_integer(rule, negative, magnitude)};
  const std::uint64_t limit = ~std::uint64_t{0} >> (64 - rule.precision());
  const auto value = static_cast<std::uint64_t>(magnitude);
  if (!negative) return {value, magnitude > limit};
  return {std::uint64_t{0} - value, rule.precision() == 64 || magnitude > core::uint128{limit} + 1};
}

/// The result of an exact sum of n elements by any rule.
inline core::outcome finished_sum(const core::result_rule& rule, bool negative, core::uint128 magnitude,
                                  std::size_t n) noexcept {
  if (rule.finish() == core::finish::round) return rounded_sum(rule, negative, magnitude);
  constexpr core::state_layout layout = integer_line_layout;
  std::int64_t words[layout.limbs + 4];
  store_integer(
      {negative ? core::uint128{0} - magnitude : magnitude, negative && magnitude != 0 ? ~std::uint64_t{0} : 0},
      words);
  return core::finish_state(rule, layout, words, n);
}

/// The result of an exact sum and one more term.
inline core::outcome with_addend(wide_integer sum, const addend& more) noexcept {
  if (more.rule().is_integer()) {
    const core::exact_term term = more.term();
    sum.add<true>(term.negative ? core::uint128{0} - term.magnitude : term.magnitude);
    const bool negative = sum.high >> 63 != 0;
    const std::uint64_t sign = negative ? ~std::uint64_t{0} : 0;
    if (sum.high != sign || (sum.low >> 127 != 0) != negative) return {0, true};  // 2^127 or more
    return rounded_sum(more.rule(), negative, negative ? core::uint128{0} - sum.low : sum.low);
  }
  std::int64_t words[integer_line_layout.words()];
  store_integer(sum, words);
  return more.finish(integer_line_layout, words);
}

inline core::outcome integer_sums::finish(const engine::plan& plan, std::size_t n,
                                          const addend* more) const noexcept {
  if (more != nullptr) return with_addend(values_, *more);
  if (!plan.multiplies() && !plan.info().needs_squares()) {
    const bool negative = values_.high >> 63 != 0;
    return finished_sum(plan.result, negative, negative ? core::uint128{0} - values_.low : values_.low, n);
  }
  constexpr core::state_layout layout = integer_line_layout;
  std::int64_t words[2 * (layout.limbs + 4)];
  store(plan, words);
  if (!plan.info().needs_squares()) return core::finish_state(plan.result, layout, words, n);
  std::int64_t scratch[core::max_moment_limbs];
  return core::finish_moments(plan.result, layout, words, words + layout.words(), n, plan.ddof, scratch);
}

}  // namespace exactdot::inline v0_3::cpu_engine
