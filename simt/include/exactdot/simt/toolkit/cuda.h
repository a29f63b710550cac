// cuda.h for programs that simtcc compiles: what programs of the runtime use of it. The driver's functions (cuInit
// and others) are not modelled.
#pragma once

#include <cuda_runtime_api.h>

using CUstream = cudaStream_t;
using CUevent = cudaEvent_t;
using CUdeviceptr = unsigned long long;
