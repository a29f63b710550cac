// GPU peers: CUB and Thrust, NVIDIA's building blocks for reductions.
//
// The products never reach memory: an iterator computes each product when the reduction reads it. Only this file
// includes these headers, which are slow to compile.
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

template <class Reduce, class T>
void add(std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks) {
  constexpr std::size_t max_length = std::size_t{1} << 40;  // the storage grows with the grid, which is bounded
  std::size_t bytes = 0;
  const cudaStream_t handle = gpu_stream.handle();
  check(Reduce::call(nullptr, bytes, static_cast<const T*>(nullptr), static_cast<const T*>(nullptr), max_length,
                     static_cast<T*>(nullptr), handle),
        "querying the storage size of cub");
  const auto storage = std::make_shared<exactdot::on_gpu::buffer<char>>(gpu_stream, bytes);
  const auto word = std::make_shared<mapped_word<T>>();
  const auto device_result = std::make_shared<exactdot::on_gpu::buffer<T>>(gpu_stream, 1);
  const auto enqueue = [=](const T* a, const T* b, std::size_t n, T* result) {
    std::size_t size = storage->size();
    check(Reduce::call(storage->data(), size, a, b, n, result, handle), Reduce::name);
  };
  peers.push_back(
      {Reduce::name, enqueue, [=](const T* a, const T* b, std::size_t n) {
         enqueue(a, b, n, device_result->data());
         check(cudaMemcpyAsync(word->host(), device_result->data(), sizeof(T), cudaMemcpyDeviceToHost, handle),
               "copying a result");
         check(cudaStreamSynchronize(handle), "waiting for a result");
         return word->read();
       }});
  remarks.descriptions.emplace_back(Reduce::name, std::string("CUB ") + std::to_string(CUB_MAJOR_VERSION) + "." +
                                                      std::to_string(CUB_MINOR_VERSION) + ", " +
                                                      Reduce::description +
                                                      "; host: and cudaMemcpyAsync into pinned memory");
}

}  // namespace

template <class T>
void add_cub(std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks) {
  add<sum_of_products>(peers, gpu_stream, remarks);
#if CUB_VERSION >= 200200
  add<transform_reduce>(peers, gpu_stream, remarks);
#endif
  const cudaStream_t handle = gpu_stream.handle();
  peers.push_back({"thrust", {}, [=](const T* a, const T* b, std::size_t n) {
                     return thrust::inner_product(thrust::cuda::par_nosync.on(handle), a, a + n, b, T{0});
                   }});
  remarks.descriptions.emplace_back("thrust", "thrust::inner_product, thrust::cuda::par_nosync; host only");
}

template void add_cub(std::vector<gpu_peer<float>>&, stream&, peer_remarks&);
template void add_cub(std::vector<gpu_peer<double>>&, stream&, peer_remarks&);

}  // namespace bench
