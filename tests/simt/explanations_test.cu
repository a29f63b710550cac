// One finding per fault: its cause, its fix, its sightings counted, its lines the user's.
#include <atomic>
#include <valarray>

#include "findings.hpp"

namespace {
using namespace simt_test;

__global__ void add(int* sum) {
  *sum += 1;  // update
}
__global__ void shift(int* x) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = x[i + 1] + 1;  // shift
}
__global__ void smooth(int* x) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = x[i] + x[i + 1];  // smooth
}
__global__ void shared_sum(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  sum += 1;  // shared sum
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}
__global__ void neighbour_in_block(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = 1;
  out[threadIdx.x] = values[63 - threadIdx.x];  // no barrier
}
__global__ void neighbour_in_warp(int* out) {
  __shared__ int values[32];
  values[threadIdx.x] = 1;
  out[threadIdx.x] = values[31 - threadIdx.x];  // no syncwarp
}
__global__ void equal_writes(int* x) {
  x[0] = 7;  // equal
}
__global__ void different_writes(int* x) {
  x[0] = static_cast<int>(threadIdx.x);  // different
}
__global__ void narrow(int* x) {
  atomicAdd_block(x, 1);  // narrow
}
__global__ void mixed(int* x) {
  if (threadIdx.x == 0) {
    x[0] = 0;  // plain
  } else {
    atomicAdd(x, 1);
  }
}
__global__ void no_acquire(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 1;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    *out = *data;  // no fence
  }
}
/// The access is in a function of the standard library.
__global__ void in_the_library(int* x) {
  std::exchange(*x, std::max(*x, 3));  // library
  std::atomic_ref<int>(x[1]).fetch_add(1);
}

const fault& only_fault(const gpu::stream& stream, const char* comment) {
  EXPECT_EQ(stream.faults().size(), 1U) << faults_of(stream);
  static const fault none;
  if (stream.faults().empty()) return none;
  EXPECT_TRUE(has_fault(stream, fault_kind::data_race, stream.faults().front().space, comment));
  return stream.faults().front();
}
const fault race_of(void (*kernel)(int*), unsigned blocks, unsigned threads, const char* comment) {
  gpu::stream stream;
  filled<int> x(stream, 64);
  gpu::launch(kernel, blocks, threads, 0, stream, x.data());
  return only_fault(stream, comment);
}

TEST(simt_explanations, one_fault_is_one_finding) {
  const fault found = race_of(add, 8, 64, "update");
  EXPECT_GT(found.times, 100U);
  EXPECT_EQ(found.fix, "an atomic function such as atomicAdd");
  EXPECT_NE(found.site.block.x, found.other_site.block.x) << found.text();  // not two lanes, which race too
  EXPECT_TRUE(found.text().ends_with("; seen " + std::to_string(found.times) + " times")) << found.text();
}

TEST(simt_explanations, an_update_of_a_neighbour_needs_order_rather_than_an_atomic_function) {
  const std::string launches = "two launches, or a flag with __threadfence() before its write and after its read";
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (const unsigned blocks : {2U, 8U, 32U}) {
      gpu::stream stream({.seed = seed});
      filled<int> x(stream, 64);
      gpu::launch(shift, blocks, 1, 0, stream, x.data());
      EXPECT_EQ(only_fault(stream, "shift").fix, launches) << "seed " << seed << ", " << blocks << " blocks";
    }
    gpu::stream stream({.seed = seed});
    filled<int> x(stream, 64);
    gpu::launch(shift, 1, 63, 0, stream, x.data());
    EXPECT_EQ(only_fault(stream, "shift").fix, "__syncthreads() between the two") << "seed " << seed;
  }
  EXPECT_EQ(race_of(smooth, 1, 63, "smooth").fix, "__syncthreads() between the two");
  EXPECT_EQ(race_of(smooth, 32, 1, "smooth").fix, launches);
  EXPECT_EQ(race_of(shared_sum, 1, 64, "shared sum").fix, "an atomic function such as atomicAdd");
}

TEST(simt_explanations, say_which_order_is_missing) {
  const std::string barrier = race_of(neighbour_in_block, 1, 64, "no barrier").text();
  EXPECT_NE(barrier.find("; no barrier between the two; fix: __syncthreads() between the two"), std::string::npos)
      << barrier;
  EXPECT_EQ(race_of(neighbour_in_warp, 1, 32, "no syncwarp").fix, "__syncwarp() between the two");
  EXPECT_EQ(race_of(narrow, 2, 1, "narrow").fix, "the function without _block");
  EXPECT_EQ(race_of(mixed, 1, 2, "plain").cause, "only one of the two is atomic");
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    gpu::stream stream({.seed = seed});
    filled<int> x(stream, 3);
    gpu::launch(no_acquire, 2, 1, 0, stream, x.data(), x.data() + 1, x.data() + 2);
    EXPECT_EQ(only_fault(stream, "no fence").cause, "no __threadfence() after the read of the flag");
  }
}

TEST(simt_explanations, say_whether_the_values_are_equal) {
  const std::string equal = race_of(equal_writes, 2, 32, "equal").text();
  EXPECT_NE(equal.find("; both write the same value, which is undefined too; fix: an element of its own for each thread"),
            std::string::npos)
      << equal;
  const fault different = race_of(different_writes, 1, 32, "different");
  EXPECT_EQ(different.values, exactdot::simt::written_values::different);
  EXPECT_EQ(different.text().find("same value"), std::string::npos);
}

TEST(simt_explanations, name_lines_of_the_user) {
  const fault found = race_of(in_the_library, 2, 1, "library");
  EXPECT_EQ(found.site.line, found.other_site.line);
}

}  // namespace
