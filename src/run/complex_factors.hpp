// Complex numbers as reals: views of their parts, and copies of numbers that are changed first.
//
// A product of complex numbers is two sums of products of reals, whose second factors are the parts of a number
// conjugated, exchanged or both. Engines read memory as it lies, so such factors are copied, on the CPU or the GPU
// that has them: once for a call, a vector that all results share once for all.
#pragma once

#include <cstring>
#include <exactdot/core/config.hpp>
#include <exactdot/complex.hpp>
#include <memory>
#include <plan/plan.hpp>
#include <vector>

namespace exactdot::inline v0_3::engine {

/// The byte after so many bytes; of no memory none.
inline const void* after(const void* from, std::ptrdiff_t bytes) {
  return from == nullptr ? from : static_cast<const char*>(from) + bytes;
}

/// Part k of every number of a grid or of results; of reals all of them.
inline any_grid part_of_grid(const any_grid& x, std::ptrdiff_t k = 0) {
  if (!is_complex(x.type)) return x;
  const element_type part = part_of(x.type);
  return {after(x.data, k * static_cast<std::ptrdiff_t>(size_of(part))), part, x.results, x.elements, x.swapped};
}
inline any_results part_of_results(const any_results& x, std::size_t k = 0) {
  if (!is_complex(x.type)) return x;
  any_results part = x;
  part.type = part_of(x.type);
  if (x.data != nullptr) part.data = static_cast<char*>(x.data) + k * size_of(part.type);
  return part;
}

/// Throws errc::bad_option for a reduction that complex numbers do not have.
void require_complex_reduction(reduction what, const char* caller);

/// multiply_complex of vectors in the memory of this GPU, which have been checked.
[[nodiscard]] detail::complex_words multiply_complex_on_gpu(bool conjugates, const any_vector& a, const any_vector& b, int gpu,
                                                    element_type result, const options& options, const char* caller);

/// Copies n numbers at a step in bytes, changed, one after the other in this machine's byte order.
template <class T, pairing how, bool swapped>
void copy_changed(const char* from, std::ptrdiff_t step, std::size_t n, T* to) noexcept {
  using bits = typename detail::unsigned_of<sizeof(T)>::type;
  constexpr bool exchanges = how == pairing::exchanged || how == pairing::turned;
  constexpr bool negates = how == pairing::conjugate || how == pairing::turned;
  constexpr bits sign = negates ? bits{1} << (8 * sizeof(T) - 1) : 0;
  const auto part = [](const char* at) {
    bits word;
    std::memcpy(&word, at, sizeof word);
    if constexpr (swapped) word = static_cast<bits>(__builtin_bswap64(word) >> (64 - 8 * sizeof(T)));
    return word;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const char* const at = from + static_cast<std::ptrdiff_t>(i) * step;
    const bits first = part(at + (exchanges ? sizeof(T) : 0)), second = part(at + (exchanges ? 0 : sizeof(T)));
    to[2 * i] = std::bit_cast<T>(first), to[2 * i + 1] = std::bit_cast<T>(static_cast<bits>(second ^ sign));
  }
}

/// The same, of a type and a change that are known at run time only.
void copy_changed(pairing how, element_type part, bool swapped, const void* from, std::ptrdiff_t step, std::size_t n,
                  void* to) noexcept;

/// Axes, and one more of both parts.
[[nodiscard]] std::vector<axis> with_parts(std::span<const axis> axes, std::ptrdiff_t stride);

/// A copy of the numbers along the axes of a grid, without gaps: of the results first, then of the elements. Numbers
/// that a stride of 0 repeats are copied once, unless the elements have to be in one piece.
class copied_numbers {
 public:
  /// Nothing.
  copied_numbers() = default;
  /// x: a grid of complex numbers that has been checked. gpu: whose memory holds it, or -1. Throws std::bad_alloc;
  /// errc::bad_option for more axes than a GPU reads.
  copied_numbers(pairing how, const any_grid& x, int gpu, const options& options, const char* caller,
                 bool in_one_piece = false);

  /// The numbers, with the type and the lengths of what was copied.
  [[nodiscard]] any_grid view() const { return {memory_.get(), type_, results_, elements_}; }

 private:
  std::shared_ptr<void> memory_;
  element_type type_ = element_type::complex128;
  std::vector<axis> results_, elements_;
};

}  // namespace exactdot::inline v0_3::engine
