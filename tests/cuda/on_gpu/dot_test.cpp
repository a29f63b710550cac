// exactdot::cuda on a GPU: the public calls, streams, graphs and errors.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <bit>
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
void expect_bits_of_cpu(std::size_t n) {
  const std::vector<T> a = uniform<T>(n, 1), b = uniform<T>(n, 2);
  const device_vector<T> x(a), y(b);
  exactdot::cuda::workspace workspace;
  for (const mode m : {mode::exact, mode::fast}) {
    EXPECT_TRUE(same_bits(exactdot::cuda::dot<T>(workspace, x.data(), y.data(), n, {.mode = m}),
                          exactdot::dot(a, b, {.mode = m})))
        << n;
    EXPECT_TRUE(same_bits(exactdot::cuda::dot<double>(workspace, x.data(), y.data(), n, {.mode = m}),
                          exactdot::dot<double>(a, b, {.mode = m})))
        << n;
  }
}

TEST_F(cuda_dot, has_the_bits_of_the_cpu_at_every_length_of_the_tuning_table) {
  for (const std::size_t n :
       {0, 1, 1000, 4096, 4097, 16384, 65537, 1 << 20, (1 << 20) + 1, (1 << 22) + 3, 1 << 24}) {
    if (n > at_most(n, std::size_t{1} << 17)) break;
    expect_bits_of_cpu<float>(n);
    expect_bits_of_cpu<double>(n);
  }
}

TEST_F(cuda_dot, has_the_same_bits_on_four_streams_and_in_a_graph) {
  const std::size_t n = at_most(300007, 20011), repeats = at_most(200, 3);
  const std::vector<double> a = uniform<double>(n, 3), b = uniform<double>(n, 4);
  const device_vector<double> x(a), y(b), results(8);
  const double expected = exactdot::dot(a, b);
  std::vector<cudaStream_t> streams(4);
  std::vector<exactdot::cuda::workspace> workspaces;
  for (cudaStream_t& stream : streams) {
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    workspaces.emplace_back(stream);
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal), cudaSuccess);
  exactdot::cuda::dot(workspaces[0], x.data(), y.data(), n, results.data() + 4);
  ASSERT_EQ(cudaStreamEndCapture(streams[0], &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      exactdot::cuda::dot(workspaces[i], x.data(), y.data(), n, results.data() + i);
    }
    ASSERT_EQ(cudaGraphLaunch(replay, streams[0]), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const std::vector<double> got = results.read(5);
    for (const double value : got) ASSERT_TRUE(same_bits(value, expected)) << repeat;
  }
  cudaGraphExecDestroy(replay), cudaGraphDestroy(graph);
  workspaces.clear();
  for (const cudaStream_t stream : streams) cudaStreamDestroy(stream);
}

TEST_F(cuda_dot, adds_to_a_state_that_the_cpu_rounds) {
  constexpr std::size_t n = 50001;
  const std::vector<float> a = uniform<float>(n, 5), b = uniform<float>(n, 6);
  const device_vector<float> x(a), y(b);
  const device_vector<std::int64_t> words(exactdot::accumulator<float>::word_count);
  exactdot::cuda::workspace workspace;
  exactdot::cuda::dot_into(workspace, x.data(), y.data(), 20000, words.data());
  exactdot::cuda::dot_into(workspace, x.data() + 20000, y.data() + 20000, n - 20000, words.data());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  exactdot::accumulator<float> state(words.read(exactdot::accumulator<float>::word_count));
  EXPECT_TRUE(same_bits(state.round<float>(), exactdot::dot(a, b)));
}

