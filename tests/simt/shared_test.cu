// Strays from shared arrays, by index and by pointer: named, and harmless to what lies beside them: the shared
// variables of other kernels, the thread-local ones of the program and of the simulator.
#include "self_check.cuh"

namespace {
using namespace simt_test;

thread_local int initialised_of_the_host = 5;
thread_local int of_the_host;

__device__ [[gnu::noinline]] void put(int* to, int i) {
  to[i] = 1;  // stray
}
__device__ [[gnu::noinline]] int get(const int* from, int i) {
  return from[i];  // stray read
}

/// Kernels alike, each with an array of its own, which lie side by side.
template <int>
__global__ void put_beside(int* out, int by) {
  __shared__ int own[32];
  own[threadIdx.x] = 7;
  __syncthreads();
  if (threadIdx.x == 5) put(own, by);
  __syncthreads();
  out[threadIdx.x] = own[threadIdx.x];
}
template <int>
__global__ void get_beside(int* out, int by) {
  __shared__ int own[32];
  own[threadIdx.x] = 7;
  __syncthreads();
  out[threadIdx.x] = threadIdx.x == 5 ? get(own, by) : own[threadIdx.x];
}
__global__ void index_beside(int* out) {
  __shared__ int own[32];
  for (unsigned i = threadIdx.x; i <= 32; i += 32) {
    own[i] = 7;  // index
  }
  __syncthreads();
  out[threadIdx.x] = own[threadIdx.x];
}
__global__ void write_to(int* where) {
  *where = 1;  // of the host
}

__global__ void turn(broken* to) {
  __shared__ int own[32];
  const int mine = static_cast<int>(threadIdx.x + 100 * blockIdx.x), other = mine + 31 - 2 * (mine % 100);
  own[threadIdx.x] = mine;
  __syncthreads();
  expect(to, own[31 - threadIdx.x] == other);
}

void expect_usable(stream& on) { EXPECT_EQ(lines_broken_by(on, turn, 2, 32, 0), ""); }

template <class Kernel>
void expect_named(Kernel kernel, int by, const char* comment) {
  for (const execution model : both_models) {
    stream on({.model = model});
    const filled<int> out(on, 32);
    gpu::launch(kernel, 1, 32, 0, on, out.data(), by);
    EXPECT_TRUE(has_fault(on, fault_kind::out_of_bounds, "shared", comment)) << by;
    ASSERT_EQ(on.faults().size(), 1U) << faults_of(on);
    const std::string where =
        by < 0 ? std::to_string(-4 * by) + " bytes before own" : "own + " + std::to_string(4 * by) + " bytes";
    EXPECT_EQ(on.faults().front().variable, where);
    EXPECT_EQ(on.faults().front().times, 1U);
    on.clear();
    expect_usable(on);
  }
}

TEST(simt_shared, names_pointers_beside_an_array) {
  for (const int by : {32, 33, 40, -1, -3}) {
    expect_named(put_beside<1>, by, "stray");
    expect_named(put_beside<2>, by, "stray");
    expect_named(put_beside<3>, by, "stray");
    expect_named(get_beside<1>, by, "stray read");
    expect_named(get_beside<2>, by, "stray read");
  }
}

TEST(simt_shared, goes_on_after_an_index_beside_an_array) {
  for (const execution model : both_models) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      stream on({.seed = seed, .model = model});
      const filled<int> out(on, 32);
      gpu::launch(index_beside, 2, 32, 0, on, out.data());
      EXPECT_TRUE(has_fault(on, fault_kind::out_of_bounds, "array", "index"));
      for (const fault& one : on.faults()) {
        EXPECT_TRUE(one.kind == fault_kind::out_of_bounds || one.space == "global") << one.text();
      }
      for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 7);
      on.clear();
      expect_usable(on);
    }
  }
}

TEST(simt_shared, leaves_thread_local_variables_of_the_program_as_they_were) {
  of_the_host = 3;
  for (const execution model : both_models) {
    stream on({.model = model});
    gpu::launch(write_to, 1, 1, 0, on, &initialised_of_the_host);
    EXPECT_TRUE(on.has(fault_kind::out_of_bounds));
    gpu::launch(write_to, 9, 1, 0, on, &of_the_host);
    EXPECT_EQ(initialised_of_the_host, 5);
    EXPECT_EQ(of_the_host, 3);
    on.clear();
    expect_usable(on);
  }
}

}  // namespace
