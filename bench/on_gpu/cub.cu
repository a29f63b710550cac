// CUB and Thrust, as the benchmark calls them: the vendor's building blocks for a reduction of products.
//
// The products never reach memory: an iterator makes each when the reduction asks for it. The only file that
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
  static constexpr const char* how =
      "cub::DeviceReduce::Sum over a thrust::transform_iterator of a zip_iterator, 64-bit length";
  template <class T>
  static cudaError_t call(void* storage, std::size_t& bytes, const T* a, const T* b, std::size_t n, T* result,
                          cudaStream_t on) {
    const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(a, b));
    return cub::DeviceReduce::Sum(storage, bytes, thrust::make_transform_iterator(pairs, multiply<T>{}), result,
                                  static_cast<std::int64_t>(n), on);
  }
};

#if CUB_VERSION >= 200200
/// cub::DeviceReduce::TransformReduce, which knows of the multiplication.
struct transform_reduce {
  static constexpr const char* name = "cub_transform";
  static constexpr const char* how = "cub::DeviceReduce::TransformReduce over a zip_iterator, 64-bit length";
  template <class T>
  static cudaError_t call(void* storage, std::size_t& bytes, const T* a, const T* b, std::size_t n, T* result,
                          cudaStream_t on) {
    const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(a, b));
    return cub::DeviceReduce::TransformReduce(storage, bytes, pairs, result, static_cast<std::int64_t>(n), plus{},
                                              multiply<T>{}, T{0}, on);
  }
};
#endif

template <class Reduce, class T>
void add(std::vector<gpu_peer<T>>& to, stream& on, peer_remarks& remarks) {
  constexpr std::size_t longest = std::size_t{1} << 40;  // its storage grows with the grid, which has an end
  std::size_t bytes = 0;
  const cudaStream_t handle = on.handle();
  check(Reduce::call(nullptr, bytes, static_cast<const T*>(nullptr), static_cast<const T*>(nullptr), longest,
                     static_cast<T*>(nullptr), handle),
        "asking cub for its storage");
  const auto storage = std::make_shared<exactdot::on_gpu::buffer<char>>(on, bytes);
  const auto word = std::make_shared<mapped_word<T>>();
  const auto there = std::make_shared<exactdot::on_gpu::buffer<T>>(on, 1);
  const auto enqueue = [=](const T* a, const T* b, std::size_t n, T* result) {
    std::size_t size = storage->size();
    check(Reduce::call(storage->data(), size, a, b, n, result, handle), Reduce::name);
  };
  to.push_back({Reduce::name, enqueue, [=](const T* a, const T* b, std::size_t n) {
                  enqueue(a, b, n, there->data());
                  check(cudaMemcpyAsync(word->here(), there->data(), sizeof(T), cudaMemcpyDeviceToHost, handle),
                        "copying a result");
                  check(cudaStreamSynchronize(handle), "waiting for a result");
                  return word->read();
                }});
  remarks.how.emplace_back(Reduce::name, std::string("CUB ") + std::to_string(CUB_MAJOR_VERSION) + "." +
                                             std::to_string(CUB_MINOR_VERSION) + ", " + Reduce::how +
                                             "; host: and cudaMemcpyAsync into pinned memory");
}

}  // namespace

template <class T>
void add_cub(std::vector<gpu_peer<T>>& to, stream& on, peer_remarks& remarks) {
  add<sum_of_products>(to, on, remarks);
#if CUB_VERSION >= 200200
  add<transform_reduce>(to, on, remarks);
#endif
  const cudaStream_t handle = on.handle();
  to.push_back({"thrust", {}, [=](const T* a, const T* b, std::size_t n) {
                  return thrust::inner_product(thrust::cuda::par_nosync.on(handle), a, a + n, b, T{0});
                }});
  remarks.how.emplace_back("thrust", "thrust::inner_product, thrust::cuda::par_nosync; host only");
}

template void add_cub(std::vector<gpu_peer<float>>&, stream&, peer_remarks&);
template void add_cub(std::vector<gpu_peer<double>>&, stream&, peer_remarks&);

}  // namespace bench
