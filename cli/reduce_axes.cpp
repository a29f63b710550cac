// See reduce_axes.hpp.
#include <fmt/format.h>

#include <cli/option_checks.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <cli/reduce_axes.hpp>
#include <cli/reduce_files.hpp>
#include <cli/reduction_command.hpp>
#include <cli/report.hpp>
#include <cli/stopwatch.hpp>
#include <cstring>
#include <exactdot/batches.hpp>
#include <io/fault.hpp>
#include <io/npy_writer.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace exactdot::cli {
namespace {

/// The axes of an array: those of the results, and those of the elements.
struct divided {
  std::vector<axis> results, elements;
};

std::string dimensions_text(std::size_t count) {
  return fmt::format("{} dimension{}", count, count == 1 ? "" : "s");
}

divided divide(const io::vector_file& file, const std::vector<int>& chosen) {
  const std::vector<axis> axes = file.axes();
  std::vector<bool> reduced(axes.size());
  const auto count = static_cast<int>(axes.size());
  for (const int axis : chosen) {
    const auto place = static_cast<std::size_t>(axis < 0 ? axis + count : axis);
    if (axis < -count || axis >= count) {
      io::fail(file.path(), fmt::format("has {}; --axis names {}", dimensions_text(axes.size()), axis));
    }
    if (reduced[place]) throw error(errc::bad_option, fmt::format("--axis names axis {} twice", place));
    reduced[place] = true;
  }
  divided all;
  for (std::size_t i = 0; i < axes.size(); ++i) (reduced[i] ? all.elements : all.results).push_back(axes[i]);
  return all;
}

std::vector<std::size_t> lengths_of(const std::vector<axis>& axes) {
  std::vector<std::size_t> lengths;
  for (const axis& each : axes) lengths.push_back(each.n);
  return lengths;
}

/// The axes of the second input of a dot: of an array of the same shape, or of one vector for all results.
divided divide_second(const operands& files, const std::vector<int>& chosen, const divided& first) {
  const std::vector<axis> axes = files.b().axes();
  if (chosen.size() != 1) throw error(errc::bad_option, "--axis: name one axis, that of the vectors");
  divided second;
  if (axes.size() == 1 && !first.results.empty()) {
    second.elements = axes;
    for (const axis& each : first.results) second.results.push_back({each.n, 0});
  } else {
    second = divide(files.b(), chosen);
  }
  if (lengths_of(second.results) != lengths_of(first.results) ||
      lengths_of(second.elements) != lengths_of(first.elements)) {
    io::fail(files.b().path(),
             fmt::format("does not have the shape of {}, nor is it one vector of the length of its axis",
                         io::printable(files.a().path())));
  }
  return second;
}

/// The results, in C order.
struct result_array {
  element_type type;
  std::vector<std::size_t> shape;
  std::vector<std::byte> bytes;

  [[nodiscard]] std::size_t count() const { return bytes.size() / size_of(type); }
  [[nodiscard]] any_scalar at(std::size_t i) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * size_of(type)], size_of(type));
    return {type, bits};
  }
};

result_array compute(const reduction_arguments& arguments, const operands& files, const options& options) {
  const auto chosen = *parse_axes(arguments.axis);
  const divided first = divide(files.a(), chosen);
  const bool two = files.count() == 2;
  const divided second = two ? divide_second(files, chosen, first) : first;
  result_array made{type_named(arguments.result_type)
                        .value_or(default_result_type(arguments.what, files.a().type(), files.b().type())),
                    lengths_of(first.results),
                    {}};
  std::vector<axis> places = first.results;
  auto stride = static_cast<std::ptrdiff_t>(size_of(made.type));
  for (std::size_t i = places.size(); i-- != 0;) {
    places[i].stride = stride;
    stride *= static_cast<std::ptrdiff_t>(places[i].n);
  }
  made.bytes.resize(static_cast<std::size_t>(stride));
  const auto grid = [](const io::vector_file& file, const divided& axes) {
    return any_grid{file.bytes().data(), file.type(), axes.results, axes.elements, file.swapped()};
  };
  const any_results to{made.bytes.data(), made.type, places};
  try {
    if (two) {
      dot(grid(files.a(), first), grid(files.b(), second), to, options);
    } else {
      reduce(arguments.what, grid(files.a(), first), to, options, arguments.ddof);
    }
  } catch (const error& fault) {
    fail_with_file(fault, arguments.what, files, made.type);
  }
  return made;
}

nlohmann::ordered_json json_of(const reduction_arguments& arguments, const operands& files,
                               const result_array& results, double seconds) {
  nlohmann::ordered_json object = {{"reduction", std::string(name_of(arguments.what))}};
  object["axis"] = *parse_axes(arguments.axis);
  object["shape"] = results.shape;
  if (arguments.out.empty()) {
    object["values"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < results.count(); ++i) {
      nlohmann::ordered_json one;
      put_value(one, results.at(i));
      object["values"].push_back(one["value"]);
    }
  } else {
    object["out"] = arguments.out;
  }
  object["dtype"] = std::string(name_of(results.type));
  object["n"] = files.n();
  object["mode"] = arguments.mode;
  if (has_ddof(arguments.what)) object["ddof"] = arguments.ddof;
  put_timing(object, seconds, files.bytes());
  return object;
}

}  // namespace

void run_over_axes(const reduction_arguments& arguments, const options& options) {
  const auto raw_type = type_named(arguments.raw_type);
  const auto raw_type_of_b = arguments.raw_type_of_b.empty() ? raw_type : type_named(arguments.raw_type_of_b);
  const operands files{
      arguments.what, {arguments.a, raw_type}, {arguments.b, raw_type_of_b}, io::npy_shapes::any};
  result_array results;
  double seconds = 0;
  {
    const progress progress_line{"computing", *options.monitor, files.n()};
    seconds = seconds_of([&] { results = compute(arguments, files, options); });
  }
  files.check();
  if (!arguments.out.empty()) {
    io::npy_writer writer(arguments.out, results.type, results.shape);
    writer.append_bytes(results.bytes);
    writer.commit();
  }
  if (arguments.json) return write_json(json_of(arguments, files, results, seconds));
  if (!arguments.out.empty()) return;
  std::string text;
  for (std::size_t i = 0; i < results.count(); ++i) text += value_text(results.at(i)) + '\n';
  write_output(text);
}

}  // namespace exactdot::cli
