// Inputs of a kernel under test in device memory: copies of views, with their strides, between bytes that are NaNs.
#pragma once

#include <algorithm>
#include <cstring>
#include <cuda/destination.hpp>
#include <exactdot/core/reduction.hpp>
#include <exactdot/simt/cuda.hpp>
#include <vector>

#include "table/engines.hpp"

namespace kernels_under_test {
namespace {

namespace gpu = exactdot::gpu;
using namespace exactdot;
using namespace exactdot::cuda_engine;

/// A copy of a view in device memory, with its stride, between bytes that are NaNs.
class placed_vector {
 public:
  /// `first`: elements before the view's lowest address.
  placed_vector(gpu::stream& stream, const any_vector& x, std::size_t first)
      : view_(x), buffer_(stream, extent_of(x) + 16 * size_of(x.type)) {
    const std::size_t last = x.n == 0 ? 0 : x.n - 1;
    const std::ptrdiff_t lowest = std::min<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(last) * x.stride);
    std::vector<unsigned char> all(buffer_.size(), 0xff);
    const std::size_t start = first * size_of(x.type);
    if (x.n != 0) std::memcpy(all.data() + start, static_cast<const char*>(x.data) + lowest, extent_of(x));
    buffer_.copy_from(all.data(), all.size());
    view_.data = buffer_.data() + start - lowest;
  }
  [[nodiscard]] const any_vector& view() const { return view_; }

 private:
  static std::size_t extent_of(const any_vector& x) {
    const auto step = static_cast<std::size_t>(x.stride < 0 ? -x.stride : x.stride);
    return x.n == 0 ? 0 : step * (x.n - 1) + size_of(x.type);
  }
  any_vector view_;
  gpu::buffer<unsigned char> buffer_;
};

/// Both inputs in device memory, after 0 to 3 other elements; of reductions of one input, that one twice.
struct placed_inputs {
  placed_inputs(gpu::stream& stream, const table::call& asked)
      : a(stream, asked.a, asked.variant % 4),
        b(stream, inputs_of(asked.what) == 2 ? asked.b : asked.a,
          asked.variant / 4 % 3 == 0 ? asked.variant / 12 % 4 : asked.variant % 4),
        two(inputs_of(asked.what) == 2),
        carrier(core::wider(core::carrier_of(a.view().type), core::carrier_of(b.view().type))) {}

  /// Whether contiguous carriers suffice.
  [[nodiscard]] bool contiguous() const { return is_carrier_array(a) && is_carrier_array(b); }

  /// Whether the first level can convert packs.
  template <class T, class Term>
  [[nodiscard]] bool converted() const {
    return can_convert_packs<T, Term>(to_any_operand(a.view()), to_any_operand(b.view()));
  }

  /// Whether mode fast can.
  template <class T, class Term>
  [[nodiscard]] bool converted_in_tiles() const {
    return can_convert_tiles<T, Term>(to_any_operand(a.view()), to_any_operand(b.view()));
  }

  template <class T, class Term, input_layout layout>
  [[nodiscard]] operands<T, layout> operands_of() const {
    const any_vector &x = a.view(), &y = b.view();
    if constexpr (layout == input_layout::contiguous) {
      return {static_cast<const T*>(x.data), Term::inputs == 2 ? static_cast<const T*>(y.data) : nullptr, x.n};
    } else if constexpr (layout == input_layout::converted) {
      return operands<T, layout>(operands_of<T, Term, input_layout::any>());
    } else {
      operands<T, layout> in;
      in.a = to_any_operand(x), in.b = to_any_operand(y);
      in.log2_parts_a = core::parts_of(x.type) - 1;
      in.log2_parts_b = Term::inputs == 2 ? core::parts_of(y.type) - 1 : 0;
      in.n = x.n << (in.log2_parts_a + in.log2_parts_b);
      return in;
    }
  }

  /// Whether an element takes two carriers.
  [[nodiscard]] bool has_parts() const { return core::parts_of(a.view().type) + core::parts_of(b.view().type) > 2; }

  placed_vector a, b;
  bool two;
  element_type carrier;

 private:
  static any_operand to_any_operand(const any_vector& x) {
    return {static_cast<const char*>(x.data), x.stride, x.type, x.swapped};
  }
  [[nodiscard]] bool is_carrier_array(const placed_vector& x) const {
    return is_contiguous(x.view()) && x.view().type == carrier;
  }
};

}  // namespace
}  // namespace kernels_under_test
