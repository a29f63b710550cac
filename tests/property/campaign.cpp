// The campaign: random data of every kind against the oracle, as long as one likes.
//
// Each draw is one generator, type, seed and length. Its exact dot is asked for in both result types under every
// instruction set, with a random number of threads (each such question is one case), and so is its dot in order
// v1; an accumulator gets it in pieces. Every 16th draw the second oracle has to agree with the first.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "property/engines.hpp"

namespace {

using namespace oracle;
using namespace property;

struct tally {
  long long cases = 0;
  long long draws = 0;
  long long terms = 0;
  long long witnessed = 0;
  int failures = 0;
};

/// Mostly short, where all branches are near; some at borders; a few long enough for several threads.
std::size_t random_length(rng& random) {
  const std::uint64_t kind = random.below(1000);
  if (kind < 500) return random.below(std::uint64_t{1} << random.below(9));
  if (kind < 900) return border_lengths[random.below(border_lengths.size())];
  if (kind < 990) return random.below(std::uint64_t{1} << (10 + random.below(4)));
  return (kind < 996 ? 0 : 65536) + random.below(150000);
}

/// The dot of the case by way of accumulators: random pieces, some through their words, merged.
template <class T>
std::string pieces_fault(const checker<T>& check, rng random) {
  const std::span<const T> a = check.data().a, b = check.data().b;
  exactdot::accumulator<T> whole;
  for (std::size_t first = 0, last = 0; first < a.size(); first = last) {
    last = std::min(a.size(), first + 1 + random.below(a.size()));
    exactdot::accumulator<T> piece;
    piece.add(a.subspan(first, last - first), b.subspan(first, last - first));
    whole.merge(random.coin() ? piece : exactdot::accumulator<T>(piece.words()));
  }
  return state_fault(check, whole);
}

void report(tally& so_far, const std::string& name, const std::string& fault) {
  if (fault.empty()) return;
  ++so_far.failures;
  fmt::print(stderr, "FAILED {}: {}\n", name, fault);
}

template <class T>
void judge(const generator<T>& row, std::uint64_t seed, std::size_t n, tally& so_far) {
  const test_case<T> one = make_case(row, seed, n);
  rng random(seed);  // a failure's name is all that is needed to see it again
  for (const std::string& set : exactdot::cpu().instruction_sets) {
    const forced_instruction_set forced(set);
    const int threads = random.between(1, 8);
    const std::string name = fmt::format("{}, {}, threads {}", one.name, set, threads);
    report(so_far, name, any_fault(one.check, {.threads = threads}));
    report(so_far, name + ", in pieces", pieces_fault(one.check, rng(seed)));
    so_far.cases += 2;
  }
  if (so_far.draws % 16 == 0) {
    report(so_far, one.name + ", oracles", one.check.oracle_fault());
    ++so_far.witnessed;
  }
  so_far.terms += static_cast<long long>(one.check.data().size());
  ++so_far.draws;
}

tally run(long long cases, std::uint64_t seed) {
  using clock = std::chrono::steady_clock;
  auto next_report = clock::now() + std::chrono::seconds(5);
  const std::size_t rows = generators<float>().size();
  rng random(seed);
  tally so_far;
  while (so_far.cases < cases && so_far.failures < 10) {
    const auto i = static_cast<std::size_t>(so_far.draws);
    const std::uint64_t case_seed = random.below(1000000000);
    const std::size_t n = random_length(random);
    if (i / rows % 2 == 0) {
      judge(generators<float>()[i % rows], case_seed, n, so_far);
    } else {
      judge(generators<double>()[i % rows], case_seed, n, so_far);
    }
    if (clock::now() >= next_report) {
      fmt::print(stderr, "{} of {} cases\n", so_far.cases, cases);
      next_report += std::chrono::seconds(5);
    }
  }
  return so_far;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Random dots of every kind against the oracle, bit by bit.");
  long long cases = 100000;
  std::uint64_t seed = 1;
  program.add_option("--cases", cases, "how many exact dots to judge")->capture_default_str();
  program.add_option("--seed", seed, "of the whole campaign")->capture_default_str();
  CLI11_PARSE(program, argc, argv);

  const tally all = run(cases, seed);
  fmt::print(
      "seed {}: {} exact dots judged, of {} vectors ({} terms) from {} generators of 2 types, under {}; "
      "{} by both oracles; {} failures\n",
      seed, all.cases, all.draws, all.terms, generators<float>().size(),
      fmt::join(exactdot::cpu().instruction_sets, ", "), all.witnessed, all.failures);
  return all.failures == 0 ? 0 : 1;
}
