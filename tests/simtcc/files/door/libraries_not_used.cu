// Headers of libraries that the program does not use; NVTX as nothing at all.
// options: -lcublas -lcufft,curand -lnvToolsExt
// notes: note: -lcufft: ignored
// prints: ^ran$
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <mma.h>
#include <npp.h>
#include <nvToolsExt.h>
#include <nvml.h>
#include <nvrtc.h>
#include <nvtx3/nvToolsExt.h>
#include <cstdio>
#ifdef CUBLAS_API_H_
void check(cublasStatus_t status);
#endif
__global__ void k() {}
int main() {
  nvtxRangePushA("launch");
  nvtxEventAttributes_t event = {};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.message.ascii = "k";
  nvtxMarkEx(&event);
  k<<<1, 1>>>();
  nvtxRangePop();
  printf("ran\n");
}
