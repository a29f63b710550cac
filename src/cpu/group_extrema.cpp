// Implementation of group_extrema.hpp.
#include <cpu/column_pass.hpp>
#include <cpu/extreme.hpp>
#include <cpu/group_extrema.hpp>
#include <cpu/segment_pass.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// What group_pass.hpp needs.
struct group_extrema::tables {
  group_extrema& all;
  std::size_t column;
  char* out;
  result_sink& sink;
  inputs reader;
  std::size_t size_of_a, size_of_b;
  group_extremum_kernel kernel;

  [[nodiscard]] std::uint64_t* of(std::size_t thread) const noexcept {
    return all.memory_.data() + thread * all.words_of_table_;
  }
  void clear(std::size_t thread) noexcept { std::fill_n(of(thread), all.words_of_table_, no_extreme.key); }
  void add(std::size_t thread, const void* a, const void*, const std::uint32_t* slots, std::size_t n) noexcept {
    kernel(a, slots, n, of(thread));
  }
  void decide_empty(std::size_t) noexcept {}  // has been refused
  bool decide(const group_entries& entries, std::size_t, std::size_t group) noexcept {
    extreme best = no_extreme;
    const std::size_t size = size_of(all.column_.carrier);
    for (std::size_t i = entries.thread; i < entries.thread + entries.threads; ++i) {
      for (std::size_t k = 0; k < all.shape_.copies; ++k)
        best.key = std::min(best.key, key(of(i), entries.slot + k, size));
    }
    sink.take(column * all.shape_.groups + group, all.of_.place_of(out, group), {result_of(all.column_, best)});
    return true;
  }
  void decide_neighbours(std::size_t thread, std::size_t slot, std::size_t group, std::size_t count) noexcept {
    const engine::plan& plan = all.column_;
    if (!sink.stores_plainly() || gives_index(plan.what) || plan.carrier != plan.result_type) {
      for (std::size_t i = 0; i < count; ++i) decide({slot + i, thread, 1}, 1, group + i);
      return;
    }
    const char* const keys = reinterpret_cast<const char*>(of(thread)) + slot * size_of(plan.carrier);
    with_element(plan.carrier, [&]<class T>(T) {
      if (selects_greatest(plan.what)) return store<T, true>(keys, group, count);
      store<T, false>(keys, group, count);
    });
  }

 private:
  /// Stores the elements that have these keys as the results of groups from `group` on.
  template <class T, bool greatest>
  void store(const char* keys, std::size_t group, std::size_t count) const noexcept {
    using word = typename detail::unsigned_of<sizeof(T)>::type;
    const batch& batch = all.of_;
    const auto store_each = [&](auto place_of) {
      for (std::size_t i = 0; i < count; ++i) {
        word key;
        std::memcpy(&key, keys + i * sizeof key, sizeof key);
        const auto element = static_cast<word>(core::element_of_key<T, greatest>(key));
        std::memcpy(place_of(i), &element, sizeof element);
      }
    };
    if (batch.group_names.empty() && batch.out_stride == static_cast<std::ptrdiff_t>(sizeof(T))) {
      return store_each([to = batch.place_of(out, group)](std::size_t i) { return to + i * sizeof(T); });
    }
    store_each([&](std::size_t i) { return batch.place_of(out, group + i); });
  }
  /// Entry `slot`, a word of `size` bytes.
  static std::uint64_t key(const void* table, std::size_t slot, std::size_t size) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char*>(table) + slot * size, size);  // the low bytes come first
    return word;
  }
};

group_extrema::group_extrema(const batch& of) : of_(of), column_(of.each), shape_(of, size_of(of.each.carrier)) {
  column_.n = of.column_length();
  words_of_table_ = shape_.width * size_of(column_.carrier) / sizeof(std::uint64_t) + 8;  // and a cache line
  memory_.resize(shape_.tables * words_of_table_);
}

void group_extrema::reduce(std::size_t column, result_sink& sink, std::span<unsigned char> open) {
  const line all = of_.column_at(column);
  column_.a.data = all.a, column_.b.data = all.b;
  const std::size_t size = size_of(column_.carrier);
  const auto kernel =
      current_instruction_set().group_extrema[extremum_index(column_.carrier, selects_greatest(column_.what))];
  tables made{*this, column, all.out, sink, {column_, of_.threads, group_slice}, size, size, kernel};
  run_pass(of_, shape_, made, sink, open.data());
}

bool group_extrema::reduce_rows(std::size_t first, std::size_t count, const row_order& order, result_sink& sink,
                                std::span<unsigned char> open) {
  const std::size_t size = size_of(column_.carrier);
  const auto kernel =
      current_instruction_set().group_extrema[extremum_index(column_.carrier, selects_greatest(column_.what))];
  std::vector<tables> made;
  for (std::size_t i = first; i < first + count; ++i)
    made.push_back({*this, i, of_.column_at(i).out, sink, {column_, 0, group_slice}, size, size, kernel});
  column_pass<tables>(of_, order, made, first, sink, open.data(), column_.carrier, column_.carrier).run();
  return false;
}

}  // namespace exactdot::inline v0_3::cpu_engine
