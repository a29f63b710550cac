// What a launch brings along (dimensions, parameters, dynamic shared memory, variables of the program) and what
// ends it early: strays of every kind, traps, exceptions. After each of them the simulator goes on.
#undef NDEBUG  // asserts are among what is tested
#include <memory>
#include <stdexcept>

#include "self_check.cuh"

namespace {
using namespace simt_test;

struct parameters {
  const double* x;
  unsigned n;
  double scale[3];
};
__constant__ double table[4] = {1, 2, 4, 8};
__device__ int device_counter;
__device__ unsigned device_array[8];

__global__ void __launch_bounds__(64, 2)
    with_struct(broken* to, const __grid_constant__ parameters all, double* __restrict__ out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= all.n) return;
  const double* const scales = all.scale;
  out[i] = all.x[i] * scales[i % 3] + table[i % 4];
  expect(to, warpSize == 32);
}

__global__ void three_dimensions(broken* to) {
  expect(to, blockDim.x == 4 && blockDim.y == 3 && blockDim.z == 2);
  expect(to, gridDim.x == 2 && gridDim.y == 3 && gridDim.z == 4);
  expect(to, threadIdx.x < 4 && threadIdx.y < 3 && threadIdx.z < 2);
  expect(to, blockIdx.x < 2 && blockIdx.y < 3 && blockIdx.z < 4);
}

/// Two arrays in one dynamic stretch, the first of 64-bit limbs; in bytes 8·n + 4·n.
__global__ void dynamic(broken* to, unsigned n) {
  auto* const limbs = gpu::dynamic_shared<unsigned long long>();
  auto* const counts = reinterpret_cast<unsigned*>(limbs + n);
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) limbs[i] = 0, counts[i] = 0;
  __syncthreads();
  atomicAdd(&limbs[threadIdx.x % n], 1ULL << 33);
  atomicAdd(&counts[threadIdx.x % n], 1U);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) expect(to, limbs[i] == counts[i] * (1ULL << 33));
}

/// Shared variables of a file, of functions that kernels call, and of a lambda.
__shared__ int of_the_file[32];
__device__ int* scratch() {
  __shared__ int own[32];
  return own;
}
template <class T>
__device__ [[gnu::noinline]] T turned(T x) {
  __shared__ T own[32];
  own[threadIdx.x] = x;
  __syncthreads();
  return own[31 - threadIdx.x];
}
__global__ void uses_every_scope(broken* to) {
  const int mine = static_cast<int>(threadIdx.x + 100 * blockIdx.x), other = mine + 31 - 2 * (mine % 100);
  const auto in_a_lambda = [](int x) {
    __shared__ int own[32];
    own[threadIdx.x] = x;
    __syncthreads();
    return own[31 - threadIdx.x];
  };
  int* const borrowed = scratch();
  of_the_file[threadIdx.x] = borrowed[threadIdx.x] = mine;
  __syncthreads();
  expect(to, of_the_file[31 - threadIdx.x] == other && borrowed[31 - threadIdx.x] == other);
  expect(to, turned(mine) == other && turned(1.0 * mine) == other && in_a_lambda(mine) == other);
}

