// See reduce_axes.hpp.
#include <fmt/format.h>

#include <cli/complex_files.hpp>
#include <cli/option_checks.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <cli/reduce_axes.hpp>
#include <cli/reduce_files.hpp>
#include <cli/reduction_command.hpp>
#include <cli/report.hpp>
#include <cli/result_array.hpp>
#include <cli/stopwatch.hpp>
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

/// `axes`: those of the file, or of a mask beside it.
divided divide(const io::vector_file& file, const std::vector<axis>& axes, const std::vector<int>& chosen) {
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

[[noreturn]] void fail_for_shapes(const operands& files, int chosen, const divided& first) {
  const std::size_t length = first.elements.front().n;
  const std::string expected =
      first.results.empty()
          ? "; expected the same length"
          : fmt::format(
                ", with vectors of length {} along axis {}; expected the same shape, or one vector of length {}",
                length, chosen, length);
  io::fail(files.b().path(), fmt::format("has {}, but {} has {}{}", files.b().shape_text(),
                                         io::printable(files.a().path()), files.a().shape_text(), expected));
}

/// The axes of the second input of a dot: of an array of the same shape, or of one vector for all results.
divided divide(const io::vector_file& file, const std::vector<int>& chosen) {
  return divide(file, file.axes(), chosen);
}

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
    fail_for_shapes(files, chosen.front(), first);
  }
  return second;
}

/// What is computed, before it is.
struct axes_call {
  divided a, b, mask;
  result_array results;  // of zeros
};

axes_call prepare(const reduction_arguments& arguments, const operands& files, const file_filter& filter) {
  const auto chosen = *parse_axes(arguments.axis);
  axes_call call{divide(files.a(), chosen), {}, divide(files.a(), filter.axes_beside(files.a()), chosen), {}};
  call.b = files.count() == 2 ? divide_second(files, chosen, call.a) : call.a;
  const element_type type =
      result_type_of(arguments.what, files.a().type(), files.b().type(), arguments.result_type);
  call.results = zeros(type, lengths_of(call.a.results));
  return call;
}

void compute(const reduction_arguments& arguments, const operands& files, const file_filter& filter,
             const options& options, axes_call& call) {
  result_array& results = call.results;
  const std::vector<axis> places = axes_of(results);
  const any_grid a = files.grid_of_a(call.a.results, call.a.elements);
  const any_grid b = files.grid_of_b(call.b.results, call.b.elements);
  const any_results to{results.bytes.data(), results.type, places};
  try {
    if (arguments.filter.is_given()) {
      detail::reduce_kept_grid(arguments.what, a, b, filter.with(call.mask.results, call.mask.elements), to, options,
                               arguments.ddof);
    } else if (files.count() == 2) {
      reduce(arguments.what, a, b, to, options, arguments.ddof);
    } else {
      reduce(arguments.what, a, to, options, arguments.ddof);
    }
  } catch (const error& fault) {
    if (arguments.filter.is_given() && fault.code() == errc::empty_input) {
      fail_with_nothing_left(fault, files.a().path());
    }
    fail_with_file(fault, arguments.what, files, results.type);
  }
}

nlohmann::ordered_json json_of(const reduction_arguments& arguments, const operands& files,
                               const result_array& results, double seconds) {
  nlohmann::ordered_json object = {{"reduction", std::string(name_of(arguments.what))}};
  object["axis"] = *parse_axes(arguments.axis);
  put_results(object, results, arguments.out);
  object["n"] = files.n();
  object["mode"] = arguments.mode;
  if (has_ddof(arguments.what)) object["ddof"] = arguments.ddof;
  if (arguments.conjugate) object["conjugate"] = true;
  put_timing(object, seconds, files.bytes());
  return object;
}

}  // namespace

void run_over_axes(const reduction_arguments& arguments, const options& options) {
  const operands files = open_files(arguments, io::npy_shapes::any);
  check_numbers(arguments, files);
  const file_filter filter(arguments.filter);
  axes_call call = prepare(arguments, files, filter);
  const result_array& results = call.results;
  std::optional<io::npy_writer> writer;  // opened first: an unwritable file must not cost a computation
  if (!arguments.out.empty()) {
    refuse_input(arguments.out, {&files.a(), &files.b(), filter.file() ? &*filter.file() : &files.a()});
    writer.emplace(arguments.out, results.type, results.shape);
  }
  double seconds = 0;
  {
    const progress progress_line{"computing", *options.monitor, is_ratio(arguments.what) ? 0 : files.terms()};
    seconds = seconds_of([&] { compute(arguments, files, filter, options, call); });
  }
  files.check(), filter.check();
  if (writer) {
    writer->append_bytes(results.bytes);
    writer->commit();
  }
  if (arguments.json) {
    nlohmann::ordered_json object = json_of(arguments, files, results, seconds);
    filter.put(object);
    return write_json(object);
  }
  if (writer) return;
  write_results(results);
}

}  // namespace exactdot::cli
