// Implementation of ratios.hpp.
#include <algorithm>
#include <cpu/environment.hpp>
#include <cstring>
#include <exactdot/accumulator.hpp>
#include <exactdot/states.hpp>
#include <memory>
#include <plan/axes.hpp>
#include <plan/group_keys.hpp>
#include <plan/staging.hpp>
#include <plan/state_request.hpp>
#include <run/ratio_sums.hpp>
#include <run/ratios.hpp>
#include <string>

namespace exactdot::inline v0_3::engine {
namespace {

constexpr std::size_t max_words = std::size_t{1} << 23;  // of states at a time

/// Which vectors the terms of a sum are made of.
enum class term_inputs : unsigned char { a, b, both };

/// States of one sum, or of a count and one or two sums, of each of several results.
class sum_states {
 public:
  sum_states(reduction what, element_type type, std::size_t results)
      : format_{what, type, state_form::compact}, stored_(format_), words_(results * format_.words()) {}

  [[nodiscard]] const state_format& format() const { return format_; }
  [[nodiscard]] std::span<std::int64_t> words() { return words_; }
  [[nodiscard]] std::uint64_t count_at(std::size_t i) const {
    return stored_.counts_elements != 0 ? static_cast<std::uint64_t>(*at(i)) : 1;
  }
  /// The index-th sum of result i, copied to `words`.
  [[nodiscard]] ratio_sum load(std::size_t i, int index, std::int64_t* words) const {
    const core::state_layout& layout = stored_.of[index].layout;
    load_sum(stored_, index, at(i), words);
    core::normalise(layout, words);
    return {layout, words};
  }

 private:
  [[nodiscard]] const std::int64_t* at(std::size_t i) const { return &words_[i * format_.words()]; }

  state_format format_;
  stored_state stored_;
  std::vector<std::int64_t> words_;
};

/// The states of several ratios.
class ratio_states {
 public:
  ratio_states(const batch_request& asked, element_type type, std::size_t results) : asked_(asked) {
    const ratio_recipe recipe = recipe_of(asked.what);
    const auto make = [&](reduction what) { return std::make_unique<sum_states>(what, type, results); };
    if (recipe.of_a != ratio_recipe::none) a_ = make(recipe.of_a);
    if (recipe.of_b != ratio_recipe::none) b_ = make(recipe.of_b);
    if (recipe.has_product) product_ = make(reduction::dot);
  }
  /// How many results have at most max_words.
  [[nodiscard]] static std::size_t max_results(const batch_request& asked, element_type type) {
    const ratio_recipe recipe = recipe_of(asked.what);
    std::size_t words = recipe.has_product ? state_format{reduction::dot, type, state_form::compact}.words() : 0;
    for (const reduction what : {recipe.of_a, recipe.of_b})
      words += state_format{what, type, state_form::compact}.words();
    return std::max<std::size_t>(max_words / words, 1);
  }

  /// add(format, inputs, words) adds the states of all results.
  template <class Add>
  void add(const Add& add) {
    if (a_) add(a_->format(), term_inputs::a, a_->words());
    if (b_) add(b_->format(), term_inputs::b, b_->words());
    if (product_) add(product_->format(), term_inputs::both, product_->words());
  }
  [[nodiscard]] std::uint64_t result(std::size_t i) const {
    std::int64_t words[5][core::max_state_words];
    const ratio_recipe recipe = recipe_of(asked_.what);
    ratio_state state;
    const auto load = [&](const sum_states& of, reduction what, int first, ratio_sum& sum, ratio_sum& squares) {
      const auto& info = core::info_of(what);
      const bool has_squares = core::term_at(info.term).factors == 2;
      if (info.needs_squares()) squares = of.load(i, 1, words[first + 1]);
      (has_squares ? squares : sum) = of.load(i, 0, words[first]);
    };
    if (a_) load(*a_, recipe.of_a, 0, state.x, state.xx), state.n = a_->count_at(i);
    if (b_) load(*b_, recipe.of_b, 2, state.y, state.yy);
    if (product_) state.xy = product_->load(i, 0, words[4]);
    return finish_ratio(asked_.what, core::format_of(asked_.out.type), asked_.ddof, state);
  }
  /// Stores the results along the axes of `out`, the last one fastest.
  void store(const any_results& out) const {
    batch results;
    results.each.result_type = out.type, results.out_swapped = out.swapped;
    const std::size_t count = positions_of(out.axes).value_or(0);
    for (std::size_t i = 0; i < count; ++i) {
      char* to = static_cast<char*>(out.data);
      for (std::size_t k = out.axes.size(), left = i; k-- != 0; left /= out.axes[k].n) {
        to += static_cast<std::ptrdiff_t>(left % out.axes[k].n) * out.axes[k].stride;
      }
      results.store(to, result(i));
    }
  }

