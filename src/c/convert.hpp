// From the values of the C interface to the library's. Numbers are checked before they become enumerators;
// functions throw exactdot::error, whose sentence begins with the caller's name.
#pragma once

#include <exactdot.h>

#include <cstdint>
#include <cstring>
#include <exactdot/error.hpp>
#include <exactdot/options.hpp>
#include <exactdot/reduction.hpp>
#include <exactdot/state_format.hpp>
#include <exactdot/views.hpp>
#include <string>

struct xd_monitor {
  exactdot::monitor monitor;
};

namespace exactdot::c {

/// Whether this library holds the CUDA engine.
extern const bool has_cuda_engine;

[[noreturn]] void refuse(errc code, const char* caller, const std::string& sentence);

/// Throws errc::null_pointer, naming the argument.
void require(const void* pointer, const char* caller, const char* argument);

[[nodiscard]] element_type to_type(int type, const char* caller);
/// Of an element, or of a complex number.
[[nodiscard]] element_type to_number_type(int type, const char* caller);
[[nodiscard]] int type_code(element_type type);
/// Whether one of these types, or a number that is none, is complex.
[[nodiscard]] inline bool has_complex(int a, int b, int result) {
  const auto is = [](int type) { return type == XD_COMPLEX64 || type == XD_COMPLEX128; };
  return is(a) || is(b) || is(result);
}
[[nodiscard]] reduction to_reduction(int what, const char* caller);
[[nodiscard]] state_form to_form(int form, const char* caller);
[[nodiscard]] state_format to_format(const xd_state_format& given, const char* caller);
[[nodiscard]] any_vector to_vector(const xd_vector* x, const char* caller, const char* argument);
/// A vector of elements or of complex numbers.
[[nodiscard]] any_vector to_numbers(const xd_vector* x, const char* caller, const char* argument);
[[nodiscard]] inline bool conjugates(const xd_options* given) { return given != nullptr && given->conjugate != 0; }
/// The second vector of a dot; for reductions of one vector `a` again, and b must be null.
[[nodiscard]] any_vector second_vector(reduction what, const any_vector& a, const xd_vector* b, const char* caller);
[[nodiscard]] any_vector second_numbers(reduction what, const any_vector& a, const xd_vector* b, const char* caller);
/// Throws for a filter, too; `beside_filter` leaves that to the caller.
[[nodiscard]] options to_options(const xd_options* given, const char* caller);
[[nodiscard]] options to_options_beside_filter(const xd_options* given, const char* caller);
[[nodiscard]] inline const xd_filter* filter_of(const xd_options* given) {
  return given == nullptr ? nullptr : given->filter;
}
[[nodiscard]] std::int64_t ddof_of(const xd_options* given);

/// Throws errc::bad_option unless the type is a floating-point type.
void require_floating(element_type type, const char* caller);

/// Throws errc::bad_option if `bytes` bytes at `result` overlap an element of x. Whether x fits into the address
/// space is checked elsewhere.
void require_outside(const void* result, std::size_t bytes, const any_vector& x, const char* caller);

/// Stores the low bytes of a word as a result of this type, at any address.
inline void store(void* result, element_type type, std::uint64_t word) {
  with_element(type, [&]<class T>(T) {
    const T value = detail::from_word<T>(word);
    std::memcpy(result, &value, sizeof value);
  });
}

}  // namespace exactdot::c
