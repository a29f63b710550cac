// The elements of one or two inputs that stay, copied one after the other, with their places or keys: what
// kept_elements.cpp reduces.
//
// An element stays if its flag is not 0 and, where NaNs are skipped, if neither input has one there. Runs of
// elements are read chunk by chunk, by loops without branches; strides and byte orders stay those of the inputs.
#pragma once

#include <algorithm>
#include <cstring>
#include <exactdot/missing.hpp>
#include <memory>
#include <plan/batch.hpp>
#include <vector>

namespace exactdot::inline v0_3::detail {

inline constexpr std::size_t kept_chunk = 1024;

/// A call, whose inputs, filter and results have been checked. b: a for a reduction of one input.
struct kept_call {
  engine::batch_request asked;
  any_grid a, b;
  const element_filter& filter;
  const exactdot::options& options;

  kept_call(reduction what, const any_grid& first, const any_grid& second, const element_filter& of,
            const any_results& out, const exactdot::options& chosen, std::int64_t ddof, const char* caller)
      : asked{caller != nullptr ? caller : name_of(what), what, out, ddof, nullptr, true},
        a(first),
        b(is_known(what) && inputs_of(what) == 2 ? second : first),
        filter(of),
        options(chosen) {}
  [[nodiscard]] reduction what() const { return asked.what; }
  [[nodiscard]] bool has_complex() const {
    return is_complex(a.type) || is_complex(b.type) || is_complex(asked.out.type);
  }
  [[nodiscard]] bool has_two() const { return inputs_of(asked.what) == 2; }
  [[nodiscard]] any_grid mask() const {
    return {filter.where.data, element_type::uint8, filter.where.results, filter.where.elements};
  }
};

/// A run of elements of an input, or of flags.
struct element_run {
  const char* data;
  std::ptrdiff_t stride;
};

/// The bytes of a complex number.
struct two_words {
  std::uint64_t first, second;
};

template <class Work>
auto with_word(std::size_t size, const Work& work) {
  if (size == 1) return work(std::uint8_t{});
  if (size == 2) return work(std::uint16_t{});
  return size == 4 ? work(std::uint32_t{}) : work(std::uint64_t{});
}

template <class Word>
Word word_at(const element_run& x, std::size_t i) {
  Word word;
  std::memcpy(&word, x.data + static_cast<std::ptrdiff_t>(i) * x.stride, sizeof word);
  return word;
}

/// work(word_at) with a function of i: of elements, or parts of complex numbers, that follow each other one that
/// compilers vectorise. It is to be copied, as bytes that are stored may alias what it refers to.
template <class Word, class Work>
auto with_words(const element_run& x, const Work& work) {
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(Word));
  if (x.stride == size) return work([data = x.data](std::size_t i) { return word_at<Word>({data, size}, i); });
  if (x.stride == 2 * size) return work([data = x.data](std::size_t i) { return word_at<Word>({data, 2 * size}, i); });
  return work([x](std::size_t i) { return word_at<Word>(x, i); });
}

template <class Word>
Word reversed(Word word) {
  return static_cast<Word>(__builtin_bswap64(word) >> (64 - 8 * sizeof word));
}

/// keep[i] = 0 for NaNs of a floating-point type, and for complex numbers with one.
inline void drop_nans(element_type type, bool swapped, const element_run& x, std::size_t n, std::uint8_t* keep) {
  if (is_complex(type)) {
    const element_type part = part_of(type);
    drop_nans(part, swapped, x, n, keep);
    return drop_nans(part, swapped, {x.data + size_of(part), x.stride}, n, keep);
  }
  if (is_integer(type)) return;
  const element_info& info = info_of(type);
  const int stored = info.precision - 1;
  const std::uint64_t field = ((std::uint64_t{1} << info.exponent_bits) - 1) << stored;
  // of a format without infinities the greatest word alone is a NaN
  const std::uint64_t greatest =
      detail::has_infinity(info.exponent_bits) ? field : (field | ((std::uint64_t{1} << stored) - 1)) - 1;
  const std::uint64_t magnitude = (std::uint64_t{1} << (stored + info.exponent_bits)) - 1;
  with_word(info.bytes, [&]<class Word>(Word) {
    const auto of_magnitude = static_cast<Word>(magnitude), last = static_cast<Word>(greatest);
    with_words<Word>(x, [&](auto word) {
      const auto drop = [=](auto bits) {
        for (std::size_t i = 0; i < n; ++i) keep[i] &= static_cast<std::uint8_t>((bits(i) & of_magnitude) <= last);
      };
      if (swapped) return drop([=](std::size_t i) { return reversed(word(i)); });
      drop(word);
    });
  });
}

