// Callbacks of code compiled with -fsanitize=thread, -fsanitize=bounds and -fsanitize-coverage=trace-pc.
//
// Names and signatures are those of the sanitizers' run-time libraries, which these functions replace. They pass
// each event to the simulator. Outside of kernel code they do nothing but the operation itself.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "access.hpp"
#include "running.hpp"

extern dim3 simt_block_size asm("blockDim"), simt_grid_size asm("gridDim");

using namespace exactdot::simt;

namespace {

/// What the compiler guarantees of an address. `natural`: a multiple of the size, of 8 for 16-byte accesses, whose
/// types may have an alignment of 8.
enum class alignment : std::uint8_t { natural, unknown };

struct access_form {
  bool write;
  access_order order;
  alignment guaranteed = alignment::unknown;
};

/// Whether a kernel reads blockDim or gridDim.
bool is_built_in(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at - reinterpret_cast<std::uintptr_t>(&simt_block_size) < sizeof(dim3) ||
         at - reinterpret_cast<std::uintptr_t>(&simt_grid_size) < sizeof(dim3);
}

/// Not inlined: so the callbacks end with a jump to it, and have no frame of their own.
[[gnu::noinline]] void report_access(const void* address, std::size_t size, access_form form, const void* caller) {
  if (!in_kernel) {
    if (host_access != nullptr && running == nullptr) host_access(address, form.write, caller);
    return;
  }
  if (is_built_in(address)) return;
  as_simulator([=] {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (form.guaranteed == alignment::natural && (at & (std::min<std::size_t>(size, 8) - 1)) != 0) [[unlikely]]
      running->misaligned(at, form.write ? "write" : "read", caller);
    running->access(at, size, form.write, form.order, caller);
  });
}

/// Of a function that the check itself may call: where --wrap replaces it, also by libraries that are linked
/// statically.
void report_host_access(const void* address, std::size_t size, bool write, const void* caller) {
  static std::atomic<bool> is_checking;
  if (size == 0 || in_kernel || running != nullptr || host_access == nullptr || is_checking.exchange(true)) return;
  host_access(address, write, caller);
  is_checking = false;
}

[[gnu::noinline]] void visit_basic_block(const void* caller) {
  as_simulator([=] { running->visit_basic_block(caller); });
}

/// *target = next(*target) in one step. Resumes the threads parked at that address if the value changes.
template <class T, class Next>
T update(volatile T* target, const void* caller, Next next) {
  const auto at = reinterpret_cast<std::uintptr_t>(target);
  if (in_kernel) {
    as_simulator([&] {
      running->current().atomic = {};
      running->atomic(at, sizeof(T), true, false, caller);
    });
  }
  const T old = *target;
  const T changed = next(old);
  if (changed == old) return old;
  *target = changed;
  if (in_kernel) as_simulator([&] { running->memory_changed(at); });
  return old;
}

template <class T>
int compare_exchange(volatile T* target, T* expected, T x, const void* caller) {
  const T wanted = *expected;
  *expected = update(target, caller, [=](T old) { return old == wanted ? x : old; });
  return *expected == wanted;
}

struct source_location {  // layout of UndefinedBehaviorSanitizer's data
  const char* file;
  std::uint32_t line, column;
};
struct type_description {
  std::uint16_t kind, info;
  char name[1];
};
struct mismatch_data {
  source_location location;
  const type_description* type;
  unsigned char log_alignment, check;
};
struct bounds_data {
  source_location location;
  const type_description* array;
  const type_description* index;
};

}  // namespace

#define CALLER __builtin_return_address(0)

// The sanitizers' interface has one function per size.
#define ACCESS(name, size, write, order, ...)                                                \
  void __tsan_##name##size(void* a) {                                                        \
    report_access(a, size, {write, access_order::order __VA_OPT__(, ) __VA_ARGS__}, CALLER); \
  }
#define ACCESSES(size)                                                \
  ACCESS(read, size, false, plain, alignment::natural)                \
  ACCESS(write, size, true, plain, alignment::natural)                \
  ACCESS(unaligned_read, size, false, plain)                          \
  ACCESS(unaligned_write, size, true, plain)                          \
  ACCESS(volatile_read, size, false, is_volatile, alignment::natural) \
  ACCESS(volatile_write, size, true, is_volatile, alignment::natural) \
  ACCESS(unaligned_volatile_read, size, false, is_volatile)           \
  ACCESS(unaligned_volatile_write, size, true, is_volatile)

#define FETCH(bits, type, name, next)                                                             \
  type __tsan_atomic##bits##_##name(volatile type* a, type x, int) {                              \
    return update(a, CALLER, [x]([[maybe_unused]] type old) { return static_cast<type>(next); }); \
  }

#define ATOMICS(bits, type)                                                                                      \
  type __tsan_atomic##bits##_load(const volatile type* a, int) {                                                 \
    report_access(const_cast<const type*>(a), sizeof(type), {false, access_order::atomic, alignment::natural},   \
                  CALLER);                                                                                       \
    return *a;                                                                                                   \
  }                                                                                                              \
  void __tsan_atomic##bits##_store(volatile type* a, type x, int) {                                              \
    report_access(const_cast<type*>(a), sizeof(type), {true, access_order::atomic, alignment::natural}, CALLER); \
    *a = x;                                                                                                      \
  }                                                                                                              \
  FETCH(bits, type, exchange, x)                                                                                 \
  FETCH(bits, type, fetch_add, old + x)                                                                          \
  FETCH(bits, type, fetch_sub, old - x)                                                                          \
  FETCH(bits, type, fetch_and, old& x)                                                                           \
  FETCH(bits, type, fetch_or, old | x)                                                                           \
  FETCH(bits, type, fetch_xor, old ^ x)                                                                          \
  FETCH(bits, type, fetch_nand, ~(old & x))                                                                      \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* a, type* expected, type x, int, int) {        \
    return compare_exchange(a, expected, x, CALLER);                                                             \
  }                                                                                                              \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* a, type* expected, type x, int, int) {          \
    return compare_exchange(a, expected, x, CALLER);                                                             \
  }

