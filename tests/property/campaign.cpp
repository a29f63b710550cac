// Campaign: a given number of random cases of all generators, compared with the oracle.
//
// A test case is a generator, a type, a seed and a length. Under every instruction set and with a random number of
// threads, its dots of both modes and result types are compared, and an accumulator; then accumulators of random
// ranges are merged. Each of these two comparisons counts as a case. For every 16th test case both oracles are
// compared.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "property/engines.hpp"

namespace {

using namespace oracle;
using namespace property;

struct counters {
  long long cases = 0;
  long long pairs = 0;
  long long terms = 0;
  long long compared_oracles = 0;
  int failures = 0;
};

/// Mostly short lengths, for many cases; some border lengths; a few long enough for several threads.
std::size_t random_length(rng& random) {
  const std::uint64_t kind = random.below(1000);
  if (kind < 500) return random.below(std::uint64_t{1} << random.below(9));
  if (kind < 900) return border_lengths[random.below(border_lengths.size())];
  if (kind < 990) return random.below(std::uint64_t{1} << (10 + random.below(4)));
  return (kind < 996 ? 0 : 65536) + random.below(150000);
}

/// Adds random ranges of the vectors to separate accumulators, some of them rebuilt from their words, and merges
/// them.
template <class T>
std::string merged_fault(const checker<T>& check, rng random) {
  const std::span<const T> a = check.data().a, b = check.data().b;
  exactdot::accumulator<T> whole;
  for (std::size_t first = 0, last = 0; first < a.size(); first = last) {
    last = std::min(a.size(), first + 1 + random.below(a.size()));
    exactdot::accumulator<T> range;
    range.add(a.subspan(first, last - first), b.subspan(first, last - first));
    whole.merge(random.coin() ? range : exactdot::accumulator<T>(range.words()));
  }
  return state_fault(check, whole);
}

void report(counters& count, const std::string& name, const std::string& fault) {
  if (fault.empty()) return;
  ++count.failures;
  fmt::print(stderr, "FAILED {}: {}\n", name, fault);
}

template <class T>
void check_case(const generator<T>& source, std::uint64_t seed, std::size_t n, counters& count) {
  const test_case<T> test = make_case(source, seed, n);
  rng random(seed);  // the name of a failed case suffices to repeat it
  for (const std::string& set : exactdot::cpu().instruction_sets) {
    const forced_instruction_set forced(set);
    const int threads = random.between(1, 8);
    const std::string name = fmt::format("{}, {}, threads {}", test.name, set, threads);
    report(count, name, any_fault(test.check, {.threads = threads}));
    report(count, name + ", merged", merged_fault(test.check, rng(seed)));
    count.cases += 2;
  }
  if (count.pairs % 16 == 0) {
    report(count, test.name + ", oracles", test.check.oracle_fault());
    ++count.compared_oracles;
  }
  count.terms += static_cast<long long>(test.check.data().size());
  ++count.pairs;
}

counters run(long long cases, std::uint64_t seed) {
  using clock = std::chrono::steady_clock;
  auto next_report = clock::now() + std::chrono::seconds(5);
  const std::size_t generator_count = generators<float>().size();
  rng random(seed);
  counters count;
  while (count.cases < cases && count.failures < 10) {
    const auto i = static_cast<std::size_t>(count.pairs);
    const std::uint64_t case_seed = random.below(1000000000);
    const std::size_t n = random_length(random);
    if (i / generator_count % 2 == 0) {
      check_case(generators<float>()[i % generator_count], case_seed, n, count);
    } else {
      check_case(generators<double>()[i % generator_count], case_seed, n, count);
    }
    if (clock::now() >= next_report) {
      fmt::print(stderr, "{} of {} cases\n", count.cases, cases);
      next_report += std::chrono::seconds(5);
    }
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Compares random dot products of every generator with the oracle, bit by bit.");
  long long cases = 100000;
  std::uint64_t seed = 1;
  program.add_option("--cases", cases, "number of exact dots to check")->capture_default_str();
  program.add_option("--seed", seed, "seed of the campaign")->capture_default_str();
  CLI11_PARSE(program, argc, argv);

  const counters total = run(cases, seed);
  fmt::print(
      "seed {}: {} exact dots checked, of {} pairs of vectors ({} terms) from {} generators of 2 types, under {}; "
      "{} pairs checked by both oracles; {} failures\n",
      seed, total.cases, total.pairs, total.terms, generators<float>().size(),
      fmt::join(exactdot::cpu().instruction_sets, ", "), total.compared_oracles, total.failures);
  return total.failures == 0 ? 0 : 1;
}
