// `extern __shared__` at file scope and in a kernel: all such arrays are one array of the launch's size, with a
// copy per block. CMakeLists.txt maps the names for the linker.
#include <exactdot/simt/cluster.hpp>

#include "self_check.cuh"

extern __shared__ unsigned words[];

__global__ void swap_neighbours(simt_test::failed_checks* checks) {
  words[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  __syncthreads();
  simt_test::expect(checks, words[threadIdx.x ^ 1U] == blockIdx.x * 100 + (threadIdx.x ^ 1U));
}
__global__ void halves(simt_test::failed_checks* checks) {
  extern __shared__ unsigned long long limbs[];
  words[2 * threadIdx.x] = threadIdx.x, words[2 * threadIdx.x + 1] = 1;
  simt_test::expect(checks, limbs[threadIdx.x] == (1ULL << 32 | threadIdx.x));
  simt_test::expect(checks, simt_test::gpu::dynamic_shared<unsigned>() == words);
}
__global__ void exchange_between_ranks(simt_test::failed_checks* checks) {
  words[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  simt_test::gpu::cluster_sync();
  const unsigned* const other = simt_test::gpu::map_shared_rank(words, simt_test::gpu::cluster_block_rank() ^ 1U);
  simt_test::expect(checks, other[threadIdx.x] == (blockIdx.x ^ 1U) * 100 + threadIdx.x);
  simt_test::gpu::cluster_sync();
}
__global__ void unwritten(simt_test::failed_checks* checks) {
  simt_test::expect(checks, words[threadIdx.x] == 0xcbcbcbcbU);  // unwritten
}
__global__ void without_barrier(simt_test::failed_checks*) {
  words[threadIdx.x] = 1;
  words[0] += words[threadIdx.x ^ 1U];  // without barrier
}

namespace {
using namespace simt_test;

TEST(simt_extern_shared, is_distributed_in_a_cluster) {
  expect_no_faults([](gpu::stream& stream) {
    const filled<failed_checks> checks(stream, 1);
    gpu::launch(exchange_between_ranks, 4, 64, 64 * 4, gpu::cluster_dimensions{2}, stream, checks.data());
    EXPECT_EQ(checks[0].count, 0);
  });
}

TEST(simt_extern_shared, is_the_launch_s_dynamic_shared_memory) {
  expect_all_hold(swap_neighbours, 20, 64, 64 * 4);  // more blocks than are resident
  expect_all_hold(halves, 2, 32, 32 * 8);
}

TEST(simt_extern_shared, is_checked_like_other_shared_memory) {
  gpu::stream stream;
  failures_of(stream, swap_neighbours, 1, 64, 63 * 4);
  EXPECT_TRUE(stream.has(fault_kind::out_of_bounds));
  stream.clear();
  failures_of(stream, unwritten, 1, 32, 32 * 4);
  EXPECT_TRUE(has_fault(stream, fault_kind::uninitialised_shared, "shared", "unwritten"));
  stream.clear();
  failures_of(stream, without_barrier, 1, 64, 64 * 4);
  EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "shared", "without barrier"));
}

}  // namespace
