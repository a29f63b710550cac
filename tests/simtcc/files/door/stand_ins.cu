// Headers of NVIDIA's samples that are not there.
// notes: note: helper_cuda\.h: a stand-in with the common names
// notes: note: helper_functions\.h: a stand-in
// notes: note: book\.h: a stand-in
// prints: ^GPU Device 0: .* with compute capability 9\.0
// prints: ^3 1 12$
#include <helper_cuda.h>
#include <helper_functions.h>
#include "../common/book.h"
__global__ void k(int* x) { *x = 3; }
int main(int argc, char** argv) {
  findCudaDevice(argc, (const char**)argv);
  StopWatchInterface* timer = NULL;
  sdkCreateTimer(&timer);
  sdkStartTimer(&timer);
  int *x, host;
  HANDLE_ERROR(cudaMalloc((void**)&x, sizeof(int)));
  k<<<1, 1>>>(x);
  getLastCudaError("k");
  checkCudaErrors(cudaMemcpy(&host, x, sizeof(int), cudaMemcpyDeviceToHost));
  sdkStopTimer(&timer);
  printf("%d %d %d\n", host, sdkGetTimerValue(&timer) >= 0, MAX(12, 3));
  sdkDeleteTimer(&timer);
}
