#ifndef HELPER_CUDA_OF_A_SAMPLE
#define HELPER_CUDA_OF_A_SAMPLE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __DRIVER_TYPES_H__
static const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
#endif
#ifdef CUBLAS_API_H_
static const char* _cudaGetErrorEnum(cublasStatus_t) { return "cublas"; }
#endif
template <typename T>
void check(T result, char const* const call, const char* const file, int const line) {
  if (result) {
    fprintf(stderr, "%s:%d code=%d(%s) \"%s\"\n", file, line, static_cast<unsigned>(result), _cudaGetErrorEnum(result), call);
    exit(EXIT_FAILURE);
  }
}
#ifdef __DRIVER_TYPES_H__
#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)
#define getLastCudaError(msg) check(cudaGetLastError(), msg, __FILE__, __LINE__)
#endif
#ifdef __CUDA_RUNTIME_H__
inline int gpuDeviceInit(int id) {
  int count = 0, mode = -1, major = 0, minor = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  checkCudaErrors(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, id));
  checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, id));
  checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, id));
  if (count == 0 || mode == cudaComputeModeProhibited || major < 1) exit(EXIT_FAILURE);
  checkCudaErrors(cudaSetDevice(id));
  return id;
}
inline int gpuGetMaxGflopsDeviceId() {
  int best = 0, multiProcessorCount = 0, clockRate = 0;
  checkCudaErrors(cudaDeviceGetAttribute(&multiProcessorCount, cudaDevAttrMultiProcessorCount, best));
  cudaError_t result = cudaDeviceGetAttribute(&clockRate, cudaDevAttrClockRate, best);
  if (result != cudaSuccess && result != cudaErrorInvalidValue) exit(EXIT_FAILURE);
  return best;
}
inline int findCudaDevice(int, const char**) { return gpuDeviceInit(gpuGetMaxGflopsDeviceId()); }
inline int findIntegratedGPU() {
  int integrated = 0;
  checkCudaErrors(cudaDeviceGetAttribute(&integrated, cudaDevAttrIntegrated, 0));
  return integrated ? 0 : -1;
}
#endif
#endif
