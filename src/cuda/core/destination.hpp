// What a launch reads and where its result goes: the parameters of every kernel. Few bytes, the first needed first:
// a parameter that misses the constant cache delays the end of a short launch.
#pragma once

#include <algorithm>
#include <cuda/core/device_state.hpp>
#include <cuda/core/element_axes.hpp>
#include <exactdot/core/carrier.hpp>
#include <exactdot/core/finish.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// How a kernel loads its inputs.
enum class input_layout : int {
  contiguous,  ///< carriers in native byte order, at full speed: see below
  converted,   ///< contiguous elements of other types, one for both inputs: converted in registers, in packs
  strided,     ///< carriers in native byte order, of any stride: one element per load; of lines, shape/lines.cuh
  any,         ///< any stride, byte order and element type: one element per load
  axes,        ///< one line in layout `any`, whose elements may lie along several axes
};

/// The inputs; b only for terms of two inputs.
template <class T, input_layout layout>
struct operands;

/// Contiguous ones. If both inputs can be aligned to 16 bytes at once, a thread loads packs of 16 bytes: elements
/// head to end - 1; the others, fewer than two packs, are single. Else the loads are `interleaved`: a warp that
/// would load 32 packs loads the same elements one by one, each lane the neighbour of the last, so that one load of
/// a warp reads consecutive elements. That needs no alignment, and keeps as many bytes in flight.
template <class T>
struct operands<T, input_layout::contiguous> {
  const T* a = nullptr;
  const T* b = nullptr;
  std::size_t n = 0;
  std::size_t head = 0;
  std::size_t end = 0;
  bool interleaved = false;

  operands() = default;
  operands(const T* first, const T* second, std::size_t count) : a(first), b(second), n(count) {
    constexpr std::size_t width = 16 / sizeof(T);
    const auto to_alignment = [](const T* x) {
      return (16 - reinterpret_cast<std::uintptr_t>(x) % 16) % 16 / sizeof(T);
    };
    interleaved = b != nullptr && to_alignment(b) != to_alignment(a);
    if (interleaved) {
      end = n;
    } else {
      head = std::min(to_alignment(a), n);
      end = n - (n - head) % width;
    }
  }
};

/// One line: element i of an input is a[i·stride]. Strides count elements.
template <class T>
struct operands<T, input_layout::strided> {
  const T* a = nullptr;
  const T* b = nullptr;
  std::ptrdiff_t stride_a = 1, stride_b = 1;
  std::size_t n = 0;
};

/// An input of any layout.
struct any_operand {
  const char* data = nullptr;
  std::ptrdiff_t stride = 0;  ///< in bytes
  element_type type = element_type::float64;
  bool swapped = false;
};

/// An element of 64-bit integers makes several addends: one for each pair of halves. Addend i belongs to element
/// i >> (log2_parts_a + log2_parts_b).
template <class T>
struct operands<T, input_layout::any> {
  any_operand a, b;
  std::size_t n = 0;  ///< addends
  int log2_parts_a = 0, log2_parts_b = 0;
};

/// One line of line_operands in layout `any`.
template <class T>
struct operands<T, input_layout::axes> : operands<T, input_layout::any> {
  const element_axes* axes = nullptr;  ///< those of the launch; null: strides describe the elements
  std::size_t begin = 0;               ///< along the axes, of the first element

  operands() = default;
  EXACTDOT_CORE operands(const operands<T, input_layout::any>& in, const element_axes* along)
      : operands<T, input_layout::any>(in), axes(along) {}
  /// Begins `elements` further.
  EXACTDOT_CORE void skip(std::uint64_t elements) {
    if (axes != nullptr) {
      begin += elements;
    } else {
      this->a.data += static_cast<std::ptrdiff_t>(elements) * this->a.stride;
      this->b.data += static_cast<std::ptrdiff_t>(elements) * this->b.stride;
    }
  }
};

/// Contiguous elements of one type that is no carrier, in native byte order, both inputs alike aligned: packs of 16
/// bytes, and single elements before (`head`) and behind them, fewer than two packs.
template <class T>
struct operands<T, input_layout::converted> : operands<T, input_layout::any> {
  std::size_t head = 0;  ///< elements
  std::size_t packs = 0;

  operands() = default;
  explicit operands(const operands<T, input_layout::any>& in) : operands<T, input_layout::any>(in) {
    const std::size_t size = size_of(in.a.type), elements = in.n >> in.log2_parts_a;
    head = std::min((16 - reinterpret_cast<std::uintptr_t>(in.a.data) % 16) % 16 / size, elements);
    packs = (elements - head) * size / 16;
  }
};

/// Contiguous, in native byte order.
inline bool is_packed(const any_operand& x) {
  return !x.swapped && x.stride == static_cast<std::ptrdiff_t>(size_of(x.type));
}

/// Whether mode exact with the carrier T reads the inputs of a term in layout `converted`.
template <class T, class Term>
bool can_convert_packs(const any_operand& a, const any_operand& b) {
  const auto offset = [](const any_operand& x) { return reinterpret_cast<std::uintptr_t>(x.data) % 16; };
  const bool holds_terms = core::parts_of(a.type) == 1 || Term::factors == 1;
  const bool is_alike = Term::inputs == 1 || (b.type == a.type && is_packed(b) && offset(b) == offset(a));
  return core::carrier_of(a.type) == type_of<T> && a.type != type_of<T> && holds_terms && is_packed(a) && is_alike;
}

/// Whether mode fast in the carrier T reads these inputs, of one type, in packs.
template <class T, class Term>
bool can_convert_tiles(const any_operand& a, const any_operand& b) {
  const bool is_alike = Term::inputs == 1 || (b.type == a.type && is_packed(b));
  return std::is_same_v<T, float> && size_of(a.type) == 2 && !is_integer(a.type) && is_packed(a) && is_alike;
}

/// Where the result goes: a value in device memory, a value in host memory, or the words of an exact state.
struct destination {
  /// Device memory for a value, or null.
  void* value = nullptr;
  /// Mapped host memory for a value, in words that carry the number of the call as flag, like those of
  /// exchange.cuh. The host polls them, which is faster than waiting for the stream. Or null.
  volatile wide_unsigned* host = nullptr;
  /// Words of an exact state in device memory, normalised or with additions to spare. The sum is added to them as
  /// one more state. Or null.
  std::int64_t* words = nullptr;
  unsigned call = 0;
  core::result_rule rule = {};
  std::uint64_t count = 1;           ///< of the elements, for a quotient
  unsigned* status = nullptr;        ///< becomes 1 if an integer type does not hold the result
  const unsigned* unless = nullptr;  ///< if not null and *unless is not 0, the launch does nothing

  [[nodiscard]] EXACTDOT_CORE bool is_decided() const { return unless != nullptr && *unless != 0; }
};

/// A value of type R in device memory, rounded.
template <class R>
destination value_at(R* value) {
  destination to;
  to.value = value;
  to.rule = {core::finish::round, core::format<R>::number};
  return to;
}

/// What the finish of exact states needs besides them.
struct finish_request {
  int states = 1;  ///< 2: moments
  std::uint64_t count = 0;
  std::uint64_t ddof = 0;
};

}  // namespace exactdot::inline v0_3::cuda_engine
