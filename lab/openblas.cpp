// OpenBLAS through dlopen; see peers.hpp. Loading at run time lets the program run without OpenBLAS; RTLD_LOCAL
// keeps other libraries' BLAS calls from binding to it.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <lab/openblas_core.hpp>
#include <lab/peers.hpp>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

namespace exactdot::lab {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

template <class T>
bool aligned(const T* x) {
  return reinterpret_cast<std::uintptr_t>(x) % alignof(T) == 0;
}

template <class T>
std::vector<T> copy_of(const T* x, std::size_t n) {
  std::vector<T> copy(n);
  if (n != 0) std::memcpy(copy.data(), x, n * sizeof(T));
  return copy;
}

}  // namespace

openblas::openblas(kernels wanted) {
  const std::string file = EXACTDOT_OPENBLAS_FILE;
  if (file.empty()) {
    fault_ = "not found when this program was built";
    return;
  }
  if (wanted == kernels::as_shipped) {
    load_copy(file);
    return;
  }
  load(file);
  if (!available()) return;
  if (const char* const asked = std::getenv(openblas_core_variable)) {
    asked_core_ = asked;
    return;
  }
  asked_core_ = better_openblas_core(core_name());
  if (asked_core_.empty()) return;
  dlclose(library_);
  setenv(openblas_core_variable, asked_core_.c_str(), 1);
  load(file);
  unsetenv(openblas_core_variable);
}

void openblas::load_copy(const std::string& file) {
  std::error_code fault;
  const std::filesystem::path copy =
      std::filesystem::temp_directory_path(fault) / ("exactdot-" + std::to_string(getpid()) + "-openblas.so");
  if (!fault) std::filesystem::copy_file(file, copy, fault);
  if (fault) {
    fault_ = copy.string() + ": " + fault.message();
    return;
  }
  load(copy);
  std::filesystem::remove(copy, fault);
}

void openblas::load(const std::string& file) {
  // never closed after use: its threads outlive every caller
  library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    const char* const reason = dlerror();
    fault_ = reason != nullptr ? reason : "cannot be loaded";
    return;
  }
  const bool complete = find(library_, "cblas_sdot", sdot_) && find(library_, "cblas_ddot", ddot_) &&
                        find(library_, "cblas_sasum", sasum_) && find(library_, "cblas_dasum", dasum_) &&
                        find(library_, "cblas_snrm2", snrm2_) && find(library_, "cblas_dnrm2", dnrm2_) &&
                        find(library_, "openblas_set_num_threads", set_threads_) &&
                        find(library_, "openblas_get_num_threads", get_threads_) &&
                        find(library_, "openblas_get_corename", core_name_) &&
                        find(library_, "openblas_get_config", configuration_);
  if (!complete) fault_ = file + " lacks the functions of OpenBLAS";
}

const openblas& openblas::instance() {
  static const openblas loaded{kernels::best};
  return loaded;
}

const openblas& openblas::as_shipped() {
  const openblas& best = instance();
  if (best.asked_core().empty() || std::getenv(openblas_core_variable) != nullptr) return best;
  static const openblas loaded{kernels::as_shipped};
  return loaded;
}

void* openblas::symbol(const char* name) const { return dlsym(library_, name); }

std::string openblas::core_name() const { return core_name_(); }

std::string openblas::version() const {
  const std::string text = configuration_();  // "OpenBLAS 0.3.21 NO_LAPACKE …"
  return text.substr(0, text.find(' ', text.find(' ') + 1));
}

int openblas::set_threads(int threads) const {
  set_threads_(threads);
  return get_threads_();
}

namespace {

constexpr std::size_t max_length = std::numeric_limits<int>::max();

/// Calls step(start, length) for the parts of a vector that OpenBLAS's length type holds, at least once.
template <class Step>
void for_parts(std::size_t n, Step step) {
  std::size_t start = 0;
  do {
    const std::size_t length = std::min(n - start, max_length);
    step(start, static_cast<int>(length));
    start += length;
  } while (start < n);
}

/// work(x) with an aligned vector of the same elements.
template <class T, class Work>
T with_aligned(const T* x, std::size_t n, Work work) {
  return aligned(x) ? work(x) : work(static_cast<const T*>(copy_of(x, n).data()));
}

}  // namespace

template <element T>
T openblas::dot(const T* a, const T* b, std::size_t n) const {
  return with_aligned(a, n, [&](const T* x) {
    return with_aligned(b, n, [&](const T* y) {
      T sum = 0;
      for_parts(n,
                [&](std::size_t start, int length) { sum += cblas_dot<T>()(length, x + start, 1, y + start, 1); });
      return sum;
    });
  });
}

template <element T>
T openblas::asum(const T* x, std::size_t n) const {
  return with_aligned(x, n, [&](const T* from) {
    T sum = 0;
    for_parts(n, [&](std::size_t start, int length) {
      if constexpr (std::is_same_v<T, float>) {
        sum += sasum_(length, from + start, 1);
      } else {
        sum += dasum_(length, from + start, 1);
      }
    });
    return sum;
  });
}

template <element T>
T openblas::nrm2(const T* x, std::size_t n) const {
  return with_aligned(x, n, [&](const T* from) {
    T norm = 0;
    for_parts(n, [&](std::size_t start, int length) {
      if constexpr (std::is_same_v<T, float>) {
        norm = start == 0 ? snrm2_(length, from, 1) : std::hypot(norm, snrm2_(length, from + start, 1));
      } else {
        norm = start == 0 ? dnrm2_(length, from, 1) : std::hypot(norm, dnrm2_(length, from + start, 1));
      }
    });
    return norm;
  });
}

template float openblas::dot(const float*, const float*, std::size_t) const;
template double openblas::dot(const double*, const double*, std::size_t) const;
template float openblas::asum(const float*, std::size_t) const;
template double openblas::asum(const double*, std::size_t) const;
template float openblas::nrm2(const float*, std::size_t) const;
template double openblas::nrm2(const double*, std::size_t) const;

}  // namespace exactdot::lab
