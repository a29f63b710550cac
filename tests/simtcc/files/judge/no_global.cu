// refused: no_global\.cu:7: error: a host function call \("add"\) cannot be configured; expected a function with __global__
// refused: no_global\.cu:4: error: calling a __host__ function \("twice"\) from a __global__ function \("kernel"\) is not allowed
int twice(int x) { return 2 * x; }  void add(int* x) { *x += 1; }
__global__ void kernel(int* x) { *x = twice(*x); }
int main() {
  int* x;
  add<<<1, 1>>>(x);
  kernel<<<1, 1>>>(x);
}
