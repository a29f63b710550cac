// Elements of groups as exact addends, and their keys, four at a time.
//
// A source loads four neighbouring elements and makes an addend of each: a magnitude, the exponent of its last bit,
// a sign. Contiguous carriers and 16-bit floating-point numbers are loaded at once; any_source reads everything
// else element by element, 64-bit integers as they are.
#pragma once

#include <cuda/core/exchange.cuh>
#include <cuda/core/kernel.cuh>
#include <cuda/core/load.cuh>
#include <cuda/group/call.hpp>
#include <exactdot/core/term.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// ±magnitude · 2^exponent, magnitude < 2^bits; or no number, if `special` is one of group_flag's.
template <class Magnitude>
struct group_addend {
  Magnitude magnitude;
  int exponent;
  int bits;
  bool negative;
  unsigned special;
};

/// The same for terms of up to 53 bits, not 0, without special values.
struct quick_term {
  std::uint64_t magnitude;
  int exponent;
  bool negative, is_quick, is_zero;
};

/// Four consecutive elements of type T as one load, or up to three loads.
template <class T>
struct alignas(sizeof(T) * group_pack <= 16 ? sizeof(T) * group_pack : 16) element_pack {
  T element[group_pack];
};

/// Reads elements i to i + count - 1; zeros behind them.
template <class T>
__device__ __forceinline__ element_pack<T> load_elements(const char* data, std::size_t i, unsigned count,
                                                         bool as_pack) {
  const T* const from = reinterpret_cast<const T*>(data) + i;
  if (as_pack && count == group_pack) return *reinterpret_cast<const element_pack<T>*>(from);
  element_pack<T> x{};
#pragma unroll
  for (unsigned k = 0; k < group_pack; ++k) {
    if (k < count) x.element[k] = from[k];
  }
  return x;
}

/// Notes the lowest index. By threads that have found a key out of range, or an empty group.
__device__ __forceinline__ void note_lowest(wide_unsigned* inverted, std::size_t index) {
  const wide_unsigned word = ~static_cast<wide_unsigned>(index);
  if (load_word(inverted) < word) atomicMax(inverted, word);
}

/// Four neighbouring keys, as two halves: keys of 32 bits stay in the registers that they are loaded to.
struct key_pack {
  unsigned low[group_pack] = {}, high[group_pack] = {};
};

/// Key i; negative ones, and those of 2^31 or more, are no group's.
__device__ __forceinline__ wide_unsigned load_key(const group_input& in, std::size_t i) {
  const char* const at = in.keys + static_cast<std::ptrdiff_t>(i) * in.key_stride;
  if (in.key_bytes == 4) return *reinterpret_cast<const unsigned*>(at);
  if (in.key_bytes == 8) return *reinterpret_cast<const wide_unsigned*>(at);
  if (in.key_bytes == 2) {
    const unsigned short key = *reinterpret_cast<const unsigned short*>(at);
    return in.keys_have_sign ? static_cast<wide_unsigned>(static_cast<short>(key)) : key;
  }
  const unsigned char key = *reinterpret_cast<const unsigned char*>(at);
  return in.keys_have_sign ? static_cast<wide_unsigned>(static_cast<signed char>(key)) : key;
}

