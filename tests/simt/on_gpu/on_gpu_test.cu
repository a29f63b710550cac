// exactdot::gpu on the CUDA runtime: a GPU accepts the simulator's launches, and failures have the right error
// code.
//
// Without a GPU the tests are skipped, and creating a stream throws no_device.
#include <gtest/gtest.h>

#include <exactdot/simt/cuda.hpp>

namespace {

namespace gpu = exactdot::gpu;
using exactdot::errc;

bool has_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

template <class Action>
errc code_of(Action action) {
  try {
    action();
  } catch (const exactdot::error& failure) {
    return failure.code();
  }
  throw std::logic_error("nothing was thrown");
}

/// Writes the last word of the block's dynamic shared memory and reads it.
__global__ void use_last_word(int* out, unsigned words) {
  int* const memory = gpu::dynamic_shared<int>();
  memory[words - 1] = 7;
  __syncthreads();
  *out = memory[words - 1];
}

int last_word(gpu::stream& stream, std::size_t bytes) {
  gpu::buffer<int> out(stream, 1);
  int value = 0;
  gpu::launch(use_last_word, 1, 1, bytes, stream, out.data(), static_cast<unsigned>(bytes / sizeof(int)));
  out.copy_to(&value, 1);
  return value;
}

TEST(on_gpu, a_stream_without_a_gpu_throws_no_device) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(code_of([] { const gpu::stream stream; }), errc::no_device);
}

TEST(on_gpu, launches_take_more_than_48_kib_of_shared_memory) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  gpu::stream stream;
  for (const std::size_t kib : {1, 48, 49, 96, 1}) EXPECT_EQ(last_word(stream, kib * 1024), 7) << kib;
}

TEST(on_gpu, refused_operations_throw_device_failure) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  gpu::stream stream;
  EXPECT_EQ(code_of([&] { last_word(stream, 1 << 20); }), errc::device_failure);
  gpu::buffer<int> out(stream, 1);
  EXPECT_EQ(code_of([&] { gpu::launch(use_last_word, 1, 4096, 4, stream, out.data(), 1U); }), errc::device_failure);
  EXPECT_EQ(code_of([&] { const gpu::buffer<char> all(stream, std::size_t{1} << 50); }), errc::device_failure);
  EXPECT_EQ(last_word(stream, 4), 7);  // usable afterwards
}

}  // namespace
