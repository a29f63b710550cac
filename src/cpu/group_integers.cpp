// Implementation of group_integers.hpp.
#include <cpu/column_pass.hpp>
#include <cpu/group_integers.hpp>
#include <cpu/integer_line.hpp>
#include <cpu/segment_pass.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

using core::uint128;
__extension__ using int128 = __int128;

/// One input of a column as it is read: integers of its own type, in native byte order.
engine::operand as_it_is(engine::operand x, const void* data) {
  x.data = data;
  x.contiguous = !x.swapped && x.stride == static_cast<std::ptrdiff_t>(size_of(x.type));
  return x;
}

/// n integers at any address, as words of two's complement.
void widen(const void* from, element_type type, std::size_t n, std::uint64_t* to) noexcept {
  with_element(type, [&]<class T>(T value) {
    if constexpr (integer_element<T>) {
      for (std::size_t i = 0; i < n; ++i) {
        std::memcpy(&value, static_cast<const char*>(from) + i * sizeof value, sizeof value);
        to[i] = static_cast<std::uint64_t>(value);
      }
    }
  });
}

/// The 128 bits of two's complement of an integer.
template <bool has_sign>
uint128 extended(std::uint64_t word) noexcept {
  if constexpr (has_sign) return static_cast<uint128>(static_cast<int128>(static_cast<std::int64_t>(word)));
  return word;
}

/// x = |x|
void take_magnitudes(std::uint64_t* x, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) x[i] = x[i] >> 63 != 0 ? std::uint64_t{0} - x[i] : x[i];
}

template <bool has_sign, class Sum>
void add_values(const std::uint64_t* x, const std::uint32_t* slots, std::size_t n, Sum* table) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    __builtin_prefetch(table + slots[i + group_slots_ahead], 1);
    table[slots[i]].low += extended<has_sign>(x[i]);
  }
}

/// Products below 2^128, and below 2^127 in magnitude if one factor has a sign.
template <bool x_has_sign, bool y_has_sign, class Sum>
void add_products(const std::uint64_t* x, const std::uint64_t* y, const std::uint32_t* slots, std::size_t n,
                  Sum* table) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    __builtin_prefetch(table + slots[i + group_slots_ahead], 1);
    const uint128 product = extended<x_has_sign>(x[i]) * extended<y_has_sign>(y[i]);
    const bool is_negative = (x_has_sign || y_has_sign) && product >> 127 != 0;
    Sum& to = table[slots[i]];
    to.low += product;
    to.high += to.low < product ? 1U : 0U;  // a carry
    to.high -= is_negative ? 1U : 0U;       // the upper bits of the product
  }
}

/// words = the normalised state of high·2^128 + low, of two's complement.
void store(std::uint64_t high, uint128 low, std::int64_t* words) noexcept {
  constexpr core::state_layout layout = integer_line_layout;
  const bool negative = high >> 63 != 0;
  if (negative) low = uint128{0} - low, high = std::uint64_t{0} - high - (low != 0 ? 1U : 0U);
  std::fill_n(words, layout.words(), 0);
  core::add<64>(layout.number(words), static_cast<std::uint64_t>(low), 0, negative);
  core::add<64>(layout.number(words), static_cast<std::uint64_t>(low >> 64), 64, negative);
  core::add<64>(layout.number(words), high, 128, negative);
  core::normalise(layout, words);
}

}  // namespace

/// What the threads read.
class integer_reader {
 public:
  integer_reader(const engine::plan& plan, const line& column, int threads) : two_(plan.info().inputs == 2) {
    for (int i = 0; i < threads; ++i) {
      const auto reader_of = [&](const engine::operand& x, const void* data) {
        return engine::chunk_reader(as_it_is(x, data), x.type, group_slice);
      };
      readers_.push_back({reader_of(plan.a, column.a), reader_of(plan.b, column.b)});
    }
  }

  template <class Step>
  void for_slices(std::size_t start, std::size_t count, int thread, Step step) noexcept {
    readers& read = readers_[static_cast<std::size_t>(thread)];
    for (std::size_t done = 0; done < count; done += group_slice) {
      const std::size_t n = std::min(group_slice, count - done);
      const void* const a = read.a.read(start + done, n);
      step(a, two_ ? read.b.read(start + done, n) : a, start + done, n);
    }
  }

 private:
  struct readers {
    engine::chunk_reader a, b;
  };

  bool two_;
  std::vector<readers> readers_;
};

/// What group_pass.hpp needs.
struct group_integers::tables {
  group_integers& all;
  std::size_t column;
  char* out;
  result_sink& sink;
  integer_reader reader;
  std::size_t size_of_a, size_of_b;

  void clear(std::size_t thread) noexcept {
    const std::size_t width = all.shape_.width;
    if (!all.sums_.empty()) std::fill_n(&all.sums_[thread * width], width, narrow_sum{});
    if (!all.products_.empty()) std::fill_n(&all.products_[thread * width], width, wide_sum{});
  }

