// Benchmark on the CPU; see cpu.hpp.
//
// All peers run in one process, interleaved round by round (measure.hpp). Thread counts are measured in the order
// given, by default one thread first, so that the workers of threaded calls cannot disturb single-threaded times.
#include "cpu.hpp"

#include <fmt/format.h>

#include <exactdot/element.hpp>
#include <nlohmann/json.hpp>

#include "machine.hpp"
#include "peer.hpp"
#include "report.hpp"

namespace bench {
namespace {

template <class T>
std::vector<measurement> run_type(const cpu_request& request, const std::vector<peer>& peers, int threads) {
  std::vector<measurement> all;
  for (const std::size_t n : request.sizes) {
    if (request.on_progress) {
      request.on_progress(
          fmt::format("{}, n = {}, {} threads", exactdot::name_of(exactdot::type_of<T>), n, threads));
    }
    std::vector<vectors<T>> data;
    data.emplace_back("uniform", n, request.alignment);
    for (const auto& name : request.hostile) data.emplace_back(name, n, request.alignment);
    const auto measurements = measure<T>(request.what, peers, data, threads, request.sampling);
    if (request.print_table) print(measurements);
    all.insert(all.end(), measurements.begin(), measurements.end());
  }
  return all;
}

}  // namespace

nlohmann::ordered_json measure_cpu(const cpu_request& request) {
  std::vector<std::string> missing;
  const auto peers = all_peers(request.what, missing);
  auto described = nlohmann::ordered_json::array();
  for (const auto& peer : peers) {
    if (request.print_table) fmt::print("{:22}{}\n", peer.name, peer.description);
    described.push_back(
        {{"name", peer.name}, {"how", peer.description}, {"threaded", peer.set_threads != nullptr}});
  }
  if (request.print_table) {
    for (const auto& line : missing) fmt::print("not measured          {}\n", line);
    print_header();
  }
  std::vector<measurement> measurements;
  for (const int threads : request.threads) {
    for (const auto& type : request.types) {
      const auto more =
          type == "float32" ? run_type<float>(request, peers, threads) : run_type<double>(request, peers, threads);
      measurements.insert(measurements.end(), more.begin(), more.end());
    }
  }
  nlohmann::ordered_json report;
  if (request.what != reduction::dot) report["reduction"] = exactdot::name_of(request.what);
  report.update({{"machine", describe_machine()},
                 {"alignment", request.alignment == alignment::cache_line ? "64" : "vector"},
                 {"rounds", request.sampling.rounds},
                 {"peers", described},
                 {"rows", as_json(measurements)}});
  return report;
}

}  // namespace bench
