// Misaligned vectors, compiled with -fsanitize=alignment: reported even if the processor allows the access.
#include "self_check.cuh"

namespace {
using namespace simt_test;

__global__ void members_of_a_vector(const float* x, float* out) {
  const auto* const v = reinterpret_cast<const float4*>(x);
  *out = v->x + v->w;
}
__global__ void in_shared_memory(float* out) {
  auto* const values = gpu::dynamic_shared<double>();
  reinterpret_cast<double2*>(values + 1)->x = 1;  // odd
  *out = static_cast<float>(values[1]);
}

TEST(simt_alignment, reports_vectors_at_multiples_of_8) {
  gpu::stream stream;
  filled<float> x(stream, 64), out(stream, 1);
  gpu::launch(members_of_a_vector, 1, 1, 0, stream, x.data() + 2, out.data());
  ASSERT_TRUE(stream.has(fault_kind::misaligned)) << faults_of(stream);
  EXPECT_EQ(stream.faults().front().variable, "buffer of 256 bytes + 8");
  stream.clear();
  gpu::launch(in_shared_memory, 1, 1, 64, stream, out.data());
  EXPECT_TRUE(has_fault(stream, fault_kind::misaligned, "shared", "odd"));
}

TEST(simt_alignment, reports_nothing_on_aligned_vectors) {
  expect_no_faults([](gpu::stream& stream) {
    filled<float> x(stream, 64), out(stream, 1);
    gpu::launch(members_of_a_vector, 1, 1, 0, stream, x.data() + 4, out.data());
  });
}

}  // namespace
