// Functions of a BLAS library as peers: dot, sum (where the library has that extension), asum, nrm2; for a sum of
// squares, the dot of a vector with itself.
#pragma once

#include <functional>
#include <string>

#include "peer.hpp"

namespace bench {

/// The name in BLAS after the prefix and the letter of the type: of dot, asum and nrm2; for a sum of squares "dot".
/// Empty if there is none.
std::string name_in_blas(reduction what);

/// Each library has its own pointers, so that several can be measured in one process.
enum class blas_library { openblas, openblas_as_shipped, blis };

struct blas_functions {
  std::string called;  ///< "cblas_sasum and cblas_dasum"
  reduction_function<float>* of_floats = nullptr;
  reduction_function<double>* of_doubles = nullptr;
};

/// Returns the library's functions for a reduction. `symbol` finds a function by its name, or returns null. Throws
/// std::runtime_error if BLAS has none for this reduction, or the library lacks it. A second call for the same
/// library replaces the functions of the first.
blas_functions find_blas_functions(reduction what, blas_library library,
                                   const std::function<void*(const char*)>& symbol);

}  // namespace bench
