// The program writes events to a file, one after the other (harness.cuh); the simulator its findings to stderr.
#include "runs.hpp"

#include <sstream>

#include "cc/process.hpp"

namespace exactdot::simtcc::exercises {
namespace {

constexpr const char* max_steps = "2000000";          // of a launch: some hundred times what a solution takes
constexpr unsigned long max_file_bytes = 32UL << 20;  // of messages that a learner's loop may print

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, '\t');) fields.push_back(field);
  return fields;
}

/// The lines after "simtcc: 2 findings in 3 launches".
std::vector<std::string> findings_in(const std::string& report) {
  constexpr std::string_view prefix = "simtcc: ";
  std::vector<std::string> findings;
  std::istringstream lines(report);
  bool begun = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(prefix)) continue;
    const std::string text = line.substr(prefix.size());
    const bool is_count = !text.empty() && text.front() >= '0' && text.front() <= '9';
    if (begun && !text.starts_with("cudaEventElapsedTime")) findings.push_back(text);
    begun = begun || (is_count && text.find(" finding") != std::string::npos);
  }
  return findings;
}

/// What the C++ library and assert() say before they abort the program; "" if nothing.
std::string reason_of_abort(const std::string& errors) {
  std::string reason;
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);) {
    const bool is_reason = line.starts_with("terminate called ") || line.starts_with("  what():  ") ||
                           line.find(": Assertion `") != std::string::npos;
    if (is_reason) reason += (reason.empty() ? "" : ";") + line;
  }
  return reason;
}

/// One run's events.
struct events {
  std::vector<std::string> cases, failure;
  std::string case_of_finding = {};
  bool done = false;
};

std::vector<events> runs_in(const std::string& log) {
  std::vector<events> runs;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.empty()) continue;
    if (fields[0] == "run") runs.emplace_back();
    if (runs.empty()) continue;
    if (fields[0] == "case" && fields.size() == 2) runs.back().cases.push_back(fields[1]);
    if (fields[0] == "found" && !runs.back().cases.empty()) runs.back().case_of_finding = runs.back().cases.back();
    if (fields[0] == "done") runs.back().done = true;
    if ((fields[0] == "error" && (fields.size() == 2 || fields.size() == 3)) ||
        (fields[0] == "exception" && fields.size() == 2) || (fields[0] == "wrong" && fields.size() == 4))
      runs.back().failure = fields;
  }
  return runs;
}

}  // namespace

run_outcome run_check(const std::string& program, const run_group& group, const std::string& folder,
                      unsigned seconds) {
  const std::string log = folder + "/events", errors = folder + "/report";
  write_file(log, "");
  run_outcome outcome;
  outcome.status = run_program({program, log}, {.output = "/dev/null",
                                                .errors = errors,
                                                .environment = {std::string("SIMTCC_MODEL=") + group.model,
                                                                "SIMTCC_SEED=" + std::to_string(group.first_seed),
                                                                "SIMTCC_SEEDS=" + std::to_string(group.seeds),
                                                                std::string("SIMTCC_STEPS=") + max_steps},
                                                .seconds = seconds,
                                                .file_bytes = max_file_bytes});
  const std::string report = read_file(errors);
  outcome.findings = findings_in(report);
  outcome.reason_of_abort = reason_of_abort(report);
  const std::vector<events> runs = runs_in(read_file(log));
  outcome.failed_runs = group.seeds;
  const events* shown = runs.empty() ? nullptr : &runs.front();
  for (const events& run : runs) {
    if (run.done) --outcome.failed_runs;
    if (outcome.case_of_finding.empty()) outcome.case_of_finding = run.case_of_finding;
    if (!run.done && shown->done) shown = &run;
  }
  if (shown != nullptr) outcome.cases = shown->cases, outcome.failure = shown->failure;
  if (outcome.case_of_finding.empty() && shown != nullptr && !shown->done && !shown->cases.empty())
    outcome.case_of_finding = shown->cases.back();  // it has ended the run
  return outcome;
}

}  // namespace exactdot::simtcc::exercises
