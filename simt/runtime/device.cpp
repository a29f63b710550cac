// The device's properties, and occupancy from its limits.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exactdot/simt/runtime/device.hpp>
#include <exactdot/simt/runtime/launch.hpp>

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
               {cudaDevAttrMaxBlocksPerMultiprocessor, all.maxBlocksPerMultiProcessor}};
  *value = 0;  // what is not listed does not exist here
  for (const auto& row : table) {
    if (row.attribute == attribute) *value = row.value;
  }
  return finish(cudaSuccess);
}
