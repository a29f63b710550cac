// Order v1: the fixed order in which mode `fast` adds (docs/contract.md).
//
// A stripe is 512 bytes of elements, a tile is 16 stripes. Lane l of a tile adds its elements from stripe to stripe
// with fused multiply-adds from +0, the lanes are folded by halving, and the tiles by a binary tree over their
// indices. These numbers are part of the contract: tests hold golden bits.
#pragma once

#include <core/config.hpp>
#include <cstddef>

namespace exactdot::core {

template <class T>
struct order_v1 {
  static constexpr std::size_t lanes = 512 / sizeof(T);
  static constexpr std::size_t stripes = 16;
  static constexpr std::size_t tile = lanes * stripes;
};

/// Adds nodes of equal level from left to right into the binary tree. A node without a right neighbour passes up
/// unchanged. Holds one partial sum per level: 64 levels serve any length.
template <class T>
class tile_tree {
 public:
  EXACTDOT_CORE void push(T node) {
    int level = 0;
    for (std::uint64_t index = count_; (index & 1) != 0; index >>= 1) node = partial_[level++] + node;
    partial_[level] = node;
    ++count_;
  }

  EXACTDOT_CORE void clear() { count_ = 0; }

  EXACTDOT_CORE T root() const {
    if (count_ == 0) return T{0};
    int level = trailing_zeros(count_);
    T sum = partial_[level];
    while ((count_ >> ++level) != 0) {
      if (((count_ >> level) & 1) != 0) sum = partial_[level] + sum;
    }
    return sum;
  }

 private:
  T partial_[64] = {};
  std::uint64_t count_ = 0;
};

}  // namespace exactdot::core
