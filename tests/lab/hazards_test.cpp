// The hazards on the simulator: each has its expected outcome, and the simulator reports the fault on the source
// line that a comment marks. EXACTDOT_TEST_SCALE=1250 runs the race with 100 seeds instead of 8.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <lab/hazard.hpp>
#include <lab/hazard_report.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "oracle/cases.hpp"

namespace {

using namespace exactdot::lab;

const hazard& named(std::string_view name) {
  static const std::vector<hazard> all = hazards(backend::simt);
  const auto found =
      std::ranges::find(all, name, [](const hazard& tested) { return std::string_view(tested.info.name); });
  if (found == all.end()) throw std::out_of_range("no hazard " + std::string(name));
  return *found;
}

/// Returns the numbers of the lines in a hazard's source that end in this comment.
std::vector<int> lines_of(const std::string& file, const std::string& comment) {
  std::ifstream source(EXACTDOT_HAZARDS_FOLDER "/" + file);
  std::vector<int> numbers;
  std::string line;
  for (int number = 1; std::getline(source, line); ++number) {
    if (line.ends_with("// " + comment)) numbers.push_back(number);
  }
  return numbers;
}

std::string text_of(const hazard_outcome& outcome) {
  std::string text = "observed " + outcome.observed;
  for (const reported_fault& fault : outcome.detected) {
    text += "\n" + fault.kind + " at " + fault.site.file + ":" + std::to_string(fault.site.line);
  }
  return text;
}

/// Returns whether a fault of that kind has its first side on a marked line of the file; in builds without line
/// numbers, whether there is such a fault.
testing::AssertionResult reports(const hazard_outcome& outcome, const std::string& kind, const std::string& file,
                                 const std::string& comment) {
  const std::vector<int> lines = lines_of(file, comment);
  if (lines.empty()) return testing::AssertionFailure() << file << " has no comment " << comment;
  const auto is_marked = [&](const fault_site& site) {
    return site.file == file && std::ranges::find(lines, site.line) != lines.end();
  };
  const bool found = std::ranges::any_of(outcome.detected, [&](const reported_fault& fault) {
    return fault.kind == kind && (!EXACTDOT_HAS_LINES || is_marked(fault.site));
  });
  if (found) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no " << kind << " on the line of " << comment
                                     << ", but: " << text_of(outcome);
}

hazard_outcome run(std::string_view name, std::uint64_t seed, int runs = 3) {
  return named(name).run({.seed = seed, .runs = runs});
}

/// An outcome, and what the run added to its monitor.
struct shared_run {
  hazard_outcome outcome;
  std::size_t done = 0;
};
constexpr int shared_runs = 2;

/// Runs each hazard once and shares the outcome among the tests.
const shared_run& shared(const std::string& name) {
  static std::map<std::string, shared_run> all;
  const auto found = all.find(name);
  if (found != all.end()) return found->second;
  exactdot::monitor monitor;
  hazard_outcome outcome = named(name).run({.seed = 2, .runs = shared_runs, .monitor = &monitor});
  return all.emplace(name, shared_run{std::move(outcome), monitor.done}).first->second;
}
const hazard_outcome& shared_outcome(const std::string& name) { return shared(name).outcome; }

TEST(hazards, are_all_registered) {
  std::vector<std::string> names;
  for (const hazard& tested : hazards(backend::simt)) {
    names.emplace_back(tested.info.name);
    EXPECT_EQ(tested.info.file, names.back() + ".cu");
    for (const char* const text : {tested.info.effect, tested.info.cause, tested.info.fix})
      EXPECT_STRNE(text, "") << names.back();
  }
  EXPECT_EQ(names, (std::vector<std::string>{"race_condition",
                                             "race_condition_fixed",
                                             "step_by_step",
                                             "atomics_tour",
                                             "lock",
                                             "block_counter",
                                             "block_counter_warp",
                                             "missing_barrier",
                                             "barrier_in_branch",
                                             "partial_mask_shuffle",
                                             "uninitialised_accumulator",
                                             "float_order",
                                             "lost_half",
                                             "too_many_partials",
                                             "lost_tail",
                                             "misaligned_pack",
                                             "rounded_down_grid",
                                             "copied_lock",
                                             "assignment_in_condition",
                                             "shared_race_in_tail_unroll",
                                             "uncoalesced",
                                             "bank_conflicts",
                                             "timed_wrong",
                                             "shared_memory_overflow"}));
}

TEST(hazards, say_which_are_mistakes) {
  std::vector<std::string> illustrations;
  for (const hazard& tested : hazards(backend::simt)) {
    if (!tested.info.mistake) illustrations.emplace_back(tested.info.name);
  }
  EXPECT_EQ(illustrations,
            (std::vector<std::string>{"race_condition_fixed", "step_by_step", "atomics_tour", "float_order"}));
  const std::string list = hazard_list(hazards(backend::simt));
  EXPECT_TRUE(list.starts_with("20 mistakes and 4 illustrations (*)\n 1 race_condition ")) << list;
  EXPECT_NE(list.find("\n 2 race_condition_fixed * "), std::string::npos) << list;
}

TEST(hazards, have_the_expected_outcome) {
  for (const hazard& tested : hazards(backend::simt)) {
    const hazard_outcome& outcome = shared_outcome(tested.info.name);
    EXPECT_TRUE(outcome.as_expected) << tested.info.name << ": " << text_of(outcome);
    EXPECT_TRUE(outcome.completed) << tested.info.name;
    EXPECT_NE(outcome.expected, "") << tested.info.name;
    EXPECT_NE(outcome.observed, "") << tested.info.name;
  }
}

TEST(hazards, that_take_long_report_their_progress) {
  EXPECT_EQ(named("race_condition").info.work, static_cast<std::size_t>(hazard_request{}.runs));
  EXPECT_EQ(shared("race_condition").done, static_cast<std::size_t>(shared_runs));
  EXPECT_EQ(named("float_order").info.work, std::size_t{3} << 20);
  EXPECT_EQ(shared("float_order").done, named("float_order").info.work);
  EXPECT_EQ(shared("lost_half").done, named("lost_half").info.work);
}

struct planted_fault {
  const char *hazard, *kind, *comment;
};

TEST(hazards, have_their_fault_reported_on_its_line) {
  constexpr planted_fault faults[] = {
      {"step_by_step", "data_race", "store"},
      {"lock", "data_race", "guarded"},
      {"block_counter", "data_race", "race"},
      {"block_counter_warp", "livelock", "spins"},
      {"missing_barrier", "data_race", "race"},
      {"barrier_in_branch", "barrier_divergence", "divergence"},
      {"partial_mask_shuffle", "missing_lanes", "missing lanes"},
      {"uninitialised_accumulator", "uninitialised_global", "uninitialised"},
      {"misaligned_pack", "misaligned", "misaligned"},
      {"copied_lock", "out_of_bounds", "freed"},
      {"assignment_in_condition", "data_race", "race"},
      {"shared_race_in_tail_unroll", "data_race", "race"},
      {"shared_memory_overflow", "out_of_bounds", "overflow"},
  };
  for (const planted_fault& fault : faults) {
    for (const std::uint64_t seed : {1, 7}) {
      const hazard_outcome outcome = run(fault.hazard, seed);
      EXPECT_TRUE(outcome.as_expected) << fault.hazard << ", seed " << seed << ": " << text_of(outcome);
      EXPECT_TRUE(reports(outcome, fault.kind, named(fault.hazard).info.file, fault.comment))
          << fault.hazard << ", seed " << seed;
    }
  }
}

TEST(hazards, without_a_fault_have_none_reported) {
  for (const char* const name : {"atomics_tour", "float_order", "lost_half", "too_many_partials", "lost_tail",
                                 "rounded_down_grid", "uncoalesced", "bank_conflicts", "timed_wrong"}) {
    EXPECT_TRUE(shared_outcome(name).detected.empty()) << name;
  }
}

/// At least 99 of 100 seeds must lose updates; of fewer seeds, all.
TEST(race, loses_updates_and_is_reported_for_every_seed) {
  const int seeds = oracle::scaled(8);
  int lost = 0;
  std::set<double> counts;
  for (int seed = 1; seed <= seeds; ++seed) {
    const hazard_outcome outcome = run("race_condition", static_cast<std::uint64_t>(seed), 1);
    const double count = figure_of(outcome, "count_1");
    counts.insert(count);
    const bool reported = static_cast<bool>(reports(outcome, "data_race", "race_condition.cu", "race"));
    if (count >= 1 && count < 1'000'000 && reported && outcome.as_expected) ++lost;
    if (outcome.observed != std::to_string(static_cast<int>(count))) ADD_FAILURE() << outcome.observed;
  }
  EXPECT_GE(lost, seeds - seeds / 100);
  EXPECT_TRUE(seeds == 1 || counts.size() > 1) << "counts differ between seeds";
  RecordProperty("seeds", seeds);
  RecordProperty("lost_and_reported", lost);
  std::printf("race_condition: %d of %d seeds lose updates and are reported; %g to %g of a million remain\n", lost,
              seeds, *counts.begin(), *counts.rbegin());
}

TEST(race, is_fixed_by_an_atomic_for_every_seed) {
  const int seeds = oracle::scaled(8);
  for (int seed = 1; seed <= seeds; ++seed) {
    const hazard_outcome outcome = run("race_condition_fixed", static_cast<std::uint64_t>(seed));
    EXPECT_EQ(figure_of(outcome, "count"), 1'000'000) << "seed " << seed;
    EXPECT_TRUE(outcome.detected.empty()) << text_of(outcome);
  }
}

TEST(race, has_the_same_count_for_the_same_seed) {
  EXPECT_EQ(figure_of(run("race_condition", 5, 1), "count_1"), figure_of(run("race_condition", 5, 1), "count_1"));
}

TEST(step_by_step, prints_both_interleavings) {
  const hazard_outcome& outcome = shared_outcome("step_by_step");
  EXPECT_EQ(figure_of(outcome, "one_after_the_other"), 9);
  EXPECT_EQ(figure_of(outcome, "interleaved"), 8);
  EXPECT_EQ(outcome.table, (std::vector<std::string>{"one after the other:",               //
                                                     "  step  thread A    thread B    x",  //
                                                     "     1  load  7                 7",  //
                                                     "     2  add   8                 7",  //
                                                     "     3  store 8                 8",  //
                                                     "     4              load  8     8",  //
                                                     "     5              add   9     8",  //
                                                     "     6              store 9     9",  //
                                                     "both load before either stores:",    //
                                                     "  step  thread A    thread B    x",  //
                                                     "     1  load  7                 7",  //
                                                     "     2              load  7     7",  //
                                                     "     3  add   8                 7",  //
                                                     "     4              add   8     7",  //
                                                     "     5  store 8                 8",  //
                                                     "     6              store 8     8"}));
}

TEST(hazards, report_their_figures) {
  const hazard_outcome& counter = shared_outcome("block_counter");
  EXPECT_EQ(figure_of(counter, "locked"), 512);
  EXPECT_GT(figure_of(counter, "unlocked"), 0);
  EXPECT_LT(figure_of(counter, "unlocked"), 512);
  EXPECT_EQ(figure_of(shared_outcome("block_counter_warp"), "independent"), 256);
  const hazard_outcome& lock = shared_outcome("lock");
  EXPECT_EQ(figure_of(lock, "with_fences"), 64);
  EXPECT_EQ(figure_of(lock, "faults_with_fences"), 0);
  const hazard_outcome& barrier = shared_outcome("missing_barrier");
  EXPECT_EQ(figure_of(barrier, "wrong_with_barriers"), 0);
  EXPECT_GT(figure_of(barrier, "wrong_without_barriers"), 0);
  EXPECT_EQ(figure_of(shared_outcome("partial_mask_shuffle"), "lane_0_with_right_mask"), 8);
  const hazard_outcome& sum = shared_outcome("uninitialised_accumulator");
  EXPECT_EQ(figure_of(sum, "zeroed"), 4096);
  EXPECT_NE(figure_of(sum, "not_zeroed"), 4096);
  EXPECT_GE(figure_of(shared_outcome("float_order"), "distinct"), 4);
  EXPECT_TRUE(std::isnan(figure_of(sum, "no such figure")));
}

/// Sums of ones: nothing but the value shows these mistakes.
TEST(hazards, lose_elements_silently) {
  EXPECT_EQ(figure_of(shared_outcome("lost_half"), "sum"), 8192);
  EXPECT_EQ(figure_of(shared_outcome("lost_half"), "with_the_step"), 16384);
  const hazard_outcome& partials = shared_outcome("too_many_partials");
  EXPECT_EQ(figure_of(partials, "one_load_per_thread"), 8192);
  EXPECT_EQ(figure_of(partials, "one_warp_of_two"), 8192);
  EXPECT_EQ(figure_of(partials, "with_a_loop"), 16384);
  EXPECT_EQ(figure_of(shared_outcome("lost_tail"), "sum_of_1024"), 1024);
  EXPECT_EQ(figure_of(shared_outcome("lost_tail"), "sum_of_1001"), 1000);
  const hazard_outcome& grid = shared_outcome("rounded_down_grid");
  EXPECT_EQ(figure_of(grid, "sum_of_1000"), 768);
  EXPECT_EQ(figure_of(grid, "sum_of_100"), 0);
  EXPECT_EQ(figure_of(grid, "rounded_up"), 1000);
}

TEST(hazards, count_what_slow_kernels_cost) {
  EXPECT_EQ(figure_of(shared_outcome("uncoalesced"), "sectors_in_chunks"), 32);
  EXPECT_EQ(figure_of(shared_outcome("uncoalesced"), "sectors_with_stride"), 4);
  const hazard_outcome& banks = shared_outcome("bank_conflicts");
  EXPECT_EQ(figure_of(banks, "degree_of_level_1"), 2);
  EXPECT_EQ(figure_of(banks, "degree_of_level_5"), 32);
  EXPECT_EQ(figure_of(banks, "degree_of_sequential_addressing"), 1);
  EXPECT_NE(banks.table.at(2).find("    2    4    8   16   32"), std::string::npos) << banks.table.at(2);
}

TEST(hazards, are_right_without_their_mistake) {
  EXPECT_EQ(figure_of(shared_outcome("misaligned_pack"), "aligned"), 128);
  EXPECT_EQ(figure_of(shared_outcome("copied_lock"), "with_a_handle"), 16);
  EXPECT_EQ(figure_of(shared_outcome("assignment_in_condition"), "comparison"), 1000);
  EXPECT_EQ(figure_of(shared_outcome("assignment_in_condition"), "assignment"), 0);
  const hazard_outcome& tail = shared_outcome("shared_race_in_tail_unroll");
  EXPECT_EQ(figure_of(tail, "wrong_in_lock_step"), 0);
  EXPECT_EQ(figure_of(tail, "wrong_with_syncwarp"), 0);
  EXPECT_GT(figure_of(tail, "wrong_with_independent_threads"), 0);
  EXPECT_EQ(figure_of(shared_outcome("shared_memory_overflow"), "fitting"), 128);
}

/// The compiler of this build must print the warning that the report quotes.
TEST(hazards, quote_the_compilers_warning) {
  const std::string command =
      "echo 'void f(int* flag) { while (*flag = 0) {} }' | " EXACTDOT_COMPILER " -Wall -x c++ -fsyntax-only - 2>&1";
  FILE* const compiler = popen(command.c_str(), "r");
  ASSERT_NE(compiler, nullptr);
  std::string printed;
  for (char buffer[256]; fgets(buffer, sizeof buffer, compiler) != nullptr;) printed += buffer;
  ASSERT_EQ(pclose(compiler), 0) << printed;
  const auto& table = shared_outcome("assignment_in_condition").table;
  EXPECT_TRUE(std::ranges::any_of(table, [&](const std::string& line) {
    const std::size_t at = line.find("warning: ");
    return at != std::string::npos && printed.find(line.substr(at)) != std::string::npos;
  })) << printed;
}

TEST(hazards, check_every_atomic_function) {
  const hazard_outcome& outcome = shared_outcome("atomics_tour");
  EXPECT_EQ(figure_of(outcome, "failed"), 0);
  for (const char* const name : {"atomicAdd", "atomicSub", "atomicExch", "atomicMin", "atomicMax", "atomicInc",
                                 "atomicDec", "atomicCAS", "atomicAnd", "atomicOr", "atomicXor"}) {
    EXPECT_GE(figure_of(outcome, name), 70) << name;
  }
}

TEST(report, explains_each_hazard_with_the_lines_that_findings_cite) {
  for (const hazard& tested : hazards(backend::simt)) {
    const std::string text = explain(tested.info);
    EXPECT_NE(text.find(std::string("\nlab/hazards/") + tested.info.file + "\n   1  // " + tested.info.name),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("__global__ void"), std::string::npos) << tested.info.name;
  }
  const std::string text = explain(named("shared_memory_overflow").info);
  const int line = lines_of("shared_memory_overflow.cu", "overflow").at(0);
  EXPECT_NE(
      text.find("\n" + std::string(line < 100 ? "  " : " ") + std::to_string(line) + "    partial[threadIdx.x]"),
      std::string::npos)
      << text;
  EXPECT_NE(explain(named("copied_lock").info).find("\nlab/lock.cuh\n"), std::string::npos);
}

TEST(report, of_a_hazard_reads_back) {
  const hazard_outcome& outcome = shared_outcome("missing_barrier");
  const auto json = hazard_json(named("missing_barrier").info, "simt", outcome);
  const hazard_outcome back = outcome_from_json(json);
  EXPECT_EQ(back.expected, outcome.expected);
  EXPECT_EQ(back.observed, outcome.observed);
  EXPECT_EQ(back.as_expected, outcome.as_expected);
  EXPECT_EQ(back.figures.size(), outcome.figures.size());
  EXPECT_EQ(json["detected"].size(), outcome.detected.size());
}

}  // namespace
