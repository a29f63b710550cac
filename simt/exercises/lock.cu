//! title: A lock that holds
//! topic: locks
//! call: void move_units(int* mutex, int* from, int* to, int blocks)
//! fails: data_race in global memory
//! hint: atomicCAS takes the lock for one thread at a time. But what it orders is the word of the lock, and no other word.
//! hint: What the last owner wrote must be visible before the lock is free, and the next owner must not read before it has it.
//! hint: __threadfence() after the loop that takes the lock, and __threadfence() before the lock is given back.
//! learnt: a lock needs a fence after it is taken and one before it is released; atomics alone order one word.
// Each block moves a unit from one number to the other, under a lock. Without an order the owner of the lock may see what the
// last but one has left.
#include <cuda_runtime.h>

#include <cstdio>

__device__ void take(int* mutex) {
  while (atomicCAS(mutex, 0, 1) != 0) {
  }
#ifdef SOLUTION
  __threadfence();
}

__device__ void release(int* mutex) {
  __threadfence();
  atomicExch(mutex, 0);
#else
}

__device__ void release(int* mutex) {
  *mutex = 0;
#endif
}

__global__ void move_unit(int* mutex, int* from, int* to) {
  take(mutex);
  *from -= 1;
  *to += 1;
  release(mutex);
}

// all in the device's memory
void move_units(int* mutex, int* from, int* to, int blocks) {
  cudaMemset(mutex, 0, sizeof(int));
  move_unit<<<blocks, 1>>>(mutex, from, to);
}

int main() {
  const int blocks = 100;
  int* x;
  cudaMallocManaged(&x, 3 * sizeof(int));
  x[1] = blocks, x[2] = 0;
  move_units(x, x + 1, x + 2, blocks);
  cudaDeviceSynchronize();
  std::printf("%d left, %d moved\n", x[1], x[2]);
  cudaFree(x);
}

#ifdef CHECK
void exercise::check() {
  for (int blocks : {1, 2, 20}) {
    begin_case(std::to_string(blocks) + (blocks == 1 ? " block" : " blocks"));
    const device_array<int> mutex(1), from(std::vector<int>{blocks}), to(std::vector<int>{0});
    move_units(mutex, from, to, blocks);
    expect_equal("*from", from.value(), 0);
    expect_equal("*to", to.value(), blocks);
  }
}
#endif
