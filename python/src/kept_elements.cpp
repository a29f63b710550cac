// Implementation of kept_elements.hpp.
#include <algorithm>
#include <cstring>
#include <exactdot/batches.hpp>
#include <plan/axes.hpp>
#include <plan/batch_checks.hpp>
#include <plan/group_keys.hpp>
#include <python/src/arguments.hpp>
#include <python/src/kept_elements.hpp>

namespace exactdot::python {
namespace {

constexpr std::size_t chunk = 1024;

/// A run of elements of an input, or of booleans.
struct run {
  const char* data;
  std::ptrdiff_t stride;
};

template <class Work>
auto with_word(std::size_t size, const Work& work) {
  if (size == 1) return work(std::uint8_t{});
  if (size == 2) return work(std::uint16_t{});
  return size == 4 ? work(std::uint32_t{}) : work(std::uint64_t{});
}

template <class Word>
Word word_at(const run& x, std::size_t i) {
  Word word;
  std::memcpy(&word, x.data + static_cast<std::ptrdiff_t>(i) * x.stride, sizeof word);
  return word;
}

template <class Word>
Word reversed(Word word) {
  return static_cast<Word>(__builtin_bswap64(word) >> (64 - 8 * sizeof word));
}

/// keep[i] = 0 for NaNs of a floating-point type.
void drop_nans(element_type type, bool swapped, const run& x, std::size_t n, std::uint8_t* keep) {
  if (is_integer(type)) return;
  const element_info& info = info_of(type);
  const int stored = info.precision - 1;
  const std::uint64_t field = ((std::uint64_t{1} << info.exponent_bits) - 1) << stored;
  // of a format without infinities the greatest word alone is a NaN
  const std::uint64_t greatest =
      detail::has_infinity(info.exponent_bits) ? field : (field | ((std::uint64_t{1} << stored) - 1)) - 1;
  const std::uint64_t magnitude = (std::uint64_t{1} << (stored + info.exponent_bits)) - 1;
  with_word(info.bytes, [&]<class Word>(Word) {
    for (std::size_t i = 0; i < n; ++i) {
      const Word word = word_at<Word>(x, i);
      const std::uint64_t bits = swapped ? reversed(word) : word;
      keep[i] &= static_cast<std::uint8_t>((bits & magnitude) <= greatest);
    }
  });
}

/// Copies the elements that stay; returns how many. Writes up to n.
std::size_t copy_kept(std::size_t size, const run& x, std::size_t n, const std::uint8_t* keep, std::byte* to) {
  return with_word(size, [&]<class Word>(Word) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Word word = word_at<Word>(x, i);
      std::memcpy(to + kept * sizeof word, &word, sizeof word);
      kept += keep[i];
    }
    return kept;
  });
}

/// The elements of both inputs that stay, one line after the other.
class kept_lines {
 public:
  /// elements: of all lines, with the initial ones.
  kept_lines(const grid_call& call, const grid_pair& of, std::size_t elements)
      : caller_(call.caller),
        filter_(*call.filter),
        a_(of.first),
        b_(of.second),
        two_(inputs_of(call.what) == 2),
        keeps_places_(gives_index(call.what)),
        of_a_(elements * size_of(a_.type) + size_of(a_.type)),
        of_b_(two_ ? elements * size_of(b_.type) + size_of(b_.type) : 0) {
    if (keeps_places_) places_.resize(elements + 1);
  }

