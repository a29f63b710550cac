// A kernel that races, in a file without the options of kernels: the simulator sees none of its accesses.
#include "simt/uninstrumented.hpp"

namespace simt_test {
namespace {
/// A type of its own: the templates that launch its kernel are compiled in this file only.
struct counter {
  int n;
};
__global__ void add(counter* sum) { sum->n += 1; }
}  // namespace

void launch_uninstrumented(exactdot::gpu::stream& stream) {
  exactdot::gpu::buffer<counter> sum(stream, 1);
  sum.fill_zero();
  exactdot::gpu::launch(add, 2, 32, 0, stream, sum.data());
}
}  // namespace simt_test
