// Members that are called by the name of a function of the host, and launches by such names.
// options: --extended-lambda
// prints: ^6 8 15 9 10 1 1 1$
#include <cstdio>
int index(int row, int column) { return 100 * row + column; }
float weight(float x) { return 100 * x; }
float f(float x) { return 100 * x; }
void run() {}
void kernel() {}
struct matrix {
  int columns;
  __device__ int index(int row, int column) const { return row * columns + column; }
  __device__ int index_of(int row, int column) const { return index(row, column); }
  __device__ int later(int row) const { return weight(row); }
  __device__ int outside(int row) const;
  __device__ int weight(int row) const { return row * 2; }
};
__device__ int matrix::outside(int row) const { return index(row, 0); }
template <class F>
struct applied {
  F f;
  __device__ int operator()(int x) const { return f(x); }
};
struct derived : matrix {
  __device__ int of_base() const { return weight(5); }
};
struct plus_ten {
  __device__ int operator()(int x) const { return x + 10; }
};
__global__ void k(int* out) {
  matrix m{3};
  out[0] = m.index_of(2, 0), out[1] = m.later(4);
  out[2] = applied<plus_ten>{plus_ten()}(5);
  out[3] = m.outside(3);
  derived d;
  out[4] = d.of_base();
}
__global__ void one(int* out) { *out = 1; }
template <class K>
void bench(K run, int* d) {
  run<<<1, 1>>>(d);
}
void launch(void (*kernel)(int*), int* d) { kernel<<<1, 1>>>(d); }
struct launcher {
  void (*kernel)(int*);
  void start(int* d) { kernel<<<1, 1>>>(d); }
};
int main() {
  int *out, host[8];
  cudaMalloc(&out, sizeof host);
  k<<<1, 1>>>(out);
  bench(one, out + 5);
  launch(one, out + 6);
  launcher{one}.start(out + 7);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; ++i) printf("%d%c", host[i], i < 7 ? ' ' : '\n');
  run(), kernel();
}
