// CUB's reductions, scans and sorts of device memory, for programs that simtcc compiles.
//
// The first call says how much temporary memory it wants, the second one works. Inputs are read by a kernel on the
// simulator, so that reads beyond them are findings; the rest is computed by the host on that copy, from left to right.
#pragma once

#include <cub/detail/operations.h>
#include <thrust/detail/execution.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

namespace cub {
namespace detail {

using thrust::detail::host_copy;
using thrust::detail::store;
template <class Iterator>
using value_of = thrust::detail::value_of<Iterator>;

/// The two calls: `work` in the second one, if its memory is as large as the first one said.
template <class Count, class Work>
cudaError_t in_two_calls(void* temporary, std::size_t& bytes, Count n, cudaStream_t stream, Work work) {
  const std::size_t wanted = 256 + static_cast<std::size_t>(n);
  if (temporary == nullptr) {
    bytes = wanted;
    return cudaSuccess;
  }
  if (bytes < wanted) return cudaErrorInvalidValue;
  const thrust::detail::on_stream scope(stream);
  try {
    work(static_cast<std::size_t>(n));
  } catch (const std::exception&) {
    const cudaError_t error = cudaPeekAtLastError();
    return error != cudaSuccess ? error : cudaErrorUnknown;
  }
  return cudaSuccess;
}

/// An unsigned integer that is ordered as the key is.
template <class Key>
std::uint64_t ordered(Key key) {
  static_assert(std::is_arithmetic_v<Key>, "simtcc: cub::DeviceRadixSort of this type is not modelled");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &key, sizeof key);
  constexpr std::uint64_t sign = std::uint64_t{1} << (8 * sizeof key - 1);
  constexpr std::uint64_t all = sign - 1 + sign;
  if constexpr (std::is_floating_point_v<Key>) return (bits & sign) != 0 ? ~bits & all : bits | sign;
  return std::is_signed_v<Key> ? bits ^ sign : bits;
}

/// The order of keys by their bits from first_bit to end_bit - 1; equal ones stay in order.
template <class Key>
std::vector<std::size_t> order_of(const Key* keys, std::size_t n, int first_bit, int end_bit, bool descends) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const int count = end_bit - first_bit;
  const std::uint64_t mask = count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  const auto digits = [=](std::size_t i) { return ordered(keys[i]) >> first_bit & mask; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return descends ? digits(j) < digits(i) : digits(i) < digits(j);
  });
  return order;
}
template <class In, class Out>
void store_in_order(In in, const std::vector<std::size_t>& order, Out out) {
  const auto x = host_copy<true>(in, order.size());
  const std::unique_ptr<value_of<In>[]> sorted(new value_of<In>[order.size()]);
  for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = x[order[i]];
  store<true>(sorted.get(), order.size(), out);
}

}  // namespace detail

struct DeviceReduce {
  template <class In, class Out, class Count, class Combine, class T>
  static cudaError_t Reduce(void* temporary, std::size_t& bytes, In in, Out out, Count n, Combine combine, T initial,
                            cudaStream_t stream = nullptr) {
    return detail::in_two_calls(temporary, bytes, n, stream, [=](std::size_t count) mutable {
      const auto x = detail::host_copy<true>(in, count);
      for (std::size_t i = 0; i < count; ++i) initial = static_cast<T>(combine(initial, x[i]));
      detail::store<true>(&initial, 1, out);
    });
  }
  template <class In, class Out, class Count>
  static cudaError_t Sum(void* temporary, std::size_t& bytes, In in, Out out, Count n, cudaStream_t stream = nullptr) {
    return Reduce(temporary, bytes, in, out, n, cub::Sum(), detail::value_of<In>{}, stream);
  }
  template <class In, class Out, class Count>
  static cudaError_t Max(void* temporary, std::size_t& bytes, In in, Out out, Count n, cudaStream_t stream = nullptr) {
    return Reduce(temporary, bytes, in, out, n, cub::Max(), std::numeric_limits<detail::value_of<In>>::lowest(),
                  stream);
  }
  template <class In, class Out, class Count>
  static cudaError_t Min(void* temporary, std::size_t& bytes, In in, Out out, Count n, cudaStream_t stream = nullptr) {
    return Reduce(temporary, bytes, in, out, n, cub::Min(), std::numeric_limits<detail::value_of<In>>::max(), stream);
  }
};

