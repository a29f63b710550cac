// Shared by the tests on a GPU, or on a simulated one: vectors in device memory, comparison of bits, expected errors, the fixture.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exactdot/error.hpp>
#include <random>
#include <string>
#include <vector>

namespace on_gpu {

/// Whether the device is the simulator's, which takes a thousand times as long.
inline bool is_simulated() {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return static_cast<void>(cudaGetLastError()), false;
  return std::strstr(properties.name, "simt") != nullptr;
}
/// A length or a number of repeats: on the simulator at most the second.
inline std::size_t at_most(std::size_t on_gpu, std::size_t simulated) {
  return is_simulated() ? std::min(on_gpu, simulated) : on_gpu;
}
/// On the simulator fewer rows and shorter ones, for about so many elements in all.
inline void fit_simulator(std::size_t& m, std::size_t& n, std::size_t elements = 3000) {
  if (!is_simulated() || m * n <= elements) return;
  std::size_t &longer = m > n ? m : n, &shorter = m > n ? n : m;
  shorter = std::min<std::size_t>(shorter, 40);
  longer = std::min(longer, elements / shorter);
}

/// Whether to try this case: of those that tests compute on the simulator EXACTDOT_TEST_SCALE per cent are, spread evenly.
inline bool is_tried() {
  static const char* const scale = is_simulated() ? std::getenv("EXACTDOT_TEST_SCALE") : nullptr;
  static unsigned cases = 0;
  return scale == nullptr || cases++ * 37 % 100 < static_cast<unsigned>(std::atoi(scale));
}

/// Chooses the order in which the simulator runs threads; set by its tests (on_simt/findings.cpp).
inline void (*schedule_of_simulator)(unsigned) = nullptr;
inline void choose_schedule(unsigned number) {
  if (schedule_of_simulator != nullptr) schedule_of_simulator(number);
}

template <class T>
class device_vector {
 public:
  explicit device_vector(const std::vector<T>& x) : device_vector(x.size()) {
    EXPECT_EQ(cudaMemcpy(data_, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  explicit device_vector(std::size_t n) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, n * sizeof(T) + 16), cudaSuccess);
    EXPECT_EQ(cudaMemset(memory, 0, n * sizeof(T) + 16), cudaSuccess);
    data_ = static_cast<T*>(memory);
  }
  ~device_vector() { cudaFree(data_); }
  device_vector(const device_vector&) = delete;
  device_vector& operator=(const device_vector&) = delete;

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::vector<T> read(std::size_t n) const {
    std::vector<T> x(n);
    EXPECT_EQ(cudaMemcpy(x.data(), data_, n * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return x;
  }

 private:
  T* data_ = nullptr;
};

template <class T>
std::vector<T> uniform(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<T> x(n);
  for (T& value : x) value = static_cast<T>(static_cast<int>(generator())) * static_cast<T>(0x1p-31);
  return x;
}

template <class T>
bool same_bits(T x, T y) {
  return std::memcmp(&x, &y, sizeof x) == 0;
}

/// Expects results with these bits. `what`: of the failure's message.
template <class T>
void expect_same(const device_vector<T>& found, const std::vector<T>& expected, const std::string& what) {
  const std::vector<T> copy = found.read(expected.size());
  for (std::size_t i = 0; i < copy.size(); ++i) {
    ASSERT_TRUE(same_bits(copy[i], expected[i]))
        << what << ", result " << i << ": " << copy[i] << ", not " << expected[i];
  }
}

/// A stream that ends with its owner.
class test_stream {
 public:
  test_stream() { EXPECT_EQ(cudaStreamCreate(&stream_), cudaSuccess); }
  ~test_stream() { cudaStreamDestroy(stream_); }
  test_stream(const test_stream&) = delete;
  test_stream& operator=(const test_stream&) = delete;
  [[nodiscard]] cudaStream_t handle() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A graph of what enqueue() enqueues on a stream. To be destroyed before the workspace that it uses.
class captured_graph {
 public:
  template <class Enqueue>
  captured_graph(cudaStream_t stream, Enqueue enqueue) : stream_(stream) {
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    enqueue();
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph_), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&replay_, graph_, 0), cudaSuccess);
  }
  ~captured_graph() { cudaGraphExecDestroy(replay_), cudaGraphDestroy(graph_); }
  captured_graph(const captured_graph&) = delete;
  captured_graph& operator=(const captured_graph&) = delete;

  void start() const { ASSERT_EQ(cudaGraphLaunch(replay_, stream_), cudaSuccess); }
  /// Launches it and waits.
  void launch() const {
    start();
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t replay_ = nullptr;
};

/// Fixture of tests that are skipped on machines without a GPU.
class needs_gpu : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      static_cast<void>(cudaGetLastError());
      GTEST_SKIP() << "no GPU";
    }
  }
};

/// Expects that call() throws an error with this code and with `text` in its message.
template <class Call>
void expect_error(exactdot::errc code, const char* text, Call call) {
  try {
    call();
    ADD_FAILURE() << "no error: " << text;
  } catch (const exactdot::error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

}  // namespace on_gpu
