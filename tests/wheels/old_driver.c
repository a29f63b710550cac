/* A libcuda.so.1 of a driver for CUDA 12.0, as far as CUDA's runtime asks: it finds functions by cuGetProcAddress, is told the
   version, and gives up. check.py compiles it and puts it before the machine's. */
#include <string.h>

int cuInit(unsigned flags) { return (void)flags, 0; }
int cuDriverGetVersion(int* version) { return *version = 12000, 0; }
static int other(void) { return 801; } /* CUDA_ERROR_NOT_SUPPORTED */

int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long flags, int* status);
int cuGetProcAddress(const char* name, void** function, int version, unsigned long long flags) {
  (void)flags;
  *function = (void*)other;
  if (strcmp(name, "cuInit") == 0) *function = (void*)cuInit;
  if (strcmp(name, "cuDriverGetVersion") == 0) *function = (void*)cuDriverGetVersion;
  if (strcmp(name, "cuGetProcAddress") == 0) *function = version < 12000 ? (void*)cuGetProcAddress : (void*)cuGetProcAddress_v2;
  return 0;
}
int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long flags, int* status) {
  if (status != 0) *status = 0;
  return cuGetProcAddress(name, function, version, flags);
}
