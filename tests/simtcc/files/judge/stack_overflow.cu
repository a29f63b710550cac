// What was found is reported where the host's stack overflows.
// status: -11
// prints: out_of_bounds .*LINE(write)
// prints: did not run to its end: Segmentation fault
__global__ void k(int* x) {
  x[4] = 1;  // write
}
int deeper(int n) {
  volatile char bytes[100000];
  bytes[0] = n;
  return deeper(n + 1) + bytes[0];
}
int main() {
  int* x;
  cudaMalloc(&x, 4);
  k<<<1, 1>>>(x);
  return deeper(0);
}
