// Sums and dot products to compare with: textbook loops and OpenBLAS. None of them is exact.
//
// The loops are sequential, as in textbooks: they show the accuracy of a method, not its best speed. Pointers need
// no alignment.
#pragma once

#include <cstddef>
#include <exactdot/dot.hpp>
#include <exactdot/element.hpp>
#include <string>
#include <type_traits>

namespace exactdot::lab {

/// What a loop adds for each element: a[i]·b[i], a[i] or |a[i]|.
enum class term { product, value, magnitude };

/// sum += term in the type Sum. A product is rounded to the wider of Sum and T first. `b` counts only for products.
/// Sum: float, double, or, with T = float, float16 and bfloat16, which round every sum of two floats.
template <element Sum, element T>
[[nodiscard]] Sum plain_loop(term added, const T* a, const T* b, std::size_t n);

/// Dot2 (see below) of a and b, or of |a| or a and ones, which is Sum2, Algorithm 4.4 of the same paper.
template <element T>
[[nodiscard]] T compensated_loop(term added, const T* a, const T* b, std::size_t n);

/// sum += a[i]·b[i] in a float. The product is rounded to the wider of float and T.
template <element T>
[[nodiscard]] float float_loop(const T* a, const T* b, std::size_t n);

/// sum += a[i]·b[i] in a double; with T = float every product is exact.
template <element T>
[[nodiscard]] double double_loop(const T* a, const T* b, std::size_t n);

/// As accurate as if computed in twice the precision of T and rounded to T; 10 flops per pair with a fused
/// multiply-add. Overflows if the plain loop does; loses accuracy if the error of a product underflows.
/// Algorithm 5.3 of T. Ogita, S. M. Rump, S. Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26 (2005).
template <element T>
[[nodiscard]] T dot2(const T* a, const T* b, std::size_t n);

/// OpenBLAS, loaded on first use from the file found at configuration. Its symbols stay local to it. A release
/// older than the CPU falls back to SSE3 kernels ("Prescott"); for a fair comparison it is then loaded again with
/// OPENBLAS_CORETYPE set to the best core that the CPU supports. A value set by the user takes precedence.
class openblas {
 public:
  /// Returns OpenBLAS with the best kernels for this machine; loads it on the first call. Thread-safe.
  static const openblas& instance();
  /// Returns OpenBLAS with the kernels that it selects itself: instance() if those are the best, else a second
  /// library loaded on the first call from a copy of the file, because dlopen returns one handle per file.
  /// Thread-safe.
  static const openblas& as_shipped();

  [[nodiscard]] bool available() const noexcept { return fault_.empty(); }
  /// Returns why it is not available: "not found when this program was built", or the loader's message.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
  /// Returns the kernels in use: "SkylakeX", "Zen", …
  [[nodiscard]] std::string core_name() const;
  /// Returns the value of OPENBLAS_CORETYPE, set by the user or by instance(); empty if OpenBLAS selected itself.
  [[nodiscard]] const std::string& asked_core() const noexcept { return asked_core_; }
  /// "OpenBLAS 0.3.21"
  [[nodiscard]] std::string version() const;
  /// Sets the number of threads; returns the maximum that OpenBLAS will use.
  int set_threads(int threads) const;

  /// Calls cblas_sdot or cblas_ddot; requires available(). Splits vectors longer than its 32-bit length, and copies
  /// unaligned vectors, which it is not documented to accept.
  template <element T>
  [[nodiscard]] T dot(const T* a, const T* b, std::size_t n) const;

  /// Calls cblas_sasum or cblas_dasum, and cblas_snrm2 or cblas_dnrm2; as dot().
  template <element T>
  [[nodiscard]] T asum(const T* x, std::size_t n) const;
  template <element T>
  [[nodiscard]] T nrm2(const T* x, std::size_t n) const;

  /// Returns cblas_sdot or cblas_ddot itself, for timing a bare call.
  template <element T>
  [[nodiscard]] auto cblas_dot() const noexcept {
    if constexpr (std::is_same_v<T, float>) {
      return sdot_;
    } else {
      return ddot_;
    }
  }
  /// Returns the address of any of its functions, null if it has none of that name; requires available().
  [[nodiscard]] void* symbol(const char* name) const;

 private:
  enum class kernels { best, as_shipped };
  explicit openblas(kernels wanted);
  void load(const std::string& file);
  void load_copy(const std::string& file);

  std::string fault_, asked_core_;
  void* library_ = nullptr;
  float (*sdot_)(int, const float*, int, const float*, int) = nullptr;
  double (*ddot_)(int, const double*, int, const double*, int) = nullptr;
  float (*sasum_)(int, const float*, int) = nullptr;
  double (*dasum_)(int, const double*, int) = nullptr;
  float (*snrm2_)(int, const float*, int) = nullptr;
  double (*dnrm2_)(int, const double*, int) = nullptr;
  void (*set_threads_)(int) = nullptr;
  int (*get_threads_)() = nullptr;
  char* (*core_name_)() = nullptr;
  char* (*configuration_)() = nullptr;
};

}  // namespace exactdot::lab
