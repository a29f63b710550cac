// What sums of groups are measured beside, in gpu_groups.cu: racy atomics, a kernel that only reads, and CUB, which
// sums runs of equal keys and needs a sort before that unless the keys are sorted.
#pragma once

#include <bench/on_gpu/timing_modes.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cuda/group/source.cuh>
#include <cuda/std/functional>
#include <functional>
#include <memory>
#include <string>

namespace experiment {
namespace {

using exactdot::on_gpu::buffer;
using exactdot::on_gpu::check;
using exactdot::on_gpu::stream;

struct way {
  std::string name;
  std::function<void()> enqueue;
};

template <class T>
__global__ void racy(const T* x, const int* keys, std::size_t n, T* out) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x * 4;
  for (std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4; i < n; i += stride) {
    const auto a = *reinterpret_cast<const exactdot::cuda_engine::element_pack<T>*>(x + i);
    const auto k = *reinterpret_cast<const exactdot::cuda_engine::element_pack<int>*>(keys + i);
#pragma unroll
    for (int j = 0; j < 4; ++j) atomicAdd(out + k.element[j], a.element[j]);
  }
}

template <class T>
__global__ void only_read(const T* x, const int* keys, std::size_t n, unsigned never, unsigned* out) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x * 4;
  unsigned combined = 0;
  for (std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4; i < n; i += stride) {
    const auto a = *reinterpret_cast<const exactdot::cuda_engine::element_pack<T>*>(x + i);
    const auto k = *reinterpret_cast<const exactdot::cuda_engine::element_pack<int>*>(keys + i);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      combined |= static_cast<unsigned>(k.element[j]) | __float_as_uint(float(a.element[j]));
  }
  if (combined == never) *out = combined;
}

/// CUB by key: DeviceReduce::ReduceByKey, after DeviceRadixSort::SortPairs by the bits that the keys have. The
/// result is a list of the keys that occur and their sums.
template <class T>
class cub_by_key {
 public:
  cub_by_key(stream& gpu, const T* x, const int* keys, std::size_t n, std::size_t max_count)
      : gpu_(gpu),
        x_(x),
        keys_(keys),
        n_(n),
        sorted_x_(gpu, n),
        sorted_keys_(gpu, n),
        unique_(gpu, max_count),
        sums_(gpu, max_count),
        runs_(gpu, 1) {
    std::size_t of_sort = 0, of_sums = 0;
    check(sort(nullptr, of_sort, 32), "asking for the memory of CUB's sort");
    check(reduce(nullptr, of_sums, x, keys), "asking for the memory of CUB's reduction");
    bytes_ = std::max(of_sort, of_sums);
    temporary_ = std::make_unique<buffer<unsigned char>>(gpu, bytes_);
  }

  void enqueue(bool is_sorted, int key_bits) {
    std::size_t bytes = bytes_;
    if (!is_sorted) check(sort(temporary_->data(), bytes, key_bits), "sorting with CUB");
    bytes = bytes_;
    check(is_sorted ? reduce(temporary_->data(), bytes, x_, keys_)
                    : reduce(temporary_->data(), bytes, sorted_x_.data(), sorted_keys_.data()),
          "summing with CUB");
  }

 private:
  cudaError_t sort(void* temporary, std::size_t& bytes, int key_bits) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys_, sorted_keys_.data(), x_, sorted_x_.data(), n_,
                                           0, key_bits, gpu_.handle());
  }
  cudaError_t reduce(void* temporary, std::size_t& bytes, const T* x, const int* keys) {
    return cub::DeviceReduce::ReduceByKey(temporary, bytes, keys, unique_.data(), x, sums_.data(), runs_.data(),
                                          cuda::std::plus<>(), static_cast<std::int64_t>(n_), gpu_.handle());
  }

  stream& gpu_;
  const T* x_;
  const int* keys_;
  std::size_t n_, bytes_ = 0;
  buffer<T> sorted_x_;
  buffer<int> sorted_keys_, unique_;
  buffer<T> sums_;
  buffer<std::int64_t> runs_;
  std::unique_ptr<buffer<unsigned char>> temporary_;
};

}  // namespace
}  // namespace experiment
