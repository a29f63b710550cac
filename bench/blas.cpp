// BLAS functions behind the signature of a peer; see blas.hpp.
//
// asum and nrm2 have no second vector. A function of the peers' signature calls them through a static pointer,
// which adds a jump to each call; dot is called directly.
#include "blas.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace bench {
namespace {

template <class T, blas_library library>
struct functions {
  static inline reduction_function<T>* dot = nullptr;
  static inline T (*of_one_vector)(int n, const T* x, int stride) = nullptr;

  static T call(int n, const T* x, int stride, const T*, int) { return of_one_vector(n, x, stride); }
  static T squares(int n, const T* x, int stride, const T*, int) { return dot(n, x, stride, x, stride); }

  static reduction_function<T>* find(reduction what, void* symbol) {
    if (what != reduction::dot && what != reduction::sum_of_squares) {
      of_one_vector = reinterpret_cast<decltype(of_one_vector)>(symbol);
      return call;
    }
    dot = reinterpret_cast<reduction_function<T>*>(symbol);
    return what == reduction::dot ? dot : squares;
  }
};

template <blas_library library>
blas_functions find(reduction what, const std::function<void*(const char*)>& symbol) {
  const std::string name = what == reduction::sum ? "sum" : name_in_blas(what);
  if (name.empty()) throw std::runtime_error(fmt::format("BLAS has no {}", exactdot::name_of(what)));
  const std::string of_floats = "cblas_s" + name, of_doubles = "cblas_d" + name;
  void* const single = symbol(of_floats.c_str());
  void* const twice = symbol(of_doubles.c_str());
  if (single == nullptr || twice == nullptr) {
    throw std::runtime_error(fmt::format("no {} or {}", of_floats, of_doubles));
  }
  return {fmt::format("{} and {}{}", of_floats, of_doubles,
                      what == reduction::sum_of_squares ? " of a vector with itself" : ""),
          functions<float, library>::find(what, single), functions<double, library>::find(what, twice)};
}

}  // namespace

std::string name_in_blas(reduction what) {
  if (what == reduction::dot || what == reduction::sum_of_squares) return "dot";
  return what == reduction::asum || what == reduction::nrm2 ? exactdot::name_of(what) : "";
}

blas_functions find_blas_functions(reduction what, blas_library library,
                                   const std::function<void*(const char*)>& symbol) {
  if (library == blas_library::blis) return find<blas_library::blis>(what, symbol);
  if (library == blas_library::openblas) return find<blas_library::openblas>(what, symbol);
  return find<blas_library::openblas_as_shipped>(what, symbol);
}

}  // namespace bench