 private:
  const batch_request& asked_;
  std::unique_ptr<sum_states> a_, b_, product_;
};

[[noreturn]] void refuse(const char* caller, const std::string& sentence) {
  throw_error(errc::bad_option, caller, sentence);
}

/// Refuses arrays in a GPU's memory. The batch is not computed: what made it has checked the rest of the call.
void require_host(const batch_request& asked, const batch& checked) {
  if (!checked.each.on_gpu) return;
  refuse(asked.caller, std::string(name_of(asked.what)) + " is computed of arrays in host memory; copy them there");
}

/// A grid, or a contiguous copy of it with wider elements.
class widened_grid {
 public:
  widened_grid(const char* caller, const any_grid& x, element_type type) : view_(x) {
    if (x.type == type) return;
    results_.assign(x.results.begin(), x.results.end()), elements_.assign(x.elements.begin(), x.elements.end());
    std::vector<axis> copied;  // axes along which nothing moves stay so
    auto size = static_cast<std::ptrdiff_t>(size_of(type));
    const auto place = [&](std::vector<axis>& axes) {
      for (std::size_t i = axes.size(); i-- != 0;) {
        if (axes[i].stride == 0 || axes[i].n == 1) {
          axes[i].stride = 0;
          continue;
        }
        copied.insert(copied.begin(), {axes[i].n, axes[i].stride});
        axes[i].stride = size, size *= static_cast<std::ptrdiff_t>(axes[i].n);
      }
    };
    place(elements_), place(results_);
    data_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size));
    operand from{x.data, 0, x.type, x.swapped, false};
    const axis inner = copied.empty() ? axis{1, 0} : copied.back();
    if (!copied.empty()) copied.pop_back();
    from.stride = inner.stride, from.inner = inner.n, from.outer = copied;
    std::byte* to = data_.get();
    const std::size_t rows = inner.n == 0 ? 0 : positions_of(copied).value_or(0);
    for (std::size_t row = 0; row < rows; ++row, to += inner.n * size_of(type)) {
      const operand each{address_of(from, row * inner.n), inner.stride, x.type, x.swapped, false};
      copy_contiguous(each, type, 0, inner.n, to);
      if (core::parts_of(x.type) == 2) add_low_parts(caller, each, inner.n, to);
    }
    view_ = {data_.get(), type, results_, elements_, false};
  }
  [[nodiscard]] const any_grid& view() const { return view_; }

 private:
  /// Adds the lower halves of 64-bit integers to the upper ones, which are there.
  static void add_low_parts(const char* caller, const operand& x, std::size_t n, std::byte* high) {
    std::vector<double> low(n);
    copy_contiguous(x, element_type::float64, 1, n, low.data());
    for (std::size_t i = 0; i < n; ++i) {
      double each;
      std::memcpy(&each, high + i * sizeof each, sizeof each);
      const auto sum = core::two_sum(each, low[i]);
      if (sum.error != 0) {
        refuse(caller,
               "element " + std::to_string(i) + " of a vector of " + std::string(name_of(x.type)) +
                   " has more than 53 bits, which no float64 holds beside another type; convert the vectors");
      }
      std::memcpy(high + i * sizeof each, &sum.value, sizeof each);
    }
  }

  any_grid view_;
  std::vector<axis> results_, elements_;
  std::unique_ptr<std::byte[]> data_;
};

/// The type to which both are converted: integers beside another type to float64, which has to hold them.
element_type common_type(element_type a, element_type b) {
  if (a == b) return a;
  if (is_integer(a) || is_integer(b)) return element_type::float64;
  return core::wider(core::carrier_of(a), core::carrier_of(b));
}

/// Positions `first` to `first + n` along an axis of results.
struct grid_part {
  std::vector<axis> results;
  any_grid view;

  grid_part(const any_grid& x, std::size_t along, std::size_t first, std::size_t n)
      : results(x.results.begin(), x.results.end()), view(x) {
    view.data = static_cast<const char*>(x.data) + static_cast<std::ptrdiff_t>(first) * results[along].stride;
    results[along].n = n, view.results = results;
  }
};
struct results_part {
  std::vector<axis> axes;
  any_results view;

