// A kernel that races, in a file without the options of kernels: the simulator sees none of its accesses.
#include "simt/uninstrumented.hpp"

namespace simt_test {
namespace {
__global__ void add(int* sum) { *sum += 1; }
}  // namespace

void launch_uninstrumented(exactdot::gpu::stream& stream) {
  exactdot::gpu::buffer<int> sum(stream, 1);
  sum.fill_zero();
  exactdot::gpu::launch(add, 2, 32, 0, stream, sum.data());
}
}  // namespace simt_test
