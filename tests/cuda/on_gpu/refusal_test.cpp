// What exactdot::dot and exactdot::cuda refuse on a GPU, what they say, and that the device stays usable.
#include <sys/mman.h>
#include <unistd.h>

#include <cuda/conveyor.hpp>
#include <exactdot/accumulator.hpp>
#include <exactdot/dot.hpp>
#include <thread>

#include "cuda/on_gpu/support.hpp"

namespace {

using namespace on_gpu;
using exactdot::device;
using exactdot::errc;
using exactdot::mode;
using exactdot::cuda_engine::limits;

class refusal : public needs_gpu {
 protected:
  void SetUp() override {
    needs_gpu::SetUp();
    if (IsSkipped()) return;
    there_ = std::make_unique<device_vector<float>>(ones_);
  }
  ~refusal() override { limits = {}; }

  [[nodiscard]] float dot(const float* a, const float* b, exactdot::options how = {}) const {
    return exactdot::dot<float>(a, b, ones_.size(), how);
  }
  void expect_usable() const {
    EXPECT_EQ(dot(there_->data(), there_->data()), 5000);
    EXPECT_EQ(dot(ones_.data(), ones_.data(), {.device = device::cuda}), 5000);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }

  const std::vector<float> ones_ = std::vector<float>(5000, 1.0F);
  std::unique_ptr<device_vector<float>> there_;
};

TEST(without_a_gpu, one_that_is_demanded_is_an_error_and_nothing_else_is) {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) GTEST_SKIP() << "there is a GPU";
  const std::vector<double> a = {1, 2}, b = {3, 4};
  exactdot::accumulator<double> sum;
  expect_refused(errc::no_device, "compute on the CPU",
                 [&] { return exactdot::dot(a, b, {.device = device::cuda}); });
  expect_refused(errc::no_device, "compute on the CPU",
                 [&] { return sum.add(std::span(a), std::span(b), {.device = device::cuda}), 0; });
  expect_refused(errc::no_device, "compute on the CPU", [] { return exactdot::cuda::workspace().device(); });
  EXPECT_EQ(exactdot::dot(a, b), 11);
  EXPECT_EQ(exactdot::dot(a, b, {.device = device::cpu}), 11);
}

TEST_F(refusal, of_device_memory_for_the_cpu) {
  const exactdot::options cpu = {.device = device::cpu};
  expect_refused(errc::bad_option, "b lies in the memory of cuda:0, which the CPU cannot read",
                 [&] { return dot(ones_.data(), there_->data(), cpu); });
  exactdot::accumulator<float> sum;
  const std::span<const float> a(ones_), b(there_->data(), ones_.size());
  expect_refused(errc::bad_option, "a lies in the memory of cuda:0", [&] { return sum.add(b, a, cpu), 0; });
  sum.add(a, b);
  EXPECT_EQ(sum.round<float>(), 5000);
  expect_usable();
}

TEST_F(refusal, of_a_gpu_that_is_not_there) {
  for (const int index : {-1, 99}) {
    expect_refused(errc::no_device, "this machine has ", [&] {
      return dot(ones_.data(), ones_.data(), {.device = device::cuda, .device_index = index});
    });
  }
  expect_refused(errc::bad_option, "a lies on cuda:0 and options.device_index is 99",
                 [&] { return dot(there_->data(), ones_.data(), {.device = device::cuda, .device_index = 99}); });
  expect_usable();
}

TEST_F(refusal, of_addresses_that_a_gpu_cannot_read) {
  const auto* const odd = reinterpret_cast<const float*>(reinterpret_cast<const char*>(there_->data()) + 2);
  expect_refused(errc::bad_option, "a is not aligned to its elements of 4 bytes",
                 [&] { return dot(odd, there_->data()); });
  expect_refused(errc::bad_option, "b is not aligned", [&] { return dot(ones_.data(), odd); });
  expect_refused(errc::null_pointer, "a null pointer", [&] { return dot(there_->data(), nullptr); });
  expect_usable();
}

