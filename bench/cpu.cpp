// The CPU's table and its JSON; see cpu.hpp.
//
// One process, peers interleaved round by round (measure.hpp). One thread first, more after that: what a
// threaded call leaves behind cannot touch the numbers of one thread.
#include "cpu.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "machine.hpp"
#include "peer.hpp"
#include "report.hpp"

namespace bench {
namespace {

template <class T>
std::vector<row> run_type(const cpu_request& request, const std::vector<peer>& peers, int threads) {
  std::vector<row> all;
  for (const std::size_t n : request.sizes) {
    if (request.say)
      request.say(fmt::format("{}, n = {}, {} threads", sizeof(T) == 4 ? "float32" : "float64", n, threads));
    std::vector<vectors<T>> data;
    data.emplace_back("uniform", n, request.alignment);
    for (const auto& name : request.hostile) data.emplace_back(name, n, request.alignment);
    const auto rows = measure<T>(peers, data, threads, request.how);
    if (request.prints) print(rows);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace

nlohmann::ordered_json measure_cpu(const cpu_request& request) {
  std::vector<std::string> missing;
  const auto peers = all_peers(missing);
  auto described = nlohmann::ordered_json::array();
  for (const auto& who : peers) {
    if (request.prints) fmt::print("{:22}{}\n", who.name, who.how);
    described.push_back({{"name", who.name}, {"how", who.how}, {"threaded", who.set_threads != nullptr}});
  }
  if (request.prints) {
    for (const auto& line : missing) fmt::print("not measured          {}\n", line);
    print_header();
  }
  std::vector<row> rows;
  for (const int threads : request.threads) {
    for (const auto& type : request.types) {
      const auto more =
          type == "float32" ? run_type<float>(request, peers, threads) : run_type<double>(request, peers, threads);
      rows.insert(rows.end(), more.begin(), more.end());
    }
  }
  return {{"machine", describe_machine()},
          {"alignment", request.alignment == alignment::cache_line ? "64" : "vector"},
          {"rounds", request.how.rounds},
          {"peers", described},
          {"rows", as_json(rows)}};
}

}  // namespace bench