  results_part(const any_results& out, std::size_t along, std::size_t first, std::size_t n)
      : axes(out.axes.begin(), out.axes.end()), view(out) {
    view.data = static_cast<char*>(out.data) + static_cast<std::ptrdiff_t>(first) * axes[along].stride;
    axes[along].n = n, view.axes = axes;
  }
};

/// Calls visit(a, b, out) for parts of the grids of at most max_results results. `groups`: axes of `out` before
/// theirs.
template <class Visit>
void for_parts(const any_grid& a, const any_grid& b, const any_results& out, std::size_t groups,
               std::size_t max_results, const Visit& visit) {
  const auto longest = std::ranges::max_element(a.results, {}, &axis::n);
  if (positions_of(a.results).value_or(0) <= max_results || longest->n == 1) return visit(a, b, out);
  const auto along = static_cast<std::size_t>(longest - a.results.begin());
  const std::size_t n = longest->n, half = n / 2;
  for (const auto& [first, length] : {std::pair{std::size_t{0}, half}, std::pair{half, n - half}}) {
    const grid_part of_a(a, along, first, length), of_b(b, along, first, length);
    const results_part to(out, along + groups, first, length);
    for_parts(of_a.view, of_b.view, to.view, groups, max_results, visit);
  }
}

/// Keys of so many groups from `first` on, which count from 0; those of other groups are skipped.
class key_range {
 public:
  key_range(const any_keys& keys, std::size_t first, std::size_t groups) : view_(keys) {
    if (groups == keys.groups) return;
    moved_.resize(keys.n);
    for_keys(keys, 0, keys.n, [&](std::size_t i, std::uint64_t key) {
      moved_[i] = key - first < groups ? static_cast<std::int64_t>(key - first) : -1;
    });
    view_ = {moved_.data(), keys.n, element_type::int64, sizeof(std::int64_t), groups, true};
  }
  [[nodiscard]] const any_keys& view() const { return view_; }

 private:
  any_keys view_;
  std::vector<std::int64_t> moved_;
};

any_vector vector_of(const any_grid& line) {
  return {line.data, line.elements[0].n, line.type, line.elements[0].stride, line.swapped};
}

/// Computes the states of the results by add(format, inputs, words), then the results.
template <class Add>
void compute(const batch_request& asked, element_type type, const any_results& out, const Add& add) {
  ratio_states states(asked, type, positions_of(out.axes).value_or(0));
  states.add(add);
  const cpu_engine::standard_arithmetic environment;
  states.store(out);
}

}  // namespace

std::uint64_t ratio_of_vectors(const request& asked, const plan& checked, const options& options) {
  const ratio_recipe recipe = recipe_of(asked.what);
  const bool two = inputs_of(asked.what) == 2;
  const bool converts = two && is_integer(asked.a.type) != is_integer(asked.b.type);
  const bool in_gpu = checked.a.where.kind == memory_kind::device || checked.b.where.kind == memory_kind::device;
  if (converts && in_gpu)
    refuse(asked.caller, "of vectors in a GPU's memory one holds integers, the other does not");
  const exactdot::detail::element_line line_a(asked.a), line_b(two ? asked.b : asked.a);
  const widened_grid first(asked.caller, line_a.view(), converts ? element_type::float64 : asked.a.type);
  const widened_grid second(asked.caller, line_b.view(), converts ? element_type::float64 : line_b.x.type);
  const any_vector a = vector_of(first.view()), b = vector_of(second.view());
  const auto holds = exactdot::detail::state_holds;
  const element_type held = holds(a.type, b.type) ? a.type
                            : holds(b.type, a.type)
                                ? b.type
                                : core::wider(core::carrier_of(a.type), core::carrier_of(b.type));
  std::int64_t words[5][core::max_state_words];
  const core::state_layout layout = core::layout_of(held);
  int used = 0;
  const auto sum_of = [&](reduction what, const any_vector& x, const any_vector& y) -> ratio_sum {
    std::int64_t* const sum = words[used++];
    std::fill_n(sum, layout.words(), 0);
    sum[layout.states()] = 1;
    std::uint64_t pending = 0;
    const exactdot::detail::state_view view{held, sum, &pending, asked.caller};
    exactdot::detail::add_terms(view, what, x, y, options);
    exactdot::detail::normalise(view);
    return {layout, sum};
  };
  ratio_state state;
  const auto add = [&](reduction what, const any_vector& x, ratio_sum& sum, ratio_sum& squares) {
    if (what == ratio_recipe::none) return;
    const auto& info = core::info_of(what);
    if (core::term_at(info.term).factors == 1) sum = sum_of(reduction::sum, x, x);
    if (core::term_at(info.term).factors == 2 || info.needs_squares())
      squares = sum_of(reduction::sum_of_squares, x, x);
    if (info.counts_elements()) state.n = x.n;
  };
  add(recipe.of_a, a, state.x, state.xx);
  add(recipe.of_b, b, state.y, state.yy);
  if (recipe.has_product) state.xy = sum_of(reduction::dot, a, b);
  const cpu_engine::standard_arithmetic environment;
  return finish_ratio(asked.what, core::format_of(asked.result), asked.ddof, state);
}

