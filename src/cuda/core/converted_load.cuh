// Reads contiguous inputs whose elements are not carriers by 16-byte loads, and converts packs of elements in
// registers to exact addends.
//
// A pack makes as few addends as hold its terms exactly, because a bounded sum takes eight flops of 64 bits for
// each:
//
//   integers of 8 and 16 bits; of 32 bits, one factor    1   their sum, below 2^36
//   32 bits, two factors; 64 bits, one factor            2   the sums of the terms' upper and lower 32 bits
//   float16, one factor                                  1   multiples of 2^-24 below 2^16: a sum of 8 has 43 bits
//   float16, two factors                                 8   products of 22 bits, 2^-48 to 2^32: exact in float
//   bfloat16                                             8   products of 16 bits: exact in double
//   8-bit floats, one factor                             1   multiples of 2^-16 below 2^16: a sum of 16 has 36 bits
//   float8_e4m3fn, two factors                           1   multiples of 2^-18 below 2^18: 40 bits
//   float8_e5m2, two factors                             2   from 1 on multiples of 2^-5 below 2^32, 41 bits;
//                                                            smaller ones multiples of 2^-32, 36 bits
//
// An infinity or NaN among the terms makes an addend infinite or NaN, which decides nothing; level 2 reads the
// inputs by single elements. Conversions to double: one for each addend, or for each factor of bfloat16 and element
// of a sum of float16. The element type is switched once, outside the loop.
#pragma once

#include <cuda/core/load.cuh>
#include <exactdot/core/term.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// 16 bytes of any elements. Words, because arrays of smaller types would take a register each.
using word_pack = pack<unsigned>;

/// Element j of words.
template <class Element>
__device__ __forceinline__ Element element_of(const unsigned* words, int j) {
  if constexpr (sizeof(Element) == 8) {
    return static_cast<Element>(std::uint64_t{words[2 * j + 1]} << 32 | words[2 * j]);
  } else {
    constexpr int per_word = 4 / sizeof(Element), bits = 8 * sizeof(Element);
    const unsigned word = words[j / per_word] >> bits * (j % per_word);
    return core::bit_cast<Element>(static_cast<typename detail::unsigned_of<sizeof(Element)>::type>(word));
  }
}

__device__ __forceinline__ float float_of(float16 x) {
  const auto bits = core::bit_cast<std::uint16_t>(x);
#ifdef __CUDA_ARCH__
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#else
  return core::float16_value(bits);
#endif
}
__device__ __forceinline__ float float_of(bfloat16 x) {
  return core::bfloat16_value(core::bit_cast<std::uint16_t>(x));
}
/// By way of float16, as on the CPU (cpu/widen-inl.h).
__device__ __forceinline__ float float_of(float8_e5m2 x) {
  return float_of(core::bit_cast<float16>(static_cast<std::uint16_t>(unsigned{x.bits} << 8)));
}
__device__ __forceinline__ float float_of(float8_e4m3fn x) {
  const unsigned magnitude = x.bits & 0x7fU, number = magnitude << 7 | (x.bits & 0x80U) << 8;
  const unsigned bits = magnitude == 0x7fU ? 0x7e00U : number;
  return float_of(core::bit_cast<float16>(static_cast<std::uint16_t>(bits))) * 256;
}

/// How integers of a type make terms: `wide` holds the sum of those of a pack, or one term if it is split in
/// halves.
template <class Term, class Element>
struct integer_terms {
  static constexpr bool is_split = sizeof(Element) * Term::factors >= 8;
  static constexpr bool is_small = sizeof(Element) * Term::factors <= 2;
  static constexpr bool is_signed = detail::has_sign<Element> && !Term::absolute;
  using wide = std::conditional_t<is_signed, std::conditional_t<is_small, std::int32_t, std::int64_t>,
                                  std::conditional_t<is_small, std::uint32_t, std::uint64_t>>;

  static __device__ __forceinline__ wide factor(Element x) {
    const wide value = static_cast<wide>(x);
    if constexpr (Term::absolute && detail::has_sign<Element>) return x < 0 ? wide{0} - value : value;
    return value;
  }
  static __device__ __forceinline__ wide term(Element x, Element y) {
    return Term::factors == 2 ? factor(x) * factor(y) : factor(x);
  }
};

template <class Element>
concept float8_element = floating_element<Element> && sizeof(Element) == 1;

/// The exact addends of the terms of a pack.
template <class Term, class Element>
struct pack_addends {
  static constexpr int elements = 16 / sizeof(Element);
  static constexpr bool is_one = type_of<Element> == element_type::float16 && Term::factors == 1;
  static constexpr int count = is_one ? 1 : elements;

  static __device__ __forceinline__ void make(const word_pack& a, const word_pack& b, double (&to)[count]) {
    if constexpr (is_one) to[0] = 0;
#pragma unroll
    for (int j = 0; j < elements; ++j) {
      const float x = factor<Term>(float_of(element_of<Element>(a.element, j)));
      const float y = factor<Term>(float_of(element_of<Element>(b.element, j)));
      if constexpr (is_one) {
        to[0] += static_cast<double>(x);
      } else if constexpr (Term::factors == 1) {
        to[j] = static_cast<double>(x);
      } else if constexpr (type_of<Element> == element_type::float16) {
        to[j] = static_cast<double>(x * y);
      } else {
        to[j] = static_cast<double>(x) * static_cast<double>(y);
      }
    }
  }
};

