// Faults of memory other than races: results that no kernel wrote, local arrays overrun through a pointer, writes
// to
// __constant__ variables, vectors at odd addresses.
#include <exactdot/error.hpp>

#include "findings.hpp"
#include "simt/uninstrumented.hpp"

namespace {
using namespace simt_test;

__constant__ int limits[4] = {1, 2, 3, 4};

__global__ void write_half(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = 1;
}
struct padded {
  char tag;
  double value;
};
__global__ void write_members(padded* out) {
  out[threadIdx.x].tag = 'x';
  out[threadIdx.x].value = 1;
}
[[gnu::noinline]] __device__ void fill(int* to, int n) {
  for (int i = 0; i < n; ++i) to[i] = i;
}
[[gnu::noinline]] __device__ int sum_of_filled(int n) {
  int values[8];
  fill(values, n);
  return values[3];  // overrun by a function
}
__global__ void overrun_by_a_function(int* out, int n) { out[0] = sum_of_filled(n); }
__global__ void overrun_by_a_pointer(int* out, int n) {
  int values[8] = {};
  int* const p = values;
  for (int i = 0; i < n; ++i) p[i] = i + out[0];  // overrun by a pointer
  for (int i = 0; i < 8; ++i) out[1 + i] = values[i];
}
__global__ void write_constant(int* out) {
  int* const target = limits;
  if (threadIdx.x == 3) target[2] = 5;  // write of a constant
  out[threadIdx.x] = limits[threadIdx.x];
}
__global__ void read_constant(int* out) { out[threadIdx.x] = limits[threadIdx.x]; }
__global__ void copy_vector(const float* x, float4* out) {
  *out = *reinterpret_cast<const float4*>(x);  // whole vector
}
__global__ void read_member(const float* x, float* out) {
  *out = reinterpret_cast<const float4*>(x)->y;  // member
}
__global__ void store_pair(double* out) {
  *reinterpret_cast<double2*>(out) = make_double2(1, 2);  // pair
}

TEST(simt_memory, reports_results_that_no_kernel_wrote) {
  gpu::stream stream;
  const gpu::buffer<int> out(stream, 32);
  gpu::launch(write_half, 1, 32, 0, stream, out.data());
  int host[32];
  out.copy_to(host, 16);
  EXPECT_EQ(faults_of(stream), "");
  for (int i = 0; i < 2; ++i) out.copy_to(host, 32);  // unwritten result
  EXPECT_TRUE(has_fault(stream, fault_kind::uninitialised_global, "global", "unwritten result"));
  ASSERT_EQ(stream.faults().size(), 1U);
  EXPECT_EQ(stream.faults().front().variable, "buffer of 128 bytes + 64");
  EXPECT_EQ(stream.faults().front().times, 2U);
}

TEST(simt_memory, padding_is_no_unwritten_result) {
  gpu::stream stream;
  const gpu::buffer<padded> out(stream, 4);
  gpu::launch(write_members, 1, 4, 0, stream, out.data());
  padded host[4];
  out.copy_to(host, 4);
  EXPECT_EQ(faults_of(stream), "");
}

TEST(simt_memory, reports_local_arrays_overrun_through_a_pointer) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    filled<int> out(stream, 16);
    gpu::launch(overrun_by_a_function, 1, 1, 0, stream, out.data(), 24);
    ASSERT_TRUE(stream.has(fault_kind::out_of_bounds)) << faults_of(stream);
    EXPECT_EQ(stream.faults().front().space, "array");
    EXPECT_NE(stream.faults().front().site.line, 0);
    stream.clear();
    gpu::launch(overrun_by_a_pointer, 1, 1, 0, stream, out.data(), 10);
    EXPECT_TRUE(stream.has(fault_kind::out_of_bounds)) << faults_of(stream);
  }
  expect_no_faults([](gpu::stream& stream) {
    filled<int> out(stream, 16);
    gpu::launch(overrun_by_a_function, 1, 1, 0, stream, out.data(), 8);
    gpu::launch(overrun_by_a_pointer, 1, 1, 0, stream, out.data(), 8);
  });
}

TEST(simt_memory, reports_writes_to_constant_memory) {
  gpu::stream stream;
  filled<int> out(stream, 4);
  gpu::launch(read_constant, 1, 4, 0, stream, out.data());
  EXPECT_EQ(out[3], 4);
  EXPECT_EQ(faults_of(stream), "");
  gpu::launch(write_constant, 1, 4, 0, stream, out.data());
  EXPECT_TRUE(has_fault(stream, fault_kind::constant_write, "global", "write of a constant"));
}

/// Clang copies whole vectors by functions that know no alignment.
#if defined(__clang__)
constexpr bool sees_whole_vectors = false;
#else
constexpr bool sees_whole_vectors = true;
#endif

TEST(simt_memory, reports_misaligned_vectors) {
  const auto expect_misaligned = [](auto launch, const std::string& comment) {
    if (comment != "member" && !sees_whole_vectors) return;
    gpu::stream stream;
    filled<float> x(stream, 64);
    launch(stream, x.data());
    EXPECT_TRUE(has_fault(stream, fault_kind::misaligned, "global", comment));
  };
  for (const int offset : {1, 2, 3}) {
    expect_misaligned(
        [=](gpu::stream& stream, float* x) {
          gpu::launch(copy_vector, 1, 1, 0, stream, x + offset, reinterpret_cast<float4*>(x + 32));
        },
        "whole vector");
    expect_misaligned(
        [=](gpu::stream& stream, float* x) { gpu::launch(read_member, 1, 1, 0, stream, x + offset, x + 32); },
        "member");
  }
  expect_misaligned([](gpu::stream& stream,
                       float* x) { gpu::launch(store_pair, 1, 1, 0, stream, reinterpret_cast<double*>(x) + 1); },
                    "pair");
  expect_no_faults([](gpu::stream& stream) {
    filled<float> x(stream, 64);
    gpu::launch(copy_vector, 1, 1, 0, stream, x.data() + 4, reinterpret_cast<float4*>(x.data() + 32));
    gpu::launch(read_member, 1, 1, 0, stream, x.data() + 8, x.data());
    gpu::launch(store_pair, 1, 1, 0, stream, reinterpret_cast<double*>(x.data()) + 2);
  });
}

TEST(simt_memory, a_kernel_without_instrumentation_is_an_error) {
  gpu::stream stream;
  EXPECT_THROW(launch_uninstrumented(stream), exactdot::error);
}

}  // namespace
