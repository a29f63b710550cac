// The sums of a thread over packs of 16 bytes of elements that are no carriers.
//
//   floats of 16 bits   added plainly, with E, the sum of the partial sums' magnitudes, and the least magnitude of an
//                       element. Its last bit is worth 2^k or more, so every partial sum is a multiple of 2^k; if E is
//                       below 2^(k+53), none was rounded, and the sum is exact. Else it errs by at most u·E (running
//                       error analysis: Wilkinson; Higham, Accuracy and Stability, §3.3).
//   integers            added in integers of 64 bits
//
// Cost of an element of 16 bits: one conversion to double (two for a product of bfloat16), two flops, three operations
// of integers. A line of 8 lanes by traced sums takes eight flops each, which memory would wait for.
#pragma once

#include <cuda/converted_load.cuh>
#include <cuda/traced_sum.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The least magnitude of elements of 16 bits, 0 left out.
template <class Element>
struct least_magnitude {
  unsigned minus_one = ~0U;  ///< the bits of the magnitude in float, minus 1, so that 0 is the greatest

  __device__ __forceinline__ void include(float x) {
    const unsigned bits = core::bit_cast<unsigned>(x) & 0x7fffffffU;
    minus_one = min(minus_one, bits - 1);
  }
  __device__ __forceinline__ void join(const least_magnitude& other) { minus_one = min(minus_one, other.minus_one); }
  /// All elements are multiples of two to this power.
  [[nodiscard]] __device__ __forceinline__ int unit_exponent() const {
    constexpr bool is_float16 = type_of<Element> == element_type::float16;
    constexpr int least = is_float16 ? -14 : -126, stored_bits = is_float16 ? 10 : 7;
    return max(static_cast<int>((minus_one + 1) >> 23) - 127, least) - stored_bits;
  }
};

/// Of a term of elements of 16 bits; Carrier is float.
template <class Carrier, class Term, class Element, int accumulators = 2>
class packed_thread_sum {
 public:
  __device__ __forceinline__ void add(const word_pack& a, const word_pack& b) {
#pragma unroll
    for (int j = 0; j < 8; ++j) add_term(j % accumulators, element_of<Element>(a, j), element_of<Element>(b, j));
  }
  /// `place`: any number, known at compile time.
  __device__ __forceinline__ void add_single(int place, Element a, Element b) { add_term(place % accumulators, a, b); }

  [[nodiscard]] __device__ __forceinline__ line_sum<Carrier, Term> total() const {
    double sum = sum_[0], error = error_[0];
#pragma unroll
    for (int i = 1; i < accumulators; ++i) {
      sum += sum_[i];
      error += error_[i] + fabs(sum);
    }
    int unit = least_a_.unit_exponent();
    if constexpr (Term::factors == 2) unit += Term::inputs == 2 ? least_b_.unit_exponent() : unit;
    const double limit = core::bit_cast<double>(static_cast<std::uint64_t>(unit + 53 + 1023) << 52);
    return {sum, 0, error < limit ? 0 : error, 0};
  }

 private:
  double sum_[accumulators] = {}, error_[accumulators] = {};
  least_magnitude<Element> least_a_, least_b_;

  __device__ __forceinline__ void add_term(int i, Element a, Element b) {
    const float x = factor<Term>(float_of(a)), y = Term::inputs == 2 ? factor<Term>(float_of(b)) : x;
    least_a_.include(x);
    if constexpr (Term::inputs == 2) least_b_.include(y);
    if constexpr (Term::factors == 1) {
      sum_[i] += static_cast<double>(x);
    } else if constexpr (type_of<Element> == element_type::float16) {
      sum_[i] += static_cast<double>(x * y);
    } else {
      sum_[i] = __fma_rn(static_cast<double>(x), static_cast<double>(y), sum_[i]);
    }
    error_[i] += fabs(sum_[i]);
  }
};

/// Of integers, in integers of 64 bits: a thread has fewer than 2^31 terms below 2^32, or of their halves.
template <class Carrier, class Term, integer_element Element, int accumulators>
class packed_thread_sum<Carrier, Term, Element, accumulators> {
 public:
  __device__ __forceinline__ void add(const word_pack& a, const word_pack& b) {
    typename terms::wide sum = 0;  // of the pack: of small terms it has 32 bits
#pragma unroll
    for (int j = 0; j < static_cast<int>(16 / sizeof(Element)); ++j) {
      const auto term = terms::term(element_of<Element>(a, j), element_of<Element>(b, j));
      if constexpr (terms::is_split) {
        add_term(term);
      } else {
        sum += term;
      }
    }
    if constexpr (!terms::is_split) add_term(sum);
  }
  __device__ __forceinline__ void add_single(int, Element a, Element b) { add_term(terms::term(a, b)); }

  [[nodiscard]] __device__ __forceinline__ line_sum<Carrier, Term> total() const {
    traced_sum<false> sum{};
    add_scaled(lower_, 1, sum);
    if constexpr (terms::is_split) add_scaled(upper_, 0x1p32, sum);
    constexpr unsigned least = 0x43300000;  // as if of terms of 2^52: all rounding errors are multiples of 1
    return {sum.sum, sum.correction, sum.error, 0U - least};
  }

 private:
  using terms = integer_terms<Term, Element>;
  using wide = std::conditional_t<terms::is_signed, std::int64_t, std::uint64_t>;
  wide upper_ = 0, lower_ = 0;

  __device__ __forceinline__ void add_term(typename terms::wide term) {
    if constexpr (terms::is_split) {
      upper_ += static_cast<wide>(term >> 32);
      lower_ += static_cast<std::uint32_t>(term);
    } else {
      lower_ += static_cast<wide>(term);
    }
  }
  static __device__ __forceinline__ void add_scaled(wide x, double scale, traced_sum<false>& sum) {
    sum.add(static_cast<double>(x >> 32) * 0x1p32 * scale);
    sum.add(static_cast<double>(static_cast<std::uint32_t>(x)) * scale);
  }
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
