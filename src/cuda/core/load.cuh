// Reads all elements of the inputs with a whole grid, each by one thread.
//
// Contiguous carriers: 16-byte loads if both inputs can be aligned at once, else as many loads of single elements
// as have the same bytes, interleaved among the lanes of a warp. All other inputs: single elements of any stride,
// byte order and type, converted to the carrier (or in packs: converted_load.cuh).
#pragma once

#include <cstdint>
#include <cuda/core/destination.hpp>
#include <cuda/core/element_switch.cuh>
#include <exactdot/core/convert.hpp>
#include <exactdot/simt/cuda.hpp>
#include <type_traits>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

__device__ __forceinline__ float magnitude(float x) { return fabsf(x); }
__device__ __forceinline__ double magnitude(double x) { return fabs(x); }

/// A factor of a term, from an element.
template <class Term, class T>
__device__ __forceinline__ T factor(T x) {
  if constexpr (Term::absolute) return magnitude(x);
  return x;
}

/// The second factor: 1 for terms of one.
template <class Term, class T>
__device__ __forceinline__ T second_factor(T y) {
  if constexpr (Term::factors == 1) return 1;
  return factor<Term>(y);
}

/// What one 16-byte load reads.
template <class T>
struct alignas(16) pack {
  static constexpr int count = 16 / sizeof(T);
  T element[count];
};

__device__ __forceinline__ unsigned reversed_bytes(unsigned word) { return __byte_perm(word, 0, 0x0123); }

/// The bits of an element of `bytes` bytes, in native byte order.
__device__ __forceinline__ std::uint64_t bits_of_element(const char* at, int bytes, bool swapped) {
  switch (bytes) {
    case 1:
      return *reinterpret_cast<const std::uint8_t*>(at);
    case 2: {
      const unsigned word = *reinterpret_cast<const std::uint16_t*>(at);
      return swapped ? __byte_perm(word, 0, 0x4401) : word;
    }
    case 4: {
      const unsigned word = *reinterpret_cast<const std::uint32_t*>(at);
      return swapped ? reversed_bytes(word) : word;
    }
    default: {
      const std::uint64_t word = *reinterpret_cast<const std::uint64_t*>(at);
      if (!swapped) return word;
      const auto low = reversed_bytes(static_cast<unsigned>(word >> 32));
      const auto high = reversed_bytes(static_cast<unsigned>(word));
      return std::uint64_t{high} << 32 | low;
    }
  }
}

/// Bytes of an element, without a table in memory.
__device__ __forceinline__ int bytes_of(element_type type) {
  switch (type) {
    case element_type::float64:
    case element_type::int64:
    case element_type::uint64:
      return 8;
    case element_type::float32:
    case element_type::int32:
    case element_type::uint32:
      return 4;
    case element_type::int8:
    case element_type::uint8:
    case element_type::float8_e4m3fn:
    case element_type::float8_e5m2:
      return 1;
    default:
      return 2;
  }
}

/// The bits of the element at `place`, in bytes from the first.
__device__ __forceinline__ std::uint64_t bits_at_place(const any_operand& x, std::ptrdiff_t place) {
  return bits_of_element(x.data + place, bytes_of(x.type), x.swapped);
}
__device__ __forceinline__ std::uint64_t bits_at(const any_operand& x, std::size_t i) {
  return bits_at_place(x, static_cast<std::ptrdiff_t>(i) * x.stride);
}

/// The places of element i of both inputs.
template <class T>
__device__ __forceinline__ element_places places_of(const operands<T, input_layout::any>& in, std::size_t i) {
  return {static_cast<std::ptrdiff_t>(i) * in.a.stride, static_cast<std::ptrdiff_t>(i) * in.b.stride};
}
template <class T>
__device__ __forceinline__ element_places places_of(const operands<T, input_layout::axes>& in, std::size_t i) {
  if (in.axes != nullptr) return in.axes->at(in.begin + i);
  return places_of(static_cast<const operands<T, input_layout::any>&>(in), i);
}

/// Whether a plan may choose Carrier for elements of this type: it holds them, or their parts.
template <class Carrier, class Element>
concept carrier_of_element = std::is_same_v<Carrier, double> || std::is_same_v<Carrier, core::carrier_for<Element>>;

/// An element, by its bits, as a carrier.
template <class T>
__device__ __forceinline__ T element_of_bits(const any_operand& x, std::uint64_t bits, int part) {
  const auto convert = [&]<class Element>(Element) -> T requires carrier_of_element<T, Element> {
    return core::carrier_value<T, Element>(static_cast<typename detail::unsigned_of<sizeof(Element)>::type>(bits),
                                           part);
  };
  return with_element_type(x.type, convert);
}
/// Element i as a carrier.
template <class T>
__device__ __forceinline__ T element_at(const any_operand& x, std::size_t i, int part) {
  return element_of_bits<T>(x, bits_at(x, i), part);
}

