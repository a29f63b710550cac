// The functions of second_level.cuh, for second_level.cu, and for programs that are one file with their kernels.
#pragma once

#include <cuda/sum/refined_sum.cuh>
#include <cuda/sum/round_digits.cuh>
#include <cuda/sum/second_level.cuh>
#include <cuda/sum/thread_sum.cuh>
#include <exactdot/core/exact_result.hpp>
#include <exactdot/core/reduction.hpp>
#include <tuple>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Calls visit(term) for the exact terms of this thread's part of a share.
template <class T, input_layout layout, class Visit>
__device__ __forceinline__ void for_each_term(const operands<T, layout>& in, thread_share share,
                                              const core::term_info& term, Visit visit) {
  for_each_pack<core::term_info, 1>(
      in, share,
      [&](const auto& x, const auto& y) {
        for (std::size_t i = 0; i < sizeof x / sizeof(T); ++i) visit(core::exact_addend(term, x[i], y[i]));
      },
      term);
}

/// Counts the infinite and NaN terms of this thread's part of a share.
template <class T, input_layout layout>
[[gnu::noinline]] __device__ void count_special(const operands<T, layout>& in, thread_share share,
                                                const core::term_info& term, superaccumulator<T>& to) {
  wide_unsigned found[3] = {};
  for_each_term(in, share, term, [&](const core::exact_term& each) {
    found[0] += each.kind == core::kind::nan;
    found[1] += each.kind == core::kind::infinite && !each.negative;
    found[2] += each.kind == core::kind::infinite && each.negative;
  });
  for (int k = 0; k < 3; ++k) {
    if (found[k] != 0) atomicAdd(&to.special[k], found[k]);
  }
  __syncwarp();
}

/// By all lanes of a warp. Returns a bound, as a position, on what a lane's components have below the digits that
/// were added; 0: nothing. Only exponents that differ by more than some 660 leave anything.
template <class Carrier, int levels>
__device__ unsigned add_expansion(superaccumulator<Carrier>& to, const expansion<levels>& of, int origin) {
  constexpr int max_passes = 3;
  const int lane = static_cast<int>(threadIdx.x % 32);
  static_assert(levels % 2 == 0);
  unsigned log2_error = 0;
  for (int k = 0; k < levels; k += 2) {
    double x[2] = {of.sum[k], of.sum[k + 1]};
    bool more = true;
    for (int pass = 0; more && pass < max_passes; ++pass) {
      const warp_digits found = extract_digits(x, origin);
      if (lane < extracted_digits && found.first >= 0) to.add(found.first + lane, found.digit);
      more = __any_sync(all_lanes, found.remainder);
    }
    log2_error = ::max(log2_error, ::max(log2_bound(x[0], origin), log2_bound(x[1], origin)));
  }
  return log2_error;
}

template <class Term>
__device__ __forceinline__ void add_term(refined_sum& sum, float a, float b) {
  sum.add(static_cast<double>(factor<Term>(a)) * static_cast<double>(second_factor<Term>(b)));
}
template <class Term>
__device__ __forceinline__ void add_term(refined_sum& sum, double a, double b) {
  const double x = factor<Term>(a), y = second_factor<Term>(b), product = x * y;
  sum.add(product);
  if constexpr (Term::factors == 2) sum.template add<1>(__fma_rn(x, y, -product));
}

/// f(Term{}) with the struct of a term. States are sums by this level alone: with a term that each addition asks
/// for, those of floats took 1.3 times as long.
template <class... Terms, class F>
__device__ __forceinline__ void with_term_of(const std::tuple<Terms...>*, const core::term_info& term, F f) {
  const auto call_if = [&]<class Term>(Term each) {
    if (term != core::describe_term<Term>()) return false;
    f(each);
    return true;
  };
  if (!(call_if(Terms{}) || ...)) __trap();
}
template <class F>
__device__ __forceinline__ void with_term_of(const core::term_info& term, F f) {
  with_term_of(static_cast<const core::term_types*>(nullptr), term, f);
}

/// The components so that each is about the rounding error of the one before, by sums of neighbours from the last
/// to the first (VecSum: Ogita, Rump, Oishi 2005, algorithm 4.3), without loss.
__device__ __forceinline__ void normalise(refined_sum& sum) {
#pragma unroll
  for (int pass = 1; pass < sum.parts; ++pass) {
#pragma unroll
    for (int k = sum.parts - 1; k > 0; --k) {
      const auto added = core::two_sum(sum.part(k - 1), sum.part(k));
      sum.part(k - 1) = added.value, sum.part(k) = added.error;
    }
  }
}

