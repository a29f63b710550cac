// The sums of a thread over elements that lie in words: packs of a line (add_converted_line), or neighbouring columns.
//
//   floats     of 16 and 32 bits are added plainly, in double, with E, the sum of the partial sums' magnitudes. If all
//              terms are multiples of 2^k, as the least magnitude of an element tells, so are the partial sums; if E is
//              below 2^(k+53), none was rounded, and the sum is exact. Else it errs by at most u·E (running error
//              analysis: Wilkinson; Higham, Accuracy and Stability, §3.3), which decides results of 24 bits
//   integers   are added in integers of 64 bits
//
// An infinity or NaN makes the total NaN, which decides nothing. Floats of 16 bits become doubles by two operations on their
// bits, multiplied by a power of two that the total undoes, since cvt.f64.f32 has a sixteenth of their rate. So they cost
// some six operations, two of them in double (three of a product). Traced sums take eight flops, for which memory waits.
#pragma once

#include <cuda/converted_load.cuh>
#include <cuda/traced_sum.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// What is to know of the magnitudes of nonzero floats of 16 bits, of both halves of words. Nothing of integers.
template <class Element>
class magnitude_range {
 public:
  __device__ __forceinline__ void include(unsigned word) {
    inverse_ = __viaddmax_u16x2(~(word & 0x7fff7fffU), 0x00010001U, inverse_);
    greatest_ = __vmaxu2(greatest_, word & 0x7fff7fffU);
  }
  /// As if each half had been included in the other.
  __device__ __forceinline__ void join_halves() {
    inverse_ = __vmaxu2(inverse_, inverse_ >> 16 | inverse_ << 16);
    greatest_ = __vmaxu2(greatest_, greatest_ >> 16 | greatest_ << 16);
  }

  /// Elements of a half are multiples of two to this power.
  [[nodiscard]] __device__ __forceinline__ int unit_exponent(int half) const {
    return exponent_of(0U - (inverse_ >> 16 * half)) - stored_bits;
  }
  [[nodiscard]] __device__ __forceinline__ bool has_special(int half) const {
    return (greatest_ >> 16 * half & infinity) == infinity;
  }

 private:
  static constexpr bool is_float16 = type_of<Element> == element_type::float16;
  static constexpr int stored_bits = is_float16 ? 10 : 7, bias = is_float16 ? 15 : 127;
  static constexpr unsigned infinity = is_float16 ? 0x7c00 : 0x7f80;
  unsigned inverse_ = 0;  ///< minus the least magnitude but 0, modulo 2^16; 0: none
  unsigned greatest_ = 0;

  static __device__ __forceinline__ int exponent_of(unsigned bits) {
    return max(static_cast<int>((bits & 0x7fffU) >> stored_bits), 1) - bias;
  }
};
/// An infinity or NaN makes the sum of floats so.
template <>
class magnitude_range<float> {
 public:
  __device__ __forceinline__ void include(unsigned word) {
    least_minus_one_ = min(least_minus_one_, (word & 0x7fffffffU) - 1);  // so that 0 is the greatest
  }
  __device__ __forceinline__ void join_halves() {}
  [[nodiscard]] __device__ __forceinline__ int unit_exponent(int) const {
    return max(static_cast<int>((least_minus_one_ + 1) >> 23), 1) - 127 - 23;
  }
  [[nodiscard]] __device__ __forceinline__ bool has_special(int) const { return false; }

 private:
  unsigned least_minus_one_ = ~0U;
};
template <integer_element Element>
struct magnitude_range<Element> {
  __device__ __forceinline__ void include(unsigned) {}
  __device__ __forceinline__ void join_halves() {}
};

/// Element j of words, times two to the power -log2_scale.
template <class Element>
struct packed_element {
  static constexpr bool is_float16 = type_of<Element> == element_type::float16;
  static constexpr int log2_scale = is_float16 ? 1008 : 896;

  template <class Term>
  static __device__ __forceinline__ double of(const unsigned* words, int j) {
    constexpr unsigned sign = Term::absolute ? 0 : 0x80000000U, mask = sign | (is_float16 ? 0x01fffc00U : 0x0fffe000U);
    const unsigned word = words[j / 2], upper = j % 2 == 0 ? word << 16 : word;
    const unsigned high = static_cast<unsigned>(static_cast<int>(upper) >> (is_float16 ? 6 : 3)) & mask;
    return core::bit_cast<double>(std::uint64_t{high} << 32);
  }
};
template <>
struct packed_element<float> {
  static constexpr int log2_scale = 0;
  template <class Term>
  static __device__ __forceinline__ double of(const unsigned* words, int j) {
    return factor<Term>(core::bit_cast<float>(words[j]));
  }
};

