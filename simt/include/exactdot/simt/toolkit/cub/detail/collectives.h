// CUB's reductions and scans of a block and of a warp, for programs that simtcc compiles.
//
// Each thread stores its value in TempStorage; after a barrier the first thread combines them, from left to right. So
// the accesses are checked as a program's own: one storage for two warps, or a second call without a barrier in
// between, is a data race. As in CUB a reduction is the first thread's; the others get their own value. Functions are
// inlined, so that lines are the kernel's.
#pragma once

#include <cub/detail/operations.h>

namespace cub {
namespace detail {

/// Memory of n values, which begin without a constructor, as shared variables do.
template <class T, int n>
struct storage {
  alignas(T) unsigned char bytes[sizeof(T) * static_cast<std::size_t>(n)];
  [[gnu::always_inline]] __device__ T& at(int i) { return reinterpret_cast<T*>(bytes)[i]; }
};

/// The threads of a block, by rows.
template <int x, int y, int z>
struct block_threads {
  static constexpr int count = x * y * z;
  [[gnu::always_inline]] static __device__ int index() {
    return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
  }
  [[gnu::always_inline]] static __device__ void synchronise() { __syncthreads(); }
};
/// Neighbouring lanes of a warp.
template <int lanes>
struct warp_threads {
  static_assert(lanes >= 1 && lanes <= 32, "cub: a warp has 32 threads");
  static constexpr int count = lanes;
  [[gnu::always_inline]] static __device__ int lane_of_warp() { return block_threads<1, 1, 1>::index() % 32; }
  [[gnu::always_inline]] static __device__ int index() { return lane_of_warp() % lanes; }
  [[gnu::always_inline]] static __device__ void synchronise() {
    const unsigned all = lanes == 32 ? 0xffffffffU : (1U << (lanes % 32)) - 1;
    __syncwarp(all << (lane_of_warp() / lanes * lanes));
  }
};

template <class T, int n, class Combine>
[[gnu::always_inline]] __device__ T combined(const T (&x)[n], Combine combine) {
  T result = x[0];
  for (int i = 1; i < n; ++i) result = combine(result, x[i]);
  return result;
}

template <class T, class Threads>
class reduction {
 public:
  using TempStorage = storage<T, Threads::count>;
  [[gnu::always_inline]] __device__ explicit reduction(TempStorage& temporary) : values_(temporary) {}

  /// Of the first `valid` threads' values.
  template <class Combine>
  [[gnu::always_inline]] __device__ T Reduce(T x, Combine combine, int valid) {
    const int index = Threads::index();
    values_.at(index) = x;
    Threads::synchronise();
    if (index != 0) return x;
    for (int i = 1; i < valid; ++i) x = combine(x, values_.at(i));
    return x;
  }
  template <class Combine>
  [[gnu::always_inline]] __device__ T Reduce(T x, Combine combine) {
    return Reduce(x, combine, Threads::count);
  }
  template <int n, class Combine>
  [[gnu::always_inline]] __device__ T Reduce(T (&x)[n], Combine combine) {
    return Reduce(combined(x, combine), combine);
  }
  [[gnu::always_inline]] __device__ T Sum(T x, int valid) { return Reduce(x, cub::Sum(), valid); }
  [[gnu::always_inline]] __device__ T Sum(T x) { return Reduce(x, cub::Sum()); }
  template <int n>
  [[gnu::always_inline]] __device__ T Sum(T (&x)[n]) {
    return Reduce(x, cub::Sum());
  }

 private:
  TempStorage& values_;
};

template <class T, class Threads>
class scan {
 public:
  using TempStorage = storage<T, Threads::count>;
  [[gnu::always_inline]] __device__ explicit scan(TempStorage& temporary) : values_(temporary) {}

