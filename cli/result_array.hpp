// Several results of one call: as text, as JSON, and the file that --out names.
#pragma once

#include <cli/report.hpp>
#include <cstddef>
#include <exactdot/shapes.hpp>
#include <io/vector_file.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace exactdot::cli {

/// The results, in C order.
struct result_array {
  element_type type;
  std::vector<std::size_t> shape;
  std::vector<std::byte> bytes;

  [[nodiscard]] std::size_t count() const { return bytes.size() / size_of(type); }
  [[nodiscard]] any_number at(std::size_t i) const { return number_at(type, &bytes[i * size_of(type)]); }
};

[[nodiscard]] result_array zeros(element_type type, std::vector<std::size_t> shape);

/// Returns the places of the results.
[[nodiscard]] std::vector<axis> axes_of(const result_array& results);

/// Adds "shape", "values" (of out: "out") and "dtype". `out`: the file that holds the values, or empty.
void put_results(nlohmann::ordered_json& object, const result_array& results, const std::string& out);

/// Prints the results, one a line.
void write_results(const result_array& results);

/// Throws errc::file if the output is a file that is read.
void refuse_input(const std::string& out, std::initializer_list<const io::vector_file*> inputs);

}  // namespace exactdot::cli
