// Dot products as others compute them, as plain functions to compare with: textbook loops and OpenBLAS.
//
// Written the way textbooks print them, one element after the other: they show what the methods give, not
// how fast they could be made. Pointers need no alignment. None of them is exact.
#pragma once

#include <cstddef>
#include <exactdot/dot.hpp>
#include <string>
#include <type_traits>

namespace exactdot::lab {

/// sum += a[i]·b[i] in a float. The product is rounded to the wider of float and T.
template <element T>
[[nodiscard]] float float_loop(const T* a, const T* b, std::size_t n);

/// sum += a[i]·b[i] in a double; with T = float every product is exact.
template <element T>
[[nodiscard]] double double_loop(const T* a, const T* b, std::size_t n);

/// As if in twice the precision of T, rounded to T at the end; 10 flops a pair with a fused multiply-add. Overflows
/// where the plain loop does, and loses its gain where an error of a product underflows. Algorithm 5.3 of T. Ogita,
/// S. M. Rump, S. Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26 (2005).
template <element T>
[[nodiscard]] T dot2(const T* a, const T* b, std::size_t n);

/// OpenBLAS, from the file found when this was configured, loaded when first asked for. Its symbols stay
/// its own: nothing else of the program comes to use it. A release older than the CPU does not know its model
/// and falls back to SSE3 kernels ("Prescott"); it is then loaded anew with OPENBLAS_CORETYPE set to what the
/// CPU does run, for a fair comparison. A value that the user has set is respected.
class openblas {
 public:
  /// The one that comparisons are fair with; loads on the first call. Thread-safe.
  static const openblas& instance();
  /// The one with the kernels that it chooses by itself: the instance, where it did; else a second one beside it,
  /// loaded on the first call from a copy of the file, since the loader gives out one handle a file. Thread-safe.
  static const openblas& as_shipped();

  [[nodiscard]] bool available() const noexcept { return fault_.empty(); }
  /// Why it is not available: "not found when this was built", or what the loader said.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
  /// The kernels it chose for this machine: "SkylakeX", "Zen", …
  [[nodiscard]] std::string core_name() const;
  /// The kernels that OPENBLAS_CORETYPE asked it for, whether the user set it or we; empty where it chose itself.
  [[nodiscard]] const std::string& asked_core() const noexcept { return asked_core_; }
  /// "OpenBLAS 0.3.21"
  [[nodiscard]] std::string version() const;
  /// Sets its threads; returns how many it will use at most.
  int set_threads(int threads) const;

  /// cblas_sdot or cblas_ddot; only when available(). Vectors beyond its 32-bit length go in pieces. Unaligned
  /// ones are copied first, as it does not promise to take them.
  template <element T>
  [[nodiscard]] T dot(const T* a, const T* b, std::size_t n) const;

  /// cblas_sdot or cblas_ddot itself, for whoever times a bare call.
  template <element T>
  [[nodiscard]] auto cblas_dot() const noexcept {
    if constexpr (std::is_same_v<T, float>) {
      return sdot_;
    } else {
      return ddot_;
    }
  }

 private:
  enum class kernels { best, its_own };
  explicit openblas(kernels wanted);
  void load(const std::string& file);
  void load_copy(const std::string& file);

  std::string fault_, asked_core_;
  void* library_ = nullptr;
  float (*sdot_)(int, const float*, int, const float*, int) = nullptr;
  double (*ddot_)(int, const double*, int, const double*, int) = nullptr;
  void (*set_threads_)(int) = nullptr;
  int (*get_threads_)() = nullptr;
  char* (*core_name_)() = nullptr;
  char* (*configuration_)() = nullptr;
};

}  // namespace exactdot::lab