TEST_F(refusal, of_an_error_that_the_caller_left) {
  EXPECT_EQ(cudaSetDevice(-5), cudaErrorInvalidDevice);
  expect_refused(errc::device_failure, "an earlier call of this thread",
                 [&] { return dot(there_->data(), there_->data()); });
  expect_usable();
  EXPECT_EQ(cudaSetDevice(-5), cudaErrorInvalidDevice);
  expect_refused(errc::device_failure, "an earlier call of this thread",
                 [&] { return dot(ones_.data(), ones_.data(), {.device = device::cuda}); });
  expect_usable();
}

TEST_F(refusal, of_a_workspace_that_another_call_uses) {
  exactdot::cuda::workspace on;
  on.own().in_use = true;
  const auto call = [&] { return exactdot::cuda::dot<float>(on, there_->data(), there_->data(), 5000); };
  expect_refused(errc::bad_option, "another thread is using this workspace", call);
  on.own().in_use = false;
  EXPECT_EQ(call(), 5000);
  EXPECT_EQ(call(), 5000);
  std::atomic<int> wrong{0}, refused{0};
  const auto many = [&] {
    for (int i = 0; i < 2000; ++i) {
      try {
        wrong += call() != 5000;
      } catch (const exactdot::error& why) {
        refused += 1, wrong += why.code() != errc::bad_option;
      }
    }
  };
  std::thread other(many);
  many();
  other.join();
  EXPECT_EQ(wrong, 0) << refused << " calls were refused";
  expect_usable();
}

TEST_F(refusal, of_vectors_for_which_no_chunk_is_left) {
  const std::vector<float> long_ones(5'000'000, 1.0F);
  limits.device_memory = std::size_t{20} << 20;
  EXPECT_EQ(exactdot::dot(long_ones, long_ones, {.device = device::cuda}), 5'000'000);
  limits = {.largest_chunk = std::size_t{1} << 23, .device_memory = std::size_t{3} << 20};
  expect_refused(errc::device_failure, "out of device memory",
                 [&] { return exactdot::dot(long_ones, long_ones, {.device = device::cuda}); });
  limits = {};
  expect_usable();
}

TEST_F(refusal, leaves_no_memory_behind) {
  const auto free_now = [] {
    std::size_t free = 0, total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    return free;
  };
  const auto leave = [&] {
    exactdot::monitor watch;
    watch.cancel = true;
    const exactdot::options how = {.device = device::cuda, .monitor = &watch};
    expect_refused(errc::cancelled, "", [&] { return dot(ones_.data(), ones_.data(), how); });
    limits = {.device_memory = 0};
    const std::vector<float> long_ones(5'000'000, 1.0F);
    expect_refused(errc::device_failure, "out of device memory",
                   [&] { return exactdot::dot(long_ones, long_ones, {.device = device::cuda}); });
    limits = {};
    exactdot::cuda::workspace on, moved(std::move(on));
    EXPECT_EQ(exactdot::cuda::dot<float>(moved, there_->data(), there_->data(), 5000), 5000);
    expect_usable();
  };
  leave();
  const std::size_t before = free_now();
  for (int i = 0; i < 20; ++i) leave();
  EXPECT_EQ(free_now(), before);
}

TEST_F(refusal, of_a_full_gpu) {
  if (std::getenv("EXACTDOT_TEST_WHOLE_GPU") == nullptr) GTEST_SKIP() << "EXACTDOT_TEST_WHOLE_GPU is not set";
  std::vector<void*> all;
  for (std::size_t bytes = std::size_t{1} << 36; bytes >= (1 << 16);) {
    void* taken = nullptr;
    if (cudaMalloc(&taken, bytes) == cudaSuccess) {
      all.push_back(taken);
    } else {
      bytes /= 2;
    }
  }
  static_cast<void>(cudaGetLastError());
  limits.largest_chunk = std::size_t{1} << 22;  // another size than the one that may be kept
  const std::vector<float> long_ones(5'000'000, 1.0F);
  const auto call = [&] { return exactdot::dot(long_ones, long_ones, {.device = device::cuda}); };
  expect_refused(errc::device_failure, "memory", call);
  for (void* const taken : all) cudaFree(taken);
  EXPECT_EQ(call(), 5'000'000);
  expect_usable();
}

