// exactdot dot; see dot.hpp.
#include <fmt/format.h>

#include <charconv>
#include <cli/compare.hpp>
#include <cli/comparison_report.hpp>
#include <cli/dot.hpp>
#include <cli/dot_files.hpp>
#include <cli/gpu_probe.hpp>
#include <cli/interruption.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <cli/stopwatch.hpp>
#include <exactdot/error.hpp>
#include <io/vector_file.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
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
  if (!EXACTDOT_CUDA_AT_BUILD) refuse("this build has no CUDA engine; use --device cpu or auto");
  const auto count = static_cast<int>(gpu_names().size());
  if (count == 0) refuse("no GPU found, or no NVIDIA driver; use --device cpu or auto");
  if (*gpu >= count) {
    refuse(count == 1 ? "this machine has one GPU, cuda:0"
                      : fmt::format("this machine has {} GPUs, cuda:0 to cuda:{}", count, count - 1));
  }
  return gpu;
}

options make_options(const dot_arguments& arguments) {
  options options;
  options.mode = arguments.mode == "fast" ? mode::fast : mode::exact;
  options.threads = arguments.threads;
  options.monitor = &program_monitor();
  options.device = device::cpu;  // mapped files are pageable: their transfer to a GPU takes longer than the CPU
  if (const auto gpu = demanded_gpu(arguments.device)) options.device = device::cuda, options.device_index = *gpu;
  return options;
}

}  // namespace

std::optional<int> parse_cuda(std::string_view text) {
  if (text == "cuda") return 0;
  if (!text.starts_with("cuda:")) return std::nullopt;
  int index = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data() + 5, end, index);
  if (fault != std::errc{} || stop != end || index < 0) return std::nullopt;
  return index;
}

void run_dot(const dot_arguments& arguments) {
  const std::optional<element_type> raw_type = type_named(arguments.raw_type);
  const io::vector_file a{arguments.a, raw_type};
  const io::vector_file b{arguments.b, raw_type};
  io::check_pair(a, b);
  const options options = make_options(arguments);
  const element_type type = type_named(arguments.result_type).value_or(a.type());
  const std::size_t bytes = a.bytes().size() + b.bytes().size();

  rounded_value result;
  double seconds = 0;
  {
    const progress progress_line{"computing", *options.monitor, a.n()};
    seconds = seconds_of([&] { result = dot_files(a, b, type, options); });
  }
  std::vector<method_result> rows;
  if (arguments.compare) rows = compare(a, b, type, options);
  a.check();
  b.check();

  if (!arguments.json) {
    std::string text = value_text(result) + '\n';
    if (arguments.compare) text += '\n' + comparison_table(rows, bytes);
    write_output(text);
    return;
  }
  nlohmann::ordered_json object;
  put_value(object, result);
  object["dtype"] = std::string(name_of(type));
  object["n"] = a.n();
  object["mode"] = arguments.mode;
  object["device"] = device_text(options);
  object["engine"] = engine_text(a.n(), options);
  put_timing(object, seconds, bytes);
  if (arguments.compare) object["compare"] = comparison_json(rows, bytes);
  write_json(object);
}

}  // namespace exactdot::cli