/// Reads the keys of elements i to i + count - 1; zeros behind them.
__device__ __forceinline__ key_pack load_key_pack(const group_input& in, std::size_t i, unsigned count) {
  key_pack keys;
  if (in.key_bytes == 4) {
    element_pack<unsigned> loaded{};
    if (in.loads_key_packs) {
      loaded = load_elements<unsigned>(in.keys, i, count, true);
    } else {
      for (unsigned k = 0; k < group_pack; ++k) {
        const char* const at = in.keys + static_cast<std::ptrdiff_t>(i + k) * in.key_stride;
        if (k < count) loaded.element[k] = *reinterpret_cast<const unsigned*>(at);
      }
    }
#pragma unroll
    for (int k = 0; k < group_pack; ++k) keys.low[k] = loaded.element[k];
  } else if (in.key_bytes < 4) {
#pragma unroll
    for (unsigned k = 0; k < group_pack; ++k) {
      if (k >= count) continue;
      const wide_unsigned key = load_key(in, i + k);
      keys.low[k] = static_cast<unsigned>(key), keys.high[k] = static_cast<unsigned>(key >> 32);
    }
  } else {
    element_pack<wide_unsigned> loaded{};
    if (in.loads_key_packs) {
      loaded = load_elements<wide_unsigned>(in.keys, i, count, true);
    } else {
      for (unsigned k = 0; k < group_pack; ++k) {
        const char* const at = in.keys + static_cast<std::ptrdiff_t>(i + k) * in.key_stride;
        if (k < count) loaded.element[k] = *reinterpret_cast<const wide_unsigned*>(at);
      }
    }
#pragma unroll
    for (int k = 0; k < group_pack; ++k) {
      keys.low[k] = static_cast<unsigned>(loaded.element[k]);
      keys.high[k] = static_cast<unsigned>(loaded.element[k] >> 32);
    }
  }
  return keys;
}

/// The group of element i + k, or no_group: for a key out of range, or behind the elements.
__device__ __forceinline__ void find_groups(const key_pack& keys, const group_input& in, const group_memory& to,
                                            std::size_t i, unsigned count, unsigned (&group)[group_pack]) {
#pragma unroll
  for (unsigned k = 0; k < group_pack; ++k) {
    const bool is_inside = keys.high[k] == 0 && keys.low[k] < in.groups;
    group[k] = is_inside && k < count ? keys.low[k] : no_group;
    if (!is_inside && k < count && !in.skips_out_of_range) note_lowest(&to.status->bad_key, i + k);
  }
}
__device__ __forceinline__ void load_keys(const group_input& in, const group_memory& to, std::size_t i,
                                          unsigned count, unsigned (&group)[group_pack]) {
  find_groups(load_key_pack(in, i, count), in, to, i, count, group);
}

__device__ __forceinline__ bool is_one_group(const unsigned (&group)[group_pack]) {
  return group[0] == group[1] && group[0] == group[2] && group[0] == group[3];
}

/// Four neighbouring elements and their keys, as they are loaded.
template <class Source>
struct keyed_pack {
  Source of;
  key_pack keys;

  /// Pack `index` of those below `end`; of others nothing.
  __device__ __forceinline__ void load(const group_input& in, std::size_t index, std::size_t end) {
    const std::size_t i = index * group_pack;
    const unsigned count = elements(in, index, end);
    of.load(in, i, count);
    keys = load_key_pack(in, i, count);
  }
  __device__ __forceinline__ void groups(const group_input& in, const group_memory& to, std::size_t index,
                                         std::size_t end, unsigned (&group)[group_pack]) const {
    find_groups(keys, in, to, index * group_pack, elements(in, index, end), group);
  }

 private:
  static __device__ __forceinline__ unsigned elements(const group_input& in, std::size_t index, std::size_t end) {
    return index < end ? static_cast<unsigned>(::min(in.n - index * group_pack, std::size_t{group_pack})) : 0;
  }
};

/// The packs of a block: a contiguous share.
struct block_share {
  std::size_t begin, end;

  __device__ __forceinline__ explicit block_share(std::size_t n) {
    const std::size_t packs = (n + group_pack - 1) / group_pack, share = (packs + gridDim.x - 1) / gridDim.x;
    begin = ::min(packs, blockIdx.x * share), end = ::min(packs, begin + share);
  }
};

/// The flag of a term that is not finite.
__device__ inline unsigned special_flag(const core::exact_term& term) {
  if (term.kind == core::kind::nan) return group_flag::nan;
  return term.negative ? group_flag::minus : group_flag::plus;
}

template <class T>
struct significand {
  std::uint64_t magnitude;
  int exponent;
  bool negative, special;
};

