// Integers of 32 bits are not promoted to floats, whatever the mode of reading.
// prints: ^100000 -70000 0\.2$
#include <cstdio>
#include <cstring>
cudaTextureObject_t texture_of(void* memory, size_t bytes, cudaChannelFormatDesc format) {
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = format;
  resource.res.linear.sizeInBytes = bytes;
  cudaTextureDesc description;
  memset(&description, 0, sizeof description);
  description.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  return texture;
}
__global__ void read(cudaTextureObject_t words, cudaTextureObject_t bytes, int* out, float* part) {
  out[0] = tex1Dfetch<int>(words, 0), out[1] = tex1Dfetch<int>(words, 1);
  *part = tex1Dfetch<float>(bytes, 0);
}
int main() {
  int host[2] = {100000, -70000}, got[2], *memory, *out;
  unsigned char byte = 51, *bytes;
  float part, *out_part;
  cudaMalloc(&memory, sizeof host), cudaMalloc(&out, sizeof host), cudaMalloc(&bytes, 1), cudaMalloc(&out_part, 4);
  cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(bytes, &byte, 1, cudaMemcpyHostToDevice);
  read<<<1, 1>>>(texture_of(memory, sizeof host, cudaCreateChannelDesc<int>()),
                 texture_of(bytes, 1, cudaCreateChannelDesc<unsigned char>()), out, out_part);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  cudaMemcpy(&part, out_part, sizeof part, cudaMemcpyDeviceToHost);
  printf("%d %d %g\n", got[0], got[1], part);
}
