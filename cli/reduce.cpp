// The reductions of files; see reduce.hpp.
#include <fmt/format.h>

#include <cli/compare.hpp>
#include <cli/comparison_report.hpp>
#include <cli/complex_files.hpp>
#include <cli/gpu_probe.hpp>
#include <cli/interruption.hpp>
#include <cli/option_checks.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <cli/reduce.hpp>
#include <cli/reduce_axes.hpp>
#include <cli/reduction_command.hpp>
#include <cli/report.hpp>
#include <cli/stopwatch.hpp>
#include <exactdot/error.hpp>
#include <exactdot/reductions.hpp>
#include <io/fault.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace exactdot::cli {
namespace {

/// Returns the index of the GPU that --device names, if any. The library would refuse a missing GPU too, but its
/// sentence would not name the option.
std::optional<int> demanded_gpu(const std::string& device) {
  const std::optional<int> gpu = parse_cuda(device);
  if (!gpu) return gpu;
  const auto refuse = [&](const std::string& reason) {
    throw error(errc::no_device, "--device " + device + ": " + reason);
  };
  if (!has_cuda_engine()) refuse("this build has no CUDA engine; use --device cpu or auto");
  const auto count = static_cast<int>(gpu_names().size());
  if (count == 0) refuse("no GPU found, or no NVIDIA driver; use --device cpu or auto");
  if (*gpu >= count) {
    refuse(count == 1 ? "this machine has one GPU, cuda:0"
                      : fmt::format("this machine has {} GPUs, cuda:0 to cuda:{}", count, count - 1));
  }
  return gpu;
}

/// Throws errc::bad_option for options that this reduction does not have.
void check_arguments(const reduction_arguments& arguments) {
  if (arguments.axis.empty() && !arguments.out.empty()) {
    throw error(errc::bad_option, "--out is for results over axes; add --axis");
  }
  if (arguments.compare && !arguments.axis.empty()) {
    throw error(errc::bad_option, "--compare is for one result; omit --axis");
  }
  if (arguments.compare && arguments.filter.is_given()) {
    throw error(errc::bad_option, "--compare is for all elements; omit --where and --skip-nan");
  }
  if (arguments.compare && !has_comparison(arguments.what)) {
    throw error(errc::bad_option, fmt::format("--compare: there are no other methods of {}; expected one of {}",
                                              command_of(arguments.what), commands_with_comparison()));
  }
}

options make_options(const reduction_arguments& arguments) {
  options options;
  options.mode = arguments.mode == "fast" ? mode::fast : mode::exact;
  options.threads = arguments.threads;
  options.monitor = &program_monitor();
  options.device = device::cpu;  // mapped files are pageable: their transfer to a GPU takes longer than the CPU
  if (const auto gpu = demanded_gpu(arguments.device)) options.device = device::cuda, options.device_index = *gpu;
  return options;
}

/// Throws errc::file unless the other methods can read the elements.
void check_comparison(const reduction_arguments& arguments, const operands& files) {
  if (!arguments.compare || !is_integer(files.a().type())) return;
  io::fail(files.a().path(), fmt::format("holds {}; --compare needs floating-point elements, because a sum of "
                                         "integers has no rounding errors",
                                         files.a().type_name()));
}

nlohmann::ordered_json json_of(const reduction_arguments& arguments, const operands& files,
                               const any_number& result, element_type type, const options& options) {
  nlohmann::ordered_json object = {{"reduction", std::string(name_of(arguments.what))}};
  if (gives_index(arguments.what)) {
    object["index"] = result.real.as<std::int64_t>();
  } else {
    put_value(object, result);
  }
  object["dtype"] = std::string(name_of(type));
  object["input_dtypes"] = nlohmann::ordered_json::array({std::string(files.a().type_name())});
  if (files.count() == 2) object["input_dtypes"].push_back(std::string(files.b().type_name()));
  object["n"] = files.n();
  object["mode"] = arguments.mode;
  if (has_ddof(arguments.what)) object["ddof"] = arguments.ddof;
  if (arguments.conjugate) object["conjugate"] = true;
  object["device"] = device_text(options);
  object["engine"] = engine_text(files.reals(), options);
  return object;
}

}  // namespace

operands open_files(const reduction_arguments& arguments, io::npy_shapes shapes) {
  const auto raw_type = number_type_named(arguments.raw_type);
  const auto raw_type_of_b =
      arguments.raw_type_of_b.empty() ? raw_type : number_type_named(arguments.raw_type_of_b);
  return {arguments.what, {arguments.a, raw_type}, {arguments.b, raw_type_of_b}, arguments.conjugate, shapes};
}

void check_numbers(const reduction_arguments& arguments, const operands& files) {
  for (const io::vector_file* const file : {&files.a(), &files.b()}) {
    if (arguments.compare) require_real(*file, "--compare is");
    if (parse_cuda(arguments.device)) require_real(*file, "--device " + arguments.device + " is");
  }
}

void run_reduction(const reduction_arguments& arguments) {
  check_arguments(arguments);
  if (!arguments.axis.empty()) return run_over_axes(arguments, make_options(arguments));
  const operands files = open_files(arguments, io::npy_shapes::vectors);
  check_numbers(arguments, files);
  const file_filter filter(arguments.filter);
  check_comparison(arguments, files);
  const options options = make_options(arguments);
  const element_type type =
      result_type_of(arguments.what, files.a().type(), files.b().type(), arguments.result_type);
  any_number result;
  double seconds = 0;
  {
    const progress progress_line{"computing", *options.monitor, is_ratio(arguments.what) ? 0 : files.terms()};
    seconds = seconds_of([&] {
      result = arguments.filter.is_given()
                   ? reduce_files(arguments.what, files, filter, type, options, arguments.ddof)
                   : reduce_files(arguments.what, files, type, options, arguments.ddof);
    });
  }
  std::vector<method_result> rows;
  if (arguments.compare) rows = compare(arguments.what, files, type, options);
  files.check(), filter.check();

  if (!arguments.json) {
    std::string text = value_text(result) + '\n';
    if (arguments.compare) text += '\n' + comparison_table(rows, files.bytes());
    write_output(text);
    return;
  }
  nlohmann::ordered_json object = json_of(arguments, files, result, type, options);
  filter.put(object);
  put_timing(object, seconds, files.bytes());
  if (arguments.compare) object["compare"] = comparison_json(rows, files.bytes());
  write_json(object);
}

}  // namespace exactdot::cli