/// As core::decompose, without its kinds.
template <class T>
__device__ __forceinline__ significand<T> significand_of(T x) {
  using bits = typename core::format<T>::bits;
  constexpr int stored = core::format<T>::precision - 1;
  constexpr int last_field = (1 << core::format<T>::exponent_bits) - 1;
  const bits raw = core::bit_cast<bits>(x);
  const auto field = static_cast<int>(raw >> stored) & last_field;
  const bits mantissa = raw & ((bits{1} << stored) - 1);
  significand<T> found;
  found.magnitude = field != 0 ? mantissa | bits{1} << stored : mantissa;
  found.exponent = (field != 0 ? field - 1 : 0) + core::format<T>::lowest_exponent;
  found.negative = raw >> (8 * sizeof(T) - 1) != 0;
  found.special = field == last_field;
  return found;
}

/// Not inlined: rare.
template <class Term, class T>
[[gnu::noinline]] __device__ unsigned special_flag_of(T x, T y, bool absolute) {
  core::exact_term term = core::exact_addend<Term>(x, y);
  if (absolute) term.negative = false;
  return special_flag(term);
}

__device__ __forceinline__ float as_carrier(float x) { return x; }
__device__ __forceinline__ double as_carrier(double x) { return x; }
__device__ __forceinline__ float as_carrier(float16 x) {
  return core::float16_value(core::bit_cast<std::uint16_t>(x));
}
__device__ __forceinline__ float as_carrier(bfloat16 x) {
  return core::bfloat16_value(core::bit_cast<std::uint16_t>(x));
}

/// How many factors the stream of a call has.
EXACTDOT_CORE int factors_of(group_terms terms, int stream) {
  return terms == group_terms::square || terms == group_terms::product || stream == 1 ? 2 : 1;
}

/// Contiguous elements in native byte order. Whether factors are absolute values is read at run time.
template <class Element, group_terms terms>
struct native_source {
  using carrier = decltype(as_carrier(Element{}));
  static constexpr int streams = streams_of(terms);
  static constexpr bool has_two_inputs = terms == group_terms::product;
  static constexpr int precision = core::format<carrier>::precision;
  static EXACTDOT_CORE int max_bits(int stream) { return precision * factors_of(terms, stream); }
  /// Whether nearly every term has bits below the window, so that flags of it are not worth keeping.
  static EXACTDOT_CORE bool always_drops(int stream) { return max_bits(stream) > 64; }
  template <int stream>
  using magnitude = std::conditional_t<(max_bits(stream) > 64), core::uint128, std::uint64_t>;

  element_pack<Element> x, y;

  __device__ __forceinline__ void load(const group_input& in, std::size_t i, unsigned count) {
    x = load_elements<Element>(in.a.data, i, count, in.loads_packs);
    if constexpr (has_two_inputs) y = load_elements<Element>(in.b.data, i, count, in.loads_packs);
  }

  /// Whether the terms of a stream have a short way: those of up to 53 bits.
  static EXACTDOT_CORE bool has_quick_terms(int stream) { return max_bits(stream) <= 53; }

  /// A term whose factors are normal numbers, or 0; `is_quick` is false for all others.
  template <int stream>
  __device__ __forceinline__ quick_term quick(bool absolute, int k) const {
    using bits = typename core::format<carrier>::bits;
    constexpr int stored = precision - 1, last_field = (1 << core::format<carrier>::exponent_bits) - 1;
    const auto field_of = [](bits raw) { return static_cast<int>(raw >> stored) & last_field; };
    const auto significand_of_normal = [](bits raw) {
      return static_cast<std::uint64_t>((raw & ((bits{1} << stored) - 1)) | bits{1} << stored);
    };
    const auto a = core::bit_cast<bits>(as_carrier(x.element[k]));
    const int field = field_of(a);
    constexpr int offset = core::format<carrier>::lowest_exponent - 1;
    quick_term made{significand_of_normal(a), field + offset, a >> (8 * sizeof(carrier) - 1) != 0,
                    static_cast<unsigned>(field - 1) < static_cast<unsigned>(last_field - 1), bits(a << 1) == 0};
    if constexpr (factors_of(terms, stream) == 1) {
      made.negative = made.negative && !absolute;
    } else {
      const auto b = has_two_inputs ? core::bit_cast<bits>(as_carrier(y.element[k])) : a;
      const int second = field_of(b);
      made.magnitude *= significand_of_normal(b);
      made.exponent += second + offset;
      made.negative = (a ^ b) >> (8 * sizeof(carrier) - 1) != 0 && !absolute;
      made.is_quick = made.is_quick && static_cast<unsigned>(second - 1) < static_cast<unsigned>(last_field - 1);
      made.is_zero = !has_two_inputs && made.is_zero;  // with two inputs 0 may meet an infinity
    }
    return made;
  }

