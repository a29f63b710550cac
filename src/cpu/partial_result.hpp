// What is known of one result while its elements arrive chunk by chunk: in mode exact level 1, a sum with a bound;
// in mode fast the tree of order v1; of an extremum the best element so far.
//
// A batch keeps one per thread, or one per column of a panel. It allocates nothing and throws nothing.
#pragma once

#include <cpu/addend.hpp>
#include <cpu/extreme.hpp>
#include <cpu/sums.hpp>
#include <exactdot/order_v1.hpp>
#include <optional>

namespace exactdot::inline v0_3::cpu_engine {

/// The kernels of a plan: of its sums or of its extremum.
struct batch_kernels {
  std::optional<sums> of_sums;
  extremum_kernel of_extremum = nullptr;

  explicit batch_kernels(const engine::plan& plan) {
    if (plan.info().is_extremum) {
      of_extremum = extremum_kernel_of(plan);
    } else {
      of_sums.emplace(plan);
    }
  }
};

class partial_result {
 public:
  /// Of no elements. Level 1 is not used where it cannot decide.
  void clear(const engine::plan& plan) noexcept {
    is_open_ = plan.mode == mode::exact && !plan.info().is_extremum && !plan.bounded_sum_can_decide;
    total_ = {};
    best_ = no_extreme;
    floats_.clear();
    doubles_.clear();
  }

  /// Whether more elements change anything: false if the exact state is needed anyway.
  [[nodiscard]] bool wants_elements() const { return !is_open_; }

  /// Adds contiguous elements, as the plan's kernels read them; `first` is the index of the first. In mode fast
  /// every call but the last adds the same power of two of tiles of order v1. next: see kernels::bounded.
  void add_chunk(const engine::plan& plan, const batch_kernels& kernels, const void* a, const void* b,
                 std::size_t first, std::size_t n, const void* next = nullptr) noexcept {
    if (kernels.of_extremum != nullptr) {
      extreme found = kernels.of_extremum(a, n);
      found.index += first;
      if (is_better(found, best_)) best_ = found;
    } else if (plan.mode == mode::fast) {
      const std::uint64_t sum = kernels.of_sums->term->fast(a, b, n);
      if (plan.carrier == element_type::float32) return floats_.push(core::from_word<float>(sum));
      doubles_.push(core::from_word<double>(sum));
    } else if (!is_open_) {
      const sums& of = *kernels.of_sums;
      bounded_moments slice;
      is_open_ = !of.term->bounded(a, b, n, next, slice.sum) ||
                 (of.squares != nullptr && !of.squares->bounded(a, b, n, nullptr, slice.squares));
      add(total_, slice);
    }
  }

  /// The bits of the result of the plan's n elements and of `more`, unless it is null; not certain if level 1
  /// leaves it open.
  [[nodiscard]] core::decision finish(const engine::plan& plan, const addend* more = nullptr) const noexcept {
    if (plan.info().is_extremum) return {result_of(plan, best_), true};
    if (plan.mode == mode::fast) {
      return {plan.carrier == element_type::float32 ? engine::fast_result(plan, floats_.root())
                                                    : engine::fast_result(plan, doubles_.root()),
              true};
    }
    if (is_open_) return {0, false};
    if (plan.info().needs_squares()) return decide_moments(plan, plan.n, total_);
    core::decision found{};
    bounded_sum sum = total_.sum;
    if (more != nullptr) more->join(sum);
    found.certain = finish_if_certain(plan.result, plan.n, sum, found.word);
    return found;
  }

 private:
  bool is_open_ = false;
  bounded_moments total_;
  extreme best_ = no_extreme;
  tile_tree<float> floats_;
  tile_tree<double> doubles_;
};

}  // namespace exactdot::inline v0_3::cpu_engine
