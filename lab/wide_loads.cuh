// Reads two vectors with 16-byte loads at any alignment.
//
// A 16-byte load requires an address divisible by 16. Elements before the first such address and after the last
// whole pack are read one by one; so are all elements if the two vectors are aligned differently.
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

/// Elements [0, head) precede the first whole pack; [head + packs·pack_size, n) follow the last.
struct pack_range {
  std::size_t head, packs;
};

template <class T>
__device__ pack_range find_packs(const T* a, const T* b, std::size_t n) {
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
__device__ __forceinline__ float add_pack(float value, float4 x, float4 y) {
  value = Op::combine(value, Op::term(x.x, y.x));
  value = Op::combine(value, Op::term(x.y, y.y));
  value = Op::combine(value, Op::term(x.z, y.z));
  return Op::combine(value, Op::term(x.w, y.w));
}

template <class Op>
__device__ __forceinline__ double add_pack(double value, double2 x, double2 y) {
  return Op::combine(Op::combine(value, Op::term(x.x, y.x)), Op::term(x.y, y.y));
}

/// Adds this thread's share of the elements before the first and after the last pack.
template <class Op, class T>
__device__ T add_ends(T value, const T* a, const T* b, std::size_t n, const pack_range& range) {
  for (std::size_t i = thread_in_grid(); i < range.head; i += threads_in_grid()) {
    value = Op::combine(value, Op::term(a[i], b[i]));
  }
  for (std::size_t i = range.head + range.packs * pack_size<T> + thread_in_grid(); i < n; i += threads_in_grid()) {
    value = Op::combine(value, Op::term(a[i], b[i]));
  }
  return value;
}

/// Combines this thread's share of both vectors. Four packs of each vector are in flight and four independent sums
/// hide the latency of memory and of the adder. The sums are combined in a fixed order.
template <class Op, class T>
__device__ T add_wide(const T* a, const T* b, std::size_t n) {
  const pack_range range = find_packs(a, b, n);
  const pack<T>* const a_packs = packs_at(a + range.head);
  const pack<T>* const b_packs = packs_at(b + range.head);
  constexpr T start = Op::template identity<T>;
  T values[4] = {start, start, start, start};
  const std::size_t stride = threads_in_grid();
  std::size_t i = thread_in_grid();
  for (; i + 3 * stride < range.packs; i += 4 * stride) {
    pack<T> x[4], y[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) x[k] = a_packs[i + k * stride], y[k] = b_packs[i + k * stride];
#pragma unroll
    for (int k = 0; k < 4; ++k) values[k] = add_pack<Op>(values[k], x[k], y[k]);
  }
  for (; i < range.packs; i += stride) values[0] = add_pack<Op>(values[0], a_packs[i], b_packs[i]);
  values[0] = add_ends<Op>(values[0], a, b, n, range);
  return Op::combine(Op::combine(values[0], values[1]), Op::combine(values[2], values[3]));
}

/// Upper bound on the elements that one thread adds: packs and both ends.
constexpr std::uint64_t wide_chain_length(const launch_config& config) {
  return 4 * ((config.n / 4 + threads_of(config)) / threads_of(config)) + 8 + chain_length(config);
}

}  // namespace
}  // namespace exactdot::lab
