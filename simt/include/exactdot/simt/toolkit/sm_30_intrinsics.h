// sm_30_intrinsics.h for programs that simtcc compiles: a part of cuda_runtime.h.
#pragma once

#include <cuda_runtime.h>
