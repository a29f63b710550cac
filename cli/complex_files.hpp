// Complex numbers in files: what takes them, and the types of results.
#pragma once

#include <exactdot/element.hpp>
#include <exactdot/reduction.hpp>
#include <io/vector_file.hpp>
#include <string>
#include <string_view>

namespace exactdot::cli {

/// Whether the reduction has complex numbers, and whether its result of them is complex.
[[nodiscard]] constexpr bool takes_complex(reduction what) { return core::info_of(what).takes_complex(); }
[[nodiscard]] constexpr bool gives_complex(reduction what) { return core::info_of(what).gives_complex(); }
/// Which numbers the reduction takes.
[[nodiscard]] constexpr io::npy_numbers numbers_of(reduction what) {
  return takes_complex(what) ? io::npy_numbers::any : io::npy_numbers::real;
}

/// Throws errc::file if the file holds complex numbers, which the reduction does not have. The sentence names those
/// that have.
void require_numbers_of(reduction what, const io::vector_file& file);

/// Throws errc::file if the file holds complex numbers: `option` has none.
void require_real(const io::vector_file& file, std::string_view option);

/// Returns the type of results: that of --result, unless it is empty, or the default: of complex numbers, and of
/// one complex and one real vector, a type that holds both, of norms that of its parts. Throws errc::bad_option for
/// a complex --result of what is real, and for a real one of what is complex.
[[nodiscard]] element_type result_type_of(reduction what, element_type a, element_type b,
                                          const std::string& chosen);

}  // namespace exactdot::cli
