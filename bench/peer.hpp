// Peer: an implementation of a reduction that the benchmark measures.
//
// All peers, exactdot included, are called through a pointer with the signature of cblas_sdot or cblas_ddot, so
// that the overhead of a call is the same for each. Reductions of one vector ignore the second one; those that give
// an index return it in the low bytes of T (reduction.hpp).
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "reduction.hpp"

namespace bench {

template <class T>
using reduction_function = T(int n, const T* a, int stride_a, const T* b, int stride_b);

struct peer {
  std::string name;
  std::string description;  ///< functions, version and kernels
  reduction_function<float>* of_floats;
  reduction_function<double>* of_doubles;
  void (*set_threads)(int) = nullptr;  ///< null: one thread always
  bool only_reads = false;             ///< its result means nothing

  template <std::same_as<float> T>
  [[nodiscard]] reduction_function<float>* function() const {
    return of_floats;
  }
  template <std::same_as<double> T>
  [[nodiscard]] reduction_function<double>* function() const {
    return of_doubles;
  }
};

/// Returns all available peers of a reduction, exact first. Appends a line with the reason to `missing` for each
/// unavailable peer. The last call decides which reduction all returned peers compute.
std::vector<peer> all_peers(reduction what, std::vector<std::string>& missing);

/// Prefix of the names of OpenBLAS's peers.
inline constexpr const char* openblas_name = "openblas";

}  // namespace bench
