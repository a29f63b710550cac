// Looks up cblas.h's functions by name. OpenBLAS computes with one thread, so that a program's sums are the same in
// every run of it, whatever else the machine does.
#include "cblas.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace exactdot::simt {
namespace {

struct library {
  cblas_functions<float> of_float{};
  cblas_functions<double> of_double{};
  std::string error;
};

template <class Function>
bool look_up(void* from, const std::string& name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(from, name.c_str()));
  return function != nullptr;
}

template <class T>
bool look_up_all(void* from, const std::string& type, cblas_functions<T>& to) {
  const auto find = [&](const char* name, auto& function) {
    return look_up(from, "cblas_" + type + name, function);
  };
  return find("dot", to.dot) && find("axpy", to.axpy) && find("scal", to.scal) && find("nrm2", to.nrm2) &&
         find("asum", to.asum) && look_up(from, "cblas_i" + type + "amax", to.iamax) && find("gemv", to.gemv) &&
         find("gemm", to.gemm);
}

bool load(const char* file, library& to) {
  void* const opened = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return false;
  if (!look_up_all(opened, "s", to.of_float) || !look_up_all(opened, "d", to.of_double)) {
    dlclose(opened);
    return false;
  }
  void (*set_threads)(int) = nullptr;
  if (look_up(opened, "openblas_set_num_threads", set_threads)) set_threads(1);
  return true;
}

library find_library() {
  library found;
  if (const char* const file = std::getenv("SIMTCC_CBLAS"); file != nullptr) {
    if (*file == '\0' || !load(file, found)) {
      found.error = "SIMTCC_CBLAS=" + std::string(file) +
                    ": no library with the functions of cblas.h; expected a file such as libopenblas.so.0";
    }
    return found;
  }
  for (const char* const name : {"libopenblas.so.0", "libblas.so.3", "libcblas.so.3"}) {
    if (load(name, found)) return found;
  }
  found.error =
      "cuBLAS is computed by the host's BLAS, and none is installed (libopenblas.so.0, libblas.so.3 and "
      "libcblas.so.3 were tried); expected one: apt-get install libopenblas0-pthread, dnf install openblas, or "
      "its file as SIMTCC_CBLAS";
  return found;
}

const library& the_library() {
  static const auto& found = *new library(find_library());
  return found;
}

}  // namespace

const std::string& load_cblas() { return the_library().error; }

template <>
const cblas_functions<float>& cblas() {
  return the_library().of_float;
}
template <>
const cblas_functions<double>& cblas() {
  return the_library().of_double;
}

}  // namespace exactdot::simt
