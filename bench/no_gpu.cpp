// GPU benchmark of a build without a CUDA compiler: reports that it is missing.
#include <exactdot/error.hpp>

#include "gpu.hpp"

namespace bench {

gpu_facts measure_gpu(const gpu_request&) {
  throw exactdot::error(exactdot::errc::no_device,
                        "--device cuda: this program was built without a CUDA compiler; build it with one, or use "
                        "--device cpu");
}

}  // namespace bench
