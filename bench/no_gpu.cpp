// The benchmark on a GPU, in a build without a CUDA compiler.
#include <exactdot/error.hpp>

#include "gpu.hpp"

namespace bench {

gpu_facts measure_gpu(const gpu_request&) {
  throw exactdot::error(
      exactdot::errc::no_device,
      "--device cuda: this program was built without a CUDA compiler; build it where there is one, "
      "or take --device cpu");
}

}  // namespace bench