/// words += the sum, as one more state.
template <class Carrier>
[[gnu::noinline]] __device__ void add_to_words(std::int64_t* words, const superaccumulator<Carrier>& sum,
                                               unsigned* carried) {
  constexpr core::state_layout layout = core::layout_of<Carrier>();
  const int lane = static_cast<int>(threadIdx.x % 32);
  wide_int carry = 0;
  if (lane == 0) {
    for (int i = 0; i < digit_layout<Carrier>::count; ++i) {
      carry += sum.digit[i];
      carried[i] = static_cast<unsigned>(carry) & digit_mask;
      carry >>= digit_bits;
    }
    ++words[layout.states()];
  }
  const bool negative = __shfl_sync(all_lanes, static_cast<int>(carry < 0), 0) != 0;
  __syncwarp();
  for (int i = lane; i < layout.limbs; i += 32) {
    std::uint64_t limb = bits_at<Carrier>(carried, 32 * i, negative);
    if (i == layout.limbs - 1) limb |= bits_at<Carrier>(carried, 32 * i + 32, negative) << 32;
    words[i] += static_cast<std::int64_t>(limb);
  }
  __syncwarp();  // as add_share
}

/// A result that is not a rounded sum, from the words of the state, by one thread.
[[gnu::noinline]] __device__ core::outcome outcome_of_words(const destination& to, const core::state_layout& layout,
                                                            std::int64_t* words) {
  core::normalise(layout, words);
  return core::finish_state(to.rule, layout, words, to.count);
}

/// The result of all digits, in lane 0. By the lanes of one warp. `words`: for a state, in shared memory.
template <class Carrier>
[[gnu::noinline]] __device__ core::outcome outcome_of_digits(const destination& to,
                                                             const superaccumulator<Carrier>& sum,
                                                             unsigned* carried, std::int64_t* words) {
  const unsigned lane = threadIdx.x % 32;
  if (to.rule.finish() == core::finish::round && !to.rule.is_integer()) {
    return {round_digits<Carrier>(to.rule.format(), sum.digit, carried)};
  }
  constexpr core::state_layout layout = core::layout_of<Carrier>();
  for (unsigned i = lane; i < layout.words(); i += 32) words[i] = 0;
  __syncwarp();
  add_to_words(words, sum, carried);
  __syncwarp();
  core::outcome found{0};
  if (lane == 0) found = outcome_of_words(to, layout, words);
  __syncwarp();
  return found;
}

/// log2 of the number of warps in the grid, rounded up.
__device__ inline unsigned log2_of_warps() {
  const unsigned warps = gridDim.x * ((blockDim.x + 31) / 32);
  return warps == 1 ? 0 : 32 - static_cast<unsigned>(__clz(static_cast<int>(warps - 1)));
}

/// add_share in expansions. False, and nothing is added, if some terms are infinite or NaN.
template <class Term, class T, input_layout layout>
__device__ __forceinline__ bool add_expansions_of_share(const operands<T, layout>& in, thread_share share,
                                                        superaccumulator<T>& to) {
  constexpr int levels = 6;  // 318 bits
  // single elements wait for memory one by one otherwise: as many as a pack has
  constexpr int in_flight = layout == input_layout::strided ? 16 / sizeof(T) : 1;
  thread_sum<T, Term, levels> sum;
  for_each_pack<Term, in_flight>(in, share, [&](const auto& x, const auto& y) { sum.add(x, y); });
  __syncwarp();
  if (__any_sync(all_lanes, !sum.all_finite())) return false;
  unsigned bound = sum.log2_error();
  sum.for_each_expansion([&](const auto& of, int origin) {
    const unsigned left = add_expansion(to, of, origin);
    if (left > bound) bound = left;
  });
  bound = __reduce_max_sync(all_lanes, bound);
  // what 32 lanes miss of up to 12 components and of what was dropped, a rounded sum
  constexpr unsigned for_lanes = 5, for_components = 5, for_rounding = 1;
  if (bound != 0 && threadIdx.x % 32 == 0) {
    atomicMax(&to.log2_error, bound + for_lanes + for_components + for_rounding);
  }
  __syncwarp();
  return true;
}

}  // namespace

