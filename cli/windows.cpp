// See windows.hpp.
#include <fmt/format.h>

#include <cli/element_count.hpp>
#include <cli/interruption.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <cli/reduction_command.hpp>
#include <cli/report.hpp>
#include <cli/result_array.hpp>
#include <cli/stopwatch.hpp>
#include <cli/windows.hpp>
#include <exactdot/windows.hpp>
#include <io/fault.hpp>
#include <io/npy_writer.hpp>
#include <nlohmann/json.hpp>
#include <vector>

namespace exactdot::cli {
namespace {

/// The axis along which windows move: of a vector its own.
std::size_t axis_of(const window_arguments& arguments, const io::vector_file& file) {
  const auto count = static_cast<int>(file.axes().size());
  if (!arguments.axis) {
    if (count == 1) return 0;
    io::fail(file.path(),
             fmt::format("has {}; expected a vector (1-D), or --axis N of an array", file.shape_text()));
  }
  const int axis = *arguments.axis;
  if (axis < -count || axis >= count) {
    io::fail(file.path(), fmt::format("has {} dimension{}; --axis names {}", count, count == 1 ? "" : "s", axis));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

detail::rolling asked_of(const window_arguments& arguments) {
  if (arguments.are_prefixes) return {"cumsum", reduction::sum, 0, true, {}, 0};
  const std::size_t length = parse_element_count(arguments.window).value();
  const std::size_t least =
      arguments.min_periods.empty() ? length : parse_element_count(arguments.min_periods).value();
  if (least > length) {
    throw error(errc::bad_option,
                fmt::format("--min-periods {} is more than --window {}", arguments.min_periods, arguments.window));
  }
  const reduction what = *reduction_named(arguments.reduction);
  if (arguments.ddof != 0 && !has_ddof(what)) {
    throw error(errc::bad_option, fmt::format("--ddof: {} has no such divisor; expected --reduction var or std",
                                              arguments.reduction));
  }
  detail::rolling asked{"rolling", what, {length, least}, false, {}, arguments.ddof};
  asked.filter.skips_nan = arguments.skip_nan;
  return asked;
}

/// The axes with the one at `place` as the last.
std::vector<axis> moved_to_end(std::vector<axis> axes, std::size_t place) {
  const axis along = axes[place];
  axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(place));
  axes.push_back(along);
  return axes;
}

void compute(const detail::rolling& asked, const io::vector_file& file, std::size_t along, const options& options,
             result_array& results) {
  const std::vector<axis> from = moved_to_end(file.axes(), along), to = moved_to_end(axes_of(results), along);
  const std::span<const axis> axes = from;
  try {
    detail::roll(asked,
                 {file.bytes().data(), file.type(), axes.first(axes.size() - 1), axes.last(1), file.swapped()},
                 {results.bytes.data(), results.type, to}, options);
  } catch (const error& fault) {
    const std::string sentence = fault.what();
    const bool is_beyond = sentence.find("more than 53 bits") != sentence.npos;
    if (fault.code() != errc::overflow && !is_beyond) throw;
    io::fail(file.path(), sentence.substr(0, sentence.find(';')) +
                              (is_beyond ? "; var and std take up to 53" : "; use --result float64"));
  }
}

nlohmann::ordered_json json_of(const window_arguments& arguments, const detail::rolling& asked,
                               const result_array& results) {
  nlohmann::ordered_json object = {{"reduction", asked.are_prefixes ? "cumsum" : std::string(name_of(asked.what))}};
  if (!asked.are_prefixes) {
    object["window"] = asked.window.length;
    object["min_periods"] = asked.window.min_periods;
    if (arguments.skip_nan) object["skip_nan"] = true;
    if (has_ddof(asked.what)) object["ddof"] = arguments.ddof;
  }
  if (arguments.axis) object["axis"] = *arguments.axis;
  put_results(object, results, arguments.out);
  object["mode"] = "exact";
  return object;
}

}  // namespace

void run_windows(const window_arguments& arguments) {
  const detail::rolling asked = asked_of(arguments);
  const io::vector_file file(arguments.file, type_named(arguments.raw_type), io::npy_shapes::any);
  const std::size_t along = axis_of(arguments, file);
  const element_type by_default =
      default_result_type(asked.are_prefixes ? reduction::sum : reduction::mean, file.type());
  std::vector<std::size_t> shape;
  for (const axis& each : file.axes()) shape.push_back(each.n);
  result_array results = zeros(type_named(arguments.result_type).value_or(by_default), std::move(shape));
  std::optional<io::npy_writer> writer;  // opened first: an unwritable file must not cost a computation
  if (!arguments.out.empty()) {
    refuse_input(arguments.out, {&file});
    writer.emplace(arguments.out, results.type, results.shape);
  }
  options options;
  options.monitor = &program_monitor();
  options.device = device::cpu;
  double seconds = 0;
  {
    const progress progress_line{"computing", *options.monitor, 0};
    seconds = seconds_of([&] { compute(asked, file, along, options, results); });
  }
  file.check();
  if (writer) {
    writer->append_bytes(results.bytes);
    writer->commit();
  }
  if (arguments.json) {
    nlohmann::ordered_json object = json_of(arguments, asked, results);
    put_timing(object, seconds, file.bytes().size());
    return write_json(object);
  }
  if (!writer) write_results(results);
}

}  // namespace exactdot::cli