/// Calls add(x, y, w) for the terms of words a[w] and b[w] of 8-bit floats. A loop of four turns for each word: a
/// quarter of the code of 16 conversions, of each pack in flight.
template <class Term, class Element, int words, class Add>
__device__ __forceinline__ void for_each_float8(const unsigned (&a)[words], const unsigned (&b)[words], Add add) {
#pragma unroll
  for (int w = 0; w < words; ++w) {
    unsigned x = a[w], y = b[w];
#pragma unroll 1
    for (int j = 0; j < 4; ++j, x >>= 8, y >>= 8) {
      add(factor<Term>(float_of(element_of<Element>(&x, 0))), factor<Term>(float_of(element_of<Element>(&y, 0))),
          w);
    }
  }
}

template <class Term, float8_element Element>
struct pack_addends<Term, Element> {
  static constexpr bool is_split = type_of<Element> == element_type::float8_e5m2 && Term::factors == 2;
  static constexpr int count = is_split ? 2 : 1;

  static __device__ __forceinline__ void make(const word_pack& a, const word_pack& b, double (&to)[count]) {
    double upper = 0, lower = 0;
    for_each_float8<Term, Element>(a.element, b.element, [&](float x, float y, int) {
      const double term = static_cast<double>(Term::factors == 2 ? x * y : x);
      const bool is_upper = !is_split || fabs(term) >= 1;
      upper += is_upper ? term : 0;
      if constexpr (is_split) lower += is_upper ? 0 : term;
    });
    to[0] = upper;
    if constexpr (is_split) to[1] = lower;
  }
};

template <class Term, integer_element Element>
struct pack_addends<Term, Element> {
  using terms = integer_terms<Term, Element>;
  static constexpr int count = terms::is_split ? 2 : 1;

  static __device__ __forceinline__ void make(const word_pack& a, const word_pack& b, double (&to)[count]) {
    std::int64_t upper = 0, lower = 0;
    typename terms::wide sum = 0;
#pragma unroll
    for (int j = 0; j < static_cast<int>(16 / sizeof(Element)); ++j) {
      const auto term = terms::term(element_of<Element>(a.element, j), element_of<Element>(b.element, j));
      if constexpr (terms::is_split) {
        upper += static_cast<std::int64_t>(term >> 32);
        lower += static_cast<std::uint32_t>(term);
      } else {
        sum += term;
      }
    }
    if constexpr (terms::is_split) {
      to[0] = static_cast<double>(upper) * 0x1p32, to[1] = static_cast<double>(lower);
    } else {
      to[0] = static_cast<double>(sum);
    }
  }
};

/// f(Element{}) with the C++ type of the elements, one of those that can_convert_packs names; or float, if asked
/// for. Works of two sums take 8-bit floats one by one: their loops took registers of all types' (H100, 2026-11-26:
/// variances of floats up to 1.3 times as long).
template <class Term, class T, bool with_float = false, bool with_float8 = true, class F>
__device__ __forceinline__ void with_converted_type(element_type type, const F& f) {
  if constexpr (std::is_same_v<T, float>) {
    if constexpr (with_float) {
      if (type == element_type::float32) return f(float{});
    }
    if (type == element_type::float16) return f(float16{});
    if (type == element_type::bfloat16) return f(bfloat16{});
    if (type == element_type::int8) return f(std::int8_t{});
    if (type == element_type::uint8) return f(std::uint8_t{});
    if (type == element_type::int16) return f(std::int16_t{});
    if (type == element_type::uint16) return f(std::uint16_t{});
    if constexpr (with_float8) {
      if (type == element_type::float8_e4m3fn) return f(float8_e4m3fn{});
      if (type == element_type::float8_e5m2) return f(float8_e5m2{});
    }
  } else {
    if (type == element_type::int32) return f(std::int32_t{});
    if (type == element_type::uint32) return f(std::uint32_t{});
    if constexpr (Term::factors == 1) {
      if (type == element_type::int64) return f(std::int64_t{});
      if (type == element_type::uint64) return f(std::uint64_t{});
    }
  }
}

/// Adds the terms of the packs of elements that fall to this thread: a grid-stride loop with `in_flight` packs of
/// each input loaded before the first is used.
template <class Term, class Element, int in_flight, class T, class Sums>
__device__ __forceinline__ void add_packs(const operands<T, input_layout::converted>& in, Sums& sums) {
  constexpr bool two = Term::inputs == 2;
  using addends = pack_addends<Term, Element>;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const auto* const a_packs = reinterpret_cast<const word_pack*>(in.a.data + in.head * sizeof(Element));
  const auto* const b_packs =
      reinterpret_cast<const word_pack*>((two ? in.b : in.a).data + in.head * sizeof(Element));
  for (std::size_t i = grid_share{}.first_thread(); i < in.packs; i += in_flight * stride) {
    word_pack x[in_flight], y[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const std::size_t at = i + k * stride;
      x[k] = y[k] = word_pack{};
      if (k > 0 && at >= in.packs) continue;
      x[k] = a_packs[at];
      y[k] = two ? b_packs[at] : x[k];
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      double terms[addends::count];
      addends::make(x[k], y[k], terms);
      sums.add_exact(terms, k * addends::count);
    }
  }
}

/// Adds the terms that fall to this thread of all the grid's: its packs, and at most one single addend.
template <class Term, int in_flight, class T, class Sums>
__device__ __forceinline__ void add_converted(const operands<T, input_layout::converted>& in, Sums& sums) {
  std::size_t in_packs = 0;
  with_converted_type<Term, T>(in.a.type, [&]<class Element>(Element) {
    in_packs = in.packs * (16 / sizeof(Element));
    add_packs<Term, Element, in_flight>(in, sums);
  });
  const std::size_t thread = grid_share{}.first_thread();
  const std::size_t head = in.head << in.log2_parts_a, behind = in_packs << in.log2_parts_a;
  if (thread >= in.n - behind) return;
  T x[1], y[1];
  load_addend<Term>(in, index_of_single(thread, head, behind), x[0], y[0]);
  sums.add(x, y);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
