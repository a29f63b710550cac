// exactdot_bench: dot products side by side with other libraries, on this machine's CPU.
//
// One process, peers interleaved round by round (measure.hpp). One thread first, more after that: what a
// threaded call leaves behind cannot touch the numbers of one thread.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "machine.hpp"
#include "measure.hpp"
#include "peer.hpp"
#include "report.hpp"

namespace {

struct choices {
  std::vector<std::size_t> sizes = {16, 100, 1000, 10'000, 100'000, 1'000'000, 50'000'000};
  std::vector<std::string> types = {"float32", "float64"};
  std::vector<int> threads = {1, 2};
  std::vector<std::string> data = {"wide", "subnormal", "alternating"};
  std::string alignment = "64";
  std::string json;
  bool quick = false;
  int rounds = 0;
};

choices parse(CLI::App& app, int count, char** arguments) {
  choices chosen;
  app.add_option("--sizes", chosen.sizes, "lengths")->check(CLI::Range(1, 2'000'000'000));
  app.add_option("--types", chosen.types, "float32, float64")->check(CLI::IsMember({"float32", "float64"}));
  app.add_option("--threads", chosen.threads, "thread counts")->check(CLI::Range(1, 1024));
  app.add_option("--data", chosen.data, "hostile data sets for exact")
      ->check(CLI::IsMember({"none", "wide", "subnormal", "alternating"}));
  app.add_option("--alignment", chosen.alignment,
                 "64: both vectors start at a cache line; vector: as std::vector gives")
      ->check(CLI::IsMember({"64", "vector"}));
  app.add_option("--json", chosen.json, "write the results to this file too");
  app.add_option("--rounds", chosen.rounds, "samples of each row")->check(CLI::Range(1, 10'000));
  app.add_flag("--quick", chosen.quick, "few and short samples: a look, not a measurement");
  app.parse(count, arguments);
  return chosen;
}

bench::effort effort_of(const choices& chosen) {
  bench::effort how;
  if (chosen.quick) how = {5, std::chrono::microseconds(50)};
  if (chosen.rounds > 0) how.rounds = chosen.rounds;
  return how;
}

template <class T>
std::vector<bench::row> run_type(const choices& chosen, const std::vector<bench::peer>& peers, int threads) {
  const auto how = chosen.alignment == "64" ? bench::alignment::cache_line : bench::alignment::vector;
  std::vector<bench::row> all;
  for (const std::size_t n : chosen.sizes) {
    std::vector<bench::vectors<T>> data;
    data.emplace_back("uniform", n, how);
    for (const auto& name : chosen.data)
      if (name != "none") data.emplace_back(name, n, how);
    const auto rows = bench::measure<T>(peers, data, threads, effort_of(chosen));
    bench::print(rows);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

void run(const choices& chosen) {
  std::vector<std::string> missing;
  const auto peers = bench::all_peers(missing);
  auto described = nlohmann::ordered_json::array();
  for (const auto& who : peers) {
    fmt::print("{:22}{}\n", who.name, who.how);
    described.push_back({{"name", who.name}, {"how", who.how}, {"threaded", who.set_threads != nullptr}});
  }
  for (const auto& line : missing) fmt::print("not measured          {}\n", line);

  bench::print_header();
  std::vector<bench::row> rows;
  for (const int threads : chosen.threads) {
    for (const auto& type : chosen.types) {
      const auto more =
          type == "float32" ? run_type<float>(chosen, peers, threads) : run_type<double>(chosen, peers, threads);
      rows.insert(rows.end(), more.begin(), more.end());
    }
  }
  if (chosen.json.empty()) return;
  const nlohmann::ordered_json report = {{"machine", bench::describe_machine()},
                                         {"alignment", chosen.alignment},
                                         {"quick", chosen.quick},
                                         {"rounds", effort_of(chosen).rounds},
                                         {"peers", described},
                                         {"rows", bench::as_json(rows)}};
  std::ofstream file(chosen.json);
  file << report.dump(1) << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + chosen.json);
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app("Dot products side by side with other libraries, on this machine's CPU");
  try {
    run(parse(app, count, arguments));
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "exactdot_bench: {}\n", error.what());
    return 1;
  }
}
