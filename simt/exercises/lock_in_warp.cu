//! title: A lock for every thread
//! topic: locks
//! call: void count(int* mutex, int* counter, int threads)
//! fails: livelock
//! hint: In lock step, lanes that wait in the loop keep the lane that has the lock from going on: it cannot give it back.
//! hint: The owner must do its work and release the lock before its warp goes round the loop again.
//! hint: Put the work into the loop: if this thread gets the lock, it works, releases it, and is done.
//! learnt: threads of a warp may wait for each other only if the owner's work is inside of the loop; one lock per block is better.
// Each thread adds 1 to the counter under a lock. Since Volta it ends; in lock step, as older GPUs run a warp, it never does.
// Make it right for both.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void count_threads(int* mutex, int* counter) {
#ifdef SOLUTION
  for (bool done = false; !done;) {
    if (atomicCAS(mutex, 0, 1) == 0) {
      __threadfence();
      *counter += 1;
      __threadfence();
      atomicExch(mutex, 0);
      done = true;
    }
  }
#else
  while (atomicCAS(mutex, 0, 1) != 0) {
  }
  __threadfence();
  *counter += 1;
  __threadfence();
  atomicExch(mutex, 0);
#endif
}

// mutex and counter are in the device's memory
void count(int* mutex, int* counter, int threads) {
  cudaMemset(mutex, 0, sizeof(int));
  cudaMemset(counter, 0, sizeof(int));
  count_threads<<<2, threads>>>(mutex, counter);
}

int main() {
  int* x;
  cudaMallocManaged(&x, 2 * sizeof(int));
  count(x, x + 1, 8);
  cudaDeviceSynchronize();
  std::printf("%d threads of 16\n", x[1]);
  cudaFree(x);
}

#ifdef CHECK
void exercise::check() {
  for (int threads : {1, 2, 7, 33}) {
    begin_case("2 blocks of " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"));
    const device_array<int> mutex(1), counter(1);
    count(mutex, counter, threads);
    expect_equal("*counter", counter.value(), 2 * threads);
  }
}
#endif
