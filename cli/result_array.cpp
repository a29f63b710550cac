// Several results of one call; see result_array.hpp.
#include <cli/output.hpp>
#include <cli/result_array.hpp>
#include <filesystem>
#include <io/fault.hpp>
#include <nlohmann/json.hpp>
#include <utility>

namespace exactdot::cli {

result_array zeros(element_type type, std::vector<std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t length : shape) count *= length;
  return {type, std::move(shape), std::vector<std::byte>(count * size_of(type))};
}

std::vector<axis> axes_of(const result_array& results) {
  std::vector<axis> axes(results.shape.size());
  auto stride = static_cast<std::ptrdiff_t>(size_of(results.type));
  for (std::size_t i = axes.size(); i-- != 0;) {
    axes[i] = {results.shape[i], stride};
    stride *= static_cast<std::ptrdiff_t>(axes[i].n);
  }
  return axes;
}

void put_results(nlohmann::ordered_json& object, const result_array& results, const std::string& out) {
  object["shape"] = results.shape;
  if (out.empty()) {
    object["values"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < results.count(); ++i) {
      nlohmann::ordered_json one;
      put_value(one, results.at(i));
      object["values"].push_back(one["value"]);
    }
  } else {
    object["out"] = out;
  }
  object["dtype"] = std::string(name_of(results.type));
}

void write_results(const result_array& results) {
  std::string text;
  for (std::size_t i = 0; i < results.count(); ++i) text += value_text(results.at(i)) + '\n';
  write_output(text);
}

void refuse_input(const std::string& out, std::initializer_list<const io::vector_file*> inputs) {
  for (const io::vector_file* input : inputs) {
    std::error_code ignored;  // a file that does not exist is none of them
    if (std::filesystem::equivalent(out, input->path(), ignored)) {
      io::fail(out, "is an input; --out needs another file");
    }
  }
}

}  // namespace exactdot::cli
