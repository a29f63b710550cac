// exactdot bench; see bench.hpp. The library in bench/ measures and prints the table; this file writes the JSON.
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
#include <cli/reduction_command.hpp>
#include <exactdot/error.hpp>
#include <exactdot/reduction.hpp>
#include <io/output_file.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <utility>

namespace exactdot::cli {
namespace {

using json = nlohmann::ordered_json;

std::vector<std::size_t> lengths(const std::vector<std::string>& texts, std::vector<std::size_t> defaults) {
  if (texts.empty()) return defaults;
  std::vector<std::size_t> all;
  for (const auto& text : texts) all.push_back(*parse_element_count(text));
  return all;
}

reduction measured(const bench_arguments& arguments) { return reduction_named(arguments.reduction).value(); }

/// Hostile sets are hard for dots. For other reductions they are measured only if named.
std::vector<std::string> hostile_data_sets(const bench_arguments& arguments, std::vector<std::string> defaults) {
  if (measured(arguments) != reduction::dot) defaults.clear();
  std::vector<std::string> chosen = arguments.data ? *arguments.data : std::move(defaults);
  std::erase(chosen, "none");
  return chosen;
}

bool prints_json(const bench_arguments& arguments) { return arguments.json == "-"; }

/// Returns a progress line, or null if the table on the terminal already shows the progress.
std::unique_ptr<progress> make_progress_line(const bench_arguments& arguments) {
  if (!prints_json(arguments) && isatty(STDOUT_FILENO) != 0) return nullptr;
  return std::make_unique<progress>("bench", program_monitor(), 0);
}

json measure_on_cpu(const bench_arguments& arguments) {
  constexpr std::size_t max_length = 2'000'000'000;  // other libraries take the length as int
  bench::cpu_request request{
      .what = measured(arguments),
      .sizes = lengths(arguments.sizes, {16, 100, 1000, 10'000, 100'000, 1'000'000, 50'000'000}),
      .types = arguments.types,
      .hostile = hostile_data_sets(arguments, {"wide", "subnormal", "alternating", "ill", "ill_deep"}),
      .threads = arguments.threads.empty() ? std::vector{1, 2} : arguments.threads,
      .alignment = arguments.alignment == "vector" ? bench::alignment::vector : bench::alignment::cache_line,
      .sampling = {},
      .print_table = !prints_json(arguments)};
  if (const std::size_t n = std::ranges::max(request.sizes); n > max_length) {
    throw error(errc::bad_option, fmt::format("--sizes {}: at most {} with --device cpu", n, max_length));
  }
  if (arguments.quick) request.sampling = {5, std::chrono::microseconds(50)};
  if (arguments.rounds > 0) request.sampling.rounds = arguments.rounds;
  const auto line = make_progress_line(arguments);
  request.on_progress = [&](const std::string& step) {
    if (line) line->set_text("bench: " + step);
  };
  return bench::measure_cpu(request);
}

json measure_on_gpu(const bench_arguments& arguments) {
  if (!arguments.threads.empty()) throw error(errc::bad_option, "--threads: requires --device cpu");
  if (arguments.alignment) throw error(errc::bad_option, "--alignment: requires --device cpu");
  std::vector<std::size_t> default_sizes;
  for (int exponent = 10; exponent <= 29; ++exponent) default_sizes.push_back(std::size_t{1} << exponent);
  bench::gpu_request request{.what = measured(arguments),
                             .sizes = lengths(arguments.sizes, default_sizes),
                             .types = arguments.types,
                             .hostile = hostile_data_sets(arguments, bench::hostile_data)};
  if (arguments.quick) request.rounds = 3, request.sample_seconds = 1e-4;
  if (arguments.rounds > 0) request.rounds = arguments.rounds;

  const auto line = make_progress_line(arguments);
  request.on_progress = [&](const std::string& step) {
    if (line) line->set_text("bench: " + step);
  };
  std::vector<bench::gpu_measurement> measurements;
  request.on_measured = [&](const std::vector<bench::gpu_measurement>& more) {
    if (!prints_json(arguments)) bench::print(more);
    measurements.insert(measurements.end(), more.begin(), more.end());
  };
  const bench::gpu_facts facts = bench::measure_gpu(request);
  if (!prints_json(arguments)) {
    for (const auto& reason : facts.missing) fmt::print("not measured  {}\n", reason);
  }
  json report = bench::as_json(request.what, facts, measurements);
  report["rounds"] = request.rounds;
  return report;
}

/// Formats the report with one line per element of an array of objects.
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
  for (const auto& measurement : report["rows"]) {
    if (measurement.value("same_bits_as_cpu", true)) continue;
    throw std::runtime_error(fmt::format("bench: bits differ from those of the CPU: {}", measurement.dump()));
  }
}

}  // namespace

const std::vector<std::string>& bench_data_names() { return bench::hostile_data; }

void run_bench(const bench_arguments& arguments) {
  const bool to_file = !arguments.json.empty() && !prints_json(arguments);
  if (to_file) io::output_file{arguments.json};  // reports an unwritable file before it measures
  const immediate_exit no_cleanup_needed;
  const bool gpu =
      arguments.device == "cuda" || (arguments.device == "auto" && has_cuda_engine() && !gpu_names().empty());
  json report = gpu ? measure_on_gpu(arguments) : measure_on_cpu(arguments);
  report["quick"] = arguments.quick;
  const std::string text = text_of(report);
  if (prints_json(arguments)) write_output(text);
  if (to_file) {
    io::output_file file{arguments.json};
    file.write(std::as_bytes(std::span(text)));
    file.commit();
  }
  check_output();
  require_same_bits(report);
}

}  // namespace exactdot::cli
