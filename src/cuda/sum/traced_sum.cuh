// Traced sums: bounded sums whose bound comes from the rounding errors themselves, for many short sums.
//
// s is the sum by TwoSum, c the plain sum of all its errors (of products of doubles, TwoProduct's too), E the sum
// of their magnitudes. Only the d additions to c round, each by at most u·E: |S - (s + c)| <= d·u·E
// (error_bound.hpp). So a sum without errors is known exactly, and a tie decided at once: of 32 uniform multiples
// of 2^-53, one sum in eight is a tie. For terms that are doubles E need not be 0: if it is at most 2^k, the power
// of two below the smallest term, all these numbers are multiples of 2^(k-52), and c, less than 2^(k+1), is exact
// too. Products of doubles of few bits (floats in doubles, integers) are multiples of larger powers of two, which
// the least factors tell, and the bits that are set in none. Cost per term: 8 flops, 11 for products of doubles.
#pragma once

#include <cuda/sum/bounded_sum.cuh>
#include <cuda/sum/digits.cuh>
#include <exactdot/core/exact_result.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Without initialisers, so that it may lie in shared memory. `tracks_least`: whether it knows the smallest term.
template <bool tracks_least>
struct traced_sum {
  static constexpr int parts = 2;
  double sum;
  double correction;
  double error;  ///< E
  unsigned
      least;  ///< minus the high word of the smallest nonzero term, or of 2^52 units of products; 0: no such term

  [[nodiscard]] __device__ __forceinline__ double& part(int k) { return k == 0 ? sum : correction; }
  [[nodiscard]] __device__ __forceinline__ double part(int k) const { return k == 0 ? sum : correction; }

  /// Adds a number that is known exactly.
  __device__ __forceinline__ void add(double value) {
    const auto added = core::two_sum(sum, value);
    sum = added.value;
    correction += added.error;
    error += fabs(added.error);
  }
  /// Adds value + rest.
  __device__ __forceinline__ void add(double value, double rest) {
    const auto added = core::two_sum(sum, value);
    sum = added.value;
    correction += added.error + rest;
    error += fabs(added.error) + fabs(rest);
  }

  template <class Term>
  __device__ __forceinline__ void add_term(float a, float b) {
    const double x = a, y = b;
    add(Term::factors == 1 ? x : x * y);
  }
  template <class Term>
  __device__ __forceinline__ void add_term(double a, double b) {
    if constexpr (Term::factors == 1) {
      add(a);
      if constexpr (tracks_least) least = ::max(least, 0U - magnitude_word(a));
    } else {
      const double product = a * b;
      add(product, __fma_rn(a, b, -product));
    }
  }

  __device__ __forceinline__ void join(const traced_sum& other) {
    const auto added = core::two_sum(sum, other.sum);
    sum = added.value;
    correction += other.correction + added.error;
    error += other.error + fabs(added.error);
    if constexpr (tracks_least) least = ::max(least, other.least);
  }

  /// Whether sum + correction is the sum of all terms.
  [[nodiscard]] __device__ __forceinline__ bool is_exact() const {
    if constexpr (tracks_least) {
      const unsigned exponent =
          0x7ff00000U & (0U - least);  // of subnormal numbers 0: then no error is small enough
      return error <= core::bit_cast<double>(std::uint64_t{exponent} << 32);
    }
    return error == 0;
  }
};

/// The sum of a line.
template <class Carrier, class Term>
using line_sum = traced_sum<sizeof(Carrier) == sizeof(double)>;

template <bool tracks_least>
__device__ __forceinline__ void copy_sum(const traced_sum<tracks_least>& from, traced_sum<tracks_least>& to) {
  to.sum = from.sum, to.correction = from.correction, to.error = from.error;
  if constexpr (tracks_least) to.least = from.least;
}

template <bool tracks_least, class Shuffle>
__device__ __forceinline__ traced_sum<tracks_least> shuffled(const traced_sum<tracks_least>& x, Shuffle shuffle) {
  return {shuffle(x.sum), shuffle(x.correction), shuffle(x.error), tracks_least ? shuffle(x.least) : 0};
}

/// What is to know of doubles: of which power of two all are multiples.
struct double_units {
  unsigned least = 0;   ///< minus the high word of the smallest nonzero one; 0: none
  unsigned low_or = 0;  ///< of the low words

  __device__ __forceinline__ void include(double x) {
    least = ::max(least, 0U - magnitude_word(x));
    low_or |= static_cast<unsigned>(core::bit_cast<std::uint64_t>(x));
  }
  [[nodiscard]] __device__ __forceinline__ int exponent() const {
    const int zeros = low_or == 0 ? 32 : __ffs(static_cast<int>(low_or)) - 1;
    return ::max(static_cast<int>((0U - least) >> 20), 1) - 1023 - 52 + zeros;
  }
};