/// Both halves of a 64-bit integer, for sums that have several terms of an element; nothing sums this term.
struct integer_halves {
  static constexpr int inputs = 1, factors = 1;
  static constexpr bool absolute = false;
};

/// The factors of addend i; of integer_halves those of element i. `term`, here and in the loops below: its struct,
/// or core::term_info.
template <class Term, class T, input_layout layout>
__device__ __forceinline__ void load_addend(const operands<T, layout>& in, std::size_t i, T& x, T& y,
                                            const Term& term = {}) {
  if constexpr (std::is_same_v<Term, integer_halves>) {
    const std::uint64_t bits = bits_of_element(in.a.data + places_of(in, i).a, 8, in.a.swapped);
    const bool is_signed = in.a.type == element_type::int64;
    x = core::half_of(bits, is_signed, 0), y = core::half_of(bits, is_signed, 1);
    return;
  }
  const auto index = static_cast<unsigned>(i);
  const int part_b = static_cast<int>(index & ((1U << in.log2_parts_b) - 1));
  const int part_a = static_cast<int>(index >> in.log2_parts_b & ((1U << in.log2_parts_a) - 1));
  const element_places at = places_of(in, i >> (in.log2_parts_a + in.log2_parts_b));
  x = element_of_bits<T>(in.a, bits_at_place(in.a, at.a), part_a);
  y = term.inputs == 2 ? element_of_bits<T>(in.b, bits_at_place(in.b, at.b), part_b) : x;
}

/// The index of element i of those that are in no pack: `head` lie before the packs, the others behind them.
__device__ __forceinline__ std::size_t index_of_single(std::size_t i, std::size_t head, std::size_t in_packs) {
  return i < head ? i : i + in_packs;
}

/// Which share of the elements the block reads: that of a block of the grid, by default its own. Loops take any
/// type with these two functions.
struct grid_share {
  unsigned block = blockIdx.x;
  [[nodiscard]] __device__ __forceinline__ std::size_t first_thread() const {
    return std::size_t{block} * blockDim.x + threadIdx.x;
  }
  [[nodiscard]] __device__ __forceinline__ std::size_t threads() const {
    return std::size_t{gridDim.x} * blockDim.x;
  }
};

/// Calls add(x, y) with arrays of elements, for this thread's part of a share: a grid-stride loop that loads
/// `in_flight` elements of each input before it uses the first.
template <int in_flight, class T, class Share, class Load, class Add>
__device__ __forceinline__ void for_each_element(std::size_t n, Share share, Load load, Add add) {
  const std::size_t stride = share.threads();
  std::size_t i = share.first_thread();
  for (; i + (in_flight - 1) * stride < n; i += in_flight * stride) {
    T x[in_flight], y[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) load(i + k * stride, x[k], y[k]);
    add(x, y);
  }
  for (; i < n; i += stride) {
    T x[1], y[1];
    load(i, x[0], y[0]);
    add(x, y);
  }
}

/// Loads `in_flight` packs of each input, the first at element i, the next `step` elements further; zeros from
/// `end` on. Only the first is sure to begin before the end.
template <int in_flight, class T>
__device__ __forceinline__ void load_packs(const operands<T, input_layout::contiguous>& in, std::size_t i,
                                           std::size_t step, bool two, pack<T> (&x)[in_flight],
                                           pack<T> (&y)[in_flight]) {
#pragma unroll
  for (int k = 0; k < in_flight; ++k) {
    const std::size_t at = i + k * step;
    x[k] = y[k] = pack<T>{};
    if (k > 0 && at >= in.end) continue;
    x[k] = *reinterpret_cast<const pack<T>*>(in.a + at);
    y[k] = two ? *reinterpret_cast<const pack<T>*>(in.b + at) : x[k];
  }
}

/// The same by loads of single elements: every 32nd from i on, so that those of a warp are neighbours.
template <int in_flight, class T>
__device__ __forceinline__ void load_interleaved(const operands<T, input_layout::contiguous>& in, std::size_t i,
                                                 std::size_t step, pack<T> (&x)[in_flight],
                                                 pack<T> (&y)[in_flight]) {
  constexpr std::size_t far = std::size_t{1} << 30;  // more than the steps of a turn
  const std::size_t behind = in.end - i;
  const int left = static_cast<int>(behind < far ? behind : far), stride = static_cast<int>(step);
  const T *const a = in.a + i, *const b = in.b + i;
#pragma unroll
  for (int k = 0; k < in_flight; ++k) {
    const T *const a_pack = a + k * stride, *const b_pack = b + k * stride;
    const int left_of_pack = left - k * stride;
#pragma unroll
    for (int j = 0; j < pack<T>::count; ++j) {
      x[k].element[j] = y[k].element[j] = 0;
      if (left_of_pack <= 32 * j) continue;
      x[k].element[j] = a_pack[32 * j];
      y[k].element[j] = b_pack[32 * j];
    }
  }
}

