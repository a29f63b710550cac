// Accesses outside of shared arrays, by index and by pointer: reported, without effect on adjacent memory. Adjacent
// are shared variables of other kernels, and thread-local variables of the program and of the simulator.
#include "self_check.cuh"

namespace {
using namespace simt_test;

thread_local int initialised_host_variable = 5;
thread_local int host_variable;

__device__ [[gnu::noinline]] void put(int* to, int i) {
  to[i] = 1;  // out of bounds
}
__device__ [[gnu::noinline]] int get(const int* from, int i) {
  return from[i];  // out of bounds read
}

/// Instances with one array each; the arrays are adjacent in memory.
template <int>
__global__ void put_outside(int* out, int i) {
  __shared__ int values[32];
  values[threadIdx.x] = 7;
  __syncthreads();
  if (threadIdx.x == 5) put(values, i);
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}
template <int>
__global__ void get_outside(int* out, int i) {
  __shared__ int values[32];
  values[threadIdx.x] = 7;
  __syncthreads();
  out[threadIdx.x] = threadIdx.x == 5 ? get(values, i) : values[threadIdx.x];
}
__global__ void index_outside(int* out) {
  __shared__ int values[32];
  for (unsigned i = threadIdx.x; i <= 32; i += 32) {
    values[i] = 7;  // index
  }
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}
__global__ void write_to(int* address) { *address = 1; }

__global__ void reverse(failed_checks* checks) {
  __shared__ int values[32];
  const int value = static_cast<int>(threadIdx.x + 100 * blockIdx.x), other = value + 31 - 2 * (value % 100);
  values[threadIdx.x] = value;
  __syncthreads();
  expect(checks, values[31 - threadIdx.x] == other);
}

void expect_usable(gpu::stream& stream) { EXPECT_EQ(failures_of(stream, reverse, 2, 32, 0), ""); }

template <class Kernel>
void expect_reported(Kernel kernel, int i, const char* comment) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    const filled<int> out(stream, 32);
    gpu::launch(kernel, 1, 32, 0, stream, out.data(), i);
    EXPECT_TRUE(has_fault(stream, fault_kind::out_of_bounds, "shared", comment)) << i;
    ASSERT_EQ(stream.faults().size(), 1U) << faults_of(stream);
    const std::string variable =
        i < 0 ? std::to_string(-4 * i) + " bytes before values" : "values + " + std::to_string(4 * i) + " bytes";
    EXPECT_EQ(stream.faults().front().variable, variable);
    EXPECT_EQ(stream.faults().front().times, 1U);
    stream.clear();
    expect_usable(stream);
  }
}

TEST(simt_shared, reports_pointers_outside_an_array) {
  for (const int i : {32, 33, 40, -1, -3}) {
    expect_reported(put_outside<1>, i, "out of bounds");
    expect_reported(put_outside<2>, i, "out of bounds");
    expect_reported(put_outside<3>, i, "out of bounds");
    expect_reported(get_outside<1>, i, "out of bounds read");
    expect_reported(get_outside<2>, i, "out of bounds read");
  }
}

TEST(simt_shared, continues_after_an_index_outside_an_array) {
  for (const execution model : both_models) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      gpu::stream stream({.seed = seed, .model = model});
      const filled<int> out(stream, 32);
      gpu::launch(index_outside, 2, 32, 0, stream, out.data());
      EXPECT_TRUE(has_fault(stream, fault_kind::out_of_bounds, "array", "index"));
      for (const fault& found : stream.faults()) {
        EXPECT_TRUE(found.kind == fault_kind::out_of_bounds || found.space == "global") << found.text();
      }
      for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 7);
      stream.clear();
      expect_usable(stream);
    }
  }
}

TEST(simt_shared, restores_thread_local_variables_of_the_program) {
  host_variable = 3;
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    gpu::launch(write_to, 1, 1, 0, stream, &initialised_host_variable);
    EXPECT_TRUE(stream.has(fault_kind::out_of_bounds));
    gpu::launch(write_to, 9, 1, 0, stream, &host_variable);
    EXPECT_EQ(initialised_host_variable, 5);
    EXPECT_EQ(host_variable, 3);
    stream.clear();
    expect_usable(stream);
  }
}

}  // namespace
