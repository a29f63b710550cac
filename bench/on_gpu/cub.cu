// GPU peers: CUB and Thrust, NVIDIA's building blocks for reductions.
//
// The products of a dot never reach memory: an iterator computes each product when the reduction reads it. Only
// this file includes these headers, which are slow to compile.
#include <thrust/execution_policy.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <bench/on_gpu/peer.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#include <memory>

namespace bench {
namespace {

template <class T>
struct multiply {
  __host__ __device__ T operator()(const thrust::tuple<T, T>& pair) const {
    return thrust::get<0>(pair) * thrust::get<1>(pair);
  }
};

struct plus {
  template <class T>
  __host__ __device__ T operator()(T x, T y) const {
    return x + y;
  }
};

/// cub::DeviceReduce::Sum over an iterator that multiplies.
struct sum_of_products {
  static constexpr const char* name = "cub";
  static constexpr const char* description =
      "cub::DeviceReduce::Sum over a thrust::transform_iterator of a zip_iterator, 64-bit length";
  template <class T>
  static cudaError_t call(void* storage, std::size_t& bytes, const T* a, const T* b, std::size_t n, T* result,
                          cudaStream_t gpu_stream) {
    const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(a, b));
    return cub::DeviceReduce::Sum(storage, bytes, thrust::make_transform_iterator(pairs, multiply<T>{}), result,
                                  static_cast<std::int64_t>(n), gpu_stream);
  }
};

#if CUB_VERSION >= 200200
/// cub::DeviceReduce::TransformReduce with the multiplication as its transformation.
struct transform_reduce {
  static constexpr const char* name = "cub_transform";
  static constexpr const char* description =
      "cub::DeviceReduce::TransformReduce over a zip_iterator, 64-bit length";
  template <class T>
  static cudaError_t call(void* storage, std::size_t& bytes, const T* a, const T* b, std::size_t n, T* result,
                          cudaStream_t gpu_stream) {
    const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(a, b));
    return cub::DeviceReduce::TransformReduce(storage, bytes, pairs, result, static_cast<std::int64_t>(n), plus{},
                                              multiply<T>{}, T{0}, gpu_stream);
  }
};
#endif

struct sum {
  static constexpr const char* name = "cub";
  static constexpr const char* description = "cub::DeviceReduce::Sum, 64-bit length";
  template <class T>
  static cudaError_t call(void* storage, std::size_t& bytes, const T* x, const T*, std::size_t n, T* result,
                          cudaStream_t gpu_stream) {
    return cub::DeviceReduce::Sum(storage, bytes, x, result, static_cast<std::int64_t>(n), gpu_stream);
  }
};

template <bool of_max>
struct extremum {
  static constexpr const char* name = "cub";
  static constexpr const char* description =
      of_max ? "cub::DeviceReduce::Max, 64-bit length" : "cub::DeviceReduce::Min, 64-bit length";
  template <class T>
  static cudaError_t call(void* storage, std::size_t& bytes, const T* x, const T*, std::size_t n, T* result,
                          cudaStream_t gpu_stream) {
    const auto length = static_cast<std::int64_t>(n);
    if constexpr (of_max) {
      return cub::DeviceReduce::Max(storage, bytes, x, result, length, gpu_stream);
    } else {
      return cub::DeviceReduce::Min(storage, bytes, x, result, length, gpu_stream);
    }
  }
};

#if CUB_VERSION >= 300000
/// The extremum itself, which is not part of the result, goes to the start of the storage.
template <bool of_max>
struct index_of_extremum {
  static constexpr const char* name = "cub";
  static constexpr const char* description =
      of_max ? "cub::DeviceReduce::ArgMax, 64-bit length" : "cub::DeviceReduce::ArgMin, 64-bit length";
  template <class T>
  static cudaError_t call(void* storage, std::size_t& bytes, const T* x, const T*, std::size_t n,
                          std::int64_t* result, cudaStream_t gpu_stream) {
    const auto length = static_cast<std::int64_t>(n);
    constexpr std::size_t of_value = 256;  // keeps the alignment of the rest
    std::size_t rest = storage == nullptr ? 0 : bytes - of_value;
    auto* const value = static_cast<T*>(storage);
    void* const rest_of_storage = storage == nullptr ? nullptr : static_cast<char*>(storage) + of_value;
    cudaError_t status;
    if constexpr (of_max) {
      status = cub::DeviceReduce::ArgMax(rest_of_storage, rest, x, value, result, length, gpu_stream);
    } else {
      status = cub::DeviceReduce::ArgMin(rest_of_storage, rest, x, value, result, length, gpu_stream);
    }
    bytes = rest + of_value;
    return status;
  }
};
#endif