__global__ void count_in_variables(broken*) {
  atomicAdd(&device_counter, 1);
  atomicAdd(&device_array[threadIdx.x % 8], 1U);
}
__global__ void race_in_a_variable(broken*) {
  device_counter += 1;  // race in a variable
}
__global__ void add_one(int* x) { x[threadIdx.x] += 1; }
__global__ void write_to(int* where) {
  *where = 1;  // stray
}
__global__ void read_from(const int* where, int* out) {
  *out = *where;  // released
}
__global__ void trap(int* x) {
  if (threadIdx.x == 3) __trap();  // trap
  x[threadIdx.x] = 1;
}
__global__ void demand(int* x) {
  assert(threadIdx.x < 5);  // assert
  x[threadIdx.x] = 1;
}
__global__ void wide_read(const float* x, float4* out) {
  *out = *reinterpret_cast<const float4*>(x);  // wide
}
__global__ void narrow_read(const char* x, double* out) {
  *out = *reinterpret_cast<const double*>(x);  // narrow
}
struct [[gnu::packed]] packed {
  char first;
  double rest[2];
};
__global__ void packed_copy(const packed* x, packed* out) { out[threadIdx.x] = x[threadIdx.x]; }
__global__ void odd_atomic(char* x) {
  atomicAdd(reinterpret_cast<unsigned long long*>(x), 1ULL);  // odd atomic
}
__device__ int deep(volatile int* out, int n) {
  volatile int own[100] = {};
  own[n % 100] = n;
  return n == 0 ? *out : deep(out, n - 1) + own[n % 100];
}
__global__ void go_down(int* out, int n) { *out = deep(out, n); }
__global__ void say(broken*, int n) { std::printf("thread %u of %d: %.3f\n", threadIdx.x, n, 0.125); }
__global__ void fling(int*) {
  if (threadIdx.x == 2) throw std::runtime_error("flung");
}

/// An ordinary launch works, and finds nothing.
void expect_usable(stream& on) {
  on.clear();
  filled<int> x(on, 64);
  gpu::launch(add_one, 1, 64, 0, on, x.data());
  EXPECT_EQ(x[63], 1);
  EXPECT_EQ(faults_of(on), "");
}

TEST(simt_launch, brings_dimensions_and_parameters) {
  expect_whole(three_dimensions, dim3(2, 3, 4), dim3(4, 3, 2));
  stream on;
  const std::vector<double> numbers(100, 3.0);
  filled<double> x(on, 100, numbers.data()), out(on, 100);
  const parameters all{x.data(), 100, {1, 10, 100}};
  EXPECT_EQ(lines_broken_by(on, with_struct, 2, 64, 0, all, out.data()), "");
  EXPECT_EQ(out[5], 302);
}

TEST(simt_launch, brings_dynamic_shared_memory) {
  expect_whole(dynamic, 20, 64, 30 * 12, 30U);
  expect_whole(dynamic, 3, 96, 19000 * 12, 19000U);  // more than 48 KiB, which a GPU has to be asked for
}

TEST(simt_launch, shared_variables_may_be_those_of_functions_and_of_the_file) {
  expect_whole(uses_every_scope, 20, 32);
}

TEST(simt_launch, variables_of_the_program_are_global_memory) {
  device_counter = 0;
  expect_whole(count_in_variables, 3, 64);
  EXPECT_EQ(device_counter, 2 * 3 * 64);
  EXPECT_EQ(device_array[7], 2U * 3 * 8);
  stream on;
  lines_broken_by(on, race_in_a_variable, 4, 32, 0);
  EXPECT_TRUE(has_fault(on, fault_kind::data_race, "global", "race in a variable"));
}

TEST(simt_launch, streams_share_the_device) {
  stream one, two({.model = execution::lock_step});
  filled<int> x(one, 64);
  gpu::launch(add_one, 1, 64, 0, one, x.data());
  gpu::launch(add_one, 1, 64, 0, two, x.data());
  gpu::launch(add_one, 1, 64, 0, one, x.data());
  gpu::synchronise(two);
  EXPECT_EQ(x[9], 3);
  EXPECT_EQ(faults_of(one) + faults_of(two), "");
  EXPECT_EQ(one.counted().launches, 2U);
}

TEST(simt_launch, names_memory_of_the_host) {
  const auto on_the_heap = std::make_unique<int>(0);
  int on_the_stack = 0;
  for (int* where : {on_the_heap.get(), &on_the_stack, static_cast<int*>(nullptr)}) {
    stream on;
    gpu::launch(write_to, 1, 1, 0, on, where);
    EXPECT_TRUE(has_fault(on, fault_kind::out_of_bounds, "global", "stray"));
    EXPECT_EQ(on.faults().front().variable, "no memory of the device");
    expect_usable(on);
  }
  EXPECT_EQ(*on_the_heap + on_the_stack, 0);
}

