// Launches of the kernels of lines (shape/lines.cuh) on matrices, for tests that compare their results with the
// vector call of the CPU, which tests/table compares with the oracle.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cuda/shape/columns.cuh>
#include <cuda/shape/lines.cuh>
#include <cuda/sum/second_level_code.cuh>
#include <cuda/work/moments.cuh>
#include <cuda/work/sum.cuh>
#include <exactdot/core/reduction.hpp>
#include <exactdot/reductions.hpp>
#include <string>
#include <vector>

#include "backend.cuh"
#include "missing_gpu.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

class rows : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

/// Rows of n elements. Strides in elements.
template <class T>
struct matrix {
  std::size_t count = 0, n = 0;
  std::vector<T> a, b;
  std::ptrdiff_t next_a = 0, next_b = 0, stride = 1;

  [[nodiscard]] any_vector row(const std::vector<T>& of, std::ptrdiff_t next, std::size_t i) const {
    return {of.data() + static_cast<std::ptrdiff_t>(i) * next, n, type_of<T>,
            stride * static_cast<std::ptrdiff_t>(sizeof(T))};
  }
};

/// How a launch sums a row, and what the factor and the floor of its bound are multiplied by.
template <int lanes_, int in_flight_ = 4, input_layout layout_ = input_layout::contiguous>
struct way {
  static constexpr int lanes = lanes_, in_flight = in_flight_;
  static constexpr input_layout layout = layout_;
};
/// A block of so many threads for so many columns.
template <int threads_, int columns_, int in_flight_ = 4>
struct columns_of_block {
  static constexpr int threads = threads_, columns = columns_, lanes = threads / columns, in_flight = in_flight_;
};
template <class Way>
concept takes_columns = requires {
  Way::columns;
};
struct bound_choice {
  double factor = 1, floor = 1;
};

class launcher {
 public:
  /// `reports`: whether findings of the simulator fail the test; not those of a launch with a planted defect.
  explicit launcher(unsigned seed = 1, bool reports = true) : reports_(reports) { choose_schedule(stream_, seed); }
  ~launcher() {
    if (!reports_) return;
    for (const std::string& finding : gpu::findings(stream_)) ADD_FAILURE() << finding;
  }
  launcher(const launcher&) = delete;
  launcher& operator=(const launcher&) = delete;

  /// The results' bits. The inputs begin `skew_a` and `skew_b` elements after an aligned address.
  template <class Term, class Way, class T>
  std::vector<std::uint64_t> results(const matrix<T>& of, core::result_rule rule, unsigned blocks,
                                     std::size_t skew_a = 0, std::size_t skew_b = 0, bound_choice choice = {}) {
    gpu::buffer<T> a(stream_, of.a.size() + skew_a + 4), b(stream_, of.b.size() + skew_b + 4);
    copy_input(a, of.a, skew_a), copy_input(b, of.b, skew_b);
    line_operands<T> in;
    in.first = {a.data() + skew_a, Term::inputs == 2 ? b.data() + skew_b : nullptr, of.stride, of.stride, of.n};
    in.next_a = of.next_a, in.next_b = of.next_b, in.count = of.count;
    return results(of.count, of.n, rule,
                   [&](const line_results& to) { launch<T, Term, Way>(in, to, blocks, choice); });
  }

  /// The bits that enqueue(destination) stores for `count` lines of n elements.
  template <class Enqueue>
  std::vector<std::uint64_t> results(std::size_t count, std::size_t n, core::result_rule rule, Enqueue enqueue) {
    gpu::buffer<unsigned> status(stream_, 1);
    status.fill_zero();
    constexpr std::size_t distance = 2;  // of the results
    gpu::buffer<std::uint64_t> out(stream_, distance * count + 1);
    const std::vector<std::uint64_t> unwritten(out.size(), 0x5a5a5a5a5a5a5a5a);
    out.copy_from(unwritten.data(), unwritten.size());
    line_results to;
    to.first = reinterpret_cast<char*>(out.data()), to.next = distance * sizeof(std::uint64_t);
    to.to.rule = rule, to.to.count = n, to.to.status = status.data();
    enqueue(to);
    gpu::synchronise(stream_);
    std::vector<std::uint64_t> all(out.size()), found(count);
    out.copy_to(all.data(), all.size());
    const int bytes = rule.bytes();
    const std::uint64_t mask = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
    for (std::size_t i = 0; i < count; ++i) {
      found[i] = all[distance * i] & mask;
      EXPECT_EQ(all[distance * i] & ~mask, unwritten[0] & ~mask) << "bytes behind result " << i;
      EXPECT_EQ(all[distance * i + 1], unwritten[0]) << "memory behind result " << i;
    }
    return found;
  }

  [[nodiscard]] gpu::stream& stream() { return stream_; }

 private:
  template <class T, class Term, class Way>
  void launch(const line_operands<T>& in, const line_results& to, unsigned blocks, bound_choice choice) {
    using work = sum_of_terms<T, Term>;
    line_bounds bounds = bounds_of_line<work>(in.first.n, Way::lanes, Way::in_flight);
    bounds.of_sum.factor *= choice.factor, bounds.of_sum.floor *= choice.floor;
    const line_request asked;
    if constexpr (takes_columns<Way>) {
      constexpr auto kernel = split_column_kernel<work, input_layout::strided, Way::threads, 1, Way::in_flight, 1>;
      constexpr int log2_across = std::countr_zero(unsigned{Way::columns});
      line_state* const unused = nullptr;
      gpu::launch(kernel, blocks, Way::threads, 0, stream_, in, log2_across, 1U, bounds, to, asked, unused);
    } else if constexpr (Way::lanes > 32) {
      constexpr auto kernel = long_line_kernel<work, Way::layout, Way::lanes, Way::in_flight>;
      gpu::launch(kernel, blocks, Way::lanes, 0, stream_, in, bounds, to, asked);
    } else {
      constexpr int threads = 64;
      constexpr auto kernel = short_line_kernel<work, Way::layout, threads, Way::lanes, Way::in_flight>;
      gpu::launch(kernel, blocks, threads, 0, stream_, in, bounds, to, asked);
    }
  }
  gpu::stream stream_;
  bool reports_;
};

template <class T>
std::uint64_t expected(const matrix<T>& of, reduction what, element_type type, std::size_t i) {
  const options options{.device = device::cpu};
  const any_vector a = of.row(of.a, of.next_a, i), b = of.row(of.b, of.next_b, i);
  if (what == reduction::dot) return exactdot::dot(a, b, type, options).bits;
  return exactdot::reduce(what, a, type, options).bits;
}

/// The rows of a matrix as columns of its transpose.
template <class T>
matrix<T> transposed(const matrix<T>& of) {
  matrix<T> made = of;
  made.stride = static_cast<std::ptrdiff_t>(of.count);
  made.next_a = made.next_b = 1;
  made.a.resize(of.count * of.n + 1), made.b.resize(of.count * of.n + 1);
  for (std::size_t i = 0; i < of.count; ++i) {
    for (std::size_t k = 0; k < of.n; ++k) {
      made.a[k * of.count + i] = of.a[i * static_cast<std::size_t>(of.next_a) + k];
      made.b[k * of.count + i] = of.b[i * static_cast<std::size_t>(of.next_b) + k];
    }
  }
  return made;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