void ratios_of_grid(const batch_request& asked, const any_grid& given_a, const any_grid& given_b,
                    const options& options) {
  const any_grid& other = inputs_of(asked.what) == 2 ? given_b : given_a;
  require_host(asked, make_grid_batch(asked, given_a, other, options));
  const element_type type = common_type(given_a.type, other.type);
  const widened_grid first(asked.caller, given_a, type), second(asked.caller, other, type);
  for_parts(
      first.view(), second.view(), asked.out, 0, ratio_states::max_results(asked, type),
      [&](const any_grid& a, const any_grid& b, const any_results& out) {
        compute(asked, type, out, [&](const state_format& of, term_inputs which, std::span<std::int64_t> words) {
          exactdot::detail::add_grid_states(of, which == term_inputs::b ? b : a, which == term_inputs::a ? a : b,
                                            words, options, asked.caller);
        });
      });
}

void ratios_of_segments(const batch_request& asked, const any_vector& given_a, const any_vector& given_b,
                        const any_offsets& offsets, const options& options) {
  const any_vector& other = inputs_of(asked.what) == 2 ? given_b : given_a;
  require_host(asked, make_segment_batch(asked, given_a, other, offsets, options));
  const element_type type = common_type(given_a.type, other.type);
  const exactdot::detail::element_line line_a(given_a), line_b(other);
  const widened_grid first(asked.caller, line_a.view(), type), second(asked.caller, line_b.view(), type);
  const any_vector a = vector_of(first.view()), b = vector_of(second.view());
  const std::size_t step = ratio_states::max_results(asked, type);
  for (std::size_t begin = 0; begin < offsets.count; begin += step) {
    any_offsets part = offsets;
    part.data = static_cast<const char*>(offsets.data) + static_cast<std::ptrdiff_t>(begin) * offsets.stride;
    part.count = std::min(step, offsets.count - begin);
    const results_part out(asked.out, 0, begin, part.count);
    compute(asked, type, out.view, [&](const state_format& of, term_inputs which, std::span<std::int64_t> words) {
      exactdot::detail::add_segment_states(of, which == term_inputs::b ? b : a, which == term_inputs::a ? a : b,
                                           part, words, options, asked.caller);
    });
  }
}

void ratios_of_groups(const batch_request& asked, const any_grid& given_a, const any_grid& given_b,
                      const any_keys& keys, const options& options) {
  const any_grid& other = inputs_of(asked.what) == 2 ? given_b : given_a;
  require_host(asked, make_group_batch(asked, given_a, other, keys, options));
  const element_type type = common_type(given_a.type, other.type);
  const widened_grid first(asked.caller, given_a, type), second(asked.caller, other, type);
  const std::size_t max_results = ratio_states::max_results(asked, type);
  for (std::size_t begin = 0; begin < keys.groups; begin += max_results) {
    const std::size_t groups = std::min(max_results, keys.groups - begin);
    const key_range part(keys, begin, groups);
    const results_part of_groups(asked.out, 0, begin, groups);
    for_parts(
        first.view(), second.view(), of_groups.view, 1, std::max<std::size_t>(max_results / groups, 1),
        [&](const any_grid& a, const any_grid& b, const any_results& out) {
          compute(asked, type, out, [&](const state_format& of, term_inputs which, std::span<std::int64_t> words) {
            exactdot::detail::add_group_states(of, which == term_inputs::b ? b : a, which == term_inputs::a ? a : b,
                                               part.view(), words, options, asked.caller);
          });
        });
  }
}

}  // namespace exactdot::inline v0_3::engine
