// The sums of a thread over elements that lie in words: packs of a line (add_converted_line), or neighbouring
// columns.
//
//   floats     of 8, 16 and 32 bits are added plainly, in double, with E, the sum of the partial sums' magnitudes.
//   If
//              all terms are multiples of 2^k, as the least magnitude of an element tells, so are the partial
//              sums; if E is below 2^(k+53), none was rounded, and the sum is exact. Else it errs by at most u·E
//              (running error analysis: Wilkinson; Higham, Accuracy and Stability, §3.3), which decides results
//              of 24 bits. Sums of magnitudes and of squares only grow: the last one in place of E, and E is at
//              most that times their number
//   products   of two inputs of 16 bits, and of 8, are made in float: 22, 16 or 8 bits, which it holds. Of bfloat16
//              they may underflow: by at most 2^-150 each, if units of factors say so
//   integers   are added in integers of 64 bits
//
// An infinity or NaN makes the total so, which decides nothing. Cost of a term of floats of 16 bits: a conversion
// to double, of which a multiprocessor makes 16 a clock; two flops (one of magnitudes and squares), two operations
// on bits. Traced sums take eight flops, for which memory waits.
#pragma once

#include <cuda/core/converted_load.cuh>
#include <cuda/sum/traced_sum.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// What is to know of the magnitudes of nonzero floats, of 16 bits of those in each half of words. Nothing of
/// integers.
template <class Element>
class magnitude_range {
 public:
  __device__ __forceinline__ void include(unsigned word) {
    inverse_ = __viaddmax_u16x2(~(word & 0x7fff7fffU), 0x00010001U, inverse_);
  }
  /// As if each half had been included in the other.
  __device__ __forceinline__ void join_halves() { inverse_ = __vmaxu2(inverse_, inverse_ >> 16 | inverse_ << 16); }
  /// Elements of a half are multiples of two to this power, which is a great one if all are 0.
  [[nodiscard]] __device__ __forceinline__ int unit_exponent(int half) const {
    constexpr bool is_float16 = type_of<Element> == element_type::float16;
    constexpr int stored_bits = is_float16 ? 10 : 7, bias = is_float16 ? 15 : 127;
    const unsigned least = (0U - (inverse_ >> 16 * half)) & 0x7fffU;
    if (least == 0) return 400;
    return ::max(static_cast<int>(least >> stored_bits), 1) - bias - stored_bits;
  }

 private:
  unsigned inverse_ = 0;  ///< minus the least magnitude but 0, modulo 2^16; 0: none
};
template <>
class magnitude_range<float> {
 public:
  __device__ __forceinline__ void include(unsigned word) {
    least_minus_one_ = ::min(least_minus_one_, (word & 0x7fffffffU) - 1);  // so that 0 is the greatest
  }
  __device__ __forceinline__ void join_halves() {}
  [[nodiscard]] __device__ __forceinline__ int unit_exponent(int) const {
    return ::max(static_cast<int>((least_minus_one_ + 1) >> 23), 1) - 127 - 23;
  }

 private:
  unsigned least_minus_one_ = ~0U;
};
template <integer_element Element>
struct magnitude_range<Element> {
  __device__ __forceinline__ void include(unsigned) {}
  __device__ __forceinline__ void join_halves() {}
};
/// All 8-bit floats are multiples of one power of two that is no lower than needed.
template <float8_element Element>
struct magnitude_range<Element> {
  __device__ __forceinline__ void include(unsigned) {}
  __device__ __forceinline__ void join_halves() {}
  [[nodiscard]] __device__ __forceinline__ int unit_exponent(int) const {
    return core::format<Element>::lowest_exponent;
  }
};

__device__ __forceinline__ float float_of(float x) { return x; }

/// The depth by which the bounds of traced sums multiply E (error_bound.hpp) is at least this: it counts 10 joins
/// twice and, of converted lines, 16 single elements. The error of plain sums needs no such factor.
inline constexpr int least_depth_of_packs = 32;

