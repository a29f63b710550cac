// Implementation of ratio_line.hpp.
#include <algorithm>
#include <bit>
#include <cpu/ratio_line.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

core::state_layout layout_of_carrier(element_type carrier) {
  return with_carrier(carrier, []<class T>(T) { return core::layout_of<T>(); });
}

}  // namespace

int integer_parts::replace(const void** halves, std::size_t n) noexcept {
  if (high_ == nullptr) return 1;
  const auto* const high = static_cast<const double*>(halves[0]);
  const auto* const low = static_cast<const double*>(halves[1]);
  std::uint64_t lost = 0;
  for (std::size_t i = 0; i < n; ++i) {
    high_[i] = high[i] + low[i];
    lost |= std::bit_cast<std::uint64_t>(low[i] - (high_[i] - high[i]));
  }
  halves[0] = high_.get();
  if (lost == 0) return 1;
  if (beside_integers_) {
    halves[0] = high;
    return 2;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_whole = high[i] == 0 || low[i] == 0;  // half of it is a double, too
    high_[i] = is_whole ? (high[i] + low[i]) / 2 : high[i];
    low_[i] = is_whole ? (high[i] + low[i]) / 2 : low[i];
  }
  halves[1] = low_.get();
  return 2;
}

ratio_line::ratio_line(const ratio_rule& rule, element_type carrier, element_type a)
    : rule_(rule),
      used_(core::sums_of(core::info_of(rule.what))),
      layout_(layout_of_carrier(carrier)),
      values_(current_kernels(carrier, core::info_of(reduction::sum).term)),
      squares_(current_kernels(carrier, core::info_of(reduction::sum_of_squares).term)),
      products_(current_kernels(carrier, core::info_of(reduction::dot).term)) {
  int states = 0;
  for (int i = 0; i < ratio_state_count; ++i) {
    const bool is_used = used_.has(i < ratio_sum_count ? i : int{core::sum_of_xxy});
    places_[static_cast<std::size_t>(i)] = is_used ? states++ : -1;
  }
  // no more than that: a short line takes as long as a large allocation
  words_ = std::make_unique_for_overwrite<std::int64_t[]>(static_cast<std::size_t>(states * layout_.words()));
  if (used_.has(core::sum_of_xxy)) {
    squares_of_a_ = square_terms(ratio_chunk_length, core::carrier_of(a) == element_type::float32);
  }
}

/// The words of a state; null if the ratio does not use it.
std::int64_t* ratio_line::words_of(int state) const {
  const int place = places_[static_cast<std::size_t>(state)];
  return place < 0 ? nullptr : words_.get() + place * layout_.words();
}

/// visit(state, kernels, a, b) for every sum and every pair of parts, while it is true. exactly: of terms in every
/// range.
template <class Visit>
bool ratio_line::for_sums(const ratio_chunk& chunk, bool exactly, const Visit& visit) const noexcept {
  const auto values = [&](int sum, const void* const* x, int parts) {
    for (int i = 0; i < parts; ++i) {
      if (!visit(sum, values_, x[i], x[i])) return false;
    }
    return true;
  };
  const auto products = [&](int sum, const void* const* x, int parts, const void* const* y, int others) {
    const bool is_square = x == y && parts == 1;
    for (int i = 0; i < parts; ++i) {
      for (int k = 0; k < others; ++k) {
        if (!visit(sum, is_square ? squares_ : products_, x[i], y[k])) return false;
      }
    }
    return true;
  };
  const auto cubes = [&](const void* const* x, int parts, const void* const* y, int others) {
    for (int i = 0; i < parts * parts; ++i) {
      const bool all = squares_of_a_.for_products(
          x[i / parts], x[i % parts], chunk.n, exactly, [&](const double* square, square_range range) {
            const int state = range == square_range::ordinary ? int{core::sum_of_xxy}
                              : range == square_range::small  ? int{small_xxy}
                                                              : int{large_xxy};
            for (int k = 0; k < others; ++k) {
              if (!visit(state, products_, square, y[k])) return false;
            }
            return true;
          });
      if (!all) return false;
    }
    return true;
  };
  const void *const *const a = chunk.a, *const *const b = chunk.b;
  for (int sum = 0; sum < ratio_sum_count; ++sum) {
    if (!used_.has(sum)) continue;
    const auto [of_a, of_b] = core::factors_of_sums[sum];
    const bool all =
        of_a + of_b == 3 ? cubes(a, chunk.parts_of_a, b, chunk.parts_of_b)
        : of_b == 0      ? of_a == 1 ? values(sum, a, chunk.parts_of_a) : products(sum, a, chunk.parts_of_a, a, chunk.parts_of_a)
             : of_a == 0 ? of_b == 1 ? values(sum, b, chunk.parts_of_b) : products(sum, b, chunk.parts_of_b, b, chunk.parts_of_b)
                         : products(sum, a, chunk.parts_of_a, b, chunk.parts_of_b);
    if (!all) return false;
  }
  return true;
}

void ratio_line::clear() noexcept {
  is_open_ = false;
  sums_ = {};
}

void ratio_line::clear_words() noexcept {
  for (int i = 0; i < ratio_state_count; ++i) {
    if (std::int64_t* const words = words_of(i); words != nullptr) std::fill_n(words, layout_.words(), 0);
  }
}

bool ratio_line::add(const ratio_chunk& chunk) noexcept {
  is_open_ = is_open_ || !for_sums(chunk, false, [&](int sum, const kernels& of, const void* a, const void* b) {
               bounded_sum found;
               if (!of.bounded(a, b, chunk.n, nullptr, found)) return false;
               cpu_engine::add(sums_[static_cast<std::size_t>(sum)], found);
               return true;
             });
  return !is_open_;
}

bool ratio_line::add_exactly(const ratio_chunk& chunk) noexcept {
  return for_sums(chunk, true, [&](int state, const kernels& of, const void* a, const void* b) {
    of.accumulate(a, b, chunk.n, words_of(state));
    return true;
  });
}

void ratio_line::merge(const ratio_line& other) noexcept {
  is_open_ = is_open_ || other.is_open_;
  for (int i = 0; i < ratio_sum_count; ++i) {
    cpu_engine::add(sums_[static_cast<std::size_t>(i)], other.sums_[static_cast<std::size_t>(i)]);
  }
}

void ratio_line::merge_words(const ratio_line& other) noexcept {
  for (int i = 0; i < ratio_state_count; ++i) {
    std::int64_t* const words = words_of(i);
    if (words == nullptr) continue;
    core::merge(layout_, words, other.words_of(i));
    core::normalise(layout_, words);
  }
}

std::uint64_t ratio_line::exact_result(std::size_t n) noexcept {
  std::int64_t* words[ratio_state_count];
  for (int i = 0; i < ratio_state_count; ++i) words[i] = words_of(i);
  return finish(rule_, n, layout_, words);
}

}  // namespace exactdot::inline v0_3::cpu_engine
