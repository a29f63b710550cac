// Launches: dimensions, parameters, dynamic shared memory, variables of the program; and what ends a launch early:
// addresses out of bounds, misaligned addresses, traps, exceptions. The simulator stays usable after each.
#undef NDEBUG  // asserts are tested
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
    with_struct(failed_checks* checks, const __grid_constant__ parameters all, double* __restrict__ out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= all.n) return;
  const double* const scales = all.scale;
  out[i] = all.x[i] * scales[i % 3] + table[i % 4];
  expect(checks, warpSize == 32);
}

__global__ void three_dimensions(failed_checks* checks) {
  expect(checks, blockDim.x == 4 && blockDim.y == 3 && blockDim.z == 2);
  expect(checks, gridDim.x == 2 && gridDim.y == 3 && gridDim.z == 4);
  expect(checks, threadIdx.x < 4 && threadIdx.y < 3 && threadIdx.z < 2);
  expect(checks, blockIdx.x < 2 && blockIdx.y < 3 && blockIdx.z < 4);
}

/// Two arrays in dynamic shared memory: n 64-bit limbs, then n counts; 8·n + 4·n bytes.
__global__ void dynamic(failed_checks* checks, unsigned n) {
  auto* const limbs = gpu::dynamic_shared<unsigned long long>();
  auto* const counts = reinterpret_cast<unsigned*>(limbs + n);
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) limbs[i] = 0, counts[i] = 0;
  __syncthreads();
  atomicAdd(&limbs[threadIdx.x % n], 1ULL << 33);
  atomicAdd(&counts[threadIdx.x % n], 1U);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) expect(checks, limbs[i] == counts[i] * (1ULL << 33));
}

/// Shared variables of a file, of functions that kernels call, and of a lambda.
__shared__ int of_the_file[32];
__device__ int* scratch() {
  __shared__ int values[32];
  return values;
}
template <class T>
__device__ [[gnu::noinline]] T reversed(T x) {
  __shared__ T values[32];
  values[threadIdx.x] = x;
  __syncthreads();
  return values[31 - threadIdx.x];
}
__global__ void uses_every_scope(failed_checks* checks) {
  const int value = static_cast<int>(threadIdx.x + 100 * blockIdx.x), other = value + 31 - 2 * (value % 100);
  const auto reversed_by_lambda = [](int x) {
    __shared__ int values[32];
    values[threadIdx.x] = x;
    __syncthreads();
    return values[31 - threadIdx.x];
  };
  int* const of_a_function = scratch();
  of_the_file[threadIdx.x] = of_a_function[threadIdx.x] = value;
  __syncthreads();
  expect(checks, of_the_file[31 - threadIdx.x] == other && of_a_function[31 - threadIdx.x] == other);
  expect(checks, reversed(value) == other && reversed(1.0 * value) == other && reversed_by_lambda(value) == other);
}

__global__ void count_in_variables(failed_checks*) {
  atomicAdd(&device_counter, 1);
  atomicAdd(&device_array[threadIdx.x % 8], 1U);
}
__global__ void race_in_a_variable(failed_checks*) {
  device_counter += 1;  // race in a variable
}
__global__ void add_one(int* x) { x[threadIdx.x] += 1; }
__global__ void write_to(int* address) {
  *address = 1;  // host memory
}
__global__ void read_from(const int* address, int* out) {
  *out = *address;  // released
}
__global__ void trap(int* x) {
  if (threadIdx.x == 3) __trap();  // trap
  x[threadIdx.x] = 1;
}
__global__ void failed_assert(int* x) {
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
__device__ int recursion(volatile int* out, int n) {
  volatile int frame[100] = {};
  frame[n % 100] = n;
  return n == 0 ? *out : recursion(out, n - 1) + frame[n % 100];
}
__global__ void recurse(int* out, int n) { *out = recursion(out, n); }
__global__ void print(failed_checks*, int n) { std::printf("thread %u of %d: %.3f\n", threadIdx.x, n, 0.125); }
__global__ void throw_exception(int*) {
  if (threadIdx.x == 2) throw std::runtime_error("thrown");
}

/// Expects that a correct launch computes its result and reports nothing.
void expect_usable(gpu::stream& stream) {
  stream.clear();
  filled<int> x(stream, 64);
  gpu::launch(add_one, 1, 64, 0, stream, x.data());
  EXPECT_EQ(x[63], 1);
  EXPECT_EQ(faults_of(stream), "");
}

TEST(simt_launch, passes_dimensions_and_parameters) {
  expect_all_hold(three_dimensions, dim3(2, 3, 4), dim3(4, 3, 2));
  gpu::stream stream;
  const std::vector<double> numbers(100, 3.0);
  filled<double> x(stream, 100, numbers.data()), out(stream, 100);
  const parameters all{x.data(), 100, {1, 10, 100}};
  EXPECT_EQ(failures_of(stream, with_struct, 2, 64, 0, all, out.data()), "");
  EXPECT_EQ(out[5], 302);
}

TEST(simt_launch, provides_dynamic_shared_memory) {
  expect_all_hold(dynamic, 20, 64, 30 * 12, 30U);
  expect_all_hold(dynamic, 3, 96, 19000 * 12, 19000U);  // more than 48 KiB, for which a GPU needs an attribute
}

TEST(simt_launch, shared_variables_may_belong_to_functions_and_to_the_file) {
  expect_all_hold(uses_every_scope, 20, 32);
}

TEST(simt_launch, variables_of_the_program_are_global_memory) {
  device_counter = 0;
  expect_all_hold(count_in_variables, 3, 64);
  EXPECT_EQ(device_counter, 2 * 3 * 64);
  EXPECT_EQ(device_array[7], 2U * 3 * 8);
  gpu::stream stream;
  failures_of(stream, race_in_a_variable, 4, 32, 0);
  EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "race in a variable"));
}

