// SPDX-License-Identifier: Apache-2.0
// reduce(x, op, identity): any associative and commutative callable, applied in order v1 (order_v1.hpp).
//
// The order is a function of the length alone, so the result has the same bits with any number of threads and on a
// GPU (cuda/reduce.cuh), even if op rounds. With op = + it is that of sum in mode fast. Each task reduces one
// subtree of whole tiles; the caller combines their results in the upper levels of the tree.
#pragma once

#include <exactdot/requirements.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <exactdot/options.hpp>
#include <exactdot/order_v1.hpp>
#include <exactdot/views.hpp>
#include <exception>
#include <ranges>
#include <type_traits>
#include <vector>

namespace exactdot::inline v0_3 {

/// What reduce accepts as a value and as an operation on it. Values of more than 16 bytes have no order v1.
template <class V, class Op>
concept reduction_of = std::is_trivially_copyable_v<V> && std::default_initializable<V> && sizeof(V) <= 16 &&
                       requires(const Op& op, const V& v) {
  { op(v, v) } -> std::convertible_to<V>;
};

namespace detail {

// Fast-math options let the compiler apply an operation on floating-point numbers in another order than order v1.
#if (defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)) && (!defined(__NVCC__) || defined(__SIMTCC__))
template <class V>
inline constexpr bool keeps_order = std::is_integral_v<V> || std::is_enum_v<V> || std::is_pointer_v<V>;
#else
template <class V>
inline constexpr bool keeps_order = true;
#endif

/// Calls task(context, k) for every k < count on the threads that a reduction of x would use. Checks x and the
/// options; a task stands for `elements` of them. Throws as a reduction does.
void run_tasks(const any_vector& x, std::size_t count, std::size_t elements, const options& options,
               void (*task)(void* context, std::size_t k) noexcept, void* context);

/// Element i of a view.
template <element T>
struct element_reader {
  const T* data;
  std::ptrdiff_t stride;
  T operator[](std::size_t i) const { return data[static_cast<std::ptrdiff_t>(i) * stride]; }
};
template <class T>
element_reader<T> reader_of(const strided<T>& x) {
  return {x.data, x.stride};
}
template <contiguous_view X>
const element_of_view<X>* reader_of(const X& x) {
  return std::ranges::data(x);
}

/// The result of `count` elements from `first` on, at most a tile.
template <class V, class Op, class Reader>
V tile_result(const Reader& x, std::size_t first, std::size_t count, const Op& op, const V& identity) {
  constexpr std::size_t lanes = order_v1<V>::lanes;
  V lane[lanes];
  std::fill_n(lane, lanes, identity);
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t end = std::min(lanes, count - i);
    for (std::size_t l = 0; l < end; ++l) lane[l] = op(lane[l], static_cast<V>(x[first + i + l]));
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lane[l] = op(lane[l], lane[l + half]);
  }
  return lane[0];
}

/// The subtrees of a call; `result` holds their roots.
template <class V, class Op, class Reader>
class subtrees {
 public:
  subtrees(Reader x, std::size_t n, const Op& op, const V& identity)
      : x_(x), n_(n), op_(op), identity_(identity), size_(size_for(n)) {
    result_.resize(n / size_ + (n % size_ != 0));
  }

  [[nodiscard]] std::size_t count() const { return result_.size(); }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Task k of `context`, a subtrees. An exception of op is kept: it must not leave a helper.
  static void run(void* context, std::size_t k) noexcept {
    auto& all = *static_cast<subtrees*>(context);
    if (all.failed_.load(std::memory_order_relaxed)) return;
    try {
      all.result_[k].value = all.root(k);
    } catch (...) {
      if (!all.failed_.exchange(true)) all.exception_ = std::current_exception();
    }
  }

  [[nodiscard]] V root() const {
    if (failed_) std::rethrow_exception(exception_);
    tile_tree<V, Op> tree(op_, identity_);
    for (const slot& each : result_) tree.push(each.value);
    return tree.root();
  }

 private:
  static constexpr std::size_t tile = order_v1<V>::tile;

  /// A memory location of its own also for bool, which std::vector packs.
  struct slot {
    V value;
  };

  /// Elements of a subtree: a power of two of tiles, at most 1024 subtrees, each worth a task.
  static std::size_t size_for(std::size_t n) {
    return tile * std::bit_ceil(std::max<std::size_t>(8, n / tile / 1024 + 1));
  }

  [[nodiscard]] V root(std::size_t k) const {
    tile_tree<V, Op> tree(op_, identity_);
    const std::size_t end = std::min(n_, (k + 1) * size_);
    for (std::size_t i = k * size_; i < end; i += tile) {
      tree.push(tile_result(x_, i, std::min(tile, end - i), op_, identity_));
    }
    return tree.root();
  }

  Reader x_;
  std::size_t n_;
  const Op& op_;
  const V& identity_;
  std::size_t size_;
  std::vector<slot> result_;
  std::atomic<bool> failed_{false};
  std::exception_ptr exception_;
};

}  // namespace detail

/// x[0] op x[1] op …, each element converted to V, in order v1: the same bits with any number of threads and, if op
/// gives the same bits there, on a GPU. (Compile an op that multiplies and adds with -ffp-contract=off.)
///
/// op: a callable that several threads may call at once; associative and commutative up to rounding, because the
/// order permutes; op(identity, v) and op(v, identity) are v. V: trivially copyable, at most 16 bytes. Memory: host
/// memory; device::cuda is errc::bad_option (on a GPU: cuda::reduce of exactdot/cuda/reduce.cuh). options.mode is
/// ignored. n = 0 gives the identity. Throws what op throws, and errc::null_pointer, bad_option and cancelled.
/// Cost: one op for each element and, for each tile, one for each lane; the compiler vectorises simple ones.
template <vector_view X, class V, class Op>
requires reduction_of<V, Op> && std::constructible_from<V, element_of_view<X>>
[[nodiscard]] V reduce(const X& x, const Op& op, const V& identity, const options& options = {}) {
  static_assert(detail::keeps_order<V>, "exactdot::reduce: -ffast-math (-Ofast, -funsafe-math-optimizations) lets the "
                                        "compiler reorder op; add -fno-fast-math for this file");
  const any_vector view = to_any(x);
  detail::subtrees<V, Op, decltype(detail::reader_of(x))> all(detail::reader_of(x), view.n, op, identity);
  detail::run_tasks(view, all.count(), all.size(), options, all.run, &all);
  return all.root();
}

}  // namespace exactdot::inline v0_3