/// Result: the type of the result in device memory, T or std::int64_t.
template <class Reduce, class T, class Result = T>
void add(std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks) {
  constexpr std::size_t max_length = std::size_t{1} << 40;  // the storage grows with the grid, which is bounded
  std::size_t bytes = 0;
  const cudaStream_t handle = gpu_stream.handle();
  check(Reduce::call(nullptr, bytes, static_cast<const T*>(nullptr), static_cast<const T*>(nullptr), max_length,
                     static_cast<Result*>(nullptr), handle),
        "querying the storage size of cub");
  const auto storage = std::make_shared<exactdot::on_gpu::buffer<char>>(gpu_stream, bytes);
  const auto word = std::make_shared<mapped_word<Result>>();
  const auto device_result = std::make_shared<exactdot::on_gpu::buffer<std::uint64_t>>(gpu_stream, 1);
  const auto enqueue = [=](const T* a, const T* b, std::size_t n, std::uint64_t* result) {
    std::size_t size = storage->size();
    check(Reduce::call(storage->data(), size, a, b, n, reinterpret_cast<Result*>(result), handle), Reduce::name);
  };
  peers.push_back(
      {Reduce::name, enqueue, [=](const T* a, const T* b, std::size_t n) {
         enqueue(a, b, n, device_result->data());
         check(cudaMemcpyAsync(word->host(), device_result->data(), sizeof(Result), cudaMemcpyDeviceToHost, handle),
               "copying a result");
         check(cudaStreamSynchronize(handle), "waiting for a result");
         return word_of(word->read());
       }});
  remarks.descriptions.emplace_back(Reduce::name, std::string("CUB ") + std::to_string(CUB_MAJOR_VERSION) + "." +
                                                      std::to_string(CUB_MINOR_VERSION) + ", " +
                                                      Reduce::description +
                                                      "; host: and cudaMemcpyAsync into pinned memory");
}

template <class T>
void add_dots(std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks) {
  add<sum_of_products>(peers, gpu_stream, remarks);
#if CUB_VERSION >= 200200
  add<transform_reduce>(peers, gpu_stream, remarks);
#endif
  const cudaStream_t handle = gpu_stream.handle();
  peers.push_back({"thrust", {}, [=](const T* a, const T* b, std::size_t n) {
                     return word_of(thrust::inner_product(thrust::cuda::par_nosync.on(handle), a, a + n, b, T{0}));
                   }});
  remarks.descriptions.emplace_back("thrust", "thrust::inner_product, thrust::cuda::par_nosync; host only");
}

}  // namespace

template <class T>
void add_cub(reduction what, std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks) {
  if (what == reduction::dot) add_dots(peers, gpu_stream, remarks);
  if (what == reduction::sum) add<sum>(peers, gpu_stream, remarks);
  if (what == reduction::min) add<extremum<false>>(peers, gpu_stream, remarks);
  if (what == reduction::max) add<extremum<true>>(peers, gpu_stream, remarks);
#if CUB_VERSION >= 300000
  if (what == reduction::argmin) add<index_of_extremum<false>, T, std::int64_t>(peers, gpu_stream, remarks);
  if (what == reduction::argmax) add<index_of_extremum<true>, T, std::int64_t>(peers, gpu_stream, remarks);
#endif
}

template void add_cub(reduction, std::vector<gpu_peer<float>>&, stream&, peer_remarks&);
template void add_cub(reduction, std::vector<gpu_peer<double>>&, stream&, peer_remarks&);

}  // namespace bench
