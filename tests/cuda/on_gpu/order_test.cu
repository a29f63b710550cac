// A call reads what the stream's earlier work has written, all of it. The library's kernels are launched before the
// previous kernel has ended (src/cuda/core/kernel.cuh), so each must wait for it: after kernels that end late
// (some let the next launch begin at once), after copies and events of other streams, and in graphs.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <exactdot/cuda.hpp>
#include <functional>
#include <vector>

#include "cuda/on_gpu/support.hpp"

namespace {

using namespace on_gpu;
using exactdot::mode;
using exactdot::reduction;

constexpr int repeats = 40;

/// x[i] = value, after some 50 microseconds. `releases`: the stream's next kernel may be launched before that.
__global__ void fill_late(double* x, std::size_t n, double value, bool releases) {
#if __CUDA_ARCH__ >= 900
  if (releases) asm volatile("griddepcontrol.launch_dependents;");
#endif
  const long long start = clock64();
  while (clock64() - start < 100000) {
  }
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) x[i] = value;
}

/// What is computed of a vector of n elements that are all `value`, so small that every sum is exact.
struct call {
  reduction what;
  mode computed_in;
  std::function<double(double n, double value)> expected;
};

std::vector<call> calls() {
  const auto sum = [](double n, double value) { return n * value; };
  const auto squares = [](double n, double value) { return n * value * value; };
  const auto same = [](double, double value) { return value; };
  const auto zero = [](double, double) { return 0.0; };
  return {{reduction::sum, mode::exact, sum},
          {reduction::sum, mode::fast, sum},
          {reduction::mean, mode::exact, same},
          {reduction::mean, mode::fast, same},
          {reduction::max, mode::exact, same},
          {reduction::variance, mode::exact, zero},
          {reduction::sum_of_squares, mode::exact, squares}};
}

class order : public needs_gpu, public testing::WithParamInterface<std::size_t> {
 protected:
  /// `write(on, x, value)` enqueues work after which x holds n times the value. Then calls write one result each.
  template <class Write>
  void expect_order(cudaStream_t on, Write write, bool in_graph = false) {
    const std::size_t n = GetParam();
    const device_vector<double> x(n);
    exactdot::cuda::workspace workspace(on);
    for (const call& each : calls()) {
      const device_vector<double> results(std::size_t{repeats});
      const auto enqueue_all = [&] {
        for (int k = 0; k < repeats; ++k) {
          write(on, x.data(), n, k + 1.0);
          exactdot::cuda::reduce(workspace, each.what, exactdot::to_any(x.data(), n),
                                 exactdot::element_type::float64, results.data() + k, {.mode = each.computed_in});
        }
      };
      in_graph ? run_in_graph(on, enqueue_all) : enqueue_all();
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      const std::vector<double> found = results.read(repeats);
      for (int k = 0; k < repeats; ++k) {
        ASSERT_EQ(found[static_cast<std::size_t>(k)], each.expected(static_cast<double>(n), k + 1.0))
            << exactdot::name_of(each.what) << ", call " << k;
      }
    }
  }

  template <class Enqueue>
  static void run_in_graph(cudaStream_t on, Enqueue enqueue) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(on, cudaStreamCaptureModeRelaxed), cudaSuccess);
    enqueue();
    ASSERT_EQ(cudaStreamEndCapture(on, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaGraphLaunch(executable, on), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(on), cudaSuccess);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }
};

template <bool releases>
void write_by_kernel(cudaStream_t on, double* x, std::size_t n, double value) {
  fill_late<<<8, 256, 0, on>>>(x, n, value, releases);
}

struct owned_stream {
  explicit owned_stream(unsigned flags = cudaStreamNonBlocking) { cudaStreamCreateWithFlags(&handle, flags); }
  ~owned_stream() { cudaStreamDestroy(handle); }
  owned_stream(const owned_stream&) = delete;
  owned_stream& operator=(const owned_stream&) = delete;
  cudaStream_t handle = nullptr;
};

TEST_P(order, after_a_kernel) {
  const owned_stream stream;
  expect_order(stream.handle, write_by_kernel<false>);
  expect_order(stream.handle, write_by_kernel<true>);
}

TEST_P(order, in_a_graph) {
  const owned_stream stream;
  expect_order(stream.handle, write_by_kernel<false>, true);
  expect_order(stream.handle, write_by_kernel<true>, true);
}

TEST_P(order, on_the_null_stream_after_a_blocking_one) {
  const owned_stream other(cudaStreamDefault);
  expect_order(nullptr, write_by_kernel<true>);
  expect_order(nullptr, [&](cudaStream_t, double* x, std::size_t n, double value) {
    fill_late<<<8, 256, 0, other.handle>>>(x, n, value, true);
  });
}

TEST_P(order, after_an_event_of_another_stream) {
  const owned_stream stream, other;
  cudaEvent_t read = nullptr, written = nullptr;
  cudaEventCreateWithFlags(&read, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&written, cudaEventDisableTiming);
  expect_order(stream.handle, [&](cudaStream_t on, double* x, std::size_t n, double value) {
    cudaEventRecord(read, on);  // the calls before have read x
    cudaStreamWaitEvent(other.handle, read);
    fill_late<<<8, 256, 0, other.handle>>>(x, n, value, true);
    cudaEventRecord(written, other.handle);
    cudaStreamWaitEvent(on, written);
  });
  cudaEventDestroy(read);
  cudaEventDestroy(written);
}

TEST_P(order, after_a_copy) {
  const owned_stream stream;
  const device_vector<double> source(GetParam());
  expect_order(stream.handle, [&](cudaStream_t on, double* x, std::size_t n, double value) {
    fill_late<<<8, 256, 0, on>>>(source.data(), n, value, true);
    cudaMemcpyAsync(x, source.data(), n * sizeof(double), cudaMemcpyDeviceToDevice, on);
  });
}

/// Each call reads the results of the calls before it.
TEST_P(order, after_a_call_of_the_library) {
  const owned_stream stream;
  const device_vector<double> x(std::size_t{repeats} + 1);
  exactdot::cuda::workspace workspace(stream.handle);
  for (const mode computed_in : {mode::exact, mode::fast}) {
    fill_late<<<1, 32, 0, stream.handle>>>(x.data(), 1, 1.0, true);
    for (std::size_t k = 1; k <= repeats; ++k) {
      exactdot::cuda::reduce(workspace, reduction::sum, exactdot::to_any(x.data(), k),
                             exactdot::element_type::float64, x.data() + k, {.mode = computed_in});
    }
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const std::vector<double> found = x.read(repeats + 1);
    for (std::size_t k = 1; k <= repeats; ++k) {
      ASSERT_EQ(found[k], std::ldexp(1.0, static_cast<int>(k) - 1)) << k;  // 1, 1, 2, 4, …
    }
  }
}

INSTANTIATE_TEST_SUITE_P(lengths, order, testing::Values(256, 1 << 14, 1 << 18, (1 << 20) + 1));

}  // namespace
