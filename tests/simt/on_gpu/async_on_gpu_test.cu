// The correct kernels with clusters, mbarriers and asynchronous copies, on a GPU of compute capability 9.0 or
// later.
#include <gtest/gtest.h>

#include "../async_kernels.cuh"

namespace {

bool has_hopper() {
  int device = 0, major = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess && major >= 9;
}

TEST(async_on_gpu, sums_are_right) {
  if (!has_hopper()) GTEST_SKIP() << "no GPU of compute capability 9.0 or later";
  async_kernels::gpu::stream stream;
  for (int i = 0; i < 100; ++i) {
    for (const char* name : async_kernels::wrong_sums(stream)) ADD_FAILURE() << name;
  }
}

TEST(async_on_gpu, launches_refuse_clusters_that_do_not_divide_the_grid) {
  if (!has_hopper()) GTEST_SKIP() << "no GPU of compute capability 9.0 or later";
  async_kernels::gpu::stream stream;
  const async_kernels::sum_test test(stream, 64);
  const auto launch = [&](unsigned blocks, unsigned ranks) {
    async_kernels::gpu::launch(async_kernels::cluster_sum, blocks, 32, 0,
                               async_kernels::gpu::cluster_dimensions{ranks}, stream, test.x.data(), test.n,
                               test.out.data());
  };
  EXPECT_THROW(launch(6, 4), exactdot::error);
  EXPECT_THROW(launch(16, 16), exactdot::error);
  launch(8, 8);
  EXPECT_TRUE(test.is_right());
}

}  // namespace
