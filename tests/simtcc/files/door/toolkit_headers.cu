// A folder of CUDA's own headers gives way to those of simtcc.
// options: -I /usr/local/cuda/include -I/usr/local/cuda/include
// prints: ^ok$
#include <cuda_runtime.h>
#include <cstdio>
int main() { printf("ok\n"); }
