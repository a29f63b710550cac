// Kernels of a user for the page with the stepper: a race, a tree, a bank conflict, a lock within a warp, and the ends
// of a program. Argument: what to do; without one: the first three.
#include <cstdio>
#include <cstdlib>
#include <cstring>

/// A helper that no shown kernel calls.
__device__ float twice(float x) { return x * 2; }

__global__ void count(int* total) {
  *total += 1;
}

__global__ void tree(const float* x, float* sum) {
  __shared__ float partial[64];
  const int i = threadIdx.x;
  partial[i] = x[i];
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (i < step) partial[i] += partial[i + step];
    __syncthreads();
  }
  if (i == 0) *sum = partial[0];
}

__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[32 * 8];
  for (int row = 0; row < 8; ++row) tile[row * 32 + threadIdx.x] = in[row * 32 + threadIdx.x];
  __syncwarp();
  for (int k = 0; k < 8; ++k) out[threadIdx.x * 8 + k] = tile[threadIdx.x * 8 + k];
}

/// Four warps, whose reads of a column of the tile are not all among the first 3000 steps.
__global__ void wide_transpose(const float* in, float* out) {
  __shared__ float tile[32][32];
  int x = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += blockDim.y) tile[y][x] = in[y * 32 + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += blockDim.y) out[y * 32 + x] = tile[x][y];  // bank conflicts
}

/// In lock step the lane with the lock waits for those that spin.
__global__ void lock_of_a_warp(int* lock, int* total) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *total += 1;
  atomicExch(lock, 0);
}

/// A long loop of each thread, then a race of threads 70 of blocks 3 and 5 at words 900: far from the first steps.
__global__ void late_race(int* words, int* slow) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 100; ++k) slow[8 * i + k % 8] += k;
  if (threadIdx.x == 70 && (blockIdx.x == 3 || blockIdx.x == 5)) words[900] += 1;
}

/// The first step of a thread races with the last one of another, which no page has both.
__global__ void early_side(int* words, int* slow) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) words[1] = 1;
  for (int k = 0; k < 100; ++k) slow[8 * i + k % 8] += k;
  if (i == 600) words[2] = words[1];
}

/// Two threads wait for a word that nobody writes.
__global__ void spin(volatile int* words) {
  while (words[3] == 0) {
  }
}

struct vectors {
  const float* x;
  int n;
};

/// Names and types of arrays: a template's, of a struct, of the second variable of a declaration.
template <class T, int n>
__global__ void names(vectors given, T* const y) {
  __shared__ T first[n], second[n][2];
  first[threadIdx.x] = static_cast<T>(given.x[threadIdx.x]);
  second[threadIdx.x][1] = first[threadIdx.x];
  y[threadIdx.x] = second[threadIdx.x][1];
}

__global__ void beyond(float* x) { x[threadIdx.x] = 1; }

__global__ void step_once(int* total) { atomicAdd(total, 1); }

bool is(const char* name, const char* wanted) { return std::strcmp(name, wanted) == 0; }

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "all";
  float host[256];
  for (int i = 0; i < 256; ++i) host[i] = static_cast<float>(i % 10);
  int *total, *words, *slow;
  float *x, *y;
  cudaMalloc(&total, 2 * sizeof(int));
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&y, sizeof host);
  cudaMalloc(&words, 1000 * sizeof(int));
  cudaMalloc(&slow, 8192 * sizeof(int));
  cudaMemset(slow, 0, 8192 * sizeof(int));
  cudaMemset(total, 0, 2 * sizeof(int));
  cudaMemset(words, 0, 1000 * sizeof(int));
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  if (is(what, "early")) std::exit(3);
  if (is(what, "all") || is(what, "crash") || is(what, "abort") || is(what, "_Exit")) count<<<2, 4>>>(total);
  if (is(what, "crash")) *reinterpret_cast<volatile int*>(argc - 2) = 1;
  if (is(what, "abort")) std::abort();
  if (is(what, "_Exit")) std::_Exit(4);
  if (is(what, "all")) tree<<<1, 64>>>(x, y);
  if (is(what, "all")) transpose<<<1, 32>>>(x, y);
  if (is(what, "null")) beyond<<<1, 4>>>(nullptr);
  if (is(what, "beyond")) beyond<<<1, 260>>>(x);
  if (is(what, "names")) names<double, 4><<<1, 4>>>(vectors{x, 4}, reinterpret_cast<double*>(y));
  if (is(what, "wide")) {
    float* const square = reinterpret_cast<float*>(slow);
    wide_transpose<<<1, dim3(32, 4)>>>(square, square + 1024);
  }
  if (is(what, "lock")) lock_of_a_warp<<<1, 8>>>(total, total + 1);
  if (is(what, "late")) late_race<<<8, 128>>>(words, slow);
  if (is(what, "early side")) early_side<<<8, 128>>>(words, slow);
  if (is(what, "spin")) spin<<<1, 2>>>(words);
  if (is(what, "many") || is(what, "many, then race")) {
    for (int i = 0; i < 1'000'000 / (argc > 2 ? std::atoi(argv[2]) : 1); ++i) step_once<<<1, 1>>>(total);
    if (is(what, "many, then race")) count<<<2, 4>>>(total);
  }
  return is(what, "lock") || is(what, "spin") || is(what, "null") ? 0 : cudaDeviceSynchronize();
}
