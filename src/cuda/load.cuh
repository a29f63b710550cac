// Reads all elements of the inputs with a whole grid, each by one thread.
//
// Contiguous carriers: 16-byte loads if both inputs can be aligned at once, else single elements. All other inputs:
// single elements of any stride, byte order and type, converted to the carrier.
#pragma once

#include <core/convert.hpp>
#include <cstdint>
#include <cuda/destination.hpp>
#include <exactdot/simt/cuda.hpp>

namespace exactdot::cuda_engine {
namespace {

__device__ __forceinline__ float magnitude(float x) { return fabsf(x); }
__device__ __forceinline__ double magnitude(double x) { return fabs(x); }

/// What one 16-byte load reads.
template <class T>
struct alignas(16) pack {
  static constexpr int count = 16 / sizeof(T);
  T element[count];
};

/// Elements before the first that is aligned to 16 bytes.
template <class T>
__device__ inline std::size_t elements_to_alignment(const T* x) {
  return (16 - reinterpret_cast<std::uintptr_t>(x) % 16) % 16 / sizeof(T);
}

__device__ __forceinline__ unsigned reversed_bytes(unsigned word) { return __byte_perm(word, 0, 0x0123); }

/// The bits of an element of `bytes` bytes, in native byte order.
__device__ __forceinline__ std::uint64_t bits_of_element(const char* at, int bytes, bool swapped) {
  switch (bytes) {
    case 1: return *reinterpret_cast<const std::uint8_t*>(at);
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
    case element_type::uint64: return 8;
    case element_type::float32:
    case element_type::int32:
    case element_type::uint32: return 4;
    case element_type::int8:
    case element_type::uint8: return 1;
    default: return 2;
  }
}

__device__ __forceinline__ std::uint64_t bits_at(const any_operand& x, std::size_t i) {
  const char* const at = x.data + static_cast<std::ptrdiff_t>(i) * x.stride;
  return bits_of_element(at, bytes_of(x.type), x.swapped);
}

/// Element i as a carrier. All threads of a launch take the same branch.
template <class T>
__device__ __forceinline__ T element_at(const any_operand& x, std::size_t i, int part) {
  const std::uint64_t bits = bits_at(x, i);
  const auto convert = [&]<class Element>(Element) {
    return core::carrier_value<T, Element>(static_cast<typename detail::unsigned_of<sizeof(Element)>::type>(bits),
                                           part);
  };
  switch (x.type) {
    case element_type::float32: return convert(float{});
    case element_type::float16: return convert(float16{});
    case element_type::bfloat16: return convert(bfloat16{});
    case element_type::int8: return convert(std::int8_t{});
    case element_type::uint8: return convert(std::uint8_t{});
    case element_type::int16: return convert(std::int16_t{});
    case element_type::uint16: return convert(std::uint16_t{});
    default: break;
  }
  if constexpr (sizeof(T) == sizeof(double)) {
    switch (x.type) {
      case element_type::float64: return convert(double{});
      case element_type::int32: return convert(std::int32_t{});
      case element_type::uint32: return convert(std::uint32_t{});
      case element_type::int64: return convert(std::int64_t{});
      case element_type::uint64: return convert(std::uint64_t{});
      default: break;
    }
  }
  return T{};  // never reached: the plan chose a carrier that holds the type
}

/// The factors of addend i.
template <class Term, class T>
__device__ __forceinline__ void load_addend(const operands<T, input_layout::any>& in, std::size_t i, T& x, T& y) {
  const auto index = static_cast<unsigned>(i);
  const int part_b = static_cast<int>(index & ((1U << in.log2_parts_b) - 1));
  const int part_a = static_cast<int>(index >> in.log2_parts_b & ((1U << in.log2_parts_a) - 1));
  const std::size_t element = i >> (in.log2_parts_a + in.log2_parts_b);
  x = element_at<T>(in.a, element, part_a);
  y = Term::inputs == 2 ? element_at<T>(in.b, element, part_b) : x;
}

/// Calls add(x, y) with arrays of elements, for this thread's share: a grid-stride loop that loads `in_flight`
/// elements of each input before it uses the first.
template <class Term, int in_flight, class T, class Load, class Add>
__device__ __forceinline__ void for_each_element(std::size_t n, Load load, Add add) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
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

/// Calls add(x, y) with arrays of neighbouring elements of contiguous inputs, for this thread's share: a
/// grid-stride loop with `in_flight` loads of each input issued before the first is used. Any alignment; if both
/// inputs have the same, loads are 16 bytes wide.
template <class Term, int in_flight, class T, class Add>
__device__ __forceinline__ void for_each_aligned_pack(const T* a, const T* b, std::size_t n, Add add) {
  using packed = pack<T>;
  constexpr bool two = Term::inputs == 2;
  const std::size_t head = min(elements_to_alignment(a), static_cast<std::size_t>(n));
  if (head != elements_to_alignment(b) && head != n) {
    for_each_element<Term, in_flight, T>(
        n, [&](std::size_t i, T& x, T& y) { x = a[i], y = two ? b[i] : x; }, add);
    return;
  }
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t packs = (n - head) / packed::count;
  const auto* const a_packs = reinterpret_cast<const packed*>(a + head);
  const auto* const b_packs = reinterpret_cast<const packed*>(b + head);
  std::size_t i = thread;
  for (; i + (in_flight - 1) * stride < packs; i += in_flight * stride) {
    packed x[in_flight], y[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      x[k] = a_packs[i + k * stride];
      y[k] = two ? b_packs[i + k * stride] : x[k];
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) add(x[k].element, y[k].element);
  }
  for (; i < packs; i += stride) {
    const packed x = a_packs[i], y = two ? b_packs[i] : x;
    add(x.element, y.element);
  }
  // at most 3 elements before the packs and 3 after them
  const std::size_t behind = head + packs * packed::count;
  const std::size_t single = thread < head ? thread : behind + thread - head;
  if (single < n) {
    const T x[1] = {a[single]}, y[1] = {two ? b[single] : a[single]};
    add(x, y);
  }
}

/// The same for inputs of any layout.
template <class Term, int in_flight, class T, input_layout layout, class Add>
__device__ __forceinline__ void for_each_pack(const operands<T, layout>& in, Add add) {
  if constexpr (layout == input_layout::any) {
    for_each_element<Term, in_flight, T>(
        in.n, [&](std::size_t i, T& x, T& y) { load_addend<Term>(in, i, x, y); }, add);
  } else {
    for_each_aligned_pack<Term, in_flight>(in.a, Term::inputs == 2 ? in.b : in.a, in.n, add);
  }
}

}  // namespace
}  // namespace exactdot::cuda_engine
