// The device's properties, and occupancy from its limits.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exactdot/simt/runtime/device.hpp>
#include <exactdot/simt/runtime/launch.hpp>
#include <string_view>

#include "context.hpp"
#include "graphs.hpp"

namespace exactdot::simt {

std::size_t device_memory_bytes() {
  static const std::size_t bytes = [] {
    const std::size_t installed = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    return std::min(std::size_t{8} << 30, installed / 2) & ~((std::size_t{1} << 20) - 1);
  }();
  return bytes;
}

const architecture_limits& limits_of(unsigned architecture) {
  constexpr std::size_t kib = 1024;
  static constexpr architecture_limits table[] = {
      {120, 1536, 24, 100 * kib, 99 * kib}, {100, 2048, 32, 228 * kib, 227 * kib},
      {90, 2048, 32, 228 * kib, 227 * kib}, {89, 1536, 24, 100 * kib, 99 * kib},
      {87, 1536, 16, 164 * kib, 163 * kib}, {86, 1536, 16, 100 * kib, 99 * kib},
      {80, 2048, 32, 164 * kib, 163 * kib}, {75, 1024, 16, 64 * kib, 64 * kib},
      {0, 2048, 32, 96 * kib, 96 * kib}};
  return *std::find_if(std::begin(table), std::end(table),
                       [=](const architecture_limits& row) { return architecture >= row.architecture; });
}

namespace detail {

int blocks_per_multiprocessor(int block_threads, std::size_t dynamic_shared_bytes) {
  const architecture_limits& limits = limits_of(runtime_context::instance().settings.architecture);
  const int warps = (block_threads + 31) / 32;
  const int by_threads = limits.threads_per_multiprocessor / (warps * 32);
  constexpr std::size_t reserved = 1024;  // bytes of shared memory of a block that the system uses
  const auto by_shared = static_cast<int>(limits.shared_per_multiprocessor / (dynamic_shared_bytes + reserved));
  return std::min({by_threads, limits.blocks_per_multiprocessor, by_shared});
}

int suggested_block(std::size_t dynamic_shared_bytes, int limit) {
  int best = 0, best_threads = 0;
  for (int block = std::min(limit <= 0 ? 1024 : limit, 1024) / 32 * 32; block >= 32; block -= 32) {
    const int threads = block * blocks_per_multiprocessor(block, dynamic_shared_bytes);
    if (threads > best_threads) best = block, best_threads = threads;
  }
  return std::max(best, 32);
}

}  // namespace detail

}  // namespace exactdot::simt