struct DeviceScan {
  template <class In, class Out, class Combine, class Count>
  static cudaError_t InclusiveScan(void* temporary, std::size_t& bytes, In in, Out out, Combine combine, Count n,
                                   cudaStream_t stream = nullptr) {
    return detail::in_two_calls(temporary, bytes, n, stream, [=](std::size_t count) mutable {
      const auto x = detail::host_copy<true>(in, count);
      for (std::size_t i = 1; i < count; ++i) x[i] = static_cast<detail::value_of<In>>(combine(x[i - 1], x[i]));
      detail::store<true>(x.get(), count, out);
    });
  }
  template <class In, class Out, class Combine, class T, class Count>
  static cudaError_t ExclusiveScan(void* temporary, std::size_t& bytes, In in, Out out, Combine combine, T initial,
                                   Count n, cudaStream_t stream = nullptr) {
    return detail::in_two_calls(temporary, bytes, n, stream, [=](std::size_t count) mutable {
      const auto x = detail::host_copy<true>(in, count);
      const std::unique_ptr<T[]> before(new T[count]);
      for (std::size_t i = 0; i < count; ++i) {
        before[i] = initial;
        initial = static_cast<T>(combine(initial, x[i]));
      }
      detail::store<true>(before.get(), count, out);
    });
  }
  template <class In, class Out, class Count>
  static cudaError_t InclusiveSum(void* temporary, std::size_t& bytes, In in, Out out, Count n,
                                  cudaStream_t stream = nullptr) {
    return InclusiveScan(temporary, bytes, in, out, cub::Sum(), n, stream);
  }
  template <class In, class Out, class Count>
  static cudaError_t ExclusiveSum(void* temporary, std::size_t& bytes, In in, Out out, Count n,
                                  cudaStream_t stream = nullptr) {
    return ExclusiveScan(temporary, bytes, in, out, cub::Sum(), detail::value_of<In>{}, n, stream);
  }
};

struct DeviceRadixSort {
  template <class Key, class Count>
  static cudaError_t SortKeys(void* temporary, std::size_t& bytes, const Key* in, Key* out, Count n, int first_bit = 0,
                              int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr) {
    return sort(temporary, bytes, in, out, n, first_bit, end_bit, false, stream);
  }
  template <class Key, class Count>
  static cudaError_t SortKeysDescending(void* temporary, std::size_t& bytes, const Key* in, Key* out, Count n,
                                        int first_bit = 0, int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr) {
    return sort(temporary, bytes, in, out, n, first_bit, end_bit, true, stream);
  }
  template <class Key, class Value, class Count>
  static cudaError_t SortPairs(void* temporary, std::size_t& bytes, const Key* in, Key* out, const Value* values,
                               Value* values_out, Count n, int first_bit = 0, int end_bit = 8 * sizeof(Key),
                               cudaStream_t stream = nullptr) {
    return sort(temporary, bytes, in, out, n, first_bit, end_bit, false, stream, values, values_out);
  }
  template <class Key, class Value, class Count>
  static cudaError_t SortPairsDescending(void* temporary, std::size_t& bytes, const Key* in, Key* out,
                                         const Value* values, Value* values_out, Count n, int first_bit = 0,
                                         int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr) {
    return sort(temporary, bytes, in, out, n, first_bit, end_bit, true, stream, values, values_out);
  }

 private:
  template <class Key, class Count, class... Values>
  static cudaError_t sort(void* temporary, std::size_t& bytes, const Key* in, Key* out, Count n, int first_bit,
                          int end_bit, bool descends, cudaStream_t stream, Values... values) {
    return detail::in_two_calls(temporary, bytes, n, stream, [=](std::size_t count) {
      const auto keys = detail::host_copy<true>(in, count);
      const auto order = detail::order_of(keys.get(), count, first_bit, end_bit, descends);
      detail::store_in_order(in, order, out);
      if constexpr (sizeof...(values) == 2) store_values(order, values...);
    });
  }
  template <class Value>
  static void store_values(const std::vector<std::size_t>& order, const Value* in, Value* out) {
    detail::store_in_order(in, order, out);
  }
};

}  // namespace cub
