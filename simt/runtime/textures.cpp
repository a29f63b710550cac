// What textures, surfaces and arrays are. Kernels get a copy of it: the host's memory is no kernel's.
#include <cstdio>
#include <exactdot/simt/runtime/textures.hpp>
#include <map>
#include <set>

#include "context.hpp"
#include "row_copies.hpp"
#include "running.hpp"

struct cudaArray {
  void* data;
  std::size_t width, height;
  cudaChannelFormatDesc format;
};

namespace exactdot::simt {
namespace {

using detail::texture_view;

std::set<const cudaArray*>& live_arrays() {
  static auto& arrays = *new std::set<const cudaArray*>;
  return arrays;
}
/// Texture and surface objects by their number, references by their address.
std::map<unsigned long long, texture_view>& views() {
  static auto& all = *new std::map<unsigned long long, texture_view>;
  return all;
}
unsigned long long key_of(const void* reference) { return reinterpret_cast<unsigned long long>(reference); }

std::size_t element_bytes(const cudaChannelFormatDesc& format) {
  return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
}

cudaError_t refuse_filter(cudaTextureFilterMode filter) {
  if (filter == cudaFilterModePoint) return cudaSuccess;
  std::fprintf(
      stderr,
      "simtcc: cudaFilterModeLinear: filtering of textures is not modelled; expected cudaFilterModePoint\n");
  return cudaErrorNotSupported;
}

/// Sets the view of a resource. Returns an error if it is not modelled, or none.
cudaError_t view_resource(const cudaResourceDesc& resource, texture_view& view) {
  switch (resource.resType) {
    case cudaResourceTypeArray:
      if (!live_arrays().contains(resource.res.array.array)) return cudaErrorInvalidResourceHandle;
      view = detail::view_of_array(resource.res.array.array);
      return cudaSuccess;
    case cudaResourceTypeLinear: {
      const auto& [memory, format, bytes] = resource.res.linear;
      if (memory == nullptr || element_bytes(format) == 0) return cudaErrorInvalidValue;
      view = {static_cast<const char*>(memory),
              bytes,
              static_cast<std::ptrdiff_t>(bytes / element_bytes(format)),
              1,
              format,
              {},
              false,
              false};
      return cudaSuccess;
    }
    case cudaResourceTypePitch2D: {
      const auto& [memory, format, width, height, pitch] = resource.res.pitch2D;
      if (memory == nullptr || element_bytes(format) == 0) return cudaErrorInvalidValue;
      view = {static_cast<const char*>(memory),
              pitch,
              static_cast<std::ptrdiff_t>(width),
              static_cast<std::ptrdiff_t>(height),
              format,
              {},
              false,
              false};
      return cudaSuccess;
    }
    default:
      return cudaErrorNotSupported;
  }
}

cudaError_t add_object(unsigned long long* object, const texture_view& view) {
  static unsigned long long last = 0;
  *object = ++last;
  views()[last] = view;
  return finish(cudaSuccess);
}

texture_view find_view(unsigned long long key, const char* what, const void* caller) {
  return as_simulator([=] {
    const auto at = views().find(key);
    if (at == views().end()) running->trap(what, "that does not exist, or is not bound", caller);
    return at->second;
  });
}

/// The first byte of a range in an array; null if the range goes beyond it.
char* place_in(const cudaArray* array, std::size_t x_bytes, std::size_t y, std::size_t width_bytes,
               std::size_t height) {
  if (array == nullptr || !live_arrays().contains(array)) return nullptr;
  const std::size_t row = array->width * element_bytes(array->format),
                    rows = std::max<std::size_t>(array->height, 1);
  if (x_bytes + width_bytes > row || y + height > rows) return nullptr;
  return static_cast<char*>(array->data) + y * row + x_bytes;
}
std::size_t pitch_of(const cudaArray* array) { return array->width * element_bytes(array->format); }

}  // namespace

namespace detail {

texture_view view_of_texture(unsigned long long object) {
  return find_view(object, "texture object", __builtin_return_address(0));
}
texture_view view_of_texture(const void* reference) {
  return find_view(key_of(reference), "texture", __builtin_return_address(0));
}
void leave_surface() {
  const void* const caller = __builtin_return_address(0);
  as_simulator([=] { running->trap("surface", "coordinates outside of it", caller); });
}
cudaError_t bind_texture(const void* reference, const texture_view& view, cudaTextureFilterMode filter) {
  const runtime_lock lock;
  if (const cudaError_t refused = refuse_filter(filter); refused != cudaSuccess) return finish(refused);
  if (view.data == nullptr) return finish(cudaErrorInvalidValue);
  views()[key_of(reference)] = view;
  return finish(cudaSuccess);
}
cudaError_t unbind_texture(const void* reference) {
  const runtime_lock lock;
  views().erase(key_of(reference));
  return finish(cudaSuccess);
}
texture_view view_of_array(cudaArray_const_t array) {
  const runtime_lock lock;
  if (!live_arrays().contains(array)) return {};
  return {static_cast<const char*>(array->data),
          pitch_of(array),
          static_cast<std::ptrdiff_t>(array->width),
          std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(array->height), 1),
          array->format,
          {},
          false,
          false};
}

}  // namespace detail
}  // namespace exactdot::simt

