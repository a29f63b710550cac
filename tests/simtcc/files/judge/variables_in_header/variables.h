#pragma once
__constant__ int limit;
__device__ int table[4] = {0, 0, 0, 0};
__device__ __managed__ float shared_by_all = 1;
__device__ inline int doubled(int x) { return 2 * x; }
__device__ int (*chosen)(int) = doubled;
extern __device__ int declared_elsewhere;
