// Device generators of cuRAND: the numbers of CUDA 13.0's curand_kernel.h for these seeds, subsequences and offsets.
// prints: ^X 3955638199 1977250130 0\.333464056 0\.489602352474305 0\.51243 0\.93341 0\.0489539023343 4098374262$
// prints: ^P 2219120097 4035800746 0\.0589866824 0\.51550995954312384 -0\.55226 2120669524 3192634740 0\.208821759 0\.625055432 1\.78440651577 -0\.68627 -0\.23462 3574955934$
// prints: ^X 1591180605 3846794379 0\.607219219 0\.079468366080028663 1\.1339 1\.6787 -0\.671893026735 3736447436$
// prints: ^P 1050891457 2151722766 0\.581130505 0\.81160969031043351 1\.5325 1071227132 1068312284 0\.98239249 0\.57218796 -0\.171112925027 -1\.7009 -0\.46216 566787310$
// prints: ^X 342776314 3989926291 0\.957635105 0\.82970442232742991 1\.1157 -1\.8564 0\.0185095919425 2965497548$
// prints: ^P 181365914 970875219 0\.282366753 0\.18444544402882457 0\.015149 530129520 3757155448 0\.182911173 0\.441393733 1\.28061563435 0\.46745 0\.31486 2800362378$
// prints: ^X 3696858989 2676361914 0\.260237187 0\.57165566357516706 -0\.15212 0\.23525 0\.201563778634 1278425967$
// prints: ^P 1847956163 1155541186 0\.999614 0\.75864636502228677 -1\.0061 2873990112 937128557 0\.160080492 0\.16992861 -1\.53222580688 -0\.22392 0\.22408 434445325$
#include <cstdio>
#include <curand_kernel.h>
__global__ void print(unsigned long long seed, unsigned long long subsequence, unsigned long long offset) {
  curandState x;
  curand_init(seed, subsequence, offset, &x);
  unsigned a = curand(&x), b = curand(&x);
  float uniform = curand_uniform(&x);
  double uniform_double = curand_uniform_double(&x);
  float n = curand_normal(&x), m = curand_normal(&x);
  double normal_double = curand_normal_double(&x);
  printf("X %u %u %.9g %.17g %.5g %.5g %.12g %u\n", a, b, uniform, uniform_double, n, m, normal_double, curand(&x));
  curandStatePhilox4_32_10_t p;
  curand_init(seed, subsequence, offset, &p);
  a = curand(&p), b = curand(&p);
  uniform = curand_uniform(&p), uniform_double = curand_uniform_double(&p);
  n = curand_normal(&p);
  uint4 q = curand4(&p);
  float4 u = curand_uniform4(&p);
  normal_double = curand_normal_double(&p);
  float4 w = curand_normal4(&p);
  skipahead(5ULL, &p);
  printf("P %u %u %.9g %.17g %.5g %u %u %.9g %.9g %.12g %.5g %.5g %u\n", a, b, uniform, uniform_double, n, q.x, q.w, u.x, u.w,
         normal_double, w.x, w.w, curand(&p));
}
/// A state of each thread in global memory, taken, used and put back.
__global__ void estimate(curandState* states, int* inside) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(7, i, 0, &states[i]);
  curandState state = states[i];
  for (int k = 0; k < 20; ++k) {
    float x = curand_uniform(&state), y = curand_uniform(&state);
    if (x * x + y * y <= 1) atomicAdd(inside, 1);
  }
  states[i] = state;
}
int main() {
  unsigned long long cases[][3] = {{0ULL, 1ULL, 0ULL}, {1234ULL, 0ULL, 1000003ULL}, {1234ULL, 77ULL, 3ULL}, {0x123456789abcdefULL, 1ULL << 40, 1000003ULL}};
  for (auto& c : cases) print<<<1, 1>>>(c[0], c[1], c[2]);
  curandState* states;
  int *inside, host = 0;
  cudaMalloc(&states, 128 * sizeof(curandState));
  cudaMalloc(&inside, sizeof(int));
  cudaMemset(inside, 0, sizeof(int));
  estimate<<<2, 64>>>(states, inside);
  cudaMemcpy(&host, inside, sizeof(int), cudaMemcpyDeviceToHost);
  double pi = 4.0 * host / (128 * 20);
  return !(pi > 3.0 && pi < 3.3);
}
