// exactdot dot: the dot product of two files.
#include <fmt/format.h>

#include <charconv>
#include <cli/commands.hpp>
#include <cli/compare.hpp>
#include <cli/comparison_report.hpp>
#include <cli/dot_files.hpp>
#include <cli/interruption.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <cli/stopwatch.hpp>
#include <io/vector_file.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace exactdot::cli {
namespace {

struct dot_arguments {
  std::string a, b;
  std::string mode = "exact";
  std::string device = "auto";
  std::string result_type, raw_type;
  int threads = 0;
  bool compare = false;
  bool json = false;
};

std::optional<io::dtype> parse_dtype(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text == "float32" ? io::dtype::float32 : io::dtype::float64;
}

/// The GPU's index in "cuda" or "cuda:N".
std::optional<int> parse_cuda(std::string_view text) {
  if (text == "cuda") return 0;
  if (!text.starts_with("cuda:")) return std::nullopt;
  int index = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data() + 5, end, index);
  if (fault != std::errc{} || stop != end || index < 0) return std::nullopt;
  return index;
}

std::string check_device(const std::string& text) {
  if (text == "auto" || text == "cpu" || parse_cuda(text)) return {};
  return text + " not in {auto,cpu,cuda,cuda:N}";
}

options make_options(const dot_arguments& arguments) {
  options made;
  made.mode = arguments.mode == "fast" ? mode::fast : mode::exact;
  made.threads = arguments.threads;
  made.monitor = &program_monitor();
  if (arguments.device == "cpu") made.device = device::cpu;
  if (const std::optional<int> index = parse_cuda(arguments.device)) {
    made.device = device::cuda;
    made.device_index = *index;
  }
  return made;
}

void run_dot(const dot_arguments& arguments) {
  const std::optional<io::dtype> raw_type = parse_dtype(arguments.raw_type);
  const io::vector_file a{arguments.a, raw_type};
  const io::vector_file b{arguments.b, raw_type};
  io::check_pair(a, b);
  const options options = make_options(arguments);
  const io::dtype type = parse_dtype(arguments.result_type).value_or(a.type());
  const std::size_t bytes = a.bytes().size() + b.bytes().size();

  rounded_value result;
  double seconds = 0;
  {
    const progress shown{"computing", *options.monitor, a.n()};
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
  object["dtype"] = name(type);
  object["n"] = a.n();
  object["mode"] = arguments.mode;
  object["device"] = "cpu";
  object["engine"] = engine_text(options);
  put_timing(object, seconds, bytes);
  if (arguments.compare) object["compare"] = comparison_json(rows, bytes);
  write_json(object);
}

}  // namespace

command add_dot(CLI::App& program) {
  const auto arguments = std::make_shared<dot_arguments>();
  CLI::App& app = *program.add_subcommand("dot", "Compute the dot product of two vectors in files");
  app.add_option("A", arguments->a, "first vector: a .npy file, or a raw one with --dtype")->required();
  app.add_option("B", arguments->b, "second vector, of the same type and length")->required();
  app.add_option("--mode", arguments->mode, "exact: the real sum, rounded once; fast: plain fused multiply-adds")
      ->check(CLI::IsMember({"exact", "fast"}))
      ->capture_default_str();
  app.add_option("--device", arguments->device, "auto, cpu, cuda or cuda:N")
      ->check(check_device, "DEVICE")
      ->capture_default_str();
  app.add_option("--threads", arguments->threads,
                 "CPU threads; 0: as many as pay off. Changes no bit of the result")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_option("--result", arguments->result_type, "type of the result; by default that of the data")
      ->check(CLI::IsMember({"float32", "float64"}));
  app.add_option("--dtype", arguments->raw_type, "the files are raw little-endian elements of this type")
      ->check(CLI::IsMember({"float32", "float64"}));
  app.add_flag("--compare", arguments->compare, "add a table of other methods: value, error, time");
  app.add_flag("--json", arguments->json, "print one JSON object");
  app.footer(
      "Examples:\n"
      "  exactdot dot a.npy b.npy\n"
      "  exactdot dot a.npy b.npy --compare\n"
      "  exactdot dot a.raw b.raw --dtype float32 --result float64 --json\n"
      "Exit status: 0; 1: bad input, named in one line on stderr; 2: wrong usage.");
  return {&app, [arguments] { run_dot(*arguments); }};
}

}  // namespace exactdot::cli