  /// Appends elements of a run of n, visiting the keep flags of each chunk: visit(first, count, keep).
  template <class Visit>
  void append(run a, run b, run mask, std::size_t first_place, std::size_t n, const Visit& visit) {
    std::uint8_t keep[chunk];
    for (std::size_t first = 0; first < n; first += chunk) {
      if (monitor != nullptr && monitor->cancel.load(std::memory_order_relaxed)) {
        throw error(errc::cancelled, std::string(caller_) + ": cancelled");
      }
      const std::size_t count = std::min(chunk, n - first);
      const auto at = [&](const run& x) {
        return run{x.data + static_cast<std::ptrdiff_t>(first) * x.stride, x.stride};
      };
      if (filter_.where != nullptr) {
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

  exactdot::monitor* monitor = nullptr;
  /// Where keys of the elements that stay go; null without groups.
  std::vector<std::int64_t>* keys = nullptr;
  const std::int64_t* keys_of_chunk = nullptr;

 private:
  [[nodiscard]] any_vector vector_of(const any_grid& of, const std::vector<std::byte>& elements) const {
    return {elements.data(), count_, of.type, static_cast<std::ptrdiff_t>(size_of(of.type)), of.swapped};
  }
  void append_keys(std::size_t count, const std::uint8_t* keep) {
    if (keys == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (keep[i] != 0) keys->push_back(keys_of_chunk[i]);
    }
  }

  const char* caller_;
  const element_filter& filter_;
  any_grid a_, b_;
  bool two_, keeps_places_;
  std::vector<std::byte> of_a_, of_b_;
  std::vector<std::size_t> places_;
  std::size_t count_ = 0;
};

/// Calls visit(offset of a, of b, of the mask) for every position along axes of one shape, the last one fastest.
template <class Visit>
void for_positions(std::span<const axis> a, std::span<const axis> b, std::span<const axis> mask,
                   const Visit& visit) {
  const std::size_t count = engine::positions_of(a).value_or(0);
  std::vector<std::size_t> index(a.size());
  std::ptrdiff_t offsets[3] = {};
  for (std::size_t i = 0; i < count; ++i) {
    visit(offsets[0], offsets[1], offsets[2]);
    for (std::size_t k = a.size(); k-- != 0;) {
      const std::ptrdiff_t steps[3] = {a[k].stride, b[k].stride, mask[k].stride};
      const bool carries = ++index[k] == a[k].n;
      const auto times = carries ? 1 - static_cast<std::ptrdiff_t>(a[k].n) : 1;
      for (int of = 0; of < 3; ++of) offsets[of] += times * steps[of];
      if (!carries) break;
      index[k] = 0;
    }
  }
}

const char* data_of(const any_grid& x) { return static_cast<const char*>(x.data); }

/// All elements along axes: the last one in runs.
struct element_runs {
  std::span<const axis> a, b, mask;

  template <class Visit>
  void for_runs(const Visit& visit) const {
    if (a.empty()) return visit(0, 0, 0, axis{1, 0}, axis{1, 0}, axis{1, 0});
    const auto outer = [](std::span<const axis> axes) { return axes.first(axes.size() - 1); };
    for_positions(outer(a), outer(b), outer(mask),
                  [&](std::ptrdiff_t of_a, std::ptrdiff_t of_b, std::ptrdiff_t of_mask) {
                    visit(of_a, of_b, of_mask, a.back(), b.back(), mask.back());
                  });
  }
};

const char* mask_data(const grid_call& call) {
  return call.filter->where == nullptr ? nullptr : static_cast<const char*>(call.filter->where->data);
}

/// The results of lines, which are stored at their places.
template <class Reduce>
void compute_and_store(const grid_call& call, std::size_t count, const any_results& to, const Reduce& reduce,
                       const kept_lines& kept, const std::vector<std::int64_t>* offsets) {
  const std::size_t size = size_of(to.type);
  std::vector<std::byte> found(count * size + 1);
  const axis place{count, static_cast<std::ptrdiff_t>(size)};
  try {
    reduce(any_results{found.data(), to.type, {&place, 1}});
  } catch (const error& failure) {
    if (failure.code() != errc::empty_input) throw;
    throw error(errc::empty_input, std::string(call.caller) +
                                       ": no element is left of a result, which has no least or greatest one then" +
                                       (gives_index(call.what) ? "" : "; pass initial"));
  }
  std::size_t i = 0;
  for_positions(to.axes, to.axes, to.axes, [&](std::ptrdiff_t offset, std::ptrdiff_t, std::ptrdiff_t) {
    std::byte* const word = &found[i * size];
    if (gives_index(call.what)) {
      std::uint64_t index = 0;
      std::memcpy(&index, word, sizeof index);
      index = kept.place(static_cast<std::size_t>((*offsets)[i]) + index);
      std::memcpy(word, &index, sizeof index);
    }
    if (to.swapped) std::reverse(word, word + size);
    std::memcpy(static_cast<char*>(to.data) + offset, word, size);
    ++i;
  });
}

void reduce_as_segments(const grid_call& call, const kept_lines& kept, const std::vector<std::int64_t>& offsets,
                        const any_results& to, const options& chosen) {
  const std::size_t count = offsets.size() - 1;
  const any_offsets lines{offsets.data(), count, element_type::int64, sizeof(std::int64_t)};
  compute_and_store(
      call, count, to,
      [&](const any_results& out) {
        detail::reduce_segments(call.what, kept.a(), kept.b(), lines, out, chosen, call.ddof, call.caller);
      },
      kept, &offsets);
}

/// What the call without a filter checks of memory: results that lie in an input or on each other, keys beyond the
/// elements.
void check_memory(const grid_call& call, const grid_pair& of, const any_results& to, std::size_t results,
                  const any_keys* keys) {
  const engine::batch_request asked{call.caller, call.what, to, call.ddof, nullptr, true};
  const std::size_t lines = engine::positions_of(of.first.results).value_or(0);
  const std::size_t each = engine::positions_of(of.first.elements).value_or(0);
  const bool two = inputs_of(call.what) == 2;
  if (keys != nullptr) engine::check_keys(asked, *keys, results, each);
  engine::check_results(asked, results);
  engine::check_input(asked, two ? "a" : "x", of.first, lines, each);
  if (two) engine::check_input(asked, "b", of.second, lines, each);
}

std::size_t initial_elements(const grid_call& call, std::size_t results) {
  return call.filter->initial ? results : 0;
}

}  // namespace

std::vector<axis> axes_of_mask(const vectors& inputs, const imported_array* where) {
  std::vector<axis> axes = inputs.first.all_axes();
  const std::vector<axis> given = where != nullptr ? where->all_axes() : std::vector<axis>();
  if (given.size() > axes.size()) inputs.refuse(false, "where has more dimensions than the first array");
  const std::size_t missing = axes.size() - given.size();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const axis mask = i < missing ? axis{1, 0} : given[i - missing];
    if (mask.n != 1 && mask.n != axes[i].n) {
      inputs.refuse(false, "where does not broadcast to the shape of the first array: " + std::to_string(mask.n) +
                               " positions for " + std::to_string(axes[i].n) + " along axis " + std::to_string(i));
    }
    axes[i].stride = mask.n == 1 ? 0 : mask.stride;
  }
  return axes;
}

void intersect(std::vector<std::uint8_t>& flags, const vectors& inputs, const imported_array& where) {
  const std::vector<axis> mask = axes_of_mask(inputs, &where);
  std::size_t i = 0;
  for_positions(mask, mask, mask, [&](std::ptrdiff_t offset, std::ptrdiff_t, std::ptrdiff_t) {
    flags[i++] &= static_cast<const char*>(where.data)[offset] != 0 ? 1 : 0;
  });
}

void reduce_kept_grid(const grid_call& call, const grid_pair& of, const divided_axes& mask, const any_results& to,
                      const options& chosen) {
  const std::size_t lines = engine::positions_of(of.first.results).value_or(0);
  const std::size_t each = engine::positions_of(of.first.elements).value_or(0);
  check_memory(call, of, to, lines, nullptr);
  kept_lines kept(call, of, lines * each + initial_elements(call, lines));
  kept.monitor = chosen.monitor;
  std::vector<std::int64_t> offsets{0};
  const element_runs runs{of.first.elements, of.second.elements, mask.elements};
  for_positions(of.first.results, of.second.results, mask.results,
                [&](std::ptrdiff_t of_a, std::ptrdiff_t of_b, std::ptrdiff_t of_mask) {
                  std::size_t place = 0;
                  runs.for_runs([&](std::ptrdiff_t a, std::ptrdiff_t b, std::ptrdiff_t m, const axis& along_a,
                                    const axis& along_b, const axis& along_mask) {
                    if (each == 0) return;
                    kept.append({data_of(of.first) + of_a + a, along_a.stride},
                                {data_of(of.second) + of_b + b, along_b.stride},
                                {mask_data(call) + of_mask + m, along_mask.stride}, place, along_a.n,
                                [](std::size_t, std::size_t, std::uint8_t*) {});
                    place += along_a.n;
                  });
                  kept.append_initial();
                  offsets.push_back(static_cast<std::int64_t>(kept.count()));
                });
  reduce_as_segments(call, kept, offsets, to, chosen);
}

void reduce_kept_segments(const grid_call& call, const any_vector& a, const any_vector& b,
                          const any_offsets& segments, std::ptrdiff_t mask, const any_results& to,
                          const options& chosen) {
  std::vector<std::int64_t> checked(segments.count + 1);
  const detail::element_line line_a(a), line_b(b);
  {  // wrong offsets have their sentences from the call without a mask, on no elements
    const any_keys as_keys{segments.data, segments.count + 1, segments.type, segments.stride, 0,
                           true,          segments.swapped};
    engine::for_keys(as_keys, 0, segments.count + 1,
                     [&](std::size_t i, std::uint64_t offset) { checked[i] = static_cast<std::int64_t>(offset); });
    const bool is_right =
        std::ranges::is_sorted(checked) && checked.front() >= 0 && checked.back() <= static_cast<std::int64_t>(a.n);
    if (!is_right) return detail::reduce_segments(call.what, a, b, segments, to, chosen, call.ddof, call.caller);
  }
  check_memory(call, {line_a.view(), line_b.view()}, to, segments.count, nullptr);
  const std::size_t elements = static_cast<std::size_t>(checked.back() - checked.front());
  kept_lines kept(call, {line_a.view(), line_b.view()}, elements + initial_elements(call, segments.count));
  kept.monitor = chosen.monitor;
  std::vector<std::int64_t> offsets{0};
  for (std::size_t i = 0; i < segments.count; ++i) {
    const auto start = static_cast<std::ptrdiff_t>(checked[i]);
    const run of_a{static_cast<const char*>(a.data) + start * a.stride, a.stride};
    const run of_b{static_cast<const char*>(b.data) + start * b.stride, b.stride};
    kept.append(of_a, of_b, {mask_data(call) + start * mask, mask}, 0,
                static_cast<std::size_t>(checked[i + 1] - checked[i]),
                [](std::size_t, std::size_t, std::uint8_t*) {});
    kept.append_initial();
    offsets.push_back(static_cast<std::int64_t>(kept.count()));
  }
  reduce_as_segments(call, kept, offsets, to, chosen);
}

void reduce_kept_groups(const grid_call& call, const grid_pair& of, const divided_axes& mask, const any_keys& keys,
                        const any_results& to, const options& chosen) {
  const std::size_t columns = engine::positions_of(of.first.results).value_or(0), results = keys.groups * columns;
  check_memory(call, of, to, results, &keys);
  if (!keys.skips_out_of_range) {  // for its errors
    std::vector<std::int64_t> sizes(keys.groups);
    const axis place{keys.groups, sizeof(std::int64_t)};
    detail::group_sizes(keys, {sizes.data(), element_type::int64, {&place, 1}}, chosen, call.caller);
  }
  kept_lines kept(call, of, keys.n * columns + initial_elements(call, results));
  kept.monitor = chosen.monitor;
  std::vector<std::int64_t> new_keys, of_chunk(chunk);
  new_keys.reserve(keys.n * columns + initial_elements(call, results));
  kept.keys = &new_keys, kept.keys_of_chunk = of_chunk.data();
  std::size_t column = 0;
  for_positions(of.first.results, of.second.results, mask.results,
                [&](std::ptrdiff_t of_a, std::ptrdiff_t of_b, std::ptrdiff_t of_mask) {
                  const auto number_keys = [&](std::size_t first, std::size_t count, std::uint8_t* keep) {
                    engine::for_keys(keys, first, count, [&](std::size_t i, std::uint64_t key) {
                      if (key >= keys.groups) keep[i] = 0;
                      of_chunk[i] = static_cast<std::int64_t>(key * columns + column);
                    });
                  };
                  kept.append({data_of(of.first) + of_a, of.first.elements[0].stride},
                              {data_of(of.second) + of_b, of.second.elements[0].stride},
                              {mask_data(call) + of_mask, mask.elements[0].stride}, 0, keys.n, number_keys);
                  for (std::size_t group = 0; call.filter->initial && group < keys.groups; ++group) {
                    kept.append_initial();
                    new_keys.push_back(static_cast<std::int64_t>(group * columns + column));
                  }
                  ++column;
                });
  const any_keys numbered{new_keys.data(), new_keys.size(), element_type::int64, sizeof(std::int64_t), results};
  const detail::element_line line_a(kept.a()), line_b(kept.b());
  compute_and_store(
      call, results, to,
      [&](const any_results& out) {
        detail::reduce_groups(call.what, line_a.view(), line_b.view(), numbered, out, chosen, call.ddof,
                              call.caller);
      },
      kept, nullptr);
}

}  // namespace exactdot::python
