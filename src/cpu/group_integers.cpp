// Implementation of group_integers.hpp.
#include <cpu/column_pass.hpp>
#include <cpu/group_integers.hpp>
#include <cpu/integer_sums.hpp>
#include <cpu/segment_pass.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

using core::uint128;

/// One input of a column as it is read: integers of its own type, in native byte order.
engine::operand as_it_is(engine::operand x, const void* data) {
  x.data = data;
  x.contiguous = !x.swapped && x.stride == static_cast<std::ptrdiff_t>(size_of(x.type));
  return x;
}

/// Word i, at any address.
std::uint64_t word_at(const void* words, std::size_t i) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, static_cast<const char*>(words) + i * sizeof word, sizeof word);
  return word;
}

template <bool has_sign, class Sum>
void add_values(const void* x, const std::uint32_t* slots, std::size_t n, Sum* table) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    __builtin_prefetch(table + slots[i + group_slots_ahead], 1);
    table[slots[i]].low += extended<has_sign>(word_at(x, i));
  }
}

template <bool x_has_sign, bool y_has_sign>
void add_products(const void* x, const void* y, const std::uint32_t* slots, std::size_t n,
                  wide_integer* table) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    __builtin_prefetch(table + slots[i + group_slots_ahead], 1);
    const uint128 factor = extended<x_has_sign>(word_at(x, i));
    table[slots[i]].add<x_has_sign || y_has_sign>(factor * extended<y_has_sign>(word_at(y, i)));
  }
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
    if (!all.products_.empty()) std::fill_n(&all.products_[thread * width], width, wide_integer{});
  }

  void add(std::size_t thread, const void* a, const void* b, const std::uint32_t* slots, std::size_t n) noexcept {
    const engine::plan& plan = all.column_;
    const std::size_t first = thread * all.shape_.width;
    std::uint64_t room_of_x[group_slice], room_of_y[group_slice];
    const void* const x = words_of(a, plan.a.type, n, room_of_x);
    const bool absolute = plan.term_info().absolute;
    const bool x_sign = is_signed(plan.a.type) && !absolute;
    if (!all.sums_.empty()) {
      const auto add_all = x_sign ? add_values<true, narrow_sum> : add_values<false, narrow_sum>;
      add_all(x, slots, n, &all.sums_[first]);
    }
    if (all.products_.empty()) return;
    wide_integer* const to = &all.products_[first];
    const bool is_square = plan.info().inputs == 1;
    const void* const factor = is_square ? x : words_of(b, plan.b.type, n, room_of_y);
    const bool y_sign = is_square ? x_sign : is_signed(plan.b.type) && !absolute;
    const auto add_all = x_sign ? (y_sign ? add_products<true, true> : add_products<true, false>)
                                : (y_sign ? add_products<false, true> : add_products<false, false>);
    add_all(x, factor, slots, n, to);
  }

  void decide_empty(std::size_t group) noexcept {
    char* const to = place_of(group);
    if (all.of_.states != nullptr) return sink.take_no_sums(to);
    sink.take(index_of(group), to, {all.of_.adds_to_results ? all.of_.load(to) : all.of_nothing_});
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
      if (all.of_.adds_to_results) return take_added({sum.low, negative ? ~std::uint64_t{0} : 0}, group);
      if (all.of_.states == nullptr && all.products_.empty() && rule.finish() == core::finish::round) {
        const uint128 magnitude = negative ? uint128{0} - sum.low : sum.low;
        sink.take(index_of(group), place_of(group), rounded_sum(rule, negative, magnitude));
        return true;
      }
      store_integer({sum.low, negative ? ~std::uint64_t{0} : 0}, to);
      to += layout.words();
    }
    if (!all.products_.empty()) {
      const wide_integer sum = total(all.products_, entries);
      if (all.of_.adds_to_results) return take_added(sum, group);
      store_integer(sum, to);
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
  /// n integers as words of two's complement, of an absolute term their magnitudes: as they are, or in `room`.
  const void* words_of(const void* x, element_type type, std::size_t n, std::uint64_t* room) const noexcept {
    const bool takes_magnitudes = all.column_.term_info().absolute && is_signed(type);
    if (size_of(type) == sizeof(std::uint64_t) && !takes_magnitudes) return x;
    load_words(x, static_cast<std::ptrdiff_t>(size_of(type)), type, false, n, room);
    if (takes_magnitudes) take_magnitudes(room, n);
    return room;
  }
  /// Adds the sum to what is there.
  bool take_added(const wide_integer& sum, std::size_t group) noexcept {
    char* const to = place_of(group);
    sink.take(index_of(group), to, with_addend(sum, addend(all.of_, to)));
    return true;
  }
  [[nodiscard]] std::size_t index_of(std::size_t group) const { return column * all.shape_.groups + group; }
  [[nodiscard]] char* place_of(std::size_t group) const { return all.of_.place_of(out, group); }
  static void add_to(narrow_sum& total, const narrow_sum& x) noexcept { total.low += x.low; }
  static void add_to(wide_integer& total, const wide_integer& x) noexcept { total.add(x); }
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
                     (of.each.multiplies() || of.each.info().needs_squares() ? sizeof(wide_integer) : 0)) {
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
