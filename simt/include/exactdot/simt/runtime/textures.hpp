// Textures and surfaces of linear memory and of arrays of one and two dimensions, without filtering.
//
// A read of a texture is a plain read of the element in device memory, with CUDA's address modes; so races and
// unwritten elements are found as anywhere. Names and address modes: CUDA C++ Programming Guide, "Texture and
// Surface Memory".
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <exactdot/simt/kernel.hpp>
#include <exactdot/simt/runtime/errors.hpp>
#include <exactdot/simt/runtime/memory.hpp>

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3
};
struct cudaChannelFormatDesc {
  int x, y, z, w;  // bits
  cudaChannelFormatKind f;
};
struct cudaArray;
using cudaArray_t = cudaArray*;
using cudaArray_const_t = const cudaArray*;
enum cudaResourceType {
  cudaResourceTypeArray = 0,
  cudaResourceTypeMipmappedArray = 1,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3
};
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
};
enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};
using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;
struct cudaResourceViewDesc;
inline constexpr unsigned cudaArrayDefault = 0, cudaArrayLayered = 1, cudaArraySurfaceLoadStore = 2;
inline constexpr int cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3;

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width,
                            std::size_t height = 0, unsigned flags = cudaArrayDefault);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x_bytes, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width_bytes, std::size_t height,
                                cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x_bytes,
                                  std::size_t y, std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array);
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

namespace exactdot::simt::detail {

/// The scalars of a type, from the name of its first member.
template <class T, class = void>
struct scalars_of {
  using type = T;
};
template <class T>
struct scalars_of<T, std::void_t<decltype(T::x)>> {
  using type = decltype(T::x);
};

/// What a texture or surface reads.
struct texture_view {
  const char* data = nullptr;
  std::size_t pitch = 0;
  std::ptrdiff_t width = 0, height = 0;  // in elements
  cudaChannelFormatDesc format{};
  cudaTextureAddressMode modes[2] = {cudaAddressModeClamp, cudaAddressModeClamp};
  bool normalised = false, to_float = false;
};
/// Whether cudaReadModeNormalizedFloat has a meaning: CUDA does not promote integers of 32 bits.
inline bool can_be_normalised(const cudaChannelFormatDesc& format) {
  return format.f != cudaChannelFormatKindFloat && format.x <= 16;
}
/// Not instrumented: what a texture is lies in the host's memory. A texture that does not exist is a trap.
texture_view view_of_texture(unsigned long long object);
texture_view view_of_texture(const void* reference);
void leave_surface();  // a trap
cudaError_t bind_texture(const void* reference, const texture_view& view, cudaTextureFilterMode filter);
cudaError_t unbind_texture(const void* reference);
texture_view view_of_array(cudaArray_const_t array);

/// The element's index in a dimension; -1 in the border.
inline std::ptrdiff_t addressed(std::ptrdiff_t i, std::ptrdiff_t size, cudaTextureAddressMode mode,
                                bool normalised) {
  if (i >= 0 && i < size) return i;
  if (mode == cudaAddressModeBorder) return -1;
  if (normalised && mode == cudaAddressModeWrap) return (i % size + size) % size;
  if (normalised && mode == cudaAddressModeMirror) {
    const std::ptrdiff_t place = (i % (2 * size) + 2 * size) % (2 * size);
    return place < size ? place : 2 * size - 1 - place;
  }
  return i < 0 ? 0 : size - 1;
}
inline std::ptrdiff_t element_at(float coordinate, std::ptrdiff_t size, bool normalised) {
  return static_cast<std::ptrdiff_t>(std::floor(normalised ? coordinate * static_cast<float>(size) : coordinate));
}

/// A channel of an integer format as a float in [0, 1] or [-1, 1].
[[gnu::always_inline]] inline float normalised_channel(const char* at, int bits, bool is_signed) {
  if (bits == 8 && !is_signed) return static_cast<float>(*reinterpret_cast<const unsigned char*>(at)) / 255.0F;
  if (bits == 16 && !is_signed) return static_cast<float>(*reinterpret_cast<const unsigned short*>(at)) / 65535.0F;
  const float value = bits == 8 ? static_cast<float>(*reinterpret_cast<const signed char*>(at)) / 127.0F
                                : static_cast<float>(*reinterpret_cast<const short*>(at)) / 32767.0F;
  return value < -1.0F ? -1.0F : value;
}

template <class T>
[[gnu::always_inline]] inline T read_texture(const texture_view& view, std::ptrdiff_t x, std::ptrdiff_t y) {
  if (x < 0 || y < 0) return T{};
  const char* const row = view.data + static_cast<std::size_t>(y) * view.pitch;
  const int bits[] = {view.format.x, view.format.y, view.format.z, view.format.w};
  const std::ptrdiff_t bytes = (bits[0] + bits[1] + bits[2] + bits[3]) / 8;
  if (!view.to_float) return *reinterpret_cast<const T*>(row + x * bytes);
  float channels[4] = {};
  for (int c = 0; c < 4 && bits[c] != 0; ++c)
    channels[c] = normalised_channel(row + x * bytes + c * bits[0] / 8, bits[0],
                                     view.format.f == cudaChannelFormatKindSigned);
  T result{};
  __builtin_memcpy(&result, channels, sizeof result < sizeof channels ? sizeof result : sizeof channels);
  return result;
}
template <class T>
[[gnu::always_inline]] inline T fetch_element(const texture_view& view, int i) {
  return read_texture<T>(view, i >= 0 && i < view.width ? i : -1, 0);
}
template <class T>
[[gnu::always_inline]] inline T fetch(const texture_view& view, float x, float y) {
  return read_texture<T>(
      view, addressed(element_at(x, view.width, view.normalised), view.width, view.modes[0], view.normalised),
      addressed(element_at(y, view.height, view.normalised), view.height, view.modes[1], view.normalised));
}
/// The address of an element of a surface; x in bytes.
template <class T>
[[gnu::always_inline]] inline T* surface_element(const texture_view& view, int x, int y,
                                                 cudaSurfaceBoundaryMode mode) {
  const std::ptrdiff_t bytes = (view.format.x + view.format.y + view.format.z + view.format.w) / 8 * view.width;
  const auto inside = [](std::ptrdiff_t i, std::ptrdiff_t last) { return i < 0 ? 0 : i > last ? last : i; };
  const bool is_inside = x >= 0 && x + static_cast<std::ptrdiff_t>(sizeof(T)) <= bytes && y >= 0 && y < view.height;
  if (!is_inside && mode == cudaBoundaryModeTrap) leave_surface();
  if (!is_inside && mode == cudaBoundaryModeZero) return nullptr;
  const std::ptrdiff_t column = inside(x, bytes - static_cast<std::ptrdiff_t>(sizeof(T))),
                       row = inside(y, view.height - 1);
  return reinterpret_cast<T*>(const_cast<char*>(view.data) + row * static_cast<std::ptrdiff_t>(view.pitch) +
                              column);
}

}  // namespace exactdot::simt::detail

