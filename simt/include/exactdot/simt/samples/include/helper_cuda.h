// Stand-in for the header of this name that comes with NVIDIA's samples: checks of CUDA's errors, and the choice of
// a device.
#pragma once

#include <cuda_runtime.h>
#include <helper_string.h>

#include <cstdio>
#include <cstdlib>

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
#ifdef CUBLAS_API_H_  // of cublas_v2.h, included before
inline const char* _cudaGetErrorEnum(cublasStatus_t status) { return cublasGetStatusName(status); }
#endif

template <class Result>
void check(Result result, const char* call, const char* file, int line) {
  if (result == Result{}) return;
  std::fprintf(stderr, "%s:%d: %s: error %d (%s)\n", file, line, call, static_cast<int>(result),
               _cudaGetErrorEnum(result));
  std::exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

inline void __getLastCudaError(const char* message, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: error %d (%s)\n", file, line, message, static_cast<int>(error),
               cudaGetErrorString(error));
  std::exit(EXIT_FAILURE);
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
inline void __printLastCudaError(const char* message, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, message, cudaGetErrorString(error));
}
#define printLastCudaError(message) __printLastCudaError(message, __FILE__, __LINE__)

inline int ftoi(float x) { return static_cast<int>(x >= 0 ? x + 0.5F : x - 0.5F); }
/// Cores of a multiprocessor of this compute capability.
inline int _ConvertSMVer2Cores(int major, int minor) {
  return major == 8 && minor == 0 ? 64 : major < 8 && major >= 6 ? 64 : 128;
}
inline const char* _ConvertSMVer2ArchName(int, int) { return "Simulated"; }
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int gpuDeviceInit(int device) {
  checkCudaErrors(cudaSetDevice(device));
  return device;
}
inline int findCudaDevice(int count, const char** values) {
  const int device = checkCmdLineFlag(count, values, "device") ? getCmdLineArgumentInt(count, values, "device") : 0;
  gpuDeviceInit(device);
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  std::printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, properties.name, properties.major,
              properties.minor);
  return device;
}
inline int findIntegratedGPU() { return -1; }
inline bool checkCudaCapabilities(int major, int minor) {
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDeviceProperties(&properties, 0));
  return properties.major > major || (properties.major == major && properties.minor >= minor);
}
