// What headers of CUDA bring along of the C++ library.
// prints: ^ok 1$
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <thrust/host_vector.h>
int main() {
  std::string text = "ok";
  const auto start = std::chrono::steady_clock::now();
  try {
    throw std::runtime_error(text);
  } catch (const std::exception& error) {
    std::cout << error.what() << " " << (std::chrono::steady_clock::now() >= start) << std::endl;
  }
}
