// The host uses device memory by functions of the C and C++ libraries: the line is that of the user's call.
// status: 66
// prints: host_access in global memory \(buffer of 4000 bytes \+ 0\): write by host code \(memory_functions.cu:LINE(memset)\)
// prints: host_access in global memory \(buffer of 4000 bytes \+ 0\): read by host code \(memory_functions.cu:LINE(memcpy)\)
// prints: host_access in global memory \(buffer of 4000 bytes \+ 0\): read by host code \(memory_functions.cu:LINE(short)\)
// prints: host_access .* write by host code \(memory_functions.cu:LINE(copy)\)
// prints: host_access .* read by host code \(memory_functions.cu:LINE(copy_back)\)
// prints: host_access .* write by host code \(memory_functions.cu:LINE(fill)\)
// prints: host_access .* write by host code \(memory_functions.cu:LINE(fill_bytes)\)
// prints: host_access .* read by host code \(memory_functions.cu:LINE(compare)\)
// prints: host_access .* read by host code \(memory_functions.cu:LINE(sort)\)
// prints: host_access .* write by host code \(memory_functions.cu:LINE(sort)\)
// prints: host_access .* read by host code \(memory_functions.cu:LINE(sum)\)
// prints: host_access .* read by host code \(memory_functions.cu:LINE(vector)\)
// prints: host_access .* write by host code \(memory_functions.cu:LINE(read)\)
// prints: host_access .* read by host code \(memory_functions.cu:LINE(write)\)
// silent: \((stl_|vector|predefined|char_traits)
// prints: ^simtcc: 14 findings in 0 launches
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

constexpr int n = 1000;

void exchange(int* d, int* h) {
  std::copy(h, h + n, d);                        // copy
  std::copy_n(d, n, h);                          // copy_back
  std::fill(d, d + n, 1);                        // fill
  auto* bytes = reinterpret_cast<unsigned char*>(d);
  std::fill_n(bytes, n, 0);                      // fill_bytes
}

int main() {
  int *d, h[n] = {};
  cudaMalloc(&d, sizeof h);
  memset(d, 0, sizeof h);                        // memset
  std::memcpy(h, d, sizeof h);                   // memcpy
  memcpy(h, d, 40);                              // short
  exchange(d, h);
  std::printf("%d\n", std::memcmp(h, d, sizeof h));  // compare
  std::sort(d, d + n, [](int a, int b) { return a > b; });  // sort
  std::printf("%d\n", std::accumulate(d, d + n, 0));  // sum
  const std::vector<int> copied(d, d + n);       // vector
  std::printf("%d\n", copied[1]);
  std::FILE* const zeros = std::fopen("/dev/zero", "r");
  if (std::fread(d, sizeof *d, n, zeros) != n) return 1;  // read
  std::FILE* const nothing = std::fopen("/dev/null", "w");
  if (fwrite(d, sizeof *d, n, nothing) != n) return 1;  // write
}
