// A header with a kernel and a launch, as projects have them.
#pragma once

static __global__ void from_header(int* sum) { atomicAdd(sum, 1); }
static inline void launch_from_header(int* sum) { from_header<<<1, 32>>>(sum); }
