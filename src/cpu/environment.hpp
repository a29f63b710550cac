// Whether floating-point arithmetic on this thread is what the vector kernels assume: rounding to nearest, no
// flushing of subnormals, no trapping. If it is not, mode exact computes in integers, and the caller's settings
// stay untouched.
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace exactdot::inline v0_3::cpu_engine {

inline bool arithmetic_is_standard() {
#if defined(__x86_64__)
  constexpr unsigned control = 0xffc0, masks_only = 0x1f80;  // FTZ, rounding, exception masks, DAZ
  return (_mm_getcsr() & control) == masks_only;
#elif defined(__aarch64__)
  // These bits of FPCR change no result of the kernels: format and flushing of float16 arithmetic (AHP, FZ16), of
  // which there is none, and the payload of NaNs (DN).
  constexpr std::uint64_t irrelevant = 1u << 26 | 1u << 19 | 1u << 25;
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return (control & ~irrelevant) == 0;
#else
  return std::fegetround() == FE_TONEAREST;
#endif
}

/// The floating-point environment of the calling thread, for the threads that work for it: a pool's threads keep
/// the one in which they were started.
class caller_environment {
 public:
  caller_environment() { std::fegetenv(&environment_); }

  /// Puts a worker into it until the returned object is destroyed.
  class scope {
   public:
    explicit scope(const std::fenv_t& environment) {
      std::fegetenv(&before_);
      std::fesetenv(&environment);
    }
    ~scope() { std::fesetenv(&before_); }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

   private:
    std::fenv_t before_;
  };
  [[nodiscard]] scope enter() const { return scope(environment_); }

 private:
  std::fenv_t environment_;
};

}  // namespace exactdot::inline v0_3::cpu_engine
