// cub: NVIDIA's CUB library, cub::DeviceReduce over an iterator that multiplies.
//
// Before: every rung implements its own reduction.
// Idea: the products never reach memory; the iterator computes each product when the reduction reads it.
// Cost: reading the vectors, and temporary storage that is allocated beforehand. The result stays on the device.
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <cub/device/device_reduce.cuh>
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
struct multiply {
  __host__ __device__ T operator()(const thrust::tuple<T, T>& pair) const {
    return thrust::get<0>(pair) * thrust::get<1>(pair);
  }
};

template <class T>
struct cub_reduce {
  explicit cub_reduce(const input<T>& given) : in(given) {}

  std::size_t bytes() {
    std::size_t needed = 0;
    reduce(nullptr, needed);
    return needed;
  }
  void reduce(void* storage, std::size_t& size) {
    const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(in.a, in.b));
    on_gpu::check(cub::DeviceReduce::Sum(storage, size, thrust::make_transform_iterator(pairs, multiply<T>{}),
                                         out.data(), static_cast<std::int64_t>(in.n), in.stream.handle()),
                  "cub::DeviceReduce::Sum");
  }

  const input<T>& in;
  gpu::buffer<T> out{in.stream, 1};
  gpu::buffer<char> storage{in.stream, bytes()};

  void launch() {
    std::size_t size = storage.size();
    reduce(storage.data(), size);
  }
  T result() { return only_value(out); }
};

const register_sum_rung<cub_reduce> registration{
    {.number = 18,
     .name = "cub",
     .file = "cub.cu",
     .summary = "NVIDIA's building blocks for reductions",
     .same_bits = determinism::fixed_grid,
     .roundings = [](const launch_config& config) -> std::uint64_t { return config.n + 1; }}};

}  // namespace
}  // namespace exactdot::lab
