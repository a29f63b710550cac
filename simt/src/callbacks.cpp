// What compilers call from code built with -fsanitize=thread, -fsanitize=bounds and -fsanitize-coverage=trace-pc.
//
// The names and signatures are those of the sanitizers' run-time libraries, which are not linked: these functions
// stand in their place and tell the simulator. Outside of a launch, and in the simulator itself, they do nothing.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "machine.hpp"

using namespace exactdot::simt;

namespace {

/// `strong`: volatile, or an atomic load or store. Accesses of 16 bytes are aligned to 8 at least: to more only
/// where the type asks for it.
enum class promise { aligned, nothing };
void note(const void* address, std::size_t size, bool write, bool strong, const void* caller,
          promise kept = promise::nothing) {
  if (!in_kernel) return;
  as_simulator([&] {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (kept == promise::aligned && at % std::min<std::size_t>(size, 8) != 0) {
      running->misaligned(at, write ? "write" : "read", caller);
    }
    running->access(at, size, write, strong, caller);
  });
}

/// *where = next(*where) in one step, which wakes those who wait for a change only if there is one.
template <class T, class Next>
T update(volatile T* where, const void* caller, Next next) {
  const auto at = reinterpret_cast<std::uintptr_t>(where);
  if (in_kernel) as_simulator([&] { running->atomic(at, sizeof(T), true, false, caller); });
  const T old = *where;
  const T now = next(old);
  if (now == old) return old;
  *where = now;
  if (in_kernel) as_simulator([&] { running->changed(at); });
  return old;
}

template <class T>
int compare_exchange(volatile T* where, T* expected, T x, const void* caller) {
  const T wanted = *expected;
  *expected = update(where, caller, [=](T old) { return old == wanted ? x : old; });
  return *expected == wanted;
}

struct source_place {  // of UndefinedBehaviorSanitizer's data
  const char* file;
  std::uint32_t line, column;
};
struct type_description {
  std::uint16_t kind, info;
  char name[1];
};
struct bounds_data {
  source_place where;
  const type_description* array;
  const type_description* index;
};

}  // namespace

#define CALLER __builtin_return_address(0)

// The sanitizers' interface is one function for each size; macros keep them to a line each.
#define ACCESSES(size)                                                                               \
  void __tsan_read##size(void* a) { note(a, size, false, false, CALLER, promise::aligned); }         \
  void __tsan_write##size(void* a) { note(a, size, true, false, CALLER, promise::aligned); }         \
  void __tsan_unaligned_read##size(void* a) { note(a, size, false, false, CALLER); }                 \
  void __tsan_unaligned_write##size(void* a) { note(a, size, true, false, CALLER); }                 \
  void __tsan_volatile_read##size(void* a) { note(a, size, false, true, CALLER, promise::aligned); } \
  void __tsan_volatile_write##size(void* a) { note(a, size, true, true, CALLER, promise::aligned); } \
  void __tsan_unaligned_volatile_read##size(void* a) { note(a, size, false, true, CALLER); }         \
  void __tsan_unaligned_volatile_write##size(void* a) { note(a, size, true, true, CALLER); }

#define FETCH(bits, type, name, next)                                                             \
  type __tsan_atomic##bits##_##name(volatile type* a, type x, int) {                              \
    return update(a, CALLER, [x]([[maybe_unused]] type old) { return static_cast<type>(next); }); \
  }

#define ATOMICS(bits, type)                                                                               \
  type __tsan_atomic##bits##_load(const volatile type* a, int) {                                          \
    note(const_cast<const type*>(a), sizeof(type), false, true, CALLER, promise::aligned);                \
    return *a;                                                                                            \
  }                                                                                                       \
  void __tsan_atomic##bits##_store(volatile type* a, type x, int) {                                       \
    note(const_cast<type*>(a), sizeof(type), true, true, CALLER, promise::aligned);                       \
    *a = x;                                                                                               \
  }                                                                                                       \
  FETCH(bits, type, exchange, x)                                                                          \
  FETCH(bits, type, fetch_add, old + x)                                                                   \
  FETCH(bits, type, fetch_sub, old - x)                                                                   \
  FETCH(bits, type, fetch_and, old& x)                                                                    \
  FETCH(bits, type, fetch_or, old | x)                                                                    \
  FETCH(bits, type, fetch_xor, old ^ x)                                                                   \
  FETCH(bits, type, fetch_nand, ~(old & x))                                                               \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* a, type* expected, type x, int, int) { \
    return compare_exchange(a, expected, x, CALLER);                                                      \
  }                                                                                                       \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* a, type* expected, type x, int, int) {   \
    return compare_exchange(a, expected, x, CALLER);                                                      \
  }

extern "C" {

void __tsan_init() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_func_entry(void* caller) {
  if (in_kernel) as_simulator([&] { running->enter(caller); });
}
void __tsan_func_exit() {
  if (in_kernel) running->leave();
}
void __tsan_read_range(void* a, std::size_t size) { note(a, size, false, false, CALLER); }
void __tsan_write_range(void* a, std::size_t size) { note(a, size, true, false, CALLER); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
ATOMICS(8, std::uint8_t)
ATOMICS(16, std::uint16_t)
ATOMICS(32, std::uint32_t)
ATOMICS(64, std::uint64_t)
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

// Defined by the linker, where it is told to put __wrap_ functions in the place of the C library's.
[[gnu::weak]] void* __real_memcpy(void* to, const void* from, std::size_t size);
[[gnu::weak]] void* __real_memmove(void* to, const void* from, std::size_t size);
[[gnu::weak]] void* __real_memset(void* to, int value, std::size_t size);
void* __wrap_memcpy(void* to, const void* from, std::size_t size) {
  note(from, size, false, false, CALLER);
  note(to, size, true, false, CALLER);
  return __real_memcpy(to, from, size);
}
void* __wrap_memmove(void* to, const void* from, std::size_t size) {
  note(from, size, false, false, CALLER);
  note(to, size, true, false, CALLER);
  return __real_memmove(to, from, size);
}
void* __wrap_memset(void* to, int value, std::size_t size) {
  note(to, size, true, false, CALLER);
  return __real_memset(to, value, size);
}

/// A function of the compiler's own for memory: plain accesses of a range.
void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  note(from, size, false, false, CALLER);
  note(to, size, true, false, CALLER);
  return __builtin_memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  note(from, size, false, false, CALLER);
  note(to, size, true, false, CALLER);
  return __builtin_memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, std::size_t size) {
  note(to, size, true, false, CALLER);
  return __builtin_memset(to, value, size);
}

void __sanitizer_cov_trace_pc() {
  if (!in_kernel) return;
  const void* const caller = CALLER;
  as_simulator([&] { running->visit(caller); });
}

void __ubsan_handle_out_of_bounds(const bounds_data* what, std::uintptr_t index) {
  if (!in_kernel) return;
  as_simulator([&] {
    running->index_out_of_bounds(what->array->name, what->where.file, static_cast<int>(what->where.line),
                                 static_cast<std::int64_t>(index));
  });
}

/// With -fsanitize=alignment, which is not among the options that kernels get by themselves.
void __ubsan_handle_type_mismatch_v1(const source_place*, std::uintptr_t address) {
  if (!in_kernel) return;
  const void* const caller = CALLER;
  as_simulator([&] { running->misaligned(address, "access", caller); });
}

}  // extern "C"
