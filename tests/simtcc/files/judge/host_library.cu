// What only the host has of the standard library, in device code; nvcc refuses it.
// refused: host_library.cu:LINE(stream): error: "cout" is not allowed in device code: it is of the host's library; printf\(\) prints from a kernel
// refused: host_library.cu:LINE(qualified): error: "std::cerr" is not allowed in device code
// refused: host_library.cu:LINE(vector): error: "std::vector" is not allowed in device code
// refused: host_library.cu:LINE(global): error: identifier "values" is undefined in device code
#include <iostream>
#include <vector>
using namespace std;
std::vector<int> values(3);

__global__ void k(int* x) {
  cout << threadIdx.x << endl;  // stream
  std::cerr << x[0];  // qualified
  std::vector<int> list(4);  // vector
  x[0] = values[1];  // global
}
int main() {
  k<<<1, 1>>>(nullptr);
  cout << "done" << endl;
}