/// A thread's loop over contiguous inputs: where it begins, and how far apart its packs are. In elements. `two`:
/// the term has two inputs.
template <class T>
struct contiguous_loop {
  std::size_t first, step;
  bool two, interleaved;

  template <class Share>
  __device__ __forceinline__ contiguous_loop(const operands<T, input_layout::contiguous>& in, Share share,
                                             bool has_two)
      : step(share.threads() * pack<T>::count), two(has_two), interleaved(has_two && in.interleaved) {
    constexpr std::size_t width = pack<T>::count;
    const std::size_t thread = share.first_thread();
    const unsigned lane = threadIdx.x % 32;
    first = interleaved ? (thread - lane) * width + lane : in.head + thread * width;
  }

  /// One turn: calls add(x, y) for `in_flight` packs of each input, the first at element i < in.end, all loaded
  /// before the first is used; zeros from in.end on.
  template <int in_flight, class Add>
  __device__ __forceinline__ void turn(const operands<T, input_layout::contiguous>& in, std::size_t i,
                                       Add& add) const {
    pack<T> x[in_flight], y[in_flight];
    if (interleaved) {
      load_interleaved(in, i, step, x, y);
    } else {
      load_packs(in, i, step, two, x, y);
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) add(x[k].element, y[k].element);
  }
};

/// Calls add(x, y) for the thread's element of those that are in no pack, if it has one.
template <class T, class Add>
__device__ __forceinline__ void add_single(const operands<T, input_layout::contiguous>& in, std::size_t thread,
                                           bool two, Add& add) {
  const std::size_t in_packs = in.end - in.head;
  if (thread >= in.n - in_packs) return;
  const std::size_t single = index_of_single(thread, in.head, in_packs);
  const T x[1] = {in.a[single]}, y[1] = {two ? in.b[single] : x[0]};
  add(x, y);
}

/// Calls add(x, y) with arrays of elements of contiguous inputs, for this thread's part of a share: a grid-stride
/// loop.
template <int in_flight, class T, class Share, class Add>
__device__ __forceinline__ void for_each_contiguous(const operands<T, input_layout::contiguous>& in, Share share,
                                                    bool two, Add add) {
  const contiguous_loop<T> loop(in, share, two);
  for (std::size_t i = loop.first; i < in.end; i += in_flight * loop.step)
    loop.template turn<in_flight>(in, i, add);
  add_single(in, share.first_thread(), two, add);
}

/// The same of one contiguous input; a turn's packs are added while those of the next are on their way. For kernels
/// that compute so much between their loads that memory waits for them; others lose by the registers.
template <int in_flight, class T, class Add>
__device__ __forceinline__ void for_each_pack_ahead(const operands<T, input_layout::contiguous>& in,
                                                    grid_share share, Add add) {
  const contiguous_loop<T> loop(in, share, false);
  std::size_t i = loop.first;
  if (i < in.end) {
    pack<T> now[in_flight], unused[in_flight];
    load_packs(in, i, loop.step, false, now, unused);
    for (;;) {
      i += in_flight * loop.step;
      const bool more = i < in.end;
      pack<T> next[in_flight];
      if (more) load_packs(in, i, loop.step, false, next, unused);
#pragma unroll
      for (int k = 0; k < in_flight; ++k) add(now[k].element, now[k].element);
      if (!more) break;
#pragma unroll
      for (int k = 0; k < in_flight; ++k) now[k] = next[k];
    }
  }
  add_single(in, share.first_thread(), false, add);
}

/// The same for inputs of any layout.
template <class Term, int in_flight, class T, input_layout layout, class Share, class Add>
__device__ __forceinline__ void for_each_pack(const operands<T, layout>& in, Share share, Add add,
                                              const Term& term = {}) {
  if constexpr (layout == input_layout::strided) {
    const auto load = [&](std::size_t i, T& x, T& y) {
      const auto index = static_cast<std::ptrdiff_t>(i);
      x = in.a[index * in.stride_a];
      y = term.inputs == 2 ? in.b[index * in.stride_b] : x;
    };
    for_each_element<in_flight, T>(in.n, share, load, add);
  } else if constexpr (layout == input_layout::any || layout == input_layout::axes) {
    for_each_element<in_flight, T>(
        in.n, share, [&](std::size_t i, T& x, T& y) { load_addend(in, i, x, y, term); }, add);
  } else {
    for_each_contiguous<in_flight>(in, share, term.inputs == 2, add);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
