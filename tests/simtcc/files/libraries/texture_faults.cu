// An element of a texture that nothing has written; linear filtering, which is not modelled; a surface's edge.
// status: 66
// prints: ^simtcc: cudaFilterModeLinear: filtering of textures is not modelled
// prints: ^refused: operation not supported$
// prints: uninitialised_global in global memory \(buffer of 64 bytes \+ 32\): read .*texture_faults\.cu:LINE(read)\)
// prints: trap \(coordinates outside of it\): surface by thread 0 of block 0 \(texture_faults\.cu:LINE(edge)\)
#include <cstdio>
__global__ void read(cudaTextureObject_t texture, float* out) {
  *out = tex2D<float>(texture, 0, 2);  // read
}
__global__ void edge(cudaSurfaceObject_t surface) {
  surf2Dwrite(1.0f, surface, 16, 0);  // edge
}
int main() {
  float host[8] = {}, *out;
  cudaMalloc(&out, 4);
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 4, 4);
  cudaMemcpy2DToArray(array, 0, 0, host, 16, 16, 2, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  cudaTextureObject_t texture, surface;
  description.filterMode = cudaFilterModeLinear;
  printf("refused: %s\n", cudaGetErrorString(cudaCreateTextureObject(&texture, &resource, &description, nullptr)));
  description.filterMode = cudaFilterModePoint;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  read<<<1, 1>>>(texture, out);
  cudaCreateSurfaceObject(&surface, &resource);
  edge<<<1, 1>>>(surface);
}