  void add(std::size_t thread, const void* a, const void* b, const std::uint32_t* slots, std::size_t n) noexcept {
    const engine::plan& plan = all.column_;
    const std::size_t first = thread * all.shape_.width;
    std::uint64_t x[group_slice], y[group_slice];
    widen(a, plan.a.type, n, x);
    const bool absolute = plan.term_info().absolute;
    const bool x_sign = is_signed(plan.a.type) && !absolute;
    if (absolute && is_signed(plan.a.type)) take_magnitudes(x, n);
    if (!all.sums_.empty()) {
      const auto add_all = x_sign ? add_values<true, narrow_sum> : add_values<false, narrow_sum>;
      add_all(x, slots, n, &all.sums_[first]);
    }
    if (all.products_.empty()) return;
    wide_sum* const to = &all.products_[first];
    const bool is_square = plan.info().inputs == 1;
    if (!is_square) widen(b, plan.b.type, n, y);
    if (!is_square && absolute && is_signed(plan.b.type)) take_magnitudes(y, n);
    const std::uint64_t* const factor = is_square ? x : y;
    const bool y_sign = is_square ? x_sign : is_signed(plan.b.type) && !absolute;
    const auto add_all =
        x_sign ? (y_sign ? add_products<true, true, wide_sum> : add_products<true, false, wide_sum>)
               : (y_sign ? add_products<false, true, wide_sum> : add_products<false, false, wide_sum>);
    add_all(x, factor, slots, n, to);
  }

  void decide_empty(std::size_t group) noexcept {
    if (all.of_.states != nullptr) return sink.take_no_sums(place_of(group));
    sink.take(index_of(group), place_of(group), {all.of_nothing_});
  }

  bool decide(const group_entries& entries, std::size_t n, std::size_t group) noexcept {
    constexpr core::state_layout layout = integer_line_layout;
    std::int64_t words[2 * (layout.limbs + 4)];
    std::int64_t* to = words;
    if (!all.sums_.empty()) {
      const narrow_sum sum = total(all.sums_, entries);
      const bool negative =
          is_signed(all.column_.a.type) && !all.column_.term_info().absolute && sum.low >> 127 != 0;
      const core::result_rule& rule = all.column_.result;
      if (all.of_.states == nullptr && all.products_.empty() && rule.finish() == core::finish::round) {
        const uint128 magnitude = negative ? uint128{0} - sum.low : sum.low;
        sink.take(index_of(group), place_of(group), rounded_sum(rule, negative, magnitude));
        return true;
      }
      store(negative ? ~std::uint64_t{0} : 0, sum.low, to);
      to += layout.words();
    }
    if (!all.products_.empty()) {
      const wide_sum sum = total(all.products_, entries);
      store(sum.high, sum.low, to);
    }
    if (all.of_.states != nullptr) {
      sink.take_sums(place_of(group), n, {layout, words});
    } else if (all.column_.info().needs_squares()) {
      std::int64_t scratch[core::max_moment_limbs];
      sink.take(index_of(group), place_of(group),
                core::finish_moments(all.column_.result, layout, words, words + layout.words(), n, all.column_.ddof,
                                     scratch));
    } else {
      sink.take(index_of(group), place_of(group), core::finish_state(all.column_.result, layout, words, n));
    }
    return true;
  }

 private:
  [[nodiscard]] std::size_t index_of(std::size_t group) const { return column * all.shape_.groups + group; }
  [[nodiscard]] char* place_of(std::size_t group) const { return all.of_.place_of(out, group); }
  static void add_to(narrow_sum& total, const narrow_sum& x) noexcept { total.low += x.low; }
  static void add_to(wide_sum& total, const wide_sum& x) noexcept {
    total.low += x.low;
    total.high += x.high + (total.low < x.low ? 1U : 0U);
  }
  template <class Sum>
  Sum total(const std::vector<Sum>& sums, const group_entries& entries) const noexcept {
    Sum sum;
    for (std::size_t i = entries.thread; i < entries.thread + entries.threads; ++i) {
      for (std::size_t k = 0; k < all.shape_.copies; ++k)
        add_to(sum, sums[i * all.shape_.width + entries.slot + k]);
    }
    return sum;
  }
};

group_integers::group_integers(const batch& of)
    : of_(of),
      column_(of.each),
      shape_(of, (of.each.multiplies() ? 0 : sizeof(narrow_sum)) +
                     (of.each.multiplies() || of.each.info().needs_squares() ? sizeof(wide_sum) : 0)) {
  column_.n = 0;
  of_nothing_ = engine::result_of_nothing(column_);
  column_.n = of.column_length();
  const std::size_t entries = shape_.tables * shape_.width;
  if (!column_.multiplies()) sums_.resize(entries);
  if (column_.multiplies() || column_.info().needs_squares()) products_.resize(entries);
}

void group_integers::reduce(std::size_t column, result_sink& sink, std::span<unsigned char> open) {
  const line all = of_.column_at(column);
  tables made{
      *this, column, all.out, sink, {column_, all, of_.threads}, size_of(column_.a.type), size_of(column_.b.type)};
  run_pass(of_, shape_, made, sink, open.data());
}

bool group_integers::reduce_rows(std::size_t first, std::size_t count, const row_order& order, result_sink& sink,
                                 std::span<unsigned char> open) {
  std::vector<tables> made;
  for (std::size_t i = first; i < first + count; ++i) {
    const line all = of_.column_at(i);
    made.push_back({*this, i, all.out, sink, {column_, all, 0}, size_of(column_.a.type), size_of(column_.b.type)});
  }
  column_pass<tables>(of_, order, made, first, sink, open.data(), column_.a.type, column_.b.type).run();
  return false;
}

}  // namespace exactdot::inline v0_3::cpu_engine
