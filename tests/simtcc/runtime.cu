// The runtime's functions, checked against CUDA's documented behaviour; compiles with nvcc too.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
static void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("does not hold: %s\n", what);
  ++failures;
}
#define EXPECT(condition) expect(condition, #condition)

__constant__ float factors[4];
__device__ int counter = 5;
__managed__ int managed_counter = 7;

__global__ void scale(float* x, size_t pitch, int width) {
  float* const row = reinterpret_cast<float*>(reinterpret_cast<char*>(x) + blockIdx.x * pitch);
  if (threadIdx.x < width) row[threadIdx.x] *= factors[blockIdx.x];
}
__global__ void count() {
  atomicAdd(&counter, 1);
  atomicAdd(&managed_counter, 1);
}
__global__ void fill_shared(int* x, int n) {
  extern __shared__ int words[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) words[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *x = words[n - 1];
}

static void memory() {
  float *x, *rows;
  size_t pitch = 0, free = 0, total = 0;
  EXPECT(cudaMalloc(&x, 64) == cudaSuccess);
  EXPECT(cudaMallocPitch(&rows, &pitch, 5 * sizeof(float), 4) == cudaSuccess);
  EXPECT(pitch >= 5 * sizeof(float) && pitch % 32 == 0);
  const std::vector<float> ones(20, 1.0f);
  std::vector<float> back(20);
  const float values[4] = {1, 2, 3, 4};
  EXPECT(cudaMemcpyToSymbol(factors, values, sizeof values) == cudaSuccess);
  EXPECT(cudaMemcpy2D(rows, pitch, ones.data(), 20, 20, 4, cudaMemcpyHostToDevice) == cudaSuccess);
  scale<<<4, 32>>>(rows, pitch, 5);
  EXPECT(cudaMemcpy2D(back.data(), 20, rows, pitch, 20, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(back[0] == 1 && back[9] == 2 && back[19] == 4);
  EXPECT(cudaMemset(x, 0xff, 64) == cudaSuccess);
  int word = 0;
  EXPECT(cudaMemcpy(&word, x, sizeof word, cudaMemcpyDefault) == cudaSuccess);
  EXPECT(word == -1);
  cudaPointerAttributes attributes;
  EXPECT(cudaPointerGetAttributes(&attributes, x) == cudaSuccess && attributes.type == cudaMemoryTypeDevice);
  EXPECT(cudaPointerGetAttributes(&attributes, &word) == cudaSuccess && attributes.type == cudaMemoryTypeUnregistered);
  EXPECT(cudaMemGetInfo(&free, &total) == cudaSuccess && free <= total && total != 0);
  float* host;
  EXPECT(cudaMallocHost(&host, 80) == cudaSuccess);
  host[0] = 1;
  EXPECT(cudaFree(host) == cudaErrorInvalidValue);
  EXPECT(cudaFreeHost(host) == cudaSuccess);
  EXPECT(cudaFree(rows) == cudaSuccess);
  EXPECT(cudaFree(x) == cudaSuccess);
  EXPECT(cudaFree(nullptr) == cudaSuccess);
  EXPECT(cudaFree(back.data()) == cudaErrorInvalidValue);
  cudaGetLastError();
}

static void symbols() {
  count<<<1, 32>>>();
  int value = 0;
  EXPECT(cudaMemcpyFromSymbol(&value, counter, sizeof value) == cudaSuccess && value == 37);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && managed_counter == 39);
  size_t bytes = 0;
  EXPECT(cudaGetSymbolSize(&bytes, factors) == cudaSuccess && bytes == sizeof factors);
  EXPECT(cudaMemcpyToSymbol(counter, &value, sizeof value, 4) == cudaErrorInvalidValue);
  cudaGetLastError();
}

static void errors() {
  int* x;
  EXPECT(cudaMalloc(&x, 16) == cudaSuccess);
  count<<<1, 1025>>>();
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaSuccess);
  count<<<0, 32>>>();
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  count<<<dim3(1, 65536), 32>>>();
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  count<<<1, dim3(1, 1, 65)>>>();
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  fill_shared<<<1, 32, 50000>>>(x, 12500);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaFuncSetAttribute(fill_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000) == cudaSuccess);
  fill_shared<<<1, 32, 50000>>>(x, 12500);
  int last = 0;
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaMemcpy(&last, x, sizeof last, cudaMemcpyDeviceToHost) == cudaSuccess && last == 12499);
  EXPECT(cudaMemcpy(&last, x, 17, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaSetDevice(1000) == cudaErrorInvalidDevice);
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
  EXPECT(std::strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered") == 0);
  EXPECT(cudaMalloc(&x, ~size_t{0} / 2) == cudaErrorMemoryAllocation);
  cudaGetLastError();
}

static void set_to_one(void* data) { *static_cast<int*>(data) = 1; }

static void streams() {
  cudaStream_t stream;
  cudaEvent_t start, stop;
  EXPECT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  EXPECT(cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&stop) == cudaSuccess);
  EXPECT(cudaEventRecord(start, stream) == cudaSuccess);
  count<<<2, 64, 0, stream>>>();
  EXPECT(cudaEventRecord(stop, stream) == cudaSuccess);
  EXPECT(cudaStreamWaitEvent(0, stop, 0) == cudaSuccess);
  int called = 0;
  EXPECT(cudaLaunchHostFunc(stream, set_to_one, &called) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(stream) == cudaSuccess && called == 1);
  EXPECT(cudaStreamQuery(stream) == cudaSuccess && cudaEventQuery(stop) == cudaSuccess);
  float milliseconds = 0;
  EXPECT(cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess && milliseconds > 0);
  cudaEvent_t unrecorded;
  EXPECT(cudaEventCreateWithFlags(&unrecorded, cudaEventDisableTiming) == cudaSuccess);
  EXPECT(cudaEventElapsedTime(&milliseconds, start, unrecorded) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  EXPECT(cudaEventDestroy(start) == cudaSuccess && cudaEventDestroy(stop) == cudaSuccess);
  EXPECT(cudaStreamDestroy(stream) == cudaSuccess);
}

/// What a stream captures runs when the graph is launched, with the arguments of the capture.
static void graphs() {
  cudaStream_t stream, other;
  cudaEvent_t forked, joined;
  cudaGraph_t graph;
  cudaGraphExec_t replay;
  int before = 0, after = 0;
  int* x;
  EXPECT(cudaStreamCreate(&stream) == cudaSuccess && cudaStreamCreate(&other) == cudaSuccess);
  EXPECT(cudaEventCreate(&forked) == cudaSuccess && cudaEventCreate(&joined) == cudaSuccess);
  EXPECT(cudaMalloc(&x, 16) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol(&before, counter, sizeof before) == cudaSuccess);
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  int n = 8;
  fill_shared<<<1, 32, 64, stream>>>(x, n);
  n = 4;
  EXPECT(cudaEventRecord(forked, stream) == cudaSuccess && cudaStreamWaitEvent(other, forked, 0) == cudaSuccess);
  count<<<1, 32, 0, other>>>();
  EXPECT(cudaEventRecord(joined, other) == cudaSuccess && cudaStreamWaitEvent(stream, joined, 0) == cudaSuccess);
  cudaStreamCaptureStatus status;
  EXPECT(cudaStreamIsCapturing(other, &status) == cudaSuccess && status == cudaStreamCaptureStatusActive);
  EXPECT(cudaEventQuery(joined) == cudaErrorCapturedEvent);
  cudaGetLastError();
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol(&after, counter, sizeof after) == cudaSuccess && after == before);
  EXPECT(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (int i = 0; i < 2; ++i) EXPECT(cudaGraphLaunch(replay, stream) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol(&after, counter, sizeof after) == cudaSuccess && after == before + 64);
  EXPECT(cudaMemcpy(&after, x, sizeof after, cudaMemcpyDeviceToHost) == cudaSuccess && after == 7);
  EXPECT(cudaGraphExecDestroy(replay) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated && graph == nullptr);
  const int one = 1;  // a copy is kept for the replay; one that waits makes the capture invalid
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  EXPECT(cudaMemcpyToSymbolAsync(counter, &one, sizeof one, 0, cudaMemcpyHostToDevice, stream) == cudaSuccess);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol(&after, counter, sizeof after) == cudaSuccess && after == before + 64);
  EXPECT(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess && cudaGraphLaunch(replay, stream) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol(&after, counter, sizeof after) == cudaSuccess && after == 1);
  EXPECT(cudaGraphExecDestroy(replay) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol(&after, counter, sizeof after) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaMemset2D(x, 8, 0, 4, 2) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
  EXPECT(cudaStreamDestroy(stream) == cudaSuccess && cudaStreamDestroy(other) == cudaSuccess);
  EXPECT(cudaFree(x) == cudaSuccess);
}

static void attributes() {
  int* x;
  int last = 0, can = 1;
  EXPECT(cudaMalloc(&x, 16) == cudaSuccess);
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 1, config.blockDim = 64, config.dynamicSmemBytes = 400;
  config.attrs = &attribute, config.numAttrs = 1;
  EXPECT(cudaLaunchKernelEx(&config, fill_shared, x, 100) == cudaSuccess);
  EXPECT(cudaMemcpy(&last, x, sizeof last, cudaMemcpyDeviceToHost) == cudaSuccess && last == 99);
  config.blockDim = 2048;
  EXPECT(cudaLaunchKernelEx(&config, fill_shared, x, 100) == cudaErrorInvalidConfiguration);
  cudaGetLastError();
  EXPECT(cudaMemcpyPeer(x, 0, x, 0, 4) == cudaSuccess);
  EXPECT(cudaDeviceCanAccessPeer(&can, 0, 1000) == cudaErrorInvalidDevice);
  EXPECT(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
  cudaGetLastError();
  EXPECT(cudaFree(x) == cudaSuccess);
}

static void device() {
  int devices = 0, value = 0, blocks = 0, grid = 0, block = 0;
  cudaDeviceProp properties;
  EXPECT(cudaGetDeviceCount(&devices) == cudaSuccess && devices >= 1);
  EXPECT(cudaGetDeviceProperties(&properties, 0) == cudaSuccess && properties.warpSize == 32);
  EXPECT(properties.maxThreadsPerBlock == 1024 && properties.sharedMemPerBlock == 49152);
  EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess);
  EXPECT(value == properties.major);
  EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count, 1024, 0) == cudaSuccess);
  EXPECT(blocks == properties.maxThreadsPerMultiProcessor / 1024);
  EXPECT(cudaOccupancyMaxPotentialBlockSize(&grid, &block, count) == cudaSuccess && block % 32 == 0 && grid > 0);
#ifdef __CUDA_ARCH__
  value = __CUDA_ARCH__;
  EXPECT(value == 900);
#endif
}

int main() {
  memory();
  symbols();
  errors();
  streams();
  graphs();
  attributes();
  device();
  std::printf("%s\n", failures == 0 ? "all hold" : "failed");
  return failures;
}
