// `extern __shared__` as CUDA spells it, at file scope and in a kernel: the arrays are one, of the launch's size,
// and each block has its own. The linker is told by CMakeLists.txt what the names stand for.
#include "self_check.cuh"

extern __shared__ unsigned words[];

__global__ void turn(simt_test::broken* to) {
  words[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  __syncthreads();
  simt_test::expect(to, words[threadIdx.x ^ 1U] == blockIdx.x * 100 + (threadIdx.x ^ 1U));
}
__global__ void halves(simt_test::broken* to) {
  extern __shared__ unsigned long long limbs[];
  words[2 * threadIdx.x] = threadIdx.x, words[2 * threadIdx.x + 1] = 1;
  simt_test::expect(to, limbs[threadIdx.x] == (1ULL << 32 | threadIdx.x));
  simt_test::expect(to, simt_test::gpu::dynamic_shared<unsigned>() == words);
}
__global__ void unwritten(simt_test::broken* to) {
  simt_test::expect(to, words[threadIdx.x] == 0xcbcbcbcbU);  // unwritten
}
__global__ void without_barrier(simt_test::broken*) {
  words[threadIdx.x] = 1;
  words[0] += words[threadIdx.x ^ 1U];  // without barrier
}

namespace {
using namespace simt_test;

TEST(simt_extern_shared, is_the_launch_s_dynamic_memory) {
  expect_whole(turn, 20, 64, 64 * 4);  // more blocks than are resident
  expect_whole(halves, 2, 32, 32 * 8);
}

TEST(simt_extern_shared, is_watched_like_any_other) {
  stream on;
  lines_broken_by(on, turn, 1, 64, 63 * 4);
  EXPECT_TRUE(on.has(fault_kind::out_of_bounds));
  on.clear();
  lines_broken_by(on, unwritten, 1, 32, 32 * 4);
  EXPECT_TRUE(has_fault(on, fault_kind::uninitialised_shared, "shared", "unwritten"));
  on.clear();
  lines_broken_by(on, without_barrier, 1, 64, 64 * 4);
  EXPECT_TRUE(has_fault(on, fault_kind::data_race, "shared", "without barrier"));
}

}  // namespace
