// Textures of linear memory and of arrays, without filtering; surfaces; references of earlier toolkits.
// notes: textures.cu:\d+: cudaBindTextureToArray: of toolkits before CUDA 12
// prints: ^all hold$
#include <cstdio>
#include <cstring>
#define HOLDS(condition) \
  if (!(condition)) printf("%d: %s\n", __LINE__, #condition), failed = 1
texture<float, cudaTextureType2D, cudaReadModeElementType> plane;
texture<int> line;
__global__ void read_objects(cudaTextureObject_t linear, cudaTextureObject_t array, cudaTextureObject_t wrapped, float* out) {
  out[0] = tex1Dfetch<float>(linear, 3);
  out[1] = tex1Dfetch<float>(linear, 1000);      // beyond it: zero
  out[2] = tex2D<float>(array, 2.5f, 1.5f);
  out[3] = tex2D<float>(array, -3.0f, 0.5f);     // clamped
  out[4] = tex2D<float>(array, 100.0f, 100.0f);
  out[5] = tex2D<float>(wrapped, 1.3125f, 0.25f);  // once around: column 2
}
__global__ void read_references(float* out) {
  out[0] = tex2D(plane, 1.0f, 1.0f);
  out[1] = tex1Dfetch(line, 2);
}
__global__ void bytes(cudaTextureObject_t texture, float* out) {
  float4 c = tex2D<float4>(texture, 1, 0);
  out[0] = c.x, out[1] = c.w;
}
__global__ void write_surface(cudaSurfaceObject_t surface) {
  int x = threadIdx.x, y = threadIdx.y;
  surf2Dwrite(10.0f * y + x, surface, x * (int)sizeof(float), y);
}
int main() {
  int failed = 0;
  float host[32], got[8], *memory, *out;
  for (int i = 0; i < 32; ++i) host[i] = i;
  cudaMalloc(&memory, sizeof host), cudaMalloc(&out, sizeof got);
  cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice);
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  HOLDS(cudaMallocArray(&array, &format, 8, 4) == cudaSuccess);
  HOLDS(cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 4, cudaMemcpyHostToDevice) == cudaSuccess);
  HOLDS(cudaMemcpy2DToArray(array, 0, 1, host, 32, 32, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = format;
  resource.res.linear.sizeInBytes = sizeof host;
  cudaTextureDesc description;
  memset(&description, 0, sizeof description);
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t linear, of_array, wrapped;
  HOLDS(cudaCreateTextureObject(&linear, &resource, &description, NULL) == cudaSuccess);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  HOLDS(cudaCreateTextureObject(&of_array, &resource, &description, NULL) == cudaSuccess);
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeWrap;
  description.normalizedCoords = 1;
  HOLDS(cudaCreateTextureObject(&wrapped, &resource, &description, NULL) == cudaSuccess);
  read_objects<<<1, 1>>>(linear, of_array, wrapped, out);
  cudaMemcpy(got, out, 6 * sizeof(float), cudaMemcpyDeviceToHost);
  HOLDS(got[0] == 3 && got[1] == 0 && got[2] == 10 && got[3] == 0 && got[4] == 31 && got[5] == 10);
  HOLDS(cudaBindTextureToArray(plane, array, format) == cudaSuccess);
  HOLDS(cudaBindTexture(NULL, line, memory, sizeof host) == cudaSuccess);
  read_references<<<1, 1>>>(out);
  cudaMemcpy(got, out, 2 * sizeof(float), cudaMemcpyDeviceToHost);
  HOLDS(got[0] == 9 && got[1] == (float)0x40000000);  // the bits of 2.0f
  cudaUnbindTexture(line);
  unsigned char pixels[8] = {0, 0, 0, 0, 255, 1, 2, 51};
  cudaArray_t image;
  cudaChannelFormatDesc rgba = cudaCreateChannelDesc<uchar4>();
  cudaMallocArray(&image, &rgba, 2, 1);
  cudaMemcpyToArray(image, 0, 0, pixels, 8, cudaMemcpyHostToDevice);
  resource.res.array.array = image;
  description.normalizedCoords = 0;
  description.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t colours;
  HOLDS(cudaCreateTextureObject(&colours, &resource, &description, NULL) == cudaSuccess);
  bytes<<<1, 1>>>(colours, out);
  cudaMemcpy(got, out, 2 * sizeof(float), cudaMemcpyDeviceToHost);
  HOLDS(got[0] == 1 && got[1] == 0.2f);
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  HOLDS(cudaCreateSurfaceObject(&surface, &resource) == cudaSuccess);
  write_surface<<<1, dim3(8, 4)>>>(surface);
  cudaMemcpy2DFromArray(host, 32, array, 0, 0, 32, 4, cudaMemcpyDeviceToHost);
  HOLDS(host[0] == 0 && host[31] == 37);
  HOLDS(cudaDestroyTextureObject(linear) == cudaSuccess && cudaDestroySurfaceObject(surface) == cudaSuccess);
  HOLDS(cudaFreeArray(array) == cudaSuccess);
  if (!failed) printf("all hold\n");
  return failed;
}
