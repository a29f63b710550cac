// Functions of the runtime that programs ask for.
// prints: ^all hold$
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define HOLDS(condition) \
  if (!(condition)) printf("%d: %s\n", __LINE__, #condition), failed = 1
__global__ void increment(int* x) { x[threadIdx.x] += 1; }
int main() {
  int failed = 0, value = -1;
  int host[32] = {}, *device;
  // memory of the host that kernels use
  HOLDS(cudaHostRegister(host, sizeof host, cudaHostRegisterMapped) == cudaSuccess);
  HOLDS(cudaHostRegister(host + 4, 4, 0) == cudaErrorHostMemoryAlreadyRegistered);
  HOLDS(cudaHostGetDevicePointer(&device, host, 0) == cudaSuccess && device == host);
  increment<<<1, 32>>>(device);
  HOLDS(cudaDeviceSynchronize() == cudaSuccess && host[0] == 1 && host[31] == 1);
  cudaPointerAttributes attributes;
  HOLDS(cudaPointerGetAttributes(&attributes, host + 1) == cudaSuccess && attributes.type == cudaMemoryTypeHost);
  HOLDS(cudaHostUnregister(host) == cudaSuccess && cudaHostUnregister(host) == cudaErrorHostMemoryNotRegistered);
  // devices
  cudaDeviceProp properties;
  memset(&properties, 0, sizeof properties);
  properties.major = 2;
  HOLDS(cudaChooseDevice(&value, &properties) == cudaSuccess && value == 0);
  cudaSharedMemConfig banks;
  HOLDS(cudaDeviceGetSharedMemConfig(&banks) == cudaSuccess && banks == cudaSharedMemBankSizeFourByte);
  HOLDS(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1) == cudaErrorInvalidDevice);
  HOLDS(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryPoolsSupported, 0) == cudaSuccess && value == 1);
  HOLDS(cudaGetDeviceProperties(&properties, 0) == cudaSuccess && properties.maxTexture2D[0] > 0 &&
        properties.pciBusID == 0 && properties.deviceOverlap == 0 && properties.hostRegisterSupported == 1);
  char bus[16];
  HOLDS(cudaDeviceGetPCIBusId(bus, sizeof bus, 0) == cudaSuccess && cudaDeviceGetByPCIBusId(&value, bus) == cudaSuccess);
  HOLDS(cudaErrorInvalidPc == 718 && strcmp(cudaGetErrorName(cudaErrorInvalidPc), "cudaErrorInvalidPc") == 0);
  // pools
  cudaMemPool_t pool;
  unsigned long long threshold = ~0ULL, used = 1;
  HOLDS(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);
  HOLDS(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold) == cudaSuccess);
  threshold = 0;
  HOLDS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold) == cudaSuccess && threshold == ~0ULL);
  HOLDS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess && used == 0);
  cudaMemPoolProps wanted = {};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location.type = cudaMemLocationTypeDevice;
  HOLDS(cudaMemPoolCreate(&pool, &wanted) == cudaSuccess);
  HOLDS(cudaMallocFromPoolAsync(&device, 128, pool, 0) == cudaSuccess && cudaFreeAsync(device, 0) == cudaSuccess);
  HOLDS(cudaMemPoolDestroy(pool) == cudaSuccess && cudaMemPoolDestroy(pool) == cudaErrorInvalidValue);
  // streams
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  unsigned flags = 0;
  HOLDS(cudaStreamGetFlags(stream, &flags) == cudaSuccess && flags == cudaStreamNonBlocking);
  cudaStreamAttrValue window = {}, back;
  window.accessPolicyWindow.num_bytes = 1024;
  window.accessPolicyWindow.hitRatio = 0.5f;
  window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  HOLDS(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window) == cudaSuccess);
  HOLDS(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &back) == cudaSuccess &&
        back.accessPolicyWindow.num_bytes == 1024);
  HOLDS(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1024) == cudaSuccess && cudaCtxResetPersistingL2Cache() == cudaSuccess);
  int* managed;
  cudaMallocManaged(&managed, 64);
  HOLDS(cudaStreamAttachMemAsync(stream, managed) == cudaSuccess);
  HOLDS(cudaStreamAttachMemAsync(stream, host) == cudaErrorInvalidValue);
  cudaStreamDestroy(stream);
  cudaGetLastError();
  if (!failed) printf("all hold\n");
  return failed;
}