TEST(simt_launch, streams_share_the_device) {
  gpu::stream first, second({.model = execution::lock_step});
  filled<int> x(first, 64);
  gpu::launch(add_one, 1, 64, 0, first, x.data());
  gpu::launch(add_one, 1, 64, 0, second, x.data());
  gpu::launch(add_one, 1, 64, 0, first, x.data());
  gpu::synchronise(second);
  EXPECT_EQ(x[9], 3);
  EXPECT_EQ(faults_of(first) + faults_of(second), "");
  EXPECT_EQ(first.counted().launches, 2U);
}

TEST(simt_launch, reports_host_memory) {
  const auto on_the_heap = std::make_unique<int>(0);
  int on_the_stack = 0;
  for (int* address : {on_the_heap.get(), &on_the_stack, static_cast<int*>(nullptr)}) {
    gpu::stream stream;
    gpu::launch(write_to, 1, 1, 0, stream, address);
    EXPECT_TRUE(has_fault(stream, fault_kind::out_of_bounds, "global", "host memory"));
    EXPECT_EQ(stream.faults().front().variable, address == nullptr ? "a null pointer" : "host memory");
    expect_usable(stream);
  }
  EXPECT_EQ(*on_the_heap + on_the_stack, 0);
}

TEST(simt_launch, reports_released_memory) {
  gpu::stream stream;
  const int* old = nullptr;
  filled<int> out(stream, 1);
  {
    const filled<int> x(stream, 25);
    old = x.data();
  }
  gpu::launch(read_from, 1, 1, 0, stream, old + 5, out.data());
  EXPECT_TRUE(has_fault(stream, fault_kind::out_of_bounds, "global", "released"));
  EXPECT_EQ(stream.faults().front().variable, "released buffer of 100 bytes + 20");
  expect_usable(stream);
}

TEST(simt_launch, ends_at_a_trap_or_an_assert) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    filled<int> x(stream, 32);
    gpu::launch(trap, 2, 32, 0, stream, x.data());
    EXPECT_TRUE(has_fault(stream, fault_kind::trap, "", "trap"));
    EXPECT_EQ(stream.faults().front().site.thread.x, 3U);
    expect_usable(stream);
    gpu::launch(failed_assert, 1, 32, 0, stream, x.data());
    EXPECT_TRUE(has_fault(stream, fault_kind::trap, "", "assert"));
    EXPECT_EQ(stream.faults().front().variable, "threadIdx.x < 5");
    expect_usable(stream);
  }
}

TEST(simt_launch, reports_misaligned_addresses) {
  gpu::stream stream;
  filled<float> x(stream, 64);
  filled<double> out(stream, 2);
  auto* const bytes = reinterpret_cast<char*>(x.data());
  gpu::launch(narrow_read, 1, 1, 0, stream, bytes + 4, out.data());
  EXPECT_TRUE(has_fault(stream, fault_kind::misaligned, "global", "narrow"));
  EXPECT_EQ(stream.faults().front().variable, "buffer of 256 bytes + 4");
  expect_usable(stream);
  gpu::launch(odd_atomic, 1, 1, 0, stream, bytes + 4);
  EXPECT_TRUE(has_fault(stream, fault_kind::misaligned, "global", "odd atomic"));
  expect_usable(stream);
  gpu::buffer<float4> wide(stream, 1);
  // Clang copies vectors with instructions that need no alignment
#if !defined(__clang__)
  for (int first : {1, 2, 3}) {
    gpu::launch(wide_read, 1, 1, 0, stream, x.data() + first, wide.data());
    EXPECT_TRUE(has_fault(stream, fault_kind::misaligned, "global", "wide")) << first;
    expect_usable(stream);
  }
#endif
  gpu::launch(wide_read, 1, 1, 0, stream, x.data() + 4, wide.data());
  filled<packed> from(stream, 9), to(stream, 9);
  gpu::launch(packed_copy, 1, 9, 0, stream, from.data(), to.data());
  EXPECT_EQ(faults_of(stream), "");
}

TEST(simt_launch, ends_when_a_stack_overflows) {
  gpu::stream stream;
  filled<int> out(stream, 1);
  gpu::launch(recurse, 1, 2, 0, stream, out.data(), 100000);
  EXPECT_TRUE(stream.has(fault_kind::trap)) << faults_of(stream);
  expect_usable(stream);
}

TEST(simt_launch, prints) {
  gpu::stream stream;
  testing::internal::CaptureStdout();
  failures_of(stream, print, 1, 4, 0, 4);
  const std::string text = testing::internal::GetCapturedStdout();
  for (const char* line : {"thread 0 of 4: 0.125\n", "thread 3 of 4: 0.125\n"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(simt_launch, passes_exceptions_on) {
  gpu::stream stream;
  filled<int> x(stream, 1);
  EXPECT_THROW(gpu::launch(throw_exception, 4, 32, 0, stream, x.data()), std::runtime_error);
  expect_usable(stream);
}

TEST(simt_launch, asserts_of_the_host_still_abort) {
  const int three = 3;
  EXPECT_DEATH(assert(three == 4), "launch_test.*three == 4");
}

}  // namespace
