// exactdot bench; see bench.hpp. Measures by bench/, which prints its tables; prints or keeps the JSON.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bench/cpu.hpp>
#include <bench/gpu.hpp>
#include <bench/gpu_report.hpp>
#include <cli/bench.hpp>
#include <cli/element_count.hpp>
#include <cli/gpu_probe.hpp>
#include <cli/interruption.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <exactdot/error.hpp>
#include <io/output_file.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

namespace exactdot::cli {
namespace {

using json = nlohmann::ordered_json;

std::vector<std::size_t> lengths(const std::vector<std::string>& texts, std::vector<std::size_t> usual) {
  if (texts.empty()) return usual;
  std::vector<std::size_t> all;
  for (const auto& text : texts) all.push_back(*parse_element_count(text));
  return all;
}

std::vector<std::string> hostile(const bench_arguments& arguments, std::vector<std::string> usual) {
  if (arguments.data) usual = *arguments.data;
  std::erase(usual, "none");
  return usual;
}

bool json_alone(const bench_arguments& arguments) { return arguments.json == "-"; }

/// Says what is being measured where no rows appear that are progress enough.
std::unique_ptr<progress> shown_instead_of_rows(const bench_arguments& arguments) {
  if (!json_alone(arguments) && isatty(STDOUT_FILENO) != 0) return nullptr;
  return std::make_unique<progress>("bench", program_monitor(), 0);
}

json on_cpu(const bench_arguments& arguments) {
  constexpr std::size_t longest = 2'000'000'000;  // the other libraries take an int
  bench::cpu_request request{
      .sizes = lengths(arguments.sizes, {16, 100, 1000, 10'000, 100'000, 1'000'000, 50'000'000}),
      .types = arguments.types,
      .hostile = hostile(arguments, {"wide", "subnormal", "alternating"}),
      .threads = arguments.threads.empty() ? std::vector{1, 2} : arguments.threads,
      .alignment = arguments.alignment == "vector" ? bench::alignment::vector : bench::alignment::cache_line,
      .how = {},
      .prints = !json_alone(arguments)};
  if (std::ranges::max(request.sizes) > longest) {
    throw error(errc::bad_option, fmt::format("--sizes: at most {} on a CPU", longest));
  }
  if (arguments.quick) request.how = {5, std::chrono::microseconds(50)};
  if (arguments.rounds > 0) request.how.rounds = arguments.rounds;
  const auto shown = shown_instead_of_rows(arguments);
  request.say = [&](const std::string& what) {
    if (shown) shown->say("bench: " + what);
  };
  return bench::measure_cpu(request);
}

json on_gpu(const bench_arguments& arguments) {
  if (!arguments.threads.empty()) throw error(errc::bad_option, "--threads goes with --device cpu only");
  if (arguments.alignment) throw error(errc::bad_option, "--alignment goes with --device cpu only");
  std::vector<std::size_t> usual;
  for (int exponent = 10; exponent <= 29; ++exponent) usual.push_back(std::size_t{1} << exponent);
  bench::gpu_request request{.sizes = lengths(arguments.sizes, usual),
                             .types = arguments.types,
                             .hostile = hostile(arguments, bench::hostile_data)};
  if (arguments.quick) request.rounds = 3, request.sample_seconds = 1e-4;
  if (arguments.rounds > 0) request.rounds = arguments.rounds;

  const auto shown = shown_instead_of_rows(arguments);
  request.say = [&](const std::string& what) {
    if (shown) shown->say("bench: " + what);
  };
  std::vector<bench::gpu_row> rows;
  request.measured = [&](const std::vector<bench::gpu_row>& more) {
    if (!json_alone(arguments)) bench::print(more);
    rows.insert(rows.end(), more.begin(), more.end());
  };
  const bench::gpu_facts facts = bench::measure_gpu(request);
  if (!json_alone(arguments)) {
    for (const auto& line : facts.missing) fmt::print("not measured  {}\n", line);
  }
  json report = bench::as_json(facts, rows);
  report["rounds"] = request.rounds;
  return report;
}

/// Readable and yet short: each row of a table on a line of its own.
std::string text_of(const json& report) {
  std::string text;
  for (const auto& [key, value] : report.items()) {
    text += fmt::format("{}\n \"{}\": ", text.empty() ? "{" : ",", key);
    if (!value.is_array() || value.empty() || !value[0].is_object()) {
      text += value.dump();
      continue;
    }
    std::string separator = "[";
    for (const auto& element : value) {
      text += fmt::format("{}\n  {}", separator, element.dump());
      separator = ",";
    }
    text += "\n ]";
  }
  return text + "\n}\n";
}

void require_same_bits(const json& report) {
  for (const auto& row : report["rows"]) {
    if (row.value("same_bits_as_cpu", true)) continue;
    throw std::runtime_error(fmt::format("bench: not the CPU's bits: {}", row.dump()));
  }
}

}  // namespace

const std::vector<std::string>& bench_data_names() { return bench::hostile_data; }

void run_bench(const bench_arguments& arguments) {
  const bool to_file = !arguments.json.empty() && !json_alone(arguments);
  if (to_file) io::output_file{arguments.json};  // before minutes of measuring: can it be written?
  const end_at_once nothing_to_clean_up;
  const bool gpu =
      arguments.device == "cuda" || (arguments.device == "auto" && EXACTDOT_CUDA_AT_BUILD && !gpu_names().empty());
  json report = gpu ? on_gpu(arguments) : on_cpu(arguments);
  report["quick"] = arguments.quick;
  const std::string text = text_of(report);
  if (json_alone(arguments)) write_output(text);
  if (to_file) {
    io::output_file file{arguments.json};
    file.write(std::as_bytes(std::span(text)));
    file.commit();
  }
  require_same_bits(report);
}

}  // namespace exactdot::cli
