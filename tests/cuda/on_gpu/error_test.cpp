// Errors of exactdot::dot and exactdot::cuda on a GPU: codes, messages, and that the device remains usable.
#include <sys/mman.h>
#include <unistd.h>

#include <cuda/host/staging_pipeline.hpp>
#include <exactdot/accumulator.hpp>
#include <exactdot/dot.hpp>
#include <thread>

#include "cuda/on_gpu/support.hpp"

namespace {

using namespace on_gpu;
using exactdot::device;
using exactdot::errc;
using exactdot::mode;
using exactdot::cuda_engine::staging_pipeline;

class gpu_error : public needs_gpu {
 protected:
  void SetUp() override {
    needs_gpu::SetUp();
    if (IsSkipped()) return;
    on_device_ = std::make_unique<device_vector<float>>(ones_);
  }

  [[nodiscard]] float dot(const float* a, const float* b, exactdot::options options = {}) const {
    return exactdot::dot<float>(a, b, ones_.size(), options);
  }
  void expect_usable() const {
    EXPECT_EQ(dot(on_device_->data(), on_device_->data()), 5000);
    EXPECT_EQ(dot(ones_.data(), ones_.data(), {.device = device::cuda}), 5000);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }

  const std::vector<float> ones_ = std::vector<float>(5000, 1.0F);
  std::unique_ptr<device_vector<float>> on_device_;
};

TEST(without_a_gpu, only_calls_that_require_a_gpu_throw) {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) GTEST_SKIP() << "the machine has a GPU";
  const std::vector<double> a = {1, 2}, b = {3, 4};
  exactdot::accumulator<double> sum;
  expect_error(errc::no_device, "compute on the CPU",
               [&] { return exactdot::dot(a, b, {.device = device::cuda}); });
  expect_error(errc::no_device, "compute on the CPU",
               [&] { return sum.add(std::span(a), std::span(b), {.device = device::cuda}), 0; });
  expect_error(errc::no_device, "compute on the CPU", [] { return exactdot::cuda::workspace().device(); });
  EXPECT_EQ(exactdot::dot(a, b), 11);
  EXPECT_EQ(exactdot::dot(a, b, {.device = device::cpu}), 11);
}

TEST_F(gpu_error, rejects_device_memory_on_the_cpu) {
  const exactdot::options cpu = {.device = device::cpu};
  expect_error(errc::bad_option, "b lies in the memory of cuda:0, which the CPU cannot read",
               [&] { return dot(ones_.data(), on_device_->data(), cpu); });
  exactdot::accumulator<float> sum;
  const std::span<const float> a(ones_), b(on_device_->data(), ones_.size());
  expect_error(errc::bad_option, "a lies in the memory of cuda:0", [&] { return sum.add(b, a, cpu), 0; });
  sum.add(a, b);
  EXPECT_EQ(sum.round<float>(), 5000);
  expect_usable();
}

TEST_F(gpu_error, rejects_an_index_without_a_gpu) {
  for (const int index : {-1, 99}) {
    expect_error(errc::no_device, "this machine has ",
                 [&] { return dot(ones_.data(), ones_.data(), {.device = device::cuda, .device_index = index}); });
  }
  expect_error(errc::bad_option, "a lies on cuda:0 and the option device_index is 99",
               [&] { return dot(on_device_->data(), ones_.data(), {.device = device::cuda, .device_index = 99}); });
  expect_usable();
}

TEST_F(gpu_error, rejects_addresses_that_a_gpu_cannot_read) {
  const auto* const odd = reinterpret_cast<const float*>(reinterpret_cast<const char*>(on_device_->data()) + 2);
  expect_error(errc::bad_option, "a is not aligned to its elements of 4 bytes",
               [&] { return dot(odd, on_device_->data()); });
  expect_error(errc::bad_option, "b is not aligned", [&] { return dot(ones_.data(), odd); });
  expect_error(errc::null_pointer, "a null pointer", [&] { return dot(on_device_->data(), nullptr); });
  expect_usable();
}

