// cuda.h for programs that simtcc compiles: what programs of the runtime use of it. Modules, launches and memory of
// the driver's interface are not modelled.
#pragma once

#include <cuda_runtime_api.h>

#include <exactdot/simt/runtime/driver.hpp>
