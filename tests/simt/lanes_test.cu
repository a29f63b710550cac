// Shuffles that read lanes that do not take part, and widths that CUDA does not define.
#include "findings.hpp"

namespace {
using namespace simt_test;

constexpr unsigned all = 0xffffffffU;

__global__ void outside_of_the_mask(int* out) {
  int x = static_cast<int>(threadIdx.x);
  if (threadIdx.x < 16) x += __shfl_down_sync(0xffffU, x, 8);  // outside of the mask
  out[threadIdx.x] = x;
}
__global__ void within_the_mask(int* out) {
  int x = static_cast<int>(threadIdx.x);
  if (threadIdx.x < 16) x += __shfl_down_sync(0xffffU, x, 8, 16);
  out[threadIdx.x] = x;
}
__global__ void from_a_lane_that_ended(int* out) {
  if (threadIdx.x >= 20) return;
  __syncwarp(0xfffffU);
  for (int i = 0; i < 20; ++i) out[threadIdx.x] = i;
  out[threadIdx.x] = __shfl_sync(all, 1, 25);  // ended
}
__global__ void from_the_lanes_left(int* out) {
  if (threadIdx.x >= 20) return;
  out[threadIdx.x] = __shfl_sync(0xfffffU, static_cast<int>(threadIdx.x), 19);
}
__global__ void sum_of_a_short_warp(int* out) {
  int x = 1;
  for (unsigned half = 16; half > 0; half /= 2) x += __shfl_down_sync(all, x, half);  // short warp
  if (threadIdx.x == 0) *out = x;
}
__global__ void width_of(int* out, int width) {
  out[threadIdx.x] = __shfl_xor_sync(all, static_cast<int>(threadIdx.x), 1, width);  // width
}

TEST(simt_lanes, reports_a_source_outside_of_the_mask) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    filled<int> out(stream, 32);
    gpu::launch(outside_of_the_mask, 1, 32, 0, stream, out.data());
    EXPECT_TRUE(has_fault(stream, fault_kind::missing_lanes, "", "outside of the mask"));
    ASSERT_EQ(stream.faults().size(), 1U) << faults_of(stream);
    EXPECT_TRUE(stream.faults().front().variable.ends_with(" is not in the mask")) << faults_of(stream);
  }
}

TEST(simt_lanes, reports_a_source_that_has_ended_or_is_not_there) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    filled<int> out(stream, 32);
    gpu::launch(from_a_lane_that_ended, 1, 32, 0, stream, out.data());
    EXPECT_TRUE(has_fault(stream, fault_kind::missing_lanes, "", "ended"));
    EXPECT_EQ(stream.faults().front().variable, "lane 25 has ended") << faults_of(stream);
    stream.clear();
    gpu::launch(sum_of_a_short_warp, 1, 24, 0, stream, out.data());
    EXPECT_TRUE(has_fault(stream, fault_kind::missing_lanes, "", "short warp"));
    EXPECT_TRUE(stream.faults().front().variable.ends_with(": the block has 24 threads")) << faults_of(stream);
  }
}

TEST(simt_lanes, reports_widths_that_are_undefined) {
  for (const int width : {0, 3, 24, 33, 64, -8}) {
    gpu::stream stream;
    filled<int> out(stream, 32);
    gpu::launch(width_of, 1, 32, 0, stream, out.data(), width);
    EXPECT_TRUE(has_fault(stream, fault_kind::invalid_width, "", "width"));
    EXPECT_EQ(stream.faults().front().variable, "width " + std::to_string(width));
    EXPECT_EQ(stream.faults().size(), 1U) << faults_of(stream);
  }
}

TEST(simt_lanes, reports_nothing_on_lanes_that_take_part) {
  expect_no_faults([](gpu::stream& stream) {
    filled<int> out(stream, 32);
    gpu::launch(within_the_mask, 1, 32, 0, stream, out.data());
    EXPECT_EQ(out[3], 3 + 11);
    gpu::launch(from_the_lanes_left, 1, 32, 0, stream, out.data());
    gpu::launch(sum_of_a_short_warp, 1, 32, 0, stream, out.data());
    for (const int width : {1, 2, 4, 8, 16, 32}) gpu::launch(width_of, 1, 32, 0, stream, out.data(), width);
  });
}

}  // namespace