template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  using scalar = typename exactdot::simt::detail::scalars_of<T>::type;
  constexpr int bits = 8 * static_cast<int>(sizeof(scalar)), count = static_cast<int>(sizeof(T) / sizeof(scalar));
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
          !std::is_integral_v<scalar> ? cudaChannelFormatKindFloat
          : std::is_signed_v<scalar>  ? cudaChannelFormatKindSigned
                                      : cudaChannelFormatKindUnsigned};
}

// Texture objects.
template <class T>
[[gnu::always_inline]] inline T tex1Dfetch(cudaTextureObject_t object, int i) {
  return exactdot::simt::detail::fetch_element<T>(exactdot::simt::detail::view_of_texture(object), i);
}
template <class T>
[[gnu::always_inline]] inline T tex1D(cudaTextureObject_t object, float x) {
  return exactdot::simt::detail::fetch<T>(exactdot::simt::detail::view_of_texture(object), x, 0);
}
template <class T>
[[gnu::always_inline]] inline T tex2D(cudaTextureObject_t object, float x, float y) {
  return exactdot::simt::detail::fetch<T>(exactdot::simt::detail::view_of_texture(object), x, y);
}
template <class T>
[[gnu::always_inline]] inline void tex1Dfetch(T* to, cudaTextureObject_t object, int i) {
  *to = tex1Dfetch<T>(object, i);
}
template <class T>
[[gnu::always_inline]] inline void tex2D(T* to, cudaTextureObject_t object, float x, float y) {
  *to = tex2D<T>(object, x, y);
}

// Surfaces: x counts bytes.
template <class T>
[[gnu::always_inline]] inline T surf2Dread(cudaSurfaceObject_t object, int x, int y,
                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  using namespace exactdot::simt::detail;
  const T* const at = surface_element<T>(view_of_texture(object), x, y, mode);
  return at == nullptr ? T{} : *at;
}
template <class T>
[[gnu::always_inline]] inline void surf2Dread(T* to, cudaSurfaceObject_t object, int x, int y,
                                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *to = surf2Dread<T>(object, x, y, mode);
}
template <class T>
[[gnu::always_inline]] inline void surf2Dwrite(T value, cudaSurfaceObject_t object, int x, int y,
                                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  using namespace exactdot::simt::detail;
  if (T* const at = surface_element<T>(view_of_texture(object), x, y, mode); at != nullptr) *at = value;
}
template <class T>
[[gnu::always_inline]] inline T surf1Dread(cudaSurfaceObject_t object, int x,
                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return surf2Dread<T>(object, x, 0, mode);
}
template <class T>
[[gnu::always_inline]] inline void surf1Dwrite(T value, cudaSurfaceObject_t object, int x,
                                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  surf2Dwrite(value, object, x, 0, mode);
}

