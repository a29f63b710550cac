// What the tests on a GPU share: vectors in device memory, bits compared as bits, refusals by code and sentence.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <exactdot/error.hpp>
#include <random>
#include <string>
#include <vector>

namespace on_gpu {

template <class T>
class device_vector {
 public:
  explicit device_vector(const std::vector<T>& x) : device_vector(x.size()) {
    EXPECT_EQ(cudaMemcpy(data_, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  explicit device_vector(std::size_t n) {
    void* room = nullptr;
    EXPECT_EQ(cudaMalloc(&room, n * sizeof(T) + 16), cudaSuccess);
    EXPECT_EQ(cudaMemset(room, 0, n * sizeof(T) + 16), cudaSuccess);
    data_ = static_cast<T*>(room);
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

/// Skipped, by name, where there is no GPU.
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

template <class Call>
void expect_refused(exactdot::errc code, const char* part, Call call) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << part;
  } catch (const exactdot::error& why) {
    EXPECT_EQ(why.code(), code) << why.what();
    EXPECT_NE(std::string(why.what()).find(part), std::string::npos) << why.what();
  }
}

}  // namespace on_gpu