TEST_F(gpu_error, reports_an_earlier_error_of_the_caller) {
  EXPECT_EQ(cudaSetDevice(-5), cudaErrorInvalidDevice);
  expect_error(errc::device_failure, "an earlier call of this thread",
               [&] { return dot(on_device_->data(), on_device_->data()); });
  expect_usable();
  EXPECT_EQ(cudaSetDevice(-5), cudaErrorInvalidDevice);
  expect_error(errc::device_failure, "an earlier call of this thread",
               [&] { return dot(ones_.data(), ones_.data(), {.device = device::cuda}); });
  expect_usable();
}

TEST_F(gpu_error, rejects_a_workspace_in_use) {
  exactdot::cuda::workspace workspace;
  workspace.library_storage().in_use = true;
  const auto call = [&] {
    return exactdot::cuda::dot<float>(workspace, on_device_->data(), on_device_->data(), 5000);
  };
  expect_error(errc::bad_option, "another thread is using this workspace", call);
  workspace.library_storage().in_use = false;
  EXPECT_EQ(call(), 5000);
  EXPECT_EQ(call(), 5000);
  if (is_simulated()) return;  // its runtime serves one thread at a time
  std::atomic<int> wrong{0}, rejected{0};
  const auto call_repeatedly = [&] {
    for (int i = 0; i < 2000; ++i) {
      try {
        wrong += call() != 5000;
      } catch (const exactdot::error& error) {
        rejected += 1, wrong += error.code() != errc::bad_option;
      }
    }
  };
  std::thread other(call_repeatedly);
  call_repeatedly();
  other.join();
  EXPECT_EQ(wrong, 0) << rejected << " calls were rejected";
  expect_usable();
}

TEST_F(gpu_error, reports_too_little_memory_for_a_chunk) {
  constexpr std::size_t mebi = std::size_t{1} << 20;
  EXPECT_EQ(staging_pipeline(20 * mebi, {.max_device_memory = 20 * mebi}).chunk(), 4 * mebi);
  expect_error(errc::device_failure, "out of device memory",
               [&] { return staging_pipeline(20 * mebi, {.max_device_memory = 3 * mebi}).chunk(); });
  expect_usable();
}

TEST_F(gpu_error, does_not_leak_memory) {
  const auto free_memory = [] {
    std::size_t free = 0, total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    return free;
  };
  const auto cause_errors = [&] {
    exactdot::monitor monitor;
    monitor.cancel = true;
    const exactdot::options options = {.device = device::cuda, .monitor = &monitor};
    expect_error(errc::cancelled, "", [&] { return dot(ones_.data(), ones_.data(), options); });
    expect_error(errc::device_failure, "out of device memory",
                 [&] { return staging_pipeline(20'000'000, {.max_device_memory = 0}).chunk(); });
    exactdot::cuda::workspace workspace, moved(std::move(workspace));
    EXPECT_EQ(exactdot::cuda::dot<float>(moved, on_device_->data(), on_device_->data(), 5000), 5000);
    expect_usable();
  };
  cause_errors();
  const std::size_t before = free_memory();
  for (int i = 0; i < 20; ++i) cause_errors();
  EXPECT_EQ(free_memory(), before);
}

TEST_F(gpu_error, reports_a_full_gpu) {
  if (std::getenv("EXACTDOT_TEST_WHOLE_GPU") == nullptr) GTEST_SKIP() << "EXACTDOT_TEST_WHOLE_GPU is not set";
  std::vector<void*> allocations;
  for (std::size_t bytes = std::size_t{1} << 36; bytes >= (1 << 16);) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) == cudaSuccess) {
      allocations.push_back(memory);
    } else {
      bytes /= 2;
    }
  }
  static_cast<void>(cudaGetLastError());
  const std::vector<float> long_ones(50'000'000, 1.0F);  // the pool has no pipeline for this length
  const auto call = [&] { return exactdot::dot(long_ones, long_ones, {.device = device::cuda}); };
  expect_error(errc::device_failure, "memory", call);
  for (void* const memory : allocations) cudaFree(memory);
  EXPECT_EQ(call(), 50'000'000);
  expect_usable();
}