// Texture references, of toolkits before CUDA 12.
struct textureReference {
  int normalized = 0;
  cudaTextureFilterMode filterMode = cudaFilterModePoint;
  cudaTextureAddressMode addressMode[3] = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp};
  cudaChannelFormatDesc channelDesc{};
};
namespace exactdot::simt {
/// What `texture<…>` is in files that do not define a type of this name: simtcc replaces the word.
template <class T, int dimensions = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture_reference : textureReference {
  using value = std::conditional_t<mode == cudaReadModeElementType, T, float>;
  texture_reference(int is_normalised = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                    cudaTextureAddressMode address = cudaAddressModeClamp)
      : textureReference{is_normalised, filter, {address, address, address}, cudaCreateChannelDesc<T>()} {}
  [[nodiscard]] detail::texture_view view(detail::texture_view of) const {
    of.normalised = normalized != 0;
    of.to_float = mode == cudaReadModeNormalizedFloat && detail::can_be_normalised(channelDesc);
    of.modes[0] = addressMode[0], of.modes[1] = addressMode[1];
    return of;
  }
};
}  // namespace exactdot::simt
template <class T, int n, cudaTextureReadMode mode>
cudaError_t cudaBindTexture(std::size_t* offset, const exactdot::simt::texture_reference<T, n, mode>& bound,
                            const void* memory, std::size_t bytes = ~std::size_t{0}) {
  if (offset != nullptr) *offset = 0;
  constexpr std::size_t most = std::size_t{1} << 27;
  const std::size_t size = bytes == ~std::size_t{0} ? most * sizeof(T) : bytes;
  return exactdot::simt::detail::bind_texture(&bound,
                                              bound.view({static_cast<const char*>(memory),
                                                          size,
                                                          static_cast<std::ptrdiff_t>(size / sizeof(T)),
                                                          1,
                                                          bound.channelDesc,
                                                          {},
                                                          false,
                                                          false}),
                                              bound.filterMode);
}
template <class T, int n, cudaTextureReadMode mode>
cudaError_t cudaBindTexture(std::size_t* offset, const exactdot::simt::texture_reference<T, n, mode>& bound,
                            const void* memory, const cudaChannelFormatDesc&, std::size_t bytes = ~std::size_t{0}) {
  return cudaBindTexture(offset, bound, memory, bytes);
}
template <class T, int n, cudaTextureReadMode mode>
cudaError_t cudaBindTexture2D(std::size_t* offset, const exactdot::simt::texture_reference<T, n, mode>& bound,
                              const void* memory, const cudaChannelFormatDesc& format, std::size_t width,
                              std::size_t height, std::size_t pitch) {
  if (offset != nullptr) *offset = 0;
  return exactdot::simt::detail::bind_texture(&bound,
                                              bound.view({static_cast<const char*>(memory),
                                                          pitch,
                                                          static_cast<std::ptrdiff_t>(width),
                                                          static_cast<std::ptrdiff_t>(height),
                                                          format,
                                                          {},
                                                          false,
                                                          false}),
                                              bound.filterMode);
}
template <class T, int n, cudaTextureReadMode mode>
cudaError_t cudaBindTexture2D(std::size_t* offset, const exactdot::simt::texture_reference<T, n, mode>& bound,
                              const void* memory, std::size_t width, std::size_t height, std::size_t pitch) {
  return cudaBindTexture2D(offset, bound, memory, bound.channelDesc, width, height, pitch);
}
template <class T, int n, cudaTextureReadMode mode>
cudaError_t cudaBindTextureToArray(const exactdot::simt::texture_reference<T, n, mode>& bound,
                                   cudaArray_const_t array) {
  return exactdot::simt::detail::bind_texture(&bound, bound.view(exactdot::simt::detail::view_of_array(array)),
                                              bound.filterMode);
}
template <class T, int n, cudaTextureReadMode mode>
cudaError_t cudaBindTextureToArray(const exactdot::simt::texture_reference<T, n, mode>& bound,
                                   cudaArray_const_t array, const cudaChannelFormatDesc&) {
  return cudaBindTextureToArray(bound, array);
}
template <class T, int n, cudaTextureReadMode mode>
cudaError_t cudaUnbindTexture(const exactdot::simt::texture_reference<T, n, mode>& bound) {
  return exactdot::simt::detail::unbind_texture(&bound);
}
template <class T, int n, cudaTextureReadMode mode>
[[gnu::always_inline]] inline auto tex1Dfetch(const exactdot::simt::texture_reference<T, n, mode>& from, int i) {
  using value = typename exactdot::simt::texture_reference<T, n, mode>::value;
  return exactdot::simt::detail::fetch_element<value>(exactdot::simt::detail::view_of_texture(&from), i);
}
template <class T, int n, cudaTextureReadMode mode>
[[gnu::always_inline]] inline auto tex1D(const exactdot::simt::texture_reference<T, n, mode>& from, float x) {
  using value = typename exactdot::simt::texture_reference<T, n, mode>::value;
  return exactdot::simt::detail::fetch<value>(exactdot::simt::detail::view_of_texture(&from), x, 0);
}
template <class T, int n, cudaTextureReadMode mode>
[[gnu::always_inline]] inline auto tex2D(const exactdot::simt::texture_reference<T, n, mode>& from, float x,
                                         float y) {
  using value = typename exactdot::simt::texture_reference<T, n, mode>::value;
  return exactdot::simt::detail::fetch<value>(exactdot::simt::detail::view_of_texture(&from), x, y);
}
