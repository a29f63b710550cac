// See complex_files.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cli/complex_files.hpp>
#include <cli/reduction_command.hpp>
#include <exactdot/error.hpp>
#include <exactdot/reductions.hpp>
#include <io/fault.hpp>
#include <vector>

namespace exactdot::cli {
void require_numbers_of(reduction what, const io::vector_file& file) {
  if (!is_complex(file.type()) || takes_complex(what)) return;
  std::vector<std::string_view> commands;
  for (std::size_t i = 0; i < reduction_names.size(); ++i) {
    if (const auto other = static_cast<reduction>(i); takes_complex(other)) commands.push_back(command_of(other));
  }
  io::fail(file.path(), fmt::format("holds {}; {} takes real numbers, of complex ones there are {}",
                                    file.type_name(), command_of(what), fmt::join(commands, ", ")));
}

void require_real(const io::vector_file& file, std::string_view option) {
  if (!is_complex(file.type())) return;
  io::fail(file.path(), fmt::format("holds {}; {} for real numbers only", file.type_name(), option));
}

element_type result_type_of(reduction what, element_type a, element_type b, const std::string& chosen) {
  const element_type by_default = default_result_type(what, a, b);
  const element_type type = number_type_named(chosen).value_or(by_default);
  if (is_complex(type) == is_complex(by_default)) return type;
  const bool of_complex = is_complex(a) || is_complex(b);
  throw error(errc::bad_option,
              fmt::format("--result {}: {} of {} numbers is {}; expected {}", chosen, command_of(what),
                          of_complex ? "complex" : "real", is_complex(by_default) ? "complex" : "real",
                          is_complex(by_default) ? "complex64 or complex128" : "a real type"));
}

}  // namespace exactdot::cli
