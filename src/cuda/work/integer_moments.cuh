// Variances of 64-bit integers of many vectors, by the kernels of lines (total_of_line.cuh).
//
// An element is h + l, its upper bits and its lower 32, both doubles. It is loaded once and makes two terms of the
// sum, h and l, and three of the sum of squares, h·h, 2h·l and l·l, each exact as TwoProduct's value and error.
// Nothing underflows: small integers, whose products are exact, are decided even if all are equal. What the bounds
// leave open is summed again exactly, from the parts as the vector's kernels read them. Elements are loaded one by
// one, of any stride and byte order.
#pragma once

#include <cuda/work/moments.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// A variance of 64-bit integers or its root. Lines have one addend per element: log2_parts are 0; b = a.
struct moments_of_integers : moments_of_line<double> {
  using Term = integer_halves;  ///< for the loops
  using work_of_open_lines = moments_of_integers;
  static constexpr int terms_of_element = 3;
  static constexpr bool loses_to_underflow = false;

  struct of_thread {
    bounded_thread_sum<double, core::value, summation::traced> values;
    bounded_thread_sum<double, core::product, summation::traced> squares;

    /// The upper and the lower halves of elements.
    template <int count>
    __device__ __forceinline__ void add(const double (&upper)[count], const double (&lower)[count]) {
      double twice[count];
#pragma unroll
      for (int i = 0; i < count; ++i) twice[i] = 2 * upper[i];
      values.add(upper, upper), values.add(lower, lower);
      squares.add(upper, upper), squares.add(twice, lower), squares.add(lower, lower);
    }
    __device__ __forceinline__ moment_total<double> total() { return {values.total(), squares.total()}; }
  };

  template <class Call>
  static __device__ __forceinline__ void for_each_sum(Call call) {
    call(core::value{}, 0);
    call(core::product{}, 1);
  }
  /// Of a sum of parts, or of the products of any two parts.
  template <class Line>
  static __device__ __forceinline__ Line addends_of(Line line, int which) {
    line.log2_parts_a = 1, line.log2_parts_b = which;
    line.n <<= 1 + which;
    return line;
  }

  template <class Team, class Line>
  static __device__ __forceinline__ void again(const Line& line, Team team, unsigned, const line_bounds&,
                                               storage& storage, refined_sum*, const line_results& out,
                                               std::size_t i, std::uint64_t n, const line_request& asked) {
    moments_again<moments_of_integers>(line, team, storage, destination_of(out, i, n), asked.ddof);
  }
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