extern "C" {

void __tsan_init() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_func_entry(void* caller) {
  if (in_kernel) as_simulator([&] { running->enter_function(caller); });
}
void __tsan_func_exit() {
  if (in_kernel) as_simulator([] { running->leave_function(); });
}
void __tsan_read_range(void* a, std::size_t size) { report_access(a, size, {false, access_order::plain}, CALLER); }
void __tsan_write_range(void* a, std::size_t size) { report_access(a, size, {true, access_order::plain}, CALLER); }
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

// Defined by the linker if it is told to replace the C library's functions by __wrap_ ones (--wrap).
[[gnu::weak]] void* __real_memcpy(void* to, const void* from, std::size_t size);
[[gnu::weak]] void* __real_memmove(void* to, const void* from, std::size_t size);
[[gnu::weak]] void* __real_memset(void* to, int value, std::size_t size);
void* __wrap_memcpy(void* to, const void* from, std::size_t size) {
  if (in_kernel) {
    report_access(to, size, {true, access_order::plain}, CALLER);
    report_access(from, size, {false, access_order::plain}, CALLER);
  } else {
    report_host_access(to, size, true, CALLER);
    report_host_access(from, size, false, CALLER);
  }
  return __real_memcpy(to, from, size);
}
void* __wrap_memmove(void* to, const void* from, std::size_t size) {
  if (in_kernel) {
    report_access(from, size, {false, access_order::plain}, CALLER);
    report_access(to, size, {true, access_order::plain}, CALLER);
  } else {
    report_host_access(from, size, false, CALLER);
    report_host_access(to, size, true, CALLER);
  }
  return __real_memmove(to, from, size);
}
void* __wrap_memset(void* to, int value, std::size_t size) {
  if (in_kernel) {
    report_access(to, size, {true, access_order::plain}, CALLER);
  } else {
    report_host_access(to, size, true, CALLER);
  }
  return __real_memset(to, value, size);
}

// What simtcc lets the C library's functions be called (host_memory.h), so that the host's use of device memory is
// seen in algorithms of the standard library too. In kernels compilers announce their copies of structs before they
// call these, so nothing is reported there.
void* exactdot_memcpy(void* to, const void* from, std::size_t size) {
  report_host_access(to, size, true, CALLER);
  report_host_access(from, size, false, CALLER);
  return __builtin_memcpy(to, from, size);
}
void* exactdot_memmove(void* to, const void* from, std::size_t size) {
  report_host_access(from, size, false, CALLER);
  report_host_access(to, size, true, CALLER);
  return __builtin_memmove(to, from, size);
}
void* exactdot_memset(void* to, int value, std::size_t size) {
  report_host_access(to, size, true, CALLER);
  return __builtin_memset(to, value, size);
}
int exactdot_memcmp(const void* left, const void* right, std::size_t size) {
  report_host_access(left, size, false, CALLER);
  report_host_access(right, size, false, CALLER);
  return __builtin_memcmp(left, right, size);
}
std::size_t exactdot_fread(void* to, std::size_t size, std::size_t count, std::FILE* file) {
  report_host_access(to, size * count, true, CALLER);
  return std::fread(to, size, count, file);
}
std::size_t exactdot_fwrite(const void* from, std::size_t size, std::size_t count, std::FILE* file) {
  report_host_access(from, size * count, false, CALLER);
  return std::fwrite(from, size, count, file);
}

// The compiler's calls for memory blocks: plain accesses of a range. The write first, as GCC announces a copy.
void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  report_access(to, size, {true, access_order::plain}, CALLER);
  report_access(from, size, {false, access_order::plain}, CALLER);
  return __builtin_memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  report_access(from, size, {false, access_order::plain}, CALLER);
  report_access(to, size, {true, access_order::plain}, CALLER);
  return __builtin_memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, std::size_t size) {
  report_access(to, size, {true, access_order::plain}, CALLER);
  return __builtin_memset(to, value, size);
}

void __sanitizer_cov_trace_pc() {
  if (!in_kernel) return;
  const void* const caller = CALLER;
  if (!running->count_basic_block(caller)) visit_basic_block(caller);
}

void __ubsan_handle_out_of_bounds(const bounds_data* check, std::uintptr_t index) {
  if (!in_kernel) return;
  as_simulator([&] {
    running->index_out_of_bounds(check->array->name, check->location.file, static_cast<int>(check->location.line),
                                 "index " + std::to_string(static_cast<std::int64_t>(index)));
  });
}

// An address that is misaligned for its type or, if the compiler knows the object, outside of it.
void __ubsan_handle_type_mismatch_v1(const mismatch_data* check, std::uintptr_t address) {
  if (!in_kernel) return;
  const void* const caller = CALLER;
  const bool is_aligned = address % (std::uintptr_t{1} << check->log_alignment) == 0;
  as_simulator([&] {
    if (!is_aligned) running->misaligned(address, "access", caller);
    running->index_out_of_bounds(check->type->name, check->location.file, static_cast<int>(check->location.line),
                                 "past its end");
  });
}

}  // extern "C"