TEST_F(cuda_dot, reads_strided_and_swapped_vectors_in_place) {
  constexpr std::size_t n = 50001;
  const std::vector<float> a = uniform<float>(3 * n, 7), b = uniform<float>(n, 8);
  std::vector<float> swapped(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto word = __builtin_bswap32(std::bit_cast<std::uint32_t>(b[i]));
    swapped[i] = std::bit_cast<float>(word);
  }
  const device_vector<float> x(a), y(swapped), result(1);
  const exactdot::any_vector every_third = exactdot::to_any(exactdot::strided<float>{x.data(), n, 3});
  const exactdot::any_vector backwards{y.data() + n - 1, n, exactdot::element_type::float32, -4, true};
  const exactdot::any_vector repeated{x.data(), n, exactdot::element_type::float32, 0, false};
  std::vector<float> third(n), back(b.rbegin(), b.rend()), same(n, a[0]);
  for (std::size_t i = 0; i < n; ++i) third[i] = a[3 * i];
  exactdot::cuda::workspace workspace;
  for (const mode m : {mode::exact, mode::fast}) {
    const exactdot::options options{.mode = m};
    const auto got =
        exactdot::cuda::dot(workspace, every_third, backwards, exactdot::element_type::float32, options);
    EXPECT_TRUE(same_bits(got.as<float>(), exactdot::dot(third, back, options)));
    exactdot::cuda::dot(workspace, repeated, backwards, exactdot::element_type::float32, result.data(), options);
    EXPECT_TRUE(same_bits(result.read(1)[0], exactdot::dot(same, back, options)));
  }
  const exactdot::any_vector odd{x.data(), 3, exactdot::element_type::float32, 6, false};
  expect_error(errc::bad_option, "a is not aligned to its elements of 4 bytes", [&] {
    return exactdot::cuda::dot(workspace, odd, odd, exactdot::element_type::float32).to_double();
  });
  const exactdot::any_vector too_long{x.data(), std::size_t{1} << 40, exactdot::element_type::float32, 8, false};
  expect_error(errc::bad_option, "a", [&] {
    return exactdot::cuda::dot(workspace, too_long, too_long, exactdot::element_type::float32).to_double();
  });
}

TEST_F(cuda_dot, reports_errors_and_remains_usable) {
  const std::vector<float> host{1, 2, 3};
  const device_vector<float> x(host);
  exactdot::cuda::workspace workspace;
  const auto dot = [&](const float* a, const float* b, exactdot::options options = {}) {
    return exactdot::cuda::dot<float>(workspace, a, b, 3, options);
  };
  expect_error(errc::null_pointer, "b is null, for 3 elements", [&] { return dot(x.data(), nullptr); });
  expect_error(errc::bad_option, "a points to host memory", [&] { return dot(host.data(), x.data()); });
  const auto* const odd = reinterpret_cast<const float*>(reinterpret_cast<const char*>(x.data()) + 2);
  expect_error(errc::bad_option, "a is not aligned to its elements of 4 bytes", [&] { return dot(odd, x.data()); });
  expect_error(errc::bad_option, "unknown mode",
               [&] { return dot(x.data(), x.data(), {.mode = static_cast<mode>(7)}); });
  expect_error(errc::null_pointer, "result is null", [&] {
    exactdot::cuda::dot(workspace, x.data(), x.data(), 3, static_cast<float*>(nullptr));
    return 0.0F;
  });
  EXPECT_EQ(dot(x.data(), x.data()), 14);
}

TEST_F(cuda_dot, refuses_a_result_within_an_input_but_not_between_its_elements) {
  const device_vector<double> x(uniform<double>(100, 1));
  double* const data = const_cast<double*>(x.data());
  exactdot::cuda::workspace workspace;
  for (const std::size_t i : {0, 50, 99}) {
    expect_error(errc::bad_option, "the result lies within", [&] {
      exactdot::cuda::dot(workspace, x.data(), x.data(), 100, data + i);
      return 0;
    });
  }
  const exactdot::any_vector even(data, 50, exactdot::element_type::float64, 16);
  expect_error(errc::bad_option, "the result lies within x", [&] {
    exactdot::cuda::reduce(workspace, exactdot::reduction::sum, even, exactdot::element_type::float64, data + 98);
    return 0;
  });
  exactdot::cuda::reduce(workspace, exactdot::reduction::sum, even, exactdot::element_type::float64, data + 97);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(cuda_dot, reads_more_than_2_31_elements) {
  constexpr std::size_t n = (std::size_t{1} << 31) + 1;
  if (is_simulated()) GTEST_SKIP() << "takes hours on the simulator";
  std::size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  if (free < n * sizeof(float) + (1 << 20)) GTEST_SKIP() << "less than 8 GiB of device memory are free";
  const device_vector<float> x(n);
  const float ones[2] = {3, 5};
  ASSERT_EQ(cudaMemcpy(x.data(), ones, 4, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(x.data() + n - 1, ones + 1, 4, cudaMemcpyHostToDevice), cudaSuccess);
  exactdot::cuda::workspace workspace;
  EXPECT_EQ(exactdot::cuda::dot<float>(workspace, x.data(), x.data(), n), 34);
  EXPECT_EQ(exactdot::cuda::dot<float>(workspace, x.data(), x.data(), n, {.mode = mode::fast}), 34);
}

}  // namespace
