// Copies that a call's first step makes in a GPU's memory: complex numbers, changed, and keys or offsets of twice as
// many reals (run/complex_factors.hpp). One read and one write of each.
#pragma once

#include <cuda/core/element_axes.hpp>
#include <cuda/core/kernel.cuh>
#include <exactdot/core/convert.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Integers of any width.
struct index_array {
  const char* data = nullptr;
  std::ptrdiff_t stride = 0;  ///< in bytes
  int bytes = 8;
  bool is_signed = true;

  /// A sign is extended.
  [[nodiscard]] EXACTDOT_CORE std::uint64_t at(std::size_t i) const {
    const char* const from = data + static_cast<std::ptrdiff_t>(i) * stride;
    if (bytes == 8) return *reinterpret_cast<const std::uint64_t*>(from);
    std::uint64_t word = *reinterpret_cast<const std::uint8_t*>(from);
    if (bytes == 2) word = *reinterpret_cast<const std::uint16_t*>(from);
    if (bytes == 4) word = *reinterpret_cast<const std::uint32_t*>(from);
    const int unused = 64 - 8 * bytes;
    if (!is_signed) return word;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(word << unused) >> unused);
  }
};

namespace {

template <class Word>
__device__ __forceinline__ Word reversed(Word word) {
  Word made = 0;
  for (std::size_t i = 0; i < sizeof word; ++i, word >>= 8) made = made << 8 | (word & 0xff);
  return made;
}

/// How parts are changed: exchanged, the second one then negated; and whether memory has their bytes swapped.
struct part_changes {
  bool exchanges, negates, swapped;
};

/// to[2i], to[2i + 1] = the parts of number i, changed. Word: the unsigned integer of a part's bits.
template <class Word>
__global__ void copy_numbers_kernel(const char* from, const __grid_constant__ element_axes axes, std::size_t count,
                                    part_changes change, Word* to) {
  constexpr Word sign = Word{1} << (8 * sizeof(Word) - 1);
  begin_kernel(count);
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads) {
    const Word* const parts = reinterpret_cast<const Word*>(from + axes.at(i).a);
    Word first = parts[change.exchanges ? 1 : 0], second = parts[change.exchanges ? 0 : 1];
    if (change.swapped) first = reversed(first), second = reversed(second);
    to[2 * i] = first;
    to[2 * i + 1] = change.negates ? second ^ sign : second;
  }
}

/// to[i] = twice number i, or a number beyond every vector; or to[2i] = to[2i + 1] = number i.
__global__ void copy_indices_kernel(const __grid_constant__ index_array from, std::size_t count, bool multiplies,
                                    std::uint64_t* to) {
  begin_kernel(count);
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads) {
    const std::uint64_t index = from.at(i);
    if (multiplies) {
      to[i] = index >> 62 != 0 ? ~std::uint64_t{0} : 2 * index;
    } else {
      to[2 * i] = to[2 * i + 1] = index;
    }
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
