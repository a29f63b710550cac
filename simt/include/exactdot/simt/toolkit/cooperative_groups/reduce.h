// cooperative_groups/reduce.h for programs that simtcc compiles: a value of all threads of a tile or of coalesced
// threads.
//
// The order of the operations differs from the GPU's, so the last bit of a sum of floats may too.
#pragma once

#include <cooperative_groups.h>

namespace cooperative_groups {

template <class T = void>
struct plus {
  T operator()(T x, T y) const { return x + y; }
};
template <class T = void>
struct less {  // the smaller of both
  T operator()(T x, T y) const { return y < x ? y : x; }
};
template <class T = void>
struct greater {
  T operator()(T x, T y) const { return x < y ? y : x; }
};
template <class T = void>
struct bit_and {
  T operator()(T x, T y) const { return x & y; }
};
template <class T = void>
struct bit_or {
  T operator()(T x, T y) const { return x | y; }
};
template <class T = void>
struct bit_xor {
  T operator()(T x, T y) const { return x ^ y; }
};

template <unsigned tile_size, class Parent, class T, class Operation>
[[gnu::always_inline]] inline T reduce(const thread_block_tile<tile_size, Parent>& group, T value,
                                       Operation operation) {
  for (unsigned lanes = tile_size / 2; lanes != 0; lanes /= 2) {
    if constexpr (tile_size <= 32) {
      value = operation(value, group.shfl_xor(value, lanes));
    } else {
      value = operation(value, group.value_of(value, group.thread_rank() ^ lanes));
    }
  }
  return value;
}
template <class T, class Operation>
[[gnu::always_inline]] inline T reduce(const coalesced_group& group, T value, Operation operation) {
  T all = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.num_threads(); ++rank)
    all = operation(all, group.shfl(value, static_cast<int>(rank)));
  return all;
}

}  // namespace cooperative_groups