EXACTDOT_CORE double power(int exponent) {
  return core::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// A sum of the terms of such elements. Carrier: of the line's total; of floats it is float. Other: of the second
/// input, Element but for floats of 16 bits beside those of 32.
template <class Carrier, class Term_, class Element, class Other = Element>
class packed_term {
 public:
  using Term = Term_;

  /// Elements a and b of words of any number of lines, all of them or one.
  template <int words>
  __device__ __forceinline__ void add_words(const unsigned (&a)[words], const unsigned (&b)[words]) {
    if constexpr (float8_element<Element>) {
      constexpr bool two = Term::inputs == 2;
      for_each_float8<Term, Element>(a, two ? b : a, [&](float x, float y, int w) { add_term(w % 2, x, y); });
    } else {
#pragma unroll
      for (int j = 0; j < 4 * words / static_cast<int>(sizeof(Element)); ++j) add_to(j % 2, a, b, j);
    }
  }
  __device__ __forceinline__ void add_element(const unsigned* a, const unsigned* b, int j) { add_to(0, a, b, j); }

  /// Of fewer than `end` terms, whose factors are those of `half` the words of these ranges.
  [[nodiscard]] __device__ __forceinline__ line_sum<Carrier, Term> total(const magnitude_range<Element>& a,
                                                                         const magnitude_range<Other>& b, int half,
                                                                         std::uint64_t end) const {
    const double sum = sum_[0] + sum_[1];
    // E, and what no partial sum exceeds
    const double error = is_monotone ? sum * static_cast<double>(end) : error_[0] + error_[1] + fabs(sum);
    const double most = is_monotone ? sum : error;
    int unit = a.unit_exponent(half);
    if constexpr (Term::factors == 2) unit += b.unit_exponent(half);
    if (are_float_products && unit < min_float_exponent) {  // each may be rounded to a multiple of 2^-149
      return {sum, 0,
              (error + static_cast<double>(end) * power(min_float_exponent - 1 + 53)) / least_depth_of_packs, 0};
    }
    return {sum, 0, most < power(unit + 53) ? 0 : error / least_depth_of_packs, 0};
  }

 private:
  static constexpr bool is_monotone = Term::absolute || (Term::factors == 2 && Term::inputs == 1);
  static constexpr bool are_float_products =
      float8_element<Element> || (Term::inputs == 2 && sizeof(Element) == 2 && sizeof(Other) == 2);
  static constexpr int min_float_exponent = -149;
  double sum_[2] = {}, error_[2] = {};

  __device__ __forceinline__ void add_to(int i, const unsigned* a, const unsigned* b, int j) {
    const float x = factor<Term>(float_of(element_of<Element>(a, j)));
    const float y = factor<Term>(float_of(element_of<Other>(Term::inputs == 2 ? b : a, j)));
    add_term(i, x, y);
  }
  __device__ __forceinline__ void add_term(int i, float x, float y) {
    if constexpr (Term::factors == 1) {
      sum_[i] += static_cast<double>(x);
    } else if constexpr (are_float_products) {
      sum_[i] += static_cast<double>(x * y);
    } else {
      sum_[i] = __fma_rn(static_cast<double>(x), static_cast<double>(y), sum_[i]);
    }
    if constexpr (!is_monotone) error_[i] += fabs(sum_[i]);
  }
};

/// Of integers: a thread has fewer than 2^31 terms below 2^32, or of their halves.
template <class Carrier, class Term_, integer_element Element>
class packed_term<Carrier, Term_, Element> {
 public:
  using Term = Term_;

  template <int words>
  __device__ __forceinline__ void add_words(const unsigned (&a)[words], const unsigned (&b)[words]) {
    constexpr int elements = 4 * words / static_cast<int>(sizeof(Element));
    typename terms::wide sum = 0;  // small terms have 32 bits
#pragma unroll
    for (int j = 0; j < elements; ++j) {
      const auto term = term_of(a, b, j);
      if constexpr (terms::is_split) {
        add(term);
      } else {
        sum += term;
      }
    }
    if constexpr (!terms::is_split) add(sum);
  }
  __device__ __forceinline__ void add_element(const unsigned* a, const unsigned* b, int j) {
    add(term_of(a, b, j));
  }

  [[nodiscard]] __device__ __forceinline__ line_sum<Carrier, Term> total(const magnitude_range<Element>&,
                                                                         const magnitude_range<Element>&, int,
                                                                         std::uint64_t) const {
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

  static __device__ __forceinline__ typename terms::wide term_of(const unsigned* a, const unsigned* b, int j) {
    return terms::term(element_of<Element>(a, j), element_of<Element>(Term::inputs == 2 ? b : a, j));
  }
  __device__ __forceinline__ void add(typename terms::wide term) {
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

/// An element in the lowest bits of words.
template <class Element>
struct word_of_element {
  unsigned words[sizeof(Element) == 8 ? 2 : 1];
  __device__ __forceinline__ explicit word_of_element(Element x) {
    const auto bits = core::bit_cast<typename detail::unsigned_of<sizeof(Element)>::type>(x);
    words[0] = static_cast<unsigned>(bits);
    if constexpr (sizeof(Element) == 8) words[1] = static_cast<unsigned>(bits >> 32);
  }
};

/// Of one line. Sums: packed_term, or what has its functions.
template <class Sums, class Element>
class packed_line {
 public:
  static constexpr bool two = Sums::Term::inputs == 2;

  __device__ __forceinline__ void add(const word_pack& a, const word_pack& b) {
#pragma unroll
    for (int i = 0; i < word_pack::count; ++i) include(a.element[i], b.element[i]);
    sums_.add_words(a.element, b.element);
  }
  __device__ __forceinline__ void add_single(Element a, Element b) {
    const word_of_element<Element> x(a), y(b);
    include(x.words[0], y.words[0]);
    sums_.add_element(x.words, y.words, 0);
  }
  /// Of fewer than `end` elements.
  [[nodiscard]] __device__ __forceinline__ auto total(std::uint64_t end) {
    range_a_.join_halves(), range_b_.join_halves();
    return sums_.total(range_a_, two ? range_b_ : range_a_, 0, end);
  }

 private:
  magnitude_range<Element> range_a_, range_b_;
  Sums sums_;

  __device__ __forceinline__ void include(unsigned a, unsigned b) {
    range_a_.include(a);
    if constexpr (two) range_b_.include(b);
  }
};

/// Of `width` neighbouring columns, whose elements lie in words.
template <class Sums, class Element, int width, class Other = Element>
class packed_columns {
 public:
  static constexpr bool two = Sums::Term::inputs == 2;
  static constexpr int words = (width * static_cast<int>(sizeof(Element)) + 3) / 4;
  static constexpr int other_words = (width * static_cast<int>(sizeof(Other)) + 3) / 4;

  __device__ __forceinline__ void add(const unsigned (&a)[words], const unsigned (&b)[other_words]) {
#pragma unroll
    for (int i = 0; i < words; ++i) range_a_[i].include(a[i]);
    if constexpr (two) {
#pragma unroll
      for (int i = 0; i < other_words; ++i) range_b_[i].include(b[i]);
    }
#pragma unroll
    for (int j = 0; j < width; ++j) sums_[j].add_element(a, b, j);
  }
  /// Of column j, of fewer than `end` elements.
  [[nodiscard]] __device__ __forceinline__ auto total(int j, std::uint64_t end) const {
    const int word = j * static_cast<int>(sizeof(Element)) / 4, half = j % 2;
    if constexpr (two) {
      return sums_[j].total(range_a_[word], range_b_[j * static_cast<int>(sizeof(Other)) / 4], half, end);
    } else {
      return sums_[j].total(range_a_[word], range_a_[word], half, end);
    }
  }

 private:
  magnitude_range<Element> range_a_[words];
  magnitude_range<Other> range_b_[two ? other_words : 1];
  Sums sums_[width];
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