/// Copies the elements that stay; returns how many. Writes up to n.
inline std::size_t copy_kept(std::size_t size, const element_run& x, std::size_t n, const std::uint8_t* keep,
                             std::byte* to) {
  const bool all = std::memchr(keep, 0, n) == nullptr;
  if (all && x.stride == static_cast<std::ptrdiff_t>(size)) {
    std::memcpy(to, x.data, n * size);
    return n;
  }
  const auto copy = [&]<class Word>(Word) {
    return with_words<Word>(x, [=](auto at) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Word word = at(i);
        std::memcpy(to + kept * sizeof word, &word, sizeof word);
        kept += keep[i];
      }
      return kept;
    });
  };
  return size == sizeof(two_words) ? copy(two_words{}) : with_word(size, copy);
}

/// The elements of both inputs that stay, one line after the other.
class kept_lines {
 public:
  /// elements: of all lines, with the initial ones.
  kept_lines(const kept_call& call, std::size_t elements)
      : caller_(call.asked.caller),
        filter_(call.filter),
        monitor_(call.options.monitor),
        a_(call.a),
        b_(call.b),
        two_(call.has_two()),
        keeps_places_(gives_index(call.what())),
        of_a_(std::make_unique_for_overwrite<std::byte[]>((elements + 1) * size_of(a_.type))) {
    if (two_) of_b_ = std::make_unique_for_overwrite<std::byte[]>((elements + 1) * size_of(b_.type));
    if (keeps_places_) places_ = std::make_unique_for_overwrite<std::size_t[]>(elements + 1);
  }

  /// Appends elements of a run of n, visiting the keep flags of each chunk: visit(first, count, keep).
  template <class Visit>
  void append(element_run a, element_run b, element_run mask, std::size_t first_place, std::size_t n,
              const Visit& visit) {
    std::uint8_t keep[kept_chunk];
    for (std::size_t first = 0; first < n; first += kept_chunk) {
      if (monitor_ != nullptr && monitor_->cancel.load(std::memory_order_relaxed)) {
        engine::throw_error(errc::cancelled, caller_, "cancelled");
      }
      const std::size_t count = std::min(kept_chunk, n - first);
      const auto at = [&](const element_run& x) {
        return element_run{x.data + static_cast<std::ptrdiff_t>(first) * x.stride, x.stride};
      };
      if (filter_.where.data != nullptr) {
        for (std::size_t i = 0; i < count; ++i) keep[i] = word_at<std::uint8_t>(at(mask), i) != 0 ? 1 : 0;
      } else {
        std::fill_n(keep, count, std::uint8_t{1});
      }
      visit(first, count, keep);
      if (filter_.skips_nan) {
        drop_nans(a_.type, a_.swapped, at(a), count, keep);
        if (two_) drop_nans(b_.type, b_.swapped, at(b), count, keep);
      }
      if (keeps_places_) {
        std::size_t kept = count_;
        for (std::size_t i = 0; i < count; ++i) places_[kept] = first_place + first + i, kept += keep[i];
      }
      append_keys(count, keep);
      const std::size_t kept = copy_kept(size_of(a_.type), at(a), count, keep, &of_a_[count_ * size_of(a_.type)]);
      if (two_) copy_kept(size_of(b_.type), at(b), count, keep, &of_b_[count_ * size_of(b_.type)]);
      count_ += kept;
    }
  }
  /// Appends the initial value, if there is one.
  void append_initial() {
    if (!filter_.initial) return;
    std::uint64_t bits = filter_.initial->bits;
    if (a_.swapped) {
      with_word(size_of(a_.type), [&]<class Word>(Word) { bits = reversed(static_cast<Word>(bits)); });
    }
    std::memcpy(&of_a_[count_ * size_of(a_.type)], &bits, size_of(a_.type));
    ++count_;
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] any_vector a() const { return vector_of(a_, of_a_); }
  [[nodiscard]] any_vector b() const { return two_ ? vector_of(b_, of_b_) : a(); }
  [[nodiscard]] std::size_t place(std::size_t i) const { return places_[i]; }

  /// Where keys of the elements that stay go; null without groups.
  std::vector<std::int64_t>* keys = nullptr;
  const std::int64_t* keys_of_chunk = nullptr;

 private:
  [[nodiscard]] any_vector vector_of(const any_grid& of, const std::unique_ptr<std::byte[]>& elements) const {
    any_vector made{elements.get(), count_, of.type, static_cast<std::ptrdiff_t>(size_of(of.type)), of.swapped};
    made.conjugated = of.conjugated;
    return made;
  }
  void append_keys(std::size_t count, const std::uint8_t* keep) {
    if (keys == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (keep[i] != 0) keys->push_back(keys_of_chunk[i]);
    }
  }

  const char* caller_;
  const element_filter& filter_;
  const exactdot::monitor* monitor_;
  any_grid a_, b_;
  bool two_, keeps_places_;
  std::unique_ptr<std::byte[]> of_a_, of_b_;  // not initialised: pages of what does not stay are not touched
  std::unique_ptr<std::size_t[]> places_;
  std::size_t count_ = 0;
};

}  // namespace exactdot::inline v0_3::detail
