// The report of a program: its findings as text and as JSON, and the exit status.
#pragma once

#include <exactdot/simt/simulator.hpp>
#include <string>
#include <vector>

namespace exactdot::simt {

/// Exit status of a program with findings that would have ended with 0: that of ThreadSanitizer.
inline constexpr int status_of_findings = 66;

/// A finding: its text, the same as a JSON object, and what makes two findings of two runs the same.
struct finding {
  std::string text, json, key;
  bool is_note = false;  // changes no exit status
  unsigned seeds = 1;    // how many runs had it
  std::uint64_t first_seed = 0;
};
struct run_report {
  std::vector<finding> findings;  // and notes
  [[nodiscard]] std::size_t faults() const;
  std::uint64_t launches = 0, steps = 0;
  bool elapsed_time_used = false;
  int stopped_by = 0;      // the signal that ended the program; 0: it ended by itself
  bool in_launch = false;  // it did so in a launch
  struct sum {
    std::string key, variable, file;
    int line = 0;
    double value = 0;
  };
  std::vector<sum> sums;          // of floats, by atomics
  std::string costs, costs_json;  // of each line, with --profile; of several runs the first one's
};

/// Returns the report of this process so far. `status`: what it would end with.
run_report collect_report(int status);
/// Of the reports of several runs: a note for each line of float atomics whose sums differ.
std::vector<finding> compare_sums(const std::vector<run_report>& runs, std::uint64_t first_seed);
/// Prints a report to stderr, and to the settings' JSON file. Returns whether all was written.
bool publish(const run_report& report);

/// A report as bytes, for the pipe between the process of a run and the one that started it.
std::string to_bytes(const run_report& report);
run_report from_bytes(const std::string& bytes);

/// Where this process sends its report, instead of publishing it; -1: it publishes it.
inline int report_pipe = -1;

}  // namespace exactdot::simt
