// exactdot::gpu by the CUDA runtime: launches that the simulator takes a GPU takes too, and what fails says how.
//
// Skipped, by name, where there is no GPU; there a stream says so.
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

/// The last word of the block's dynamic shared memory goes once through it.
__global__ void touch_the_last(int* out, unsigned words) {
  int* const all = gpu::dynamic_shared<int>();
  all[words - 1] = 7;
  __syncthreads();
  *out = all[words - 1];
}

int last_of(gpu::stream& stream, std::size_t bytes) {
  gpu::buffer<int> out(stream, 1);
  int value = 0;
  gpu::launch(touch_the_last, 1, 1, bytes, stream, out.data(), static_cast<unsigned>(bytes / sizeof(int)));
  out.copy_to(&value, 1);
  return value;
}

TEST(on_gpu, a_stream_without_a_gpu_says_so) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(code_of([] { const gpu::stream stream; }), errc::no_device);
}

TEST(on_gpu, launches_take_more_than_48_kib_of_shared_memory) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  gpu::stream stream;
  for (const std::size_t kib : {1, 48, 49, 96, 1}) EXPECT_EQ(last_of(stream, kib * 1024), 7) << kib;
}

TEST(on_gpu, what_cuda_refuses_is_no_missing_device) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  gpu::stream stream;
  EXPECT_EQ(code_of([&] { last_of(stream, 1 << 20); }), errc::device_failure);
  gpu::buffer<int> out(stream, 1);
  EXPECT_EQ(code_of([&] { gpu::launch(touch_the_last, 1, 4096, 4, stream, out.data(), 1U); }),
            errc::device_failure);
  EXPECT_EQ(code_of([&] { const gpu::buffer<char> all(stream, std::size_t{1} << 50); }), errc::device_failure);
  EXPECT_EQ(last_of(stream, 4), 7);  // and goes on
}

}  // namespace
