// Campaign: a given number of random results of the table, compared with the oracle.
//
// The rows take turns; generator, seed, length and layout are random; every engine of the program computes every
// case. The last line names the combination of reduction, element type, mode, result type and engine with the
// fewest results; --counts writes the results of each combination to a file, one JSON object a line
// (scripts/same_bits).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

#include "table/table.hpp"

namespace {

using namespace table;

/// Mostly short lengths, for many cases; some border lengths; a few long enough for several threads.
std::size_t mixed_length(oracle::rng& random) {
  const auto& border = oracle::border_lengths;
  const std::uint64_t kind = random.below(1000);
  if (kind < 500) return random.below(std::uint64_t{1} << random.below(9));
  if (kind < 900) return border[random.below(border.size())];
  if (kind < 990) return random.below(std::uint64_t{1} << (10 + random.below(4)));
  return (kind < 996 ? 0 : 65536) + random.below(150000);
}

/// What is asked of a campaign.
struct request {
  long long results = 1000000, each = 0;
  std::uint64_t seed = 1;
  std::size_t min_length = 0;
  std::string counts_file = {}, rows = {};
};

std::size_t random_length(const suite& tested, const request& asked, oracle::rng& random) {
  const std::size_t n =
      asked.min_length == 0 ? mixed_length(random) : asked.min_length + random.below(asked.min_length);
  return std::min(n, tested.longest_of_others);
}

struct outcome {
  report done;
  long long cases = 0;
};

/// The combination with the fewest results.
std::pair<std::string, long long> rarest(const report& done) {
  const auto& all = done.results_by_type();
  const auto found = std::ranges::min_element(all, {}, [](const auto& x) { return x.second; });
  if (found == all.end()) return {};
  return {found->first.name(), found->second};
}

/// Until there are as many results as asked for, in all and for every combination.
outcome run(const suite& tested, const request& asked) {
  using clock = std::chrono::steady_clock;
  auto next_report = clock::now() + std::chrono::seconds(5);
  std::vector<row> all_rows = rows();
  std::erase_if(all_rows, [&](const row& each) { return each.name().find(asked.rows) == std::string::npos; });
  oracle::rng random(asked.seed);
  outcome so_far;
  const auto is_complete = [&] {
    const bool after_all_rows = static_cast<std::size_t>(so_far.cases) % all_rows.size() == 0;
    return so_far.done.results() >= asked.results &&
           (asked.each == 0 || (after_all_rows && rarest(so_far.done).second >= asked.each));
  };
  while (!is_complete() && so_far.done.faults().size() < 10) {
    const row& chosen = all_rows[static_cast<std::size_t>(so_far.cases++) % all_rows.size()];
    const auto source = static_cast<std::size_t>(random.below(generator_count()));
    const std::uint64_t case_seed = random.below(1000000000);
    const input data = make_input(chosen, source, case_seed, random_length(tested, asked, random));
    const layout& arrangement = layouts[random.below(layouts.size())];
    so_far.done.check(tested, chosen, data, arrangement, static_cast<unsigned>(random.below(1000)));
    if (clock::now() >= next_report) {
      fmt::print(stderr, "{} of {} results\n", so_far.done.results(), asked.results);
      next_report += std::chrono::seconds(5);
    }
  }
  return so_far;
}

/// False, and a message, if the file cannot be written.
bool write_counts(const report& done, const std::string& file) {
  std::ofstream out(file);
  for (const counts* all : {&done.results_by_type(), &done.results_with_threads()}) {
    for (const auto& [what, results] : *all) {
      out << fmt::format(R"({{"engine": "{}", "row": "{}", "mode": "{}", "result": "{}", "results": {}}})",
                         what.engine, what.row, name_of(what.mode), exactdot::name_of(what.result), results)
          << '\n';
    }
  }
  if (out.flush()) return true;
  fmt::print(stderr, "{} cannot be written\n", file);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Compares random results of every reduction with the oracle, bit by bit.");
  request asked;
  program.add_option("--results", asked.results, "number of results to check")->capture_default_str();
  program
      .add_option("--each", asked.each,
                  "and for each combination of reduction, element type, mode, result type and engine")
      ->capture_default_str();
  program.add_option("--seed", asked.seed, "seed of the campaign")->capture_default_str();
  program
      .add_option("--min-length", asked.min_length,
                  "lengths from this to twice as many; 2^17 and more use several threads; 0: mostly short ones")
      ->capture_default_str();
  program.add_option("--rows", asked.rows, "only reductions and elements with this in their name, such as complex64")
      ->check([](const std::string& name) {
        const auto has_name = [&](const row& each) { return each.name().find(name) != std::string::npos; };
        return std::ranges::any_of(rows(), has_name) ? "" : "no reduction and element type has such a name";
      });
  program.add_option("--counts", asked.counts_file, "file to write the results of each combination to");
  CLI11_PARSE(program, argc, argv);

  const suite tested = engines_under_test();
  if (!tested.unavailable.empty()) {
    fmt::print(stderr, "no engine can run: {}\n", tested.unavailable);
    return 1;
  }
  const auto [done, cases] = run(tested, asked);
  for (const std::string& fault : done.faults()) fmt::print(stderr, "FAILED {}\n", fault);
  const auto [rarest_name, fewest] = rarest(done);
  fmt::print(
      "seed {}: {} results of {} cases from {} generators; {} combinations of reduction, element type, mode, "
      "result "
      "type and engine, each with {} or more ({}); {} failures\n",
      asked.seed, done.results(), cases, generator_count(), done.results_by_type().size(), fewest, rarest_name,
      done.faults().size());
  if (!done.faults().empty()) return 1;
  return asked.counts_file.empty() || write_counts(done, asked.counts_file) ? 0 : 1;
}
