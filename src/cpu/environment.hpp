// The floating-point environment that the kernels assume: rounding to nearest, no flushing of subnormals, no trapping.
//
// Entries of the library compute in it and put the caller's back, status flags included, if that is another one. Cost:
// one read of the control register; where the caller's is another one, two writes more.
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace exactdot::inline v0_3::cpu_engine {

#if defined(__x86_64__)
using control_word = std::uint32_t;  // MXCSR; the status flags are its lowest six bits

inline constexpr control_word flush_bit = 0x8000, denormals_are_zero_bit = 0x0040, trap_masks = 0x1f80;

inline control_word read_control() { return _mm_getcsr(); }
inline void write_control(control_word word) { _mm_setcsr(word); }
inline bool is_standard(control_word word) { return (word & 0xffc0) == trap_masks; }
inline control_word standard_control(control_word) { return trap_masks; }
inline bool has_traps(control_word word) { return (word & trap_masks) != trap_masks; }
inline const char* rounding_of(control_word word) {
  constexpr const char* names[] = {"to_nearest", "downward", "upward", "toward_zero"};
  return names[word >> 13 & 3];
}
#elif defined(__aarch64__)
using control_word = std::uint64_t;  // FPCR

inline constexpr control_word flush_bit = 1U << 24, denormals_are_zero_bit = flush_bit, trap_bits = 0x9f00;
/// These bits change no result of the kernels: format and flushing of float16 arithmetic (AHP, FZ16), of which there
/// is none, and the payload of NaNs (DN).
inline constexpr control_word irrelevant_bits = 1U << 26 | 1U << 19 | 1U << 25;

inline control_word read_control() {
  control_word word = 0;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
inline void write_control(control_word word) { asm volatile("msr fpcr, %0" : : "r"(word) : "memory"); }
inline bool is_standard(control_word word) { return (word & ~irrelevant_bits) == 0; }
inline control_word standard_control(control_word word) { return word & irrelevant_bits; }
inline bool has_traps(control_word word) { return (word & trap_bits) != 0; }
inline const char* rounding_of(control_word word) {
  constexpr const char* names[] = {"to_nearest", "upward", "downward", "toward_zero"};
  return names[word >> 22 & 3];
}
#endif

#if defined(__x86_64__) || defined(__aarch64__)
inline bool flushes_results(control_word word) { return (word & flush_bit) != 0; }
inline bool flushes_operands(control_word word) { return (word & denormals_are_zero_bit) != 0; }

/// The standard environment on this thread, during the lifetime of the object.
class standard_arithmetic {
 public:
  standard_arithmetic() : before_(read_control()) {
    if (!is_standard(before_)) [[unlikely]] enter();
  }
  ~standard_arithmetic() {
    if (!is_standard(before_)) [[unlikely]] leave();
  }
  standard_arithmetic(const standard_arithmetic&) = delete;
  standard_arithmetic& operator=(const standard_arithmetic&) = delete;

 private:
  // not inline: the compiler moves no operation across a call
  [[gnu::noinline]] void enter() {
#if defined(__aarch64__)
    asm volatile("mrs %0, fpsr" : "=r"(flags_));
#endif
    write_control(standard_control(before_));
  }
  [[gnu::noinline]] void leave() {
    write_control(before_);
#if defined(__aarch64__)
    asm volatile("msr fpsr, %0" : : "r"(flags_));
#endif
  }

  control_word before_;
#if defined(__aarch64__)
  std::uint64_t flags_ = 0;
#endif
};

#else

using control_word = std::fenv_t;

inline control_word read_control() {
  control_word word;
  std::fegetenv(&word);
  return word;
}
inline bool is_standard(const control_word&) { return false; }
// C++ names the rounding alone
inline bool flushes_results(const control_word&) { return false; }
inline bool flushes_operands(const control_word&) { return false; }
inline bool has_traps(const control_word&) { return false; }
/// The thread's, which the word was read from.
inline const char* rounding_of(const control_word&) {
  switch (std::fegetround()) {
    case FE_UPWARD: return "upward";
    case FE_DOWNWARD: return "downward";
    case FE_TOWARDZERO: return "toward_zero";
    default: return "to_nearest";
  }
}

class standard_arithmetic {
 public:
  standard_arithmetic() : before_(read_control()) { std::fesetenv(FE_DFL_ENV); }
  ~standard_arithmetic() { std::fesetenv(&before_); }
  standard_arithmetic(const standard_arithmetic&) = delete;
  standard_arithmetic& operator=(const standard_arithmetic&) = delete;

 private:
  control_word before_;
};

#endif

inline bool arithmetic_is_standard() { return is_standard(read_control()); }

}  // namespace exactdot::inline v0_3::cpu_engine