/// The depth by which the bounds of traced sums multiply E (error_bound.hpp) is at least this: it counts 10 joins twice
/// and, of converted lines, 16 single elements. The error of plain sums needs no such factor.
inline constexpr int least_depth_of_packs = 32;

EXACTDOT_CORE double power(int exponent) {
  return core::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// A sum of the terms of such elements. Carrier: of the line's total; of floats it is float.
template <class Carrier, class Term_, class Element>
class packed_term {
 public:
  using Term = Term_;

  /// Elements a and b of words of any number of lines, all of them or one.
  template <int words>
  __device__ __forceinline__ void add_words(const unsigned (&a)[words], const unsigned (&b)[words]) {
#pragma unroll
    for (int j = 0; j < 4 * words / static_cast<int>(sizeof(Element)); ++j) add_to(j % 2, a, b, j);
  }
  __device__ __forceinline__ void add_element(const unsigned* a, const unsigned* b, int j) { add_to(0, a, b, j); }

  /// Its factors are those of `half` the words of these ranges.
  [[nodiscard]] __device__ __forceinline__ line_sum<Carrier, Term> total(const magnitude_range<Element>& a,
                                                                         const magnitude_range<Element>& b,
                                                                         int half) const {
    const double sum = sum_[0] + sum_[1];
    const double error = (error_[0] + error_[1] + fabs(sum)) * undone_scale;
    int unit = a.unit_exponent(half);
    if constexpr (Term::factors == 2) unit += b.unit_exponent(half);
    const bool special = a.has_special(half) || (Term::inputs == 2 && b.has_special(half));
    const double nan = core::bit_cast<double>(~std::uint64_t{0} >> 1);
    const double counted = error < power(unit + 53) ? 0 : error / least_depth_of_packs;
    return {special ? nan : sum * undone_scale, 0, special ? nan : counted, 0};
  }

 private:
  using element = packed_element<Element>;
  static constexpr bool scales_products = Term::factors == 2 && element::log2_scale != 0;
  static constexpr double undone_scale = power(Term::factors * element::log2_scale - (scales_products ? 1000 : 0));
  double sum_[2] = {}, error_[2] = {};

  __device__ __forceinline__ void add_to(int i, const unsigned* a, const unsigned* b, int j) {
    const double x = element::template of<Term>(a, j);
    if constexpr (Term::factors == 1) {
      sum_[i] += x;
    } else {
      const double y = element::template of<Term>(Term::inputs == 2 ? b : a, j);
      sum_[i] = __fma_rn(scales_products ? x * 0x1p1000 : x, y, sum_[i]);  // both scales' product would underflow
    }
    error_[i] += fabs(sum_[i]);
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
  __device__ __forceinline__ void add_element(const unsigned* a, const unsigned* b, int j) { add(term_of(a, b, j)); }

  [[nodiscard]] __device__ __forceinline__ line_sum<Carrier, Term> total(const magnitude_range<Element>&,
                                                                         const magnitude_range<Element>&, int) const {
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
  [[nodiscard]] __device__ __forceinline__ auto total() {
    range_a_.join_halves(), range_b_.join_halves();
    return sums_.total(range_a_, two ? range_b_ : range_a_, 0);
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
template <class Sums, class Element, int width>
class packed_columns {
 public:
  static constexpr bool two = Sums::Term::inputs == 2;
  static constexpr int words = (width * static_cast<int>(sizeof(Element)) + 3) / 4;

  __device__ __forceinline__ void add(const unsigned (&a)[words], const unsigned (&b)[words]) {
#pragma unroll
    for (int i = 0; i < words; ++i) {
      range_a_[i].include(a[i]);
      if constexpr (two) range_b_[i].include(b[i]);
    }
#pragma unroll
    for (int j = 0; j < width; ++j) sums_[j].add_element(a, b, j);
  }
  /// Of column j.
  [[nodiscard]] __device__ __forceinline__ auto total(int j) const {
    const int word = j * static_cast<int>(sizeof(Element)) / 4, half = j % 2;
    return sums_[j].total(range_a_[word], two ? range_b_[word] : range_a_[word], half);
  }

 private:
  magnitude_range<Element> range_a_[words], range_b_[two ? words : 1];
  Sums sums_[width];
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
