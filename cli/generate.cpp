// exactdot generate: data sets to try things on, as two .npy files.
#include <fmt/format.h>

#include <algorithm>
#include <cli/commands.hpp>
#include <cli/element_count.hpp>
#include <cli/interruption.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <cstdint>
#include <filesystem>
#include <io/data_source.hpp>
#include <io/fault.hpp>
#include <io/npy_writer.hpp>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace exactdot::cli {
namespace {

struct generate_arguments {
  std::string a, b;
  std::string data = "uniform";
  std::string n;
  std::string type = "float32";
  double condition = 1e16;
  std::uint32_t seed = 42;
  bool json = false;
  CLI::Option* condition_option = nullptr;
};

std::string check_count(const std::string& text) {
  const std::optional<std::size_t> n = parse_element_count(text);
  if (n && *n <= std::numeric_limits<std::size_t>::max() / sizeof(double) - 128) return {};
  return "'" + text + "' is no length; write 1000, 2^20, 1e6, 1k, 3M, 64Ki or 32*2^20";
}

io::data_request make_request(const generate_arguments& arguments) {
  io::data_request request;
  const auto* const found = std::find(std::begin(io::data_set_names), std::end(io::data_set_names), arguments.data);
  request.data = static_cast<io::data_set>(found - std::begin(io::data_set_names));
  request.n = arguments.n.empty() ? io::default_length(request.data) : *parse_element_count(arguments.n);
  request.seed = arguments.seed;
  request.condition = arguments.condition;
  request.monitor = &program_monitor();
  if (arguments.condition_option->count() > 0 && request.data != io::data_set::ill) {
    throw error(errc::bad_option, "--cond goes with --data ill only");
  }
  std::error_code ignored;
  if (arguments.a == arguments.b || std::filesystem::equivalent(arguments.a, arguments.b, ignored)) {
    throw error(errc::bad_option, io::printable(arguments.a) + ": A and B name the same file");
  }
  return request;
}

/// Both files appear together at the end, or neither does.
template <element T>
void write_pair(const generate_arguments& arguments, const io::data_request& request) {
  constexpr std::size_t longest = std::size_t{1} << 16;
  io::npy_writer a_file{arguments.a, io::dtype_of<T>, request.n};
  io::npy_writer b_file{arguments.b, io::dtype_of<T>, request.n};
  const progress shown{"generating", *request.monitor, request.n};
  io::data_source<T> source{request};
  std::vector<T> a(std::min(longest, request.n));
  std::vector<T> b(a.size());
  for (std::size_t first = 0; first < request.n; first += a.size()) {
    const std::size_t length = std::min(a.size(), request.n - first);
    source.next(std::span(a).first(length), std::span(b).first(length));
    a_file.append(std::span<const T>(a).first(length));
    b_file.append(std::span<const T>(b).first(length));
  }
  a_file.commit();
  b_file.commit();
}

void run_generate(const generate_arguments& arguments) {
  const io::data_request request = make_request(arguments);
  if (arguments.type == "float32") {
    write_pair<float>(arguments, request);
  } else {
    write_pair<double>(arguments, request);
  }
  if (!arguments.json) {
    write_output(fmt::format("{} and {}: {}, {} x {} each\n", io::printable(arguments.a),
                             io::printable(arguments.b), arguments.data, request.n, arguments.type));
    return;
  }
  nlohmann::ordered_json object = {{"a", arguments.a}, {"b", arguments.b},        {"data", arguments.data},
                                   {"n", request.n},   {"dtype", arguments.type}, {"seed", request.seed}};
  if (request.data == io::data_set::ill) object["cond"] = request.condition;
  write_json(object);
}

}  // namespace

command add_generate(CLI::App& program) {
  const auto arguments = std::make_shared<generate_arguments>();
  CLI::App& app = *program.add_subcommand("generate", "Write two vectors to try things on, as .npy files");
  app.add_option("A", arguments->a, "first file to write; an existing one is replaced at the end, whole")
      ->required();
  app.add_option("B", arguments->b, "second file to write")->required();
  app.add_option("--data", arguments->data,
                 "uniform: in (-1, 1); ones: 1, 1; halves: 0.5, 2; ramp: i, 2i; ill: of condition number --cond; "
                 "wide: exponents over the type's whole range")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(io::data_set_names), std::end(io::data_set_names))))
      ->capture_default_str();
  app.add_option("--n", arguments->n, "length: 1000, 2^20, 1e6, 1k, 64Ki, …; by default one that suits --data")
      ->check(check_count, "LENGTH");
  app.add_option("--dtype", arguments->type, "type of the elements")
      ->check(CLI::IsMember({"float32", "float64"}))
      ->capture_default_str();
  arguments->condition_option =
      app.add_option("--cond", arguments->condition, "condition number 2 sum|a b| / |sum a b| of --data ill")
          ->capture_default_str();
  app.add_option("--seed", arguments->seed, "seed of the random data sets; the same seed gives the same files")
      ->capture_default_str();
  app.add_flag("--json", arguments->json, "print one JSON object");
  app.footer(
      "Examples:\n"
      "  exactdot generate a.npy b.npy\n"
      "  exactdot generate a.npy b.npy --data ill --cond 1e20 --n 2^16 --dtype float64\n"
      "Exit status: 0; 1: cannot write, existing files untouched; 2: wrong usage.");
  return {&app, [arguments] { run_generate(*arguments); }};
}

}  // namespace exactdot::cli
