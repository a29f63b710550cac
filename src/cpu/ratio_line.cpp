// Implementation of ratio_line.hpp.
#include <algorithm>
#include <cpu/ratio_line.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

core::state_layout layout_of_carrier(element_type carrier) {
  return with_carrier(carrier, []<class T>(T) { return core::layout_of<T>(); });
}

}  // namespace

void even_halves::replace(const void** halves, std::size_t n) noexcept {
  if (high_ == nullptr) return;
  const auto* const high = static_cast<const double*>(halves[0]);
  const auto* const low = static_cast<const double*>(halves[1]);
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_whole = high[i] == 0 || low[i] == 0;  // half of it is a double, too
    high_[i] = is_whole ? (high[i] + low[i]) / 2 : high[i];
    low_[i] = is_whole ? (high[i] + low[i]) / 2 : low[i];
  }
  halves[0] = high_.get(), halves[1] = low_.get();
}

ratio_line::ratio_line(const ratio_rule& rule, element_type carrier, int parts_of_a, int parts_of_b)
    : rule_(rule),
      recipe_(recipe_of(rule.what)),
      layout_(layout_of_carrier(carrier)),
      values_(current_kernels(carrier, core::info_of(reduction::sum).term)),
      squares_(current_kernels(carrier, core::info_of(reduction::sum_of_squares).term)),
      products_(current_kernels(carrier, core::info_of(reduction::dot).term)),
      parts_of_a_(parts_of_a),
      parts_of_b_(parts_of_b),
      words_(std::make_unique_for_overwrite<std::int64_t[]>(
          static_cast<std::size_t>(ratio_sum_count * layout_.words()))) {}

bool ratio_line::uses(int sum) const {
  const bool used[ratio_sum_count] = {recipe_.x, recipe_.y, recipe_.xy, recipe_.xx, recipe_.yy};
  return used[sum];
}

/// visit(sum, kernels, a, b) for every sum and every pair of parts, while it is true.
template <class Visit>
bool ratio_line::for_sums(const ratio_chunk& chunk, const Visit& visit) const noexcept {
  const auto values = [&](ratio_sum sum, const void* const* x, int parts) {
    for (int i = 0; i < parts; ++i) {
      if (!visit(sum, values_, x[i], x[i])) return false;
    }
    return true;
  };
  const auto products = [&](ratio_sum sum, const void* const* x, int parts, const void* const* y, int others) {
    const bool is_square = x == y && parts == 1;
    for (int i = 0; i < parts; ++i) {
      for (int k = 0; k < others; ++k) {
        if (!visit(sum, is_square ? squares_ : products_, x[i], y[k])) return false;
      }
    }
    return true;
  };
  const void *const *const a = chunk.a, *const *const b = chunk.b;
  return (!recipe_.x || values(sum_of_x, a, parts_of_a_)) && (!recipe_.y || values(sum_of_y, b, parts_of_b_)) &&
         (!recipe_.xy || products(sum_of_xy, a, parts_of_a_, b, parts_of_b_)) &&
         (!recipe_.xx || products(sum_of_xx, a, parts_of_a_, a, parts_of_a_)) &&
         (!recipe_.yy || products(sum_of_yy, b, parts_of_b_, b, parts_of_b_));
}

void ratio_line::clear() noexcept {
  is_open_ = false;
  sums_ = {};
}

void ratio_line::clear_words() noexcept { std::fill_n(words_.get(), ratio_sum_count * layout_.words(), 0); }

bool ratio_line::add(const ratio_chunk& chunk) noexcept {
  is_open_ = is_open_ || !for_sums(chunk, [&](ratio_sum sum, const kernels& of, const void* a, const void* b) {
               bounded_sum found;
               if (!of.bounded(a, b, chunk.n, nullptr, found)) return false;
               cpu_engine::add(sums_[sum], found);
               return true;
             });
  return !is_open_;
}

bool ratio_line::add_exactly(const ratio_chunk& chunk) noexcept {
  return for_sums(chunk, [&](ratio_sum sum, const kernels& of, const void* a, const void* b) {
    of.accumulate(a, b, chunk.n, words_.get() + sum * layout_.words());
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
  for (int i = 0; i < ratio_sum_count; ++i) {
    std::int64_t* const words = words_.get() + i * layout_.words();
    core::merge(layout_, words, other.words_.get() + i * layout_.words());
    core::normalise(layout_, words);
  }
}

std::uint64_t ratio_line::exact_result(std::size_t n) noexcept {
  std::int64_t* words[ratio_sum_count];
  for (int i = 0; i < ratio_sum_count; ++i) words[i] = uses(i) ? words_.get() + i * layout_.words() : nullptr;
  return finish(rule_, n, layout_, words);
}

}  // namespace exactdot::inline v0_3::cpu_engine
