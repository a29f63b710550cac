// One way to compute a dot product, as the benchmark calls it.
//
// All peers are called through a pointer with the signature of cblas_sdot and cblas_ddot, ours included, so
// that a call costs the same for each.
#pragma once

#include <concepts>
#include <string>
#include <vector>

namespace bench {

template <class T>
using dot_function = T(int n, const T* a, int stride_a, const T* b, int stride_b);

struct peer {
  std::string name;
  std::string how;  ///< what is called, which version, which kernels
  dot_function<float>* sdot;
  dot_function<double>* ddot;
  void (*set_threads)(int) = nullptr;  ///< null: one thread always

  template <std::same_as<float> T>
  [[nodiscard]] dot_function<float>* function() const {
    return sdot;
  }
  template <std::same_as<double> T>
  [[nodiscard]] dot_function<double>* function() const {
    return ddot;
  }
};

/// Everyone who is at hand, exact first. `missing` gets a line for each peer that is not, with the reason.
std::vector<peer> all_peers(std::vector<std::string>& missing);

/// Names of the rows that are OpenBLAS begin with this.
inline constexpr const char* openblas_name = "openblas";

}  // namespace bench
