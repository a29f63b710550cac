// Reading two vectors 16 bytes at a time, wherever they start.
//
// A 16-byte load needs an address that 16 divides. So: the few elements before the first such address, then whole
// packs, then the few that are left; and element by element where the two vectors are not aligned alike.
#pragma once

#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
struct pack_of;
template <>
struct pack_of<float> {
  using type = float4;
};
template <>
struct pack_of<double> {
  using type = double2;
};
template <class T>
using pack = typename pack_of<T>::type;
template <class T>
constexpr std::size_t pack_size = 16 / sizeof(T);

/// [0, head) comes before the first whole pack, [head + packs·pack_size, n) after the last.
struct cut {
  std::size_t head, packs;
};

template <class T>
__device__ cut cut_into_packs(const T* a, const T* b, std::size_t n) {
  const auto a_offset = reinterpret_cast<std::uintptr_t>(a) % 16;
  const auto b_offset = reinterpret_cast<std::uintptr_t>(b) % 16;
  if (a_offset != b_offset) return {n, 0};
  const std::size_t before = (16 - a_offset) % 16 / sizeof(T);
  const std::size_t head = before < n ? before : n;
  return {head, (n - head) / pack_size<T>};
}

template <class T>
__device__ const pack<T>* packs_at(const T* x) {
  return reinterpret_cast<const pack<T>*>(x);
}

template <class Op>
__device__ __forceinline__ float add_pack(float mine, const float4& x, const float4& y) {
  mine = Op::combine(mine, Op::term(x.x, y.x));
  mine = Op::combine(mine, Op::term(x.y, y.y));
  mine = Op::combine(mine, Op::term(x.z, y.z));
  return Op::combine(mine, Op::term(x.w, y.w));
}

template <class Op>
__device__ __forceinline__ double add_pack(double mine, const double2& x, const double2& y) {
  return Op::combine(Op::combine(mine, Op::term(x.x, y.x)), Op::term(x.y, y.y));
}

/// This thread's share of what lies before the packs and after them.
template <class Op, class T>
__device__ T add_ends(T mine, const T* a, const T* b, std::size_t n, const cut& parts) {
  for (std::size_t i = thread_in_grid(); i < parts.head; i += threads_in_grid()) {
    mine = Op::combine(mine, Op::term(a[i], b[i]));
  }
  for (std::size_t i = parts.head + parts.packs * pack_size<T> + thread_in_grid(); i < n; i += threads_in_grid()) {
    mine = Op::combine(mine, Op::term(a[i], b[i]));
  }
  return mine;
}

/// This thread's share of everything: four packs of each vector are on their way at a time, and four sums grow
/// side by side, so that neither the memory nor the adder is waited for. The sums join in a fixed order.
template <class Op, class T>
__device__ T add_wide(const T* a, const T* b, std::size_t n) {
  const cut parts = cut_into_packs(a, b, n);
  const pack<T>* const a_packs = packs_at(a + parts.head);
  const pack<T>* const b_packs = packs_at(b + parts.head);
  constexpr T start = Op::template identity<T>;
  T mine[4] = {start, start, start, start};
  const std::size_t stride = threads_in_grid();
  std::size_t i = thread_in_grid();
  for (; i + 3 * stride < parts.packs; i += 4 * stride) {
    pack<T> x[4], y[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) x[k] = a_packs[i + k * stride], y[k] = b_packs[i + k * stride];
#pragma unroll
    for (int k = 0; k < 4; ++k) mine[k] = add_pack<Op>(mine[k], x[k], y[k]);
  }
  for (; i < parts.packs; i += stride) mine[0] = add_pack<Op>(mine[0], a_packs[i], b_packs[i]);
  mine[0] = add_ends<Op>(mine[0], a, b, n, parts);
  return Op::combine(Op::combine(mine[0], mine[1]), Op::combine(mine[2], mine[3]));
}

/// Elements that the busiest thread adds, packs and both ends, at most.
constexpr std::uint64_t wide_chain(const shape& s) {
  return 4 * ((s.n / 4 + threads_of(s)) / threads_of(s)) + 8 + chain(s);
}

}  // namespace
}  // namespace exactdot::lab