TEST_F(gpu_error, rejects_calls_after_a_lost_context) {
  if (is_simulated()) GTEST_SKIP() << "the simulator reports the access and goes on";
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto lose_context = [&] {
    exactdot::cuda::workspace workspace;
    for (const char* const text : {"illegal memory access", "start it again"}) {
      expect_error(errc::device_failure, text, [&] {
        return exactdot::cuda::dot<float>(workspace, on_device_->data(), on_device_->data(), std::size_t{1} << 40);
      });
    }
    expect_error(errc::device_failure, "start it again",
                 [&] { return dot(on_device_->data(), on_device_->data()); });
    _exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(lose_context(), testing::ExitedWithCode(0), "");
  expect_usable();
}

TEST_F(gpu_error, does_not_occur_for_vectors_larger_than_device_memory) {
  if (std::getenv("EXACTDOT_TEST_WHOLE_GPU") == nullptr) GTEST_SKIP() << "EXACTDOT_TEST_WHOLE_GPU is not set";
  std::size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  constexpr std::size_t mapping_bytes = std::size_t{1} << 30, length = mapping_bytes / sizeof(float);
  const std::size_t mappings = total / mapping_bytes + 2;
  const int file = memfd_create("a gibibyte", 0);
  ASSERT_EQ(ftruncate(file, mapping_bytes), 0);
  void* const memory =
      mmap(nullptr, mappings * mapping_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  for (std::size_t i = 0; i < mappings; ++i) {
    ASSERT_NE(mmap(static_cast<char*>(memory) + i * mapping_bytes, mapping_bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED, file, 0),
              MAP_FAILED);
  }
  auto* const x = static_cast<float*>(memory);
  for (std::size_t i = 0; i < length; ++i) x[i] = static_cast<float>(i % 1021) * 0x1p-7F - 3.0F;
  for (const mode m : {mode::exact, mode::fast}) {
    const std::size_t n = mappings * length - 5;
    EXPECT_TRUE(same_bits(exactdot::dot<double>(x, x + 3, n - 3, {.mode = m, .device = device::cuda}),
                          exactdot::dot<double>(x, x + 3, n - 3, {.mode = m, .device = device::cpu})));
  }
  munmap(memory, mappings * mapping_bytes);
  close(file);
}

TEST_F(gpu_error, rejects_vectors_on_two_gpus) {
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  if (count < 2) GTEST_SKIP() << "the machine has one GPU";
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  const device_vector<float> other(ones_);
  exactdot::cuda::workspace on_other;
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  expect_error(errc::bad_option, "b lies on cuda:1 and a on cuda:0",
               [&] { return dot(on_device_->data(), other.data()); });
  expect_error(errc::bad_option, "a lies on cuda:1 and the option device_index is 0",
               [&] { return dot(other.data(), other.data(), {.device = device::cuda}); });
  EXPECT_EQ(dot(other.data(), other.data()), 5000);
  EXPECT_EQ(dot(other.data(), ones_.data(), {.device = device::cuda, .device_index = 1}), 5000);
  EXPECT_EQ(dot(ones_.data(), ones_.data(), {.device = device::cuda, .device_index = 1}), 5000);
  int current = -1;
  EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 0);
  const auto call_on_other = [&](const float* x) { return exactdot::cuda::dot<float>(on_other, x, x, 5000); };
  expect_error(errc::bad_option, "device 0 is current", [&] { return call_on_other(other.data()); });
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  expect_error(errc::bad_option, "a lies on device 0 and the workspace on device 1",
               [&] { return call_on_other(on_device_->data()); });
  EXPECT_EQ(call_on_other(other.data()), 5000);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  expect_usable();
}

}  // namespace
