// Misaligned vectors, with -fsanitize=alignment: named wherever they are, though the processor would let them pass.
#include "self_check.cuh"

namespace {
using namespace simt_test;

__global__ void parts_of_a_vector(const float* x, float* out) {
  const auto* const v = reinterpret_cast<const float4*>(x);
  *out = v->x + v->w;
}
__global__ void in_shared_memory(float* out) {
  auto* const own = gpu::dynamic_shared<double>();
  reinterpret_cast<double2*>(own + 1)->x = 1;  // odd
  *out = static_cast<float>(own[1]);
}

TEST(simt_alignment, names_vectors_at_multiples_of_8) {
  stream on;
  filled<float> x(on, 64), out(on, 1);
  gpu::launch(parts_of_a_vector, 1, 1, 0, on, x.data() + 2, out.data());
  ASSERT_TRUE(on.has(fault_kind::misaligned)) << faults_of(on);
  EXPECT_EQ(on.faults().front().variable, "buffer of 256 bytes + 8");
  on.clear();
  gpu::launch(in_shared_memory, 1, 1, 64, on, out.data());
  EXPECT_TRUE(has_fault(on, fault_kind::misaligned, "shared", "odd"));
}

TEST(simt_alignment, is_silent_on_aligned_ones) {
  expect_silence([](stream& on) {
    filled<float> x(on, 64), out(on, 1);
    gpu::launch(parts_of_a_vector, 1, 1, 0, on, x.data() + 4, out.data());
  });
}

}  // namespace
