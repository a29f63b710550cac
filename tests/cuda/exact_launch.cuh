// One launch of the exact kernel or of a variant of it, for tests that choose its bound and read its device state.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cuda/shape/exact_vector.cuh>
#include <cuda/sum/second_level_code.cuh>
#include <string>
#include <vector>

#include "backend.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Two vectors.
template <class T>
struct terms {
  std::vector<T> a, b;
};

/// What is compiled into a kernel.
template <int threads_, int in_flight_, summation sums_, kernel_variant variant_ = kernel_variant{}>
struct kernel_choice {
  static constexpr int threads = threads_, in_flight = in_flight_;
  static constexpr summation sums = sums_;
  static constexpr kernel_variant variant = variant_;
  static sum_shape shape(std::size_t n, unsigned blocks, int accumulators) {
    return {n, blocks, threads, in_flight, accumulators, variant};
  }
};

/// What the factor and the floor of the right bound are multiplied by, and the factor of refined sums.
struct bound_choice {
  double factor = 1;
  double floor = 1;
  double of_refined = 1;
};

/// Bounds that decide nothing, neither of bounded nor of refined sums.
constexpr bound_choice undecided = {HUGE_VAL, 1, HUGE_VAL};

/// Memory of the device for launches that follow each other.
class exact_launcher {
 public:
  explicit exact_launcher(unsigned seed = 1) : state_(stream_, 1) {
    choose_schedule(stream_, seed);
    state_.fill_zero();
  }
  ~exact_launcher() {
    for (const std::string& finding : gpu::findings(stream_)) ADD_FAILURE() << finding;
  }
  exact_launcher(const exact_launcher&) = delete;
  exact_launcher& operator=(const exact_launcher&) = delete;

  /// The inputs begin `skew_a` and `skew_b` elements after an aligned address.
  template <class Term, class Kernel, class T>
  void launch(const terms<T>& given, unsigned blocks, const destination& to, bound_choice choice = {},
              std::size_t skew_a = 0, std::size_t skew_b = 0) {
    const std::size_t n = given.a.size();
    gpu::buffer<T> a(stream_, n + skew_a + 1), b(stream_, n + skew_b + 1);
    copy_input(a, given.a, skew_a), copy_input(b, given.b, skew_b);
    const int accumulators = bounded_thread_sum<T, Term, Kernel::sums>::accumulators;
    error_bound bound =
        bound_of(Kernel::shape(n, blocks, accumulators), Kernel::sums, core::streams_of<Term, T> == 2);
    bound.factor *= choice.factor;
    bound.floor *= choice.floor;
    bound.of_refined *= choice.of_refined;
    constexpr auto kernel = exact_kernel<T, Term, input_layout::contiguous, Kernel::threads, Kernel::in_flight,
                                         Kernel::sums, Kernel::variant.in_cluster, Kernel::variant.claims>;
    const operands<T, input_layout::contiguous> in(a.data() + skew_a,
                                                   Term::inputs == 2 ? b.data() + skew_b : nullptr, n);
    gpu::launch(kernel, blocks, Kernel::threads, 0,
                gpu::cluster_dimensions{Kernel::variant.in_cluster ? blocks : 1}, stream_, in, bound, state_.data(),
                to);
    gpu::synchronise(stream_);
  }
  template <class R, class Term, class Kernel, class T>
  R result(const terms<T>& given, unsigned blocks, bound_choice choice = {}, std::size_t skew_a = 0,
           std::size_t skew_b = 0) {
    gpu::buffer<R> value(stream_, 1);
    launch<Term, Kernel>(given, blocks, value_at(value.data()), choice, skew_a, skew_b);
    R found{};
    value.copy_to(&found, 1);
    return found;
  }

  [[nodiscard]] gpu::stream& stream() { return stream_; }
  [[nodiscard]] const device_state& state() {
    static device_state copy{};  // too large for a stack
    state_.copy_to(&copy, 1);
    return copy;
  }
  /// The state after so many launches.
  void set_launches(wide_unsigned launches) {
    static device_state old{};
    old.exchange.tickets = launches << blocks_bits;
    state_.copy_from(&old, 1);
  }

 private:
  gpu::stream stream_;
  gpu::buffer<device_state> state_;
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
