// cuda::reduce with a callable: the bits of exactdot::reduce on the CPU, on the simulator or on a GPU.
//
// On the simulator the kernels are launched without a workspace, by the grid that the workspace's call would use.
// clang-format off: on the simulator the next header defines what the kernels are written with
#include <exactdot/simt/cuda.hpp>
// clang-format on

#include <gtest/gtest.h>

#include <cstring>
#include <exactdot/cuda/reduce_kernels.cuh>
#include <exactdot/reduce.hpp>
#include <string>
#include <vector>

#include "missing_gpu.cuh"

#if defined(__CUDACC__)
#include <exactdot/cuda/reduce.cuh>
#endif

namespace {

namespace gpu = exactdot::gpu;
namespace detail = exactdot::cuda::detail;

#if defined(__CUDACC__)
template <class V, class T, class Op>
V reduce_on_device(const std::vector<T>& x, Op op, V identity) {
  gpu::stream stream;
  gpu::buffer<T> input(stream, x.size());
  gpu::buffer<V> result(stream, 1);
  input.copy_from(x.data(), x.size());
  exactdot::cuda::workspace workspace;
  gpu::synchronise(stream);
  exactdot::cuda::reduce(workspace, x.empty() ? nullptr : static_cast<const T*>(input.data()), x.size(),
                         result.data(), op, identity);
  cudaDeviceSynchronize();
  V value = identity;
  result.copy_to(&value, 1);
  return value;
}
#else
template <class V, class T, class Op>
V reduce_on_device(const std::vector<T>& x, Op op, V identity) {
  gpu::stream stream;
  gpu::buffer<T> input(stream, x.size() + 1);
  gpu::buffer<V> result(stream, 1), node(stream, detail::max_reduce_blocks);
  input.copy_from(x.data(), x.size());
  const auto [tiles_per_block, blocks] = detail::reduce_grid_for<V>(x.size());
  if (blocks != 0) {
    gpu::launch(detail::combine_tiles<V, T, Op>, blocks, exactdot::order_v1<V>::lanes, 0, stream,
                static_cast<const T*>(input.data()), x.size(), tiles_per_block, op, identity, node.data());
  }
  gpu::launch(detail::combine_nodes<V, Op>, 1, 256, 0, stream, node.data(), blocks, op, identity, result.data());
  V value = identity;
  result.copy_to(&value, 1);
  for (const std::string& finding : gpu::findings(stream)) ADD_FAILURE() << finding;
  return value;
}
#endif

struct add {
  template <class V>
  __host__ __device__ V operator()(V a, V b) const {
    return a + b;
  }
};

struct fold_bits {
  __host__ __device__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a ^ b; }
};

/// The largest value and how often it occurs.
struct peak {
  float value = -1;
  int count = 0;
  peak() = default;
  __host__ __device__ explicit peak(float x) : value(x), count(1) {}
  __host__ __device__ peak(float x, int times) : value(x), count(times) {}
};
struct higher_peak {
  __host__ __device__ peak operator()(const peak& a, const peak& b) const {
    if (a.value == b.value) return peak(a.value, a.count + b.count);
    return a.value > b.value ? a : b;
  }
};

/// Values whose sum depends on the order.
template <class T>
std::vector<T> values(std::size_t n) {
  std::vector<T> x(n);
  std::uint64_t state = 88172645463325252;
  for (T& each : x) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    each = static_cast<T>(static_cast<float>(state % 2000001) / 1000 - 1000);
  }
  return x;
}

class device_callable : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

template <class V, class T, class Op>
void expect_bits_of_the_cpu(std::size_t n, Op op, V identity) {
  const auto x = values<T>(n);
  const V expected = exactdot::reduce(x, op, identity), result = reduce_on_device<V>(x, op, identity);
  EXPECT_EQ(std::memcmp(&expected, &result, sizeof(V)), 0) << n << " elements";
}

TEST_F(device_callable, has_the_bits_of_the_cpu) {
  for (const std::size_t n : {0, 1, 2, 127, 129, 2048, 5000, 33'000}) {
    expect_bits_of_the_cpu<float, float>(n, add(), 0.0F);
    expect_bits_of_the_cpu<double, double>(n, add(), 0.0);
    expect_bits_of_the_cpu<double, float>(n, add(), 0.0);
    expect_bits_of_the_cpu<float, exactdot::float16>(n, add(), 0.0F);
    expect_bits_of_the_cpu<float, exactdot::bfloat16>(n, add(), 0.0F);
    expect_bits_of_the_cpu<std::uint64_t, std::uint64_t>(n, fold_bits(), std::uint64_t{0});
    expect_bits_of_the_cpu<peak, float>(n, higher_peak(), peak());
  }
}

TEST_F(device_callable, gives_each_block_several_tiles_of_a_long_vector) {
#if !defined(__CUDACC__)
  GTEST_SKIP() << "two million elements are many for the simulator";
#endif
  for (const std::size_t n : {std::size_t{2'100'001}, std::size_t{1} << 24}) {
    expect_bits_of_the_cpu<float, float>(n, add(), 0.0F);
    expect_bits_of_the_cpu<double, float>(n, add(), 0.0);
  }
}

}  // namespace
