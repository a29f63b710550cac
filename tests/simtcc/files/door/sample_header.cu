// A header with the public names and guards of helper_cuda.h, beside the program.
// prints: ^device 0, 84$
// silent: stand-in
#include <cuda_runtime.h>
#include "sample_header/helper_cuda.h"
int main(int argc, char** argv) {
  checkCudaErrors(cudaSetDevice(findCudaDevice(argc, (const char**)argv)));
  getLastCudaError("launch failed");
  float* x;
  checkCudaErrors(cudaMalloc((void**)&x, 84));
  printf("device %d, %d\n", gpuGetMaxGflopsDeviceId(), 84);
  checkCudaErrors(cudaFree(x));
}
