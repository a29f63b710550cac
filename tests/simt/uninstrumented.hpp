// A kernel that is compiled without the options of kernels.
#pragma once

#include <exactdot/simt/cuda.hpp>

namespace simt_test {
void launch_uninstrumented(exactdot::gpu::stream& stream);
}