template <class T, input_layout layout>
__device__ void add_share(const operands<T, layout>& in, thread_share share, bool in_integers,
                          const core::term_info& term, superaccumulator<T>& to) {
  bool is_added = in_integers;
  if (in_integers) {
    for_each_term(in, share, term, [&](const core::exact_term& each) { add_digits_of<T>(to.digit, each); });
  } else {
    with_term_of(term, [&]<class Term>(Term) { is_added = add_expansions_of_share<Term>(in, share, to); });
  }
  if (!is_added) count_special(in, share, term, to);
  __syncwarp();
}

template <class T, input_layout layout>
__device__ refined_sum refined_sum_of_share(const operands<T, layout>& in, thread_share share, double power,
                                            const core::term_info& term) {
  constexpr bool is_double = std::is_same_v<T, double>;
  constexpr int in_flight = is_double ? 4 : 2;  // of floats with four, all long dots were up to 5 % slower
  refined_sum sum{};
  with_term_of(term, [&]<class Term>(Term) {
    for_each_pack<Term, in_flight>(in, share, [&](const auto& x, const auto& y) {
#pragma unroll
      for (int i = 0; i < static_cast<int>(sizeof x / sizeof(T)); ++i) {
        if constexpr (is_double) {
          add_term<Term>(sum, x[i] * power, y[i] * power);
        } else {
          add_term<Term>(sum, x[i], y[i]);
        }
      }
    });
  });
  return sum;
}

template <class T>
__device__ core::decision decide_refined(refined_sum total, error_bound bound, scaling scale, int factors,
                                         const destination& to) {
  normalise(total);
  double rest = bound.floor;
#pragma unroll
  for (int k = total.parts - 1; k > 1; --k) rest += fabs(total.part(k));
  const core::enclosure sum{total.part(0), total.part(1), __fma_rn(bound.factor, total.error, rest)};
  const double count = static_cast<double>(to.count);
  if (scale == scaling::none) {
    if (sum.bound == 0) {
      const core::decision found = core::decide_exact<correctly_rounded>(to.rule, to.count, sum.head, sum.tail);
      if (found.certain) return found;
    }
    return core::decide_finish<correctly_rounded>(to.rule, count, sum);
  }
  const int exponent = factors * scale_exponent;
  return core::decide_scaled_finish<correctly_rounded>(to.rule, count, sum,
                                                       scale == scaling::down ? exponent : -exponent);
}

template <class Carrier>
__device__ bool finish_digits(const destination& to, superaccumulator<Carrier>& sum, unsigned* carried,
                              std::int64_t* words) {
  const bool complete = sum.log2_error == 0;
  if (to.words != nullptr) {
    if (complete) add_to_words(to.words, sum, carried);
    return complete;
  }
  const unsigned lane = threadIdx.x % 32;
  core::outcome found{0};
  if (complete) {
    found = outcome_of_digits(to, sum, carried, words);
  } else {  // the ends of the interval
    const unsigned position = sum.log2_error + log2_of_warps();
    wide_int* const digit = &sum.digit[position / digit_bits];
    const wide_int bound = wide_int{1} << position % digit_bits;
    if (lane == 0) *digit -= bound;
    __syncwarp();
    found = outcome_of_digits(to, sum, carried, words);
    __syncwarp();
    if (lane == 0) *digit += 2 * bound;
    __syncwarp();
    const core::outcome other = outcome_of_digits(to, sum, carried, words);
    const bool same = found.word == other.word && !found.overflows && !other.overflows;
    if (!__shfl_sync(all_lanes, static_cast<int>(same), 0)) return false;
  }
  if (lane == 0) {
    if (found.overflows) atomicMax(to.status, 1U);  // lines may fail together
    store_anywhere(to, found.overflows ? 0 : found.word);
  }
  return true;
}

template <class Carrier>
__device__ void finish_special(const destination& to, const superaccumulator<Carrier>& sum) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (to.words == nullptr) {
    const std::uint64_t word =
        core::special_word(to.rule.format(), sum.special[0] != 0, sum.special[1] != 0, sum.special[2] != 0);
    if (lane == 0) store_anywhere(to, word);
    return;
  }
  constexpr core::state_layout layout = core::layout_of<Carrier>();
  if (lane < 3) {
    const std::int64_t count = to.words[layout.nans() + lane] + static_cast<std::int64_t>(sum.special[lane]);
    to.words[layout.nans() + lane] = ::min(count, core::state_layout::max_count);
  }
  if (lane == 0) ++to.words[layout.states()];
  __syncwarp();  // as add_share
}

}  // namespace exactdot::inline v0_3::cuda_engine
