// exactdot::cuda on a GPU: the public calls, streams, graphs, and what is refused.
//
// Skipped, by name, where there is no GPU.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <exactdot/accumulator.hpp>
#include <exactdot/cuda.hpp>
#include <exactdot/dot.hpp>
#include <vector>

#include "cuda/on_gpu/support.hpp"

namespace {

using exactdot::errc;
using exactdot::mode;

using namespace on_gpu;
using cuda_dot = needs_gpu;

template <class T>
void expect_the_cpus_bits(std::size_t n) {
  const std::vector<T> a = uniform<T>(n, 1), b = uniform<T>(n, 2);
  const device_vector<T> x(a), y(b);
  exactdot::cuda::workspace on;
  for (const mode m : {mode::exact, mode::fast}) {
    EXPECT_TRUE(
        same_bits(exactdot::cuda::dot<T>(on, x.data(), y.data(), n, {.mode = m}), exactdot::dot(a, b, {.mode = m})))
        << n;
    EXPECT_TRUE(same_bits(exactdot::cuda::dot<double>(on, x.data(), y.data(), n, {.mode = m}),
                          exactdot::dot<double>(a, b, {.mode = m})))
        << n;
  }
}

TEST_F(cuda_dot, has_the_cpus_bits_at_every_length_of_the_tuning_table) {
  for (const std::size_t n :
       {0, 1, 1000, 4096, 4097, 16384, 65537, 1 << 20, (1 << 20) + 1, (1 << 22) + 3, 1 << 24}) {
    expect_the_cpus_bits<float>(n);
    expect_the_cpus_bits<double>(n);
  }
}

TEST_F(cuda_dot, repeats_its_bits_on_four_streams_and_in_a_graph) {
  constexpr std::size_t n = 300007;
  const std::vector<double> a = uniform<double>(n, 3), b = uniform<double>(n, 4);
  const device_vector<double> x(a), y(b), results(8);
  const double expected = exactdot::dot(a, b);
  std::vector<cudaStream_t> streams(4);
  std::vector<exactdot::cuda::workspace> spaces;
  for (cudaStream_t& one : streams) {
    ASSERT_EQ(cudaStreamCreate(&one), cudaSuccess);
    spaces.emplace_back(one);
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal), cudaSuccess);
  exactdot::cuda::dot(spaces[0], x.data(), y.data(), n, results.data() + 4);
  ASSERT_EQ(cudaStreamEndCapture(streams[0], &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
  for (int repeat = 0; repeat < 200; ++repeat) {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      exactdot::cuda::dot(spaces[i], x.data(), y.data(), n, results.data() + i);
    }
    ASSERT_EQ(cudaGraphLaunch(replay, streams[0]), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const std::vector<double> got = results.read(5);
    for (const double value : got) ASSERT_TRUE(same_bits(value, expected)) << repeat;
  }
  cudaGraphExecDestroy(replay), cudaGraphDestroy(graph);
  spaces.clear();
  for (const cudaStream_t one : streams) cudaStreamDestroy(one);
}

TEST_F(cuda_dot, adds_to_a_state_that_the_cpu_goes_on_with) {
  constexpr std::size_t n = 50001;
  const std::vector<float> a = uniform<float>(n, 5), b = uniform<float>(n, 6);
  const device_vector<float> x(a), y(b);
  const device_vector<std::int64_t> words(exactdot::accumulator<float>::word_count);
  exactdot::cuda::workspace on;
  exactdot::cuda::dot_into(on, x.data(), y.data(), 20000, words.data());
  exactdot::cuda::dot_into(on, x.data() + 20000, y.data() + 20000, n - 20000, words.data());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  exactdot::accumulator<float> state(words.read(exactdot::accumulator<float>::word_count));
  EXPECT_TRUE(same_bits(state.round<float>(), exactdot::dot(a, b)));
}

TEST_F(cuda_dot, says_what_is_wrong_and_stays_usable) {
  const std::vector<float> host{1, 2, 3};
  const device_vector<float> x(host);
  exactdot::cuda::workspace on;
  const auto dot = [&](const float* a, const float* b, exactdot::options how = {}) {
    return exactdot::cuda::dot<float>(on, a, b, 3, how);
  };
  expect_refused(errc::null_pointer, "b is null, for 3 elements", [&] { return dot(x.data(), nullptr); });
  expect_refused(errc::bad_option, "a points to host memory", [&] { return dot(host.data(), x.data()); });
  const auto* const odd = reinterpret_cast<const float*>(reinterpret_cast<const char*>(x.data()) + 2);
  expect_refused(errc::bad_option, "a is not aligned to its elements of 4 bytes",
                 [&] { return dot(odd, x.data()); });
  expect_refused(errc::bad_option, "unknown mode",
                 [&] { return dot(x.data(), x.data(), {.mode = static_cast<mode>(7)}); });
  expect_refused(errc::null_pointer, "result is null", [&] {
    exactdot::cuda::dot(on, x.data(), x.data(), 3, static_cast<float*>(nullptr));
    return 0.0F;
  });
  EXPECT_EQ(dot(x.data(), x.data()), 14);
}

TEST_F(cuda_dot, reads_more_elements_than_an_int_counts) {
  constexpr std::size_t n = (std::size_t{1} << 31) + 1;
  std::size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  if (free < n * sizeof(float) + (1 << 20)) GTEST_SKIP() << "8 GiB of device memory are not free";
  const device_vector<float> x(n);
  const float ones[2] = {3, 5};
  ASSERT_EQ(cudaMemcpy(x.data(), ones, 4, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(x.data() + n - 1, ones + 1, 4, cudaMemcpyHostToDevice), cudaSuccess);
  exactdot::cuda::workspace on;
  EXPECT_EQ(exactdot::cuda::dot<float>(on, x.data(), x.data(), n), 34);
  EXPECT_EQ(exactdot::cuda::dot<float>(on, x.data(), x.data(), n, {.mode = mode::fast}), 34);
}

}  // namespace