TEST_F(refusal, of_more_work_after_a_lost_context) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto lose = [&] {
    exactdot::cuda::workspace on;
    for (const char* const part : {"illegal memory access", "start it again"}) {
      expect_refused(errc::device_failure, part, [&] {
        return exactdot::cuda::dot<float>(on, there_->data(), there_->data(), std::size_t{1} << 40);
      });
    }
    expect_refused(errc::device_failure, "start it again", [&] { return dot(there_->data(), there_->data()); });
    _exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(lose(), testing::ExitedWithCode(0), "");
  expect_usable();
}

TEST_F(refusal, of_nothing_for_vectors_larger_than_the_gpu) {
  if (std::getenv("EXACTDOT_TEST_WHOLE_GPU") == nullptr) GTEST_SKIP() << "EXACTDOT_TEST_WHOLE_GPU is not set";
  std::size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  constexpr std::size_t piece = std::size_t{1} << 30, length = piece / sizeof(float);
  const std::size_t pieces = total / piece + 2;
  const int pages = memfd_create("a gibibyte", 0);
  ASSERT_EQ(ftruncate(pages, piece), 0);
  void* const room = mmap(nullptr, pieces * piece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(room, MAP_FAILED);
  for (std::size_t i = 0; i < pieces; ++i) {
    ASSERT_NE(
        mmap(static_cast<char*>(room) + i * piece, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pages, 0),
        MAP_FAILED);
  }
  auto* const x = static_cast<float*>(room);
  for (std::size_t i = 0; i < length; ++i) x[i] = static_cast<float>(i % 1021) * 0x1p-7F - 3.0F;
  for (const mode m : {mode::exact, mode::fast}) {
    const std::size_t n = pieces * length - 5;
    EXPECT_TRUE(same_bits(exactdot::dot<double>(x, x + 3, n - 3, {.mode = m, .device = device::cuda}),
                          exactdot::dot<double>(x, x + 3, n - 3, {.mode = m, .device = device::cpu})));
  }
  munmap(room, pieces * piece);
  close(pages);
}

TEST_F(refusal, of_vectors_on_two_gpus) {
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  if (count < 2) GTEST_SKIP() << "one GPU";
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  const device_vector<float> other(ones_);
  exactdot::cuda::workspace on_other;
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  expect_refused(errc::bad_option, "b lies on cuda:1 and a on cuda:0",
                 [&] { return dot(there_->data(), other.data()); });
  expect_refused(errc::bad_option, "a lies on cuda:1 and options.device_index is 0",
                 [&] { return dot(other.data(), other.data(), {.device = device::cuda}); });
  EXPECT_EQ(dot(other.data(), other.data()), 5000);
  EXPECT_EQ(dot(other.data(), ones_.data(), {.device = device::cuda, .device_index = 1}), 5000);
  EXPECT_EQ(dot(ones_.data(), ones_.data(), {.device = device::cuda, .device_index = 1}), 5000);
  int current = -1;
  EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 0);
  const auto own_call = [&](const float* x) { return exactdot::cuda::dot<float>(on_other, x, x, 5000); };
  expect_refused(errc::bad_option, "device 0 is current", [&] { return own_call(other.data()); });
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  expect_refused(errc::bad_option, "a lies on device 0 and the workspace on device 1",
                 [&] { return own_call(there_->data()); });
  EXPECT_EQ(own_call(other.data()), 5000);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  expect_usable();
}

}  // namespace