  /// The factors of element k; the second one is used by products only.
  [[nodiscard]] __device__ __forceinline__ carrier first(int k) const { return as_carrier(x.element[k]); }
  [[nodiscard]] __device__ __forceinline__ carrier second(int k) const {
    return has_two_inputs ? as_carrier(y.element[k]) : first(k);
  }

  template <int stream>
  __device__ __forceinline__ group_addend<magnitude<stream>> addend(const group_input& in, int k) const {
    return addend_of<stream>(in.absolute, first(k), second(k));
  }
  template <int stream>
  static __device__ __forceinline__ group_addend<magnitude<stream>> addend_of(bool absolute, carrier first,
                                                                              carrier second) {
    const auto a = significand_of(first);
    group_addend<magnitude<stream>> made{a.magnitude, a.exponent, max_bits(stream), a.negative, 0};
    if constexpr (factors_of(terms, stream) == 1) {
      if (absolute) made.negative = false;
      if (a.special) {
        made.magnitude = 0;
        made.special = special_flag_of<core::value>(first, first, absolute);
      }
    } else {
      const auto b = has_two_inputs ? significand_of(second) : a;
      made.magnitude = static_cast<magnitude<stream>>(a.magnitude) * b.magnitude;
      made.exponent += b.exponent;
      made.negative = a.negative != b.negative && !absolute;
      if (a.special || b.special) {
        made.magnitude = 0;
        made.special = special_flag_of<core::product>(first, second, absolute);
      }
    }
    return made;
  }
};

/// An element of any type as a factor.
__device__ inline core::exact_term any_factor(const any_operand& x, std::size_t i) {
  if (x.type == element_type::int64 || x.type == element_type::uint64) {
    const std::uint64_t bits = bits_at(x, i);
    core::exact_term integer;
    integer.negative = x.type == element_type::int64 && bits >> 63 != 0;
    integer.magnitude = integer.negative ? std::uint64_t{0} - bits : bits;
    return integer;
  }
  return core::decompose(element_at<double>(x, i, 0));
}

/// An addend of a stream of any input.
[[gnu::noinline]] __device__ core::exact_term any_addend(const group_input& in, int stream, std::size_t i) {
  const core::exact_term a = any_factor(in.a, i);
  core::exact_term made = a;
  if (factors_of(in.terms, stream) == 2) {
    made = core::multiply(a, in.terms == group_terms::product ? any_factor(in.b, i) : a);
  }
  if (in.absolute) made.negative = false;
  return made;
}

__device__ inline int bit_length(core::uint128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64), low = static_cast<std::uint64_t>(x);
  if (high != 0) return 128 - core::leading_zeros(high);
  return low != 0 ? 64 - core::leading_zeros(low) : 0;
}

/// Elements of any type, stride and byte order.
template <int streams_>
struct any_source {
  static constexpr int streams = streams_;
  static EXACTDOT_CORE bool has_quick_terms(int) { return false; }
  static EXACTDOT_CORE int max_bits(int) { return 128; }
  static EXACTDOT_CORE bool always_drops(int) { return false; }
  template <int stream>
  using magnitude = core::uint128;

  std::size_t first;
  unsigned count;

  __device__ __forceinline__ void load(const group_input&, std::size_t i, unsigned elements) {
    first = i, count = elements;
  }

  template <int stream>
  __device__ __forceinline__ group_addend<core::uint128> addend(const group_input& in, int k) const {
    if (static_cast<unsigned>(k) >= count) return {};
    const core::exact_term term = any_addend(in, stream, first + static_cast<unsigned>(k));
    const bool finite = term.kind == core::kind::finite;
    return {finite ? term.magnitude : 0, term.exponent, bit_length(term.magnitude), term.negative,
            finite ? 0 : special_flag(term)};
  }
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