using namespace exactdot::simt;

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width,
                            std::size_t height, unsigned flags) {
  const runtime_lock lock;
  if (array == nullptr || format == nullptr || width == 0 || element_bytes(*format) == 0 ||
      (flags & cudaArrayLayered) != 0)
    return finish(cudaErrorInvalidValue);
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, width * std::max<std::size_t>(height, 1) * element_bytes(*format));
  if (error != cudaSuccess) return error;
  live_arrays().insert(*array = new cudaArray{memory, width, height, *format});
  return finish(cudaSuccess);
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  const runtime_lock lock;
  if (array == nullptr) return finish(cudaSuccess);
  if (live_arrays().erase(array) == 0) return finish(cudaErrorInvalidResourceHandle);
  const cudaError_t error = cudaFree(array->data);
  delete array;
  return error;
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width_bytes, std::size_t height,
                                cudaMemcpyKind kind) {
  const runtime_lock lock;
  char* const place = place_in(to, x_bytes, y, width_bytes, height);
  if (place == nullptr) return finish(cudaErrorInvalidValue);
  return copy_rows(place, pitch_of(to), from, pitch, width_bytes, height, kind, "cudaMemcpy2DToArray",
                   __builtin_return_address(0));
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x_bytes,
                                  std::size_t y, std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind) {
  const runtime_lock lock;
  const char* const place = place_in(from, x_bytes, y, width_bytes, height);
  if (place == nullptr) return finish(cudaErrorInvalidValue);
  return copy_rows(to, pitch, place, pitch_of(from), width_bytes, height, kind, "cudaMemcpy2DFromArray",
                   __builtin_return_address(0));
}
// Rows of an array follow one another, so bytes from a place on may fill several.
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
  const runtime_lock lock;
  char* const place = place_in(to, x_bytes, y, 0, 0);
  if (place == nullptr) return finish(cudaErrorInvalidValue);
  return copy_rows(place, bytes, from, bytes, bytes, 1, kind, "cudaMemcpyToArray", __builtin_return_address(0));
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x_bytes, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
  const runtime_lock lock;
  const char* const place = place_in(from, x_bytes, y, 0, 0);
  if (place == nullptr) return finish(cudaErrorInvalidValue);
  return copy_rows(to, bytes, place, bytes, bytes, 1, kind, "cudaMemcpyFromArray", __builtin_return_address(0));
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  const runtime_lock lock;
  if (format == nullptr || !live_arrays().contains(array)) return finish(cudaErrorInvalidValue);
  *format = array->format;
  return finish(cudaSuccess);
}
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view_description) {
  const runtime_lock lock;
  if (object == nullptr || resource == nullptr || texture == nullptr) return finish(cudaErrorInvalidValue);
  texture_view view;
  cudaError_t error = refuse_filter(texture->filterMode);
  if (error == cudaSuccess && view_description != nullptr) error = cudaErrorNotSupported;
  if (error == cudaSuccess) error = view_resource(*resource, view);
  if (error != cudaSuccess) return finish(error);
  view.modes[0] = texture->addressMode[0], view.modes[1] = texture->addressMode[1];
  view.normalised = texture->normalizedCoords != 0;
  view.to_float = texture->readMode == cudaReadModeNormalizedFloat && detail::can_be_normalised(view.format);
  return add_object(object, view);
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  const runtime_lock lock;
  return finish(object == 0 || views().erase(object) != 0 ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  const runtime_lock lock;
  texture_view view;
  if (object == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray)
    return finish(cudaErrorInvalidValue);
  const cudaError_t error = view_resource(*resource, view);
  return error == cudaSuccess ? add_object(object, view) : finish(error);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return cudaDestroyTextureObject(object); }
