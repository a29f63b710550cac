// A lock that two blocks take is recognised: it lacks fences. In a fence after an atomic nothing waits. The loop of the
// programming guide begins with a plain read.
// status: 66
// prints: data_race .*LINE(locked)\); both are under a lock, which without fences orders nothing; fix: __threadfence\(\) after acquiring the lock and before releasing it
// prints: data_race .*LINE(total)\).*; only one of the two is atomic, and a fence waits for no other thread; fix: a wait for the other side
// prints: data_race .*LINE(guess).*; a read that is not atomic, of a word that atomicCAS changes; fix: a first read that is volatile or atomic
__global__ void locked(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *count += 1;  // locked
  atomicExch(lock, 0);
}
__global__ void fenced(int* total, int* result) {
  atomicAdd(total, 1);
  __threadfence();
  if (blockIdx.x == 0 && threadIdx.x == 0) *result = *total;  // total
}
__global__ void add(double* sum, double x) {
  unsigned long long* word = (unsigned long long*)sum;
  unsigned long long old = *word, assumed;  // guess
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
  fenced<<<4, 64>>>(words + 2, words + 3);
  add<<<2, 32>>>(sum, 1.5);
  cudaDeviceSynchronize();
}