/// The accumulators of a thread of products of doubles.
template <class Term>
requires(Term::factors == 2) struct bounded_thread_sum<double, Term, summation::traced> {
  static constexpr int accumulators = pack<double>::count;
  line_sum<double, Term> partial[accumulators] = {};
  double_units units_a, units_b;

  template <int count>
  __device__ __forceinline__ void add(const double (&a)[count], const double (&b)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      partial[i % accumulators].template add_term<Term>(factor<Term>(a[i]), factor<Term>(b[i]));
      units_a.include(a[i]);
      if constexpr (Term::inputs == 2) units_b.include(b[i]);
    }
  }
  /// Products are multiples of 2^unit. If that is no double, some may have underflown: no sum is then taken for
  /// exact.
  __device__ __forceinline__ line_sum<double, Term> total() {
#pragma unroll
    for (int i = 1; i < accumulators; ++i) partial[0].join(partial[i]);
    const double_units& of_b = Term::inputs == 2 ? units_b : units_a;
    if (units_a.least == 0 || of_b.least == 0) return partial[0];  // all are 0
    const int unit = units_a.exponent() + of_b.exponent(), exponent = unit + 52 + 1023;
    partial[0].least = exponent > 0 ? 0U - (static_cast<unsigned>(::min(exponent, 2046)) << 20) : ~0U;
    if (unit < -1074) partial[0].error += 0x1p-1074;
    return partial[0];
  }
};

/// The accumulators of a thread. Elements that are loaded together go to different ones.
template <class Carrier, class Term>
struct bounded_thread_sum<Carrier, Term, summation::traced> {
  static constexpr int accumulators = pack<Carrier>::count;
  line_sum<Carrier, Term> partial[accumulators] = {};

  template <int count>
  __device__ __forceinline__ void add(const Carrier (&a)[count], const Carrier (&b)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      partial[i % accumulators].template add_term<Term>(factor<Term>(a[i]), second_factor<Term>(b[i]));
    }
  }
  __device__ __forceinline__ line_sum<Carrier, Term> total() {
#pragma unroll
    for (int half = accumulators / 2; half > 0; half /= 2) {
#pragma unroll
      for (int i = 0; i < half; ++i) partial[i].join(partial[i + half]);
    }
    return partial[0];
  }
};

/// The mean of an exact sum: rows of elements of few bits have many ties, and no bound decides them. Not inlined, as
/// decide_other_finish.
[[gnu::noinline]] __device__ core::decision decide_exact_mean(core::result_rule rule, std::uint64_t count, double head,
                                                              double tail) {
  return core::decide_exact_mean<correctly_rounded>(rule, count, head, tail);
}

/// The enclosure of the sum.
template <bool tracks_least>
__device__ __forceinline__ core::enclosure enclosure_of(const traced_sum<tracks_least>& total,
                                                        const error_bound& bound) {
  const auto ends = core::two_sum(total.sum, total.correction);
  return {ends.value, ends.error, total.is_exact() ? 0 : __fma_rn(bound.factor, total.error, bound.floor)};
}

/// The result of a sum of `count` elements, if it is certain. By one thread.
template <class Carrier, bool tracks_least>
__device__ __forceinline__ core::decision decide(const traced_sum<tracks_least>& total, const error_bound& bound,
                                                 core::result_rule rule, std::uint64_t count) {
  const auto ends = core::two_sum(total.sum, total.correction);
  core::enclosure sum{ends.value, ends.error, __fma_rn(bound.factor, total.error, bound.floor)};
  if (total.is_exact()) {
    if (rule.finish() == core::finish::round) return core::round_exact<correctly_rounded>(rule, sum.head, sum.tail);
    if (rule.finish() == core::finish::quotient && !rule.is_integer()) {
      const core::decision found = decide_exact_mean(rule, count, sum.head, sum.tail);
      if (found.certain) return found;
    }
    sum.bound = 0;
  }
  if (rule.finish() == core::finish::round && rule.gives<Carrier>()) return core::decide_rounding<Carrier>(sum);
  return decide_other_finish(rule, static_cast<double>(count), sum);
}
template <class Carrier, bool tracks_least>
__device__ __forceinline__ core::decision decide(const traced_sum<tracks_least>& total, const error_bound& bound,
                                                 const destination& to) {
  return decide<Carrier>(total, bound, to.rule, to.count);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
