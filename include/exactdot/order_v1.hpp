// SPDX-License-Identifier: Apache-2.0
// Order v1: the fixed order in which mode `fast` adds, and in which `reduce` applies a callable (docs/contract.md).
//
// A stripe is 512 bytes of values, a tile is 16 stripes. Lane l of a tile combines its values from stripe to stripe,
// the lanes are folded by halving, and the tiles by a binary tree over their indices. These numbers are part of the
// contract: tests hold golden bits.
#pragma once

#include <exactdot/requirements.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace exactdot::inline v0_3 {

/// The sizes for values of type V.
template <class V>
struct order_v1 {
  static constexpr std::size_t lanes = 512 / std::bit_ceil(sizeof(V));
  static constexpr std::size_t stripes = 16;
  static constexpr std::size_t tile = lanes * stripes;
};

/// Combines nodes of equal level from left to right in a binary tree. A node without a right neighbour passes up
/// unchanged. Holds one partial result per level: 64 levels serve any length.
template <class V, class Op = std::plus<V>>
class tile_tree {
 public:
  /// `empty`: the root of no nodes.
  constexpr explicit tile_tree(Op op = {}, V empty = {}) : op_(op), empty_(empty) {}

  constexpr void push(V node) {
    int level = 0;
    for (std::uint64_t index = count_; (index & 1) != 0; index >>= 1) node = op_(partial_[level++], node);
    partial_[level] = node;
    ++count_;
  }

  constexpr void clear() { count_ = 0; }

  [[nodiscard]] constexpr V root() const {
    if (count_ == 0) return empty_;
    int level = std::countr_zero(count_);
    V result = partial_[level];
    while ((count_ >> ++level) != 0) {
      if (((count_ >> level) & 1) != 0) result = op_(partial_[level], result);
    }
    return result;
  }

 private:
  Op op_;
  V empty_;
  V partial_[64] = {};
  std::uint64_t count_ = 0;
};

}  // namespace exactdot::inline v0_3
