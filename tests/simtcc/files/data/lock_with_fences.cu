// The same, right.
__global__ void locked(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *count += 1;
  __threadfence();
  atomicExch(lock, 0);
}
__global__ void add(double* sum, double x) {
  unsigned long long* word = (unsigned long long*)sum;
  unsigned long long old = *(volatile unsigned long long*)word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __double_as_longlong(x + __longlong_as_double(assumed)));
  } while (assumed != old);
}
int main() {
  int* words;
  double* sum;
  cudaMalloc(&words, 16), cudaMemset(words, 0, 16);
  cudaMalloc(&sum, 8), cudaMemset(sum, 0, 8);
  locked<<<8, 32>>>(words, words + 1);
  add<<<2, 32>>>(sum, 1.5);
  cudaDeviceSynchronize();
}
