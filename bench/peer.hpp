// Peer: an implementation of the dot product that the benchmark measures.
//
// All peers, exactdot included, are called through a pointer with the signature of cblas_sdot or cblas_ddot, so
// that the overhead of a call is the same for each.
#pragma once

#include <concepts>
#include <string>
#include <vector>

namespace bench {

template <class T>
using dot_function = T(int n, const T* a, int stride_a, const T* b, int stride_b);

struct peer {
  std::string name;
  std::string description;  ///< functions, version and kernels
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

/// Returns all available peers, exact first. Appends a line with the reason to `missing` for each unavailable peer.
std::vector<peer> all_peers(std::vector<std::string>& missing);

/// Prefix of the names of OpenBLAS's peers.
inline constexpr const char* openblas_name = "openblas";

}  // namespace bench