  template <class Combine>
  [[gnu::always_inline]] __device__ void InclusiveScan(T x, T& out, Combine combine) {
    prefixes(x, combine);
    out = values_.at(Threads::index());
  }
  template <class Combine>
  [[gnu::always_inline]] __device__ void InclusiveScan(T x, T& out, Combine combine, T& all) {
    InclusiveScan(x, out, combine);
    all = values_.at(Threads::count - 1);
  }
  template <int n, class Combine>
  [[gnu::always_inline]] __device__ void InclusiveScan(T (&x)[n], T (&out)[n], Combine combine) {
    const T first = x[0];
    prefixes(combined(x, combine), combine);
    const int index = Threads::index();
    T sum = index == 0 ? first : combine(values_.at(index - 1), first);
    for (int i = 0; i < n; ++i) {
      if (i != 0) sum = combine(sum, x[i]);
      out[i] = sum;
    }
  }
  template <class Combine>
  [[gnu::always_inline]] __device__ void ExclusiveScan(T x, T& out, T initial, Combine combine) {
    prefixes(x, combine);
    const int index = Threads::index();
    out = index == 0 ? initial : combine(initial, values_.at(index - 1));
  }
  template <class Combine>
  [[gnu::always_inline]] __device__ void ExclusiveScan(T x, T& out, T initial, Combine combine, T& all) {
    ExclusiveScan(x, out, initial, combine);
    all = values_.at(Threads::count - 1);
  }
  template <int n, class Combine>
  [[gnu::always_inline]] __device__ void ExclusiveScan(T (&x)[n], T (&out)[n], T initial, Combine combine) {
    prefixes(combined(x, combine), combine);
    const int index = Threads::index();
    T sum = index == 0 ? initial : combine(initial, values_.at(index - 1));
    for (int i = 0; i < n; ++i) {
      const T own = x[i];  // out may be x
      out[i] = sum;
      sum = combine(sum, own);
    }
  }
  template <class In, class Out>
  [[gnu::always_inline]] __device__ void InclusiveSum(In& x, Out& out) {
    InclusiveScan(x, out, cub::Sum());
  }
  [[gnu::always_inline]] __device__ void InclusiveSum(T x, T& out, T& all) { InclusiveScan(x, out, cub::Sum(), all); }
  [[gnu::always_inline]] __device__ void ExclusiveSum(T x, T& out) { ExclusiveScan(x, out, T{}, cub::Sum()); }
  [[gnu::always_inline]] __device__ void ExclusiveSum(T x, T& out, T& all) { ExclusiveScan(x, out, T{}, cub::Sum(), all); }
  template <int n>
  [[gnu::always_inline]] __device__ void ExclusiveSum(T (&x)[n], T (&out)[n]) {
    ExclusiveScan(x, out, T{}, cub::Sum());
  }

 private:
  /// values_[i] = the first i + 1 values combined.
  template <class Combine>
  [[gnu::always_inline]] __device__ void prefixes(T x, Combine combine) {
    const int index = Threads::index();
    values_.at(index) = x;
    Threads::synchronise();
    for (int i = 1; index == 0 && i < Threads::count; ++i) values_.at(i) = combine(values_.at(i - 1), values_.at(i));
    Threads::synchronise();
  }

  TempStorage& values_;
};

}  // namespace detail

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int x, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int y = 1, int z = 1>
struct BlockReduce : detail::reduction<T, detail::block_threads<x, y, z>> {
  using detail::reduction<T, detail::block_threads<x, y, z>>::reduction;
};
template <class T, int x, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int y = 1, int z = 1>
struct BlockScan : detail::scan<T, detail::block_threads<x, y, z>> {
  using detail::scan<T, detail::block_threads<x, y, z>>::scan;
};
template <class T, int lanes = 32>
struct WarpReduce : detail::reduction<T, detail::warp_threads<lanes>> {
  using detail::reduction<T, detail::warp_threads<lanes>>::reduction;
};
template <class T, int lanes = 32>
struct WarpScan : detail::scan<T, detail::warp_threads<lanes>> {
  using detail::scan<T, detail::warp_threads<lanes>>::scan;
};

}  // namespace cub
