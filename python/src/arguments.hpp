// Converts and checks the arguments of the package's functions other than vectors (vectors.hpp).
//
// A message begins with the function's name (`caller`). All functions are called with the GIL held.
#pragma once

#include <exactdot/element.hpp>
#include <exactdot/options.hpp>
#include <python/src/imported_array.hpp>

namespace exactdot::python {

/// The types of results of a reduction, for messages: of any elements, of integers whose sums may stay so, and
/// where these may be narrow.
inline constexpr const char* choices_of_floats =
    "float16, bfloat16, float32, float64, float8_e4m3fn or float8_e5m2";
inline constexpr const char* choices_of_integers =
    "int64, uint64, float16, bfloat16, float32, float64, float8_e4m3fn or float8_e5m2";
inline constexpr const char* choices_of_sums =
    "int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, float8_e4m3fn "
    "or "
    "float8_e5m2";

inline constexpr const char* choices_of_complex = "complex64 or complex128";

/// Throws TypeError or ValueError.
[[noreturn]] void throw_python(bool is_type_error, const std::string& sentence);

/// Accepts what numpy.dtype accepts, and types of PyTorch, JAX, …, if they name an element type, or a complex one where
/// `of_complex` asks for that. Throws ValueError, which advises `choices`, by default all element types. Cost: that of
/// a few comparisons for an object that was passed before.
element_type read_dtype(nb::handle value, const char* caller, const char* choices = nullptr, bool of_complex = false);

/// True or False, of Python or NumPy. Throws TypeError.
bool read_bool(nb::handle value, const char* name, const char* caller);

/// An int, or an object with __index__. Throws TypeError, or ValueError if it exceeds 64 bits.
std::int64_t read_integer(nb::handle value, const char* name, const char* caller);

/// The same, of at least 0. Throws ValueError for a negative one.
std::int64_t read_count(nb::handle value, const char* name, const char* caller);

/// What a variance subtracts from the number of elements: a whole number, or a fraction.
struct ddof_value {
  std::int64_t whole = 0;
  double fractional = 0;  ///< not 0: instead of `whole`
};
/// ddof, or correction, which the array API calls it: any real number from 0 to 2^53, or an integer of at least 0.
/// None (or null) is not passed, and `otherwise` without either. Throws TypeError or ValueError.
ddof_value read_ddof(nb::handle ddof, nb::handle correction, const char* caller, int otherwise = 0);

/// mode, threads and device ("auto", "cpu", "cuda", "cuda:N"). Throws ValueError or TypeError.
options read_options(nb::handle mode, std::int64_t threads, nb::handle device, const char* caller);

}  // namespace exactdot::python
