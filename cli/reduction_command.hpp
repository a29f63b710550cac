// The subcommands that compute a reduction: names, descriptions and the options that each has.
//
// Everything follows from the library's list of reductions; only descriptions and other names are written here.
#pragma once

#include <exactdot/reduction.hpp>
#include <io/type_names.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace exactdot::cli {

/// Returns the name of the subcommand: the library's name, but NumPy's short "var" and "std".
[[nodiscard]] std::string_view command_of(reduction what);
/// Returns the other names of the reduction, its own in C++ and its aliases: of `nrm2` "norm", of `var` "variance".
/// The subcommands and the option --reduction take them too.
[[nodiscard]] std::vector<std::string> aliases_of(reduction what);
/// Returns the commands of all reductions.
[[nodiscard]] std::vector<std::string> reduction_commands();
/// Returns one line for the help.
[[nodiscard]] std::string_view description_of(reduction what);
/// Returns the text that follows the options in the help.
[[nodiscard]] std::string examples_of(reduction what);

/// Whether it is made of several sums of the vectors, each of which reads them.
[[nodiscard]] constexpr bool is_ratio(reduction what) { return core::info_of(what).is_ratio; }
[[nodiscard]] constexpr bool has_weights(reduction what) {
  const core::ratio_divisor divisor = core::info_of(what).divisor;
  return is_ratio(what) &&
         (divisor == core::ratio_divisor::weights || divisor == core::ratio_divisor::weights_degrees);
}
/// Whether the reduction has mode fast.
[[nodiscard]] constexpr bool has_mode_fast(reduction what) { return !has_ddof(what) && !is_ratio(what); }
/// Returns the names of its modes.
[[nodiscard]] std::vector<std::string> mode_names(reduction what);
/// Whether the type of the result can be chosen.
[[nodiscard]] constexpr bool has_result_type(reduction what) { return !gives_index(what) && !gives_element(what); }
/// Returns the names of the result types that can be chosen for some elements: for real ones, or for any.
[[nodiscard]] std::vector<std::string> result_type_names(reduction what, io::npy_numbers numbers);
/// Returns the default result types of integers: "float64", or "int64 or uint64".
[[nodiscard]] std::string integer_result_names(reduction what);
/// Whether there are other methods to compare with.
[[nodiscard]] constexpr bool has_comparison(reduction what) { return has_result_type(what) && has_mode_fast(what); }
/// Returns "dot, sum, …": the subcommands with a comparison.
[[nodiscard]] std::string commands_with_comparison();

}  // namespace exactdot::cli
