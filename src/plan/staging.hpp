// Staging: contiguous elements in native byte order, from inputs that do not lie so.
//
// Each thread that computes copies its range of such an input, chunk by chunk, into a buffer that fits the cache. A
// chunk is a power of two of tiles of order v1, so in mode fast its sum is a node of the tree; in mode exact the
// chunks' states or bounded sums add up. Either way the bits are those of a contiguous copy of the whole vector.
#pragma once

#include <core/order_v1.hpp>
#include <cstring>
#include <plan/plan.hpp>
#include <vector>

namespace exactdot::engine {

/// Elements of a chunk.
template <class Element>
inline constexpr std::size_t staged_chunk = 8 * core::order_v1<Element>::tile;

/// Copies n elements of an operand to `to`, contiguous, in native byte order.
void copy_contiguous(const operand& from, std::size_t element_bytes, std::size_t n, void* to) noexcept;

/// The same by up to `threads` threads: one cannot read memory as fast as a GPU takes it.
void copy_contiguous_by_threads(const operand& from, std::size_t element_bytes, std::size_t n, void* to,
                                int threads) noexcept;

/// One thread's reader of an operand. Move it, do not copy it.
class chunk_reader {
 public:
  /// Allocates a chunk unless the operand is contiguous.
  chunk_reader(const operand& from, element_type type, std::size_t max_elements)
      : from_(from), element_bytes_(size_of(type)) {
    if (!from.contiguous) buffer_.resize(max_elements * element_bytes_);
  }

  /// `count` elements from `start` on: in place, or copied. Valid until the next call.
  const void* read(std::size_t start, std::size_t count) noexcept {
    const operand rest = from_.from(start);
    if (from_.contiguous) return rest.data;
    if (from_.stride == 0) {  // one element, repeated: copied once
      if (filled_ < count) copy_contiguous(rest, element_bytes_, count, buffer_.data());
      filled_ = std::max(filled_, count);
    } else {
      copy_contiguous(rest, element_bytes_, count, buffer_.data());
    }
    return buffer_.data();
  }

 private:
  operand from_;
  std::size_t element_bytes_;
  std::vector<std::byte> buffer_;
  std::size_t filled_ = 0;
};

}  // namespace exactdot::engine