using namespace exactdot::simt;

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return finish(cudaSuccess);
}
cudaError_t cudaSetDevice(int device) { return finish(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }
cudaError_t cudaSetDeviceFlags(unsigned) { return finish(cudaSuccess); }
cudaError_t cudaDeviceSynchronize() {
  const cudaError_t refused = refuse_while_any_captures();
  if (refused == cudaSuccess) runtime_context::instance().order.synchronise();
  return refused == cudaSuccess ? runtime_context::instance().wait() : finish(refused);
}
cudaError_t cudaDeviceReset() { return runtime_context::instance().wait(); }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return finish(cudaSuccess);
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitStackSize ? std::size_t{64} << 10 : std::size_t{8} << 20;
  return finish(cudaSuccess);
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return finish(limit == cudaLimitStackSize && value > std::size_t{64} << 10 ? cudaErrorNotSupported : cudaSuccess);
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return finish(cudaSuccess); }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  *config = cudaSharedMemBankSizeFourByte;
  return finish(cudaSuccess);
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return finish(cudaSuccess); }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  *config = cudaFuncCachePreferNone;
  return finish(cudaSuccess);
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  if (device == nullptr || wanted == nullptr) return finish(cudaErrorInvalidValue);
  *device = 0;
  return finish(cudaSuccess);
}
cudaError_t cudaSetValidDevices(int* devices, int count) {
  const bool valid = count >= 0 && (count == 0 || devices != nullptr) &&
                     std::all_of(devices, devices + count, [](int id) { return id == 0; });
  return finish(valid ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  if (flags == nullptr) return finish(cudaErrorInvalidValue);
  *flags = cudaDeviceScheduleAuto;
  return finish(cudaSuccess);
}
constexpr const char* bus_id = "0000:00:00.0";
cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  if (text == nullptr || size < 13) return finish(cudaErrorInvalidValue);
  if (device != 0) return finish(cudaErrorInvalidDevice);
  std::snprintf(text, static_cast<std::size_t>(size), "%s", bus_id);
  return finish(cudaSuccess);
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  if (device == nullptr || text == nullptr) return finish(cudaErrorInvalidValue);
  *device = 0;
  return finish(std::string_view(text) == bus_id ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  return finish(value == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDevice);  // there is no pair of devices
}
cudaError_t cudaCtxResetPersistingL2Cache() { return finish(cudaSuccess); }
cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaThreadGetLimit(std::size_t* value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
cudaError_t cudaThreadSetLimit(cudaLimit limit, std::size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) { return cudaDeviceGetCacheConfig(config); }
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }

// There is one device, and none is its own peer.
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (can == nullptr) return finish(cudaErrorInvalidValue);
  if (device != 0 || peer != 0) return finish(cudaErrorInvalidDevice);
  *can = 0;
  return finish(cudaSuccess);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned flags) {
  return finish(flags != 0 ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return finish(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaProfilerStart() { return finish(cudaSuccess); }
cudaError_t cudaProfilerStop() { return finish(cudaSuccess); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (properties == nullptr) return finish(cudaErrorInvalidValue);
  if (device != 0) return finish(cudaErrorInvalidDevice);
  const unsigned architecture = runtime_context::instance().settings.architecture;
  const architecture_limits& limits = limits_of(architecture);
  cudaDeviceProp& all = *properties;
  all = {};
  std::snprintf(all.name, sizeof all.name, "exactdot simt (simulated, compute capability %u.%u)", architecture / 10,
                architecture % 10);
  all.totalGlobalMem = device_memory_bytes();
  all.sharedMemPerBlock = default_shared_bytes;
  all.sharedMemPerBlockOptin = limits.shared_per_block;
  all.sharedMemPerMultiprocessor = limits.shared_per_multiprocessor;
  all.reservedSharedMemPerBlock = 1024;
  all.memPitch = 0x7fffffff;
  all.totalConstMem = 65536;
  all.textureAlignment = all.surfaceAlignment = 512;
  all.texturePitchAlignment = 32;
  all.regsPerBlock = all.regsPerMultiprocessor = 65536;
  all.warpSize = 32;
  all.maxThreadsPerBlock = all.maxThreadsDim[0] = all.maxThreadsDim[1] = 1024;
  all.maxThreadsDim[2] = 64;
  all.maxGridSize[0] = 0x7fffffff;
  all.maxGridSize[1] = all.maxGridSize[2] = 65535;
  all.major = static_cast<int>(architecture / 10), all.minor = static_cast<int>(architecture % 10);
  all.multiProcessorCount = multiprocessors;
  all.maxThreadsPerMultiProcessor = limits.threads_per_multiprocessor;
  all.maxBlocksPerMultiProcessor = limits.blocks_per_multiprocessor;
  all.canMapHostMemory = all.concurrentKernels = all.unifiedAddressing = all.managedMemory = 1;
  all.cooperativeLaunch = all.concurrentManagedAccess = 1;
  all.hostRegisterSupported = all.hostRegisterReadOnlySupported = all.memoryPoolsSupported = 1;
  all.canUseHostPointerForRegisteredMem = 1;
  all.clusterLaunch = architecture >= 90 ? 1 : 0;
  all.maxTexture1D = all.maxTexture2D[0] = 131072, all.maxTexture2D[1] = 65536;
  all.maxTexture1DLinear = 1 << 27;
  all.clockRate = all.memoryClockRate = 1000;
  all.memoryBusWidth = 8;
  all.l2CacheSize = 1 << 20;
  return finish(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp all;
  const cudaError_t error = cudaGetDeviceProperties(&all, device);
  if (error != cudaSuccess) return error;
  const struct {
    cudaDeviceAttr attribute;
    int value;
  } table[] = {{cudaDevAttrMaxThreadsPerBlock, all.maxThreadsPerBlock},
               {cudaDevAttrMaxBlockDimX, all.maxThreadsDim[0]},
               {cudaDevAttrMaxBlockDimY, all.maxThreadsDim[1]},
               {cudaDevAttrMaxBlockDimZ, all.maxThreadsDim[2]},
               {cudaDevAttrMaxGridDimX, all.maxGridSize[0]},
               {cudaDevAttrMaxGridDimY, all.maxGridSize[1]},
               {cudaDevAttrMaxGridDimZ, all.maxGridSize[2]},
               {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(all.sharedMemPerBlock)},
               {cudaDevAttrTotalConstantMemory, static_cast<int>(all.totalConstMem)},
               {cudaDevAttrWarpSize, all.warpSize},
               {cudaDevAttrMaxPitch, static_cast<int>(all.memPitch)},
               {cudaDevAttrMaxRegistersPerBlock, all.regsPerBlock},
               {cudaDevAttrClockRate, all.clockRate},
               {cudaDevAttrMultiProcessorCount, all.multiProcessorCount},
               {cudaDevAttrCanMapHostMemory, all.canMapHostMemory},
               {cudaDevAttrConcurrentKernels, all.concurrentKernels},
               {cudaDevAttrMemoryClockRate, all.memoryClockRate},
               {cudaDevAttrGlobalMemoryBusWidth, all.memoryBusWidth},
               {cudaDevAttrL2CacheSize, all.l2CacheSize},
               {cudaDevAttrMaxThreadsPerMultiProcessor, all.maxThreadsPerMultiProcessor},
               {cudaDevAttrUnifiedAddressing, all.unifiedAddressing},
               {cudaDevAttrComputeCapabilityMajor, all.major},
               {cudaDevAttrComputeCapabilityMinor, all.minor},
               {cudaDevAttrMaxSharedMemoryPerMultiprocessor, static_cast<int>(all.sharedMemPerMultiprocessor)},
               {cudaDevAttrMaxRegistersPerMultiprocessor, all.regsPerMultiprocessor},
               {cudaDevAttrManagedMemory, all.managedMemory},
               {cudaDevAttrConcurrentManagedAccess, all.concurrentManagedAccess},
               {cudaDevAttrCooperativeLaunch, all.cooperativeLaunch},
               {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(all.sharedMemPerBlockOptin)},
               {cudaDevAttrMaxBlocksPerMultiprocessor, all.maxBlocksPerMultiProcessor},
               {cudaDevAttrTextureAlignment, static_cast<int>(all.textureAlignment)},
               {cudaDevAttrSurfaceAlignment, static_cast<int>(all.surfaceAlignment)},
               {cudaDevAttrTexturePitchAlignment, static_cast<int>(all.texturePitchAlignment)},
               {cudaDevAttrComputeMode, all.computeMode},
               {cudaDevAttrMaxTexture1DWidth, all.maxTexture1D},
               {cudaDevAttrMaxTexture2DWidth, all.maxTexture2D[0]},
               {cudaDevAttrMaxTexture2DHeight, all.maxTexture2D[1]},
               {cudaDevAttrMaxTexture1DLinearWidth, all.maxTexture1DLinear},
               {cudaDevAttrCanUseHostPointerForRegisteredMem, all.canUseHostPointerForRegisteredMem},
               {cudaDevAttrHostRegisterSupported, all.hostRegisterSupported},
               {cudaDevAttrHostRegisterReadOnlySupported, all.hostRegisterReadOnlySupported},
               {cudaDevAttrReservedSharedMemoryPerBlock, static_cast<int>(all.reservedSharedMemPerBlock)},
               {cudaDevAttrMemoryPoolsSupported, all.memoryPoolsSupported},
               {cudaDevAttrClusterLaunch, all.clusterLaunch}};
  *value = 0;  // what is not listed does not exist here
  for (const auto& row : table) {
    if (row.attribute == attribute) *value = row.value;
  }
  return finish(cudaSuccess);
}