TEST(simt_launch, names_memory_that_was_released) {
  stream on;
  const int* old = nullptr;
  filled<int> out(on, 1);
  {
    const filled<int> x(on, 25);
    old = x.data();
  }
  gpu::launch(read_from, 1, 1, 0, on, old + 5, out.data());
  EXPECT_TRUE(has_fault(on, fault_kind::out_of_bounds, "global", "released"));
  EXPECT_EQ(on.faults().front().variable, "released buffer of 100 bytes + 20");
  expect_usable(on);
}

TEST(simt_launch, ends_at_a_trap_or_an_assert) {
  for (const execution model : both_models) {
    stream on({.model = model});
    filled<int> x(on, 32);
    gpu::launch(trap, 2, 32, 0, on, x.data());
    EXPECT_TRUE(has_fault(on, fault_kind::trap, "", "trap"));
    EXPECT_EQ(on.faults().front().here.thread.x, 3U);
    expect_usable(on);
    gpu::launch(demand, 1, 32, 0, on, x.data());
    EXPECT_TRUE(has_fault(on, fault_kind::trap, "", "assert"));
    EXPECT_EQ(on.faults().front().variable, "threadIdx.x < 5");
    expect_usable(on);
  }
}

TEST(simt_launch, names_addresses_that_are_not_aligned) {
  stream on;
  filled<float> x(on, 64);
  filled<double> out(on, 2);
  auto* const bytes = reinterpret_cast<char*>(x.data());
  gpu::launch(narrow_read, 1, 1, 0, on, bytes + 4, out.data());
  EXPECT_TRUE(has_fault(on, fault_kind::misaligned, "global", "narrow"));
  EXPECT_EQ(on.faults().front().variable, "buffer of 256 bytes + 4");
  expect_usable(on);
  gpu::launch(odd_atomic, 1, 1, 0, on, bytes + 4);
  EXPECT_TRUE(has_fault(on, fault_kind::misaligned, "global", "odd atomic"));
  expect_usable(on);
  gpu::buffer<float4> wide(on, 1);
  // Clang copies vectors without a promise that they are aligned
#if !defined(__clang__)
  for (int first : {1, 2, 3}) {
    gpu::launch(wide_read, 1, 1, 0, on, x.data() + first, wide.data());
    EXPECT_TRUE(has_fault(on, fault_kind::misaligned, "global", "wide")) << first;
    expect_usable(on);
  }
#endif
  gpu::launch(wide_read, 1, 1, 0, on, x.data() + 4, wide.data());
  filled<packed> from(on, 9), to(on, 9);
  gpu::launch(packed_copy, 1, 9, 0, on, from.data(), to.data());
  EXPECT_EQ(faults_of(on), "");
}

TEST(simt_launch, ends_where_a_stack_overflows) {
  stream on;
  filled<int> out(on, 1);
  gpu::launch(go_down, 1, 2, 0, on, out.data(), 100000);
  EXPECT_TRUE(on.has(fault_kind::trap)) << faults_of(on);
  expect_usable(on);
}

TEST(simt_launch, prints) {
  stream on;
  testing::internal::CaptureStdout();
  lines_broken_by(on, say, 1, 4, 0, 4);
  const std::string text = testing::internal::GetCapturedStdout();
  for (const char* line : {"thread 0 of 4: 0.125\n", "thread 3 of 4: 0.125\n"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(simt_launch, passes_exceptions_on) {
  stream on;
  filled<int> x(on, 1);
  EXPECT_THROW(gpu::launch(fling, 4, 32, 0, on, x.data()), std::runtime_error);
  expect_usable(on);
}

TEST(simt_launch, asserts_of_the_host_still_abort) {
  const int three = 3;
  EXPECT_DEATH(assert(three == 4), "launch_test.*three == 4");
}

}  // namespace
