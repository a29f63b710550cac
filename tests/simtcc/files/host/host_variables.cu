// Variables of the host in device code, each of which nvcc refuses.
// refused: host_variables.cu:LINE(kernel): error: identifier "scale" is undefined in device code: it is a variable of the host; expected a parameter
// refused: host_variables.cu:LINE(product): error: identifier "scale" is undefined
// refused: host_variables.cu:LINE(device): error: identifier "data" is undefined
// refused: host_variables.cu:LINE(pointer): error: identifier "d_data" is undefined
int scale = 2;
static float data[10];
float *d_data, *other;

__device__ float first(int i) {
  return data[i];  // device
}
__global__ void k(float* x, int n) {
  int i = threadIdx.x * scale;  // product
  if (i < n) x[i] = first(i) + scale;  // kernel
  d_data[i] = x[i];  // pointer
}
int main() {
  k<<<1, 10>>>(other, scale);
}
