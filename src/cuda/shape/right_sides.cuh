// Products of rows with few vectors, the right-hand sides, by one reading of the rows: what the kernels of floats
// (tile_products.cuh) and of doubles (anchored_products.cuh) share. A product that its bound leaves open is
// computed again as a line is (work/line_again.cuh), of one row and one vector.
#pragma once

#include <cuda/core/right_sides.hpp>
#include <cuda/work/sum.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// A row and a vector of elements that are carriers.
template <class T>
__device__ __forceinline__ operands<T, input_layout::strided> carriers_of_product(const rows_and_vectors& in,
                                                                                  std::size_t row,
                                                                                  std::size_t vector) {
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
  return {reinterpret_cast<const T*>(in.row(row)), reinterpret_cast<const T*>(in.vector(vector)), 1,
          in.stride / size, in.n};
}

/// A row and a vector of other elements.
template <class T>
__device__ __forceinline__ operands<T, input_layout::axes> elements_of_product(const rows_and_vectors& in,
                                                                               std::size_t row,
                                                                               std::size_t vector) {
  operands<T, input_layout::any> line;
  line.a = {in.row(row), static_cast<std::ptrdiff_t>(bytes_of(in.type)), in.type, false};
  line.b = {in.vector(vector), in.stride, in.type, false};
  line.n = in.n;
  return {line, nullptr};
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
