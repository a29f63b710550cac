// Prints name and text of CUDA's errors; nvcc's runtime and simtcc's must agree. It needs no GPU.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  for (const int error : {0,   1,   2,   3,   4,   9,   12,  13,  21,  35,  52,  98,  100, 101, 209, 214, 217, 304, 400,
                          401, 500, 600, 700, 701, 702, 710, 712, 713, 714, 715, 716, 717, 719, 720, 800, 801, 999, 12345})
    std::printf("%d %s: %s\n", error, cudaGetErrorName(static_cast<cudaError_t>(error)),
                cudaGetErrorString(static_cast<cudaError_t>(error)));
}
