// Memory pools: sets of attributes. The default pool is the device's, from which cudaMallocAsync allocates.
#include <algorithm>
#include <array>
#include <exactdot/simt/runtime/pools.hpp>
#include <set>

#include "context.hpp"

struct CUmemPoolHandle_st {
  std::array<std::uint64_t, cudaMemPoolAttrUsedMemHigh + 1> attributes{0, 1, 1, 1};
};

namespace exactdot::simt {
namespace {

CUmemPoolHandle_st& default_pool() {
  static CUmemPoolHandle_st pool;
  return pool;
}
std::set<cudaMemPool_t>& live_pools() {
  static auto& pools = *new std::set<cudaMemPool_t>{&default_pool()};
  return pools;
}
cudaMemPool_t& device_pool() {
  static cudaMemPool_t pool = &default_pool();
  return pool;
}

cudaError_t check_pool(cudaMemPool_t pool) {
  return live_pools().contains(pool) ? cudaSuccess : cudaErrorInvalidValue;
}
bool is_flag(cudaMemPoolAttr attribute) { return attribute < cudaMemPoolAttrReleaseThreshold; }
bool is_known(cudaMemPoolAttr attribute) { return attribute >= 1 && attribute <= cudaMemPoolAttrUsedMemHigh; }

cudaError_t get_pool(cudaMemPool_t* pool, int device, cudaMemPool_t value) {
  if (device != 0) return finish(cudaErrorInvalidDevice);
  if (pool == nullptr) return finish(cudaErrorInvalidValue);
  *pool = value;
  return finish(cudaSuccess);
}

}  // namespace
}  // namespace exactdot::simt

using namespace exactdot::simt;

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return get_pool(pool, device, &default_pool());
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  const runtime_lock lock;
  return get_pool(pool, device, device_pool());
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  const runtime_lock lock;
  if (device != 0) return finish(cudaErrorInvalidDevice);
  if (check_pool(pool) == cudaSuccess) device_pool() = pool;
  return finish(check_pool(pool));
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  const runtime_lock lock;
  if (pool == nullptr || properties == nullptr || properties->allocType != cudaMemAllocationTypePinned)
    return finish(cudaErrorInvalidValue);
  live_pools().insert(*pool = new CUmemPoolHandle_st);
  return finish(cudaSuccess);
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const runtime_lock lock;
  if (pool == &default_pool() || check_pool(pool) != cudaSuccess) return finish(cudaErrorInvalidValue);
  if (device_pool() == pool) device_pool() = &default_pool();
  live_pools().erase(pool);
  delete pool;
  return finish(cudaSuccess);
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  const runtime_lock lock;
  return finish(check_pool(pool));
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const runtime_lock lock;
  if (value == nullptr || !is_known(attribute) || check_pool(pool) != cudaSuccess)
    return finish(cudaErrorInvalidValue);
  pool->attributes[attribute] = is_flag(attribute) ? static_cast<std::uint64_t>(*static_cast<int*>(value))
                                                   : *static_cast<std::uint64_t*>(value);
  return finish(cudaSuccess);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const runtime_lock lock;
  if (value == nullptr || !is_known(attribute) || check_pool(pool) != cudaSuccess)
    return finish(cudaErrorInvalidValue);
  const bool is_current =
      attribute == cudaMemPoolAttrUsedMemCurrent || attribute == cudaMemPoolAttrReservedMemCurrent;
  if (is_flag(attribute)) {
    *static_cast<int*>(value) = static_cast<int>(pool->attributes[attribute]);
  } else {
    *static_cast<std::uint64_t*>(value) =
        is_current ? runtime_context::instance().allocated : pool->attributes[attribute];
  }
  return finish(cudaSuccess);
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* accesses, std::size_t count) {
  const runtime_lock lock;
  const bool own_device =
      accesses != nullptr && std::all_of(accesses, accesses + count, [](const cudaMemAccessDesc& access) {
        return access.location.type == cudaMemLocationTypeDevice && access.location.id == 0;
      });
  return finish(own_device ? check_pool(pool) : cudaErrorInvalidValue);
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  const runtime_lock lock;
  const cudaError_t error = check_pool(pool);
  return error == cudaSuccess ? cudaMallocAsync(pointer, bytes, stream) : finish(error);
}
