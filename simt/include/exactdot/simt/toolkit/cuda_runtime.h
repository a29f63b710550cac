// cuda_runtime.h for programs that simtcc compiles: kernels' functions and the runtime's, on the simulator.
#pragma once

#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>

#include <cmath>
#include <cstdlib>
#include <exactdot/simt/fast_math.hpp>
#include <exactdot/simt/runtime/launch.hpp>
#include <exactdot/simt/special_registers.hpp>
