// The order of what is said: does not compile; does not end; what the simulator found, and then the wrong result; a
// refused launch or another error of CUDA; a wrong result; a crash.
#include "check.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "cc/process.hpp"
#include "questions.hpp"
#include "runs.hpp"

namespace exactdot::simtcc::exercises {
namespace {

constexpr run_group groups[] = {
    {"independent", 1, 1}, {"lock_step", 1, 1}, {"independent", 2, 19}, {"lock_step", 2, 19}};
constexpr std::size_t max_lines = 6, max_findings = 3;
constexpr std::size_t max_passed_cases = 4;
constexpr unsigned seconds_of_compilation = 120;

constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

std::string plural(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

class exercise_check {
 public:
  exercise_check(const exercise& chosen, std::string file, unsigned seconds)
      : chosen_(chosen), file_(std::move(file)), seconds_(seconds) {
    write_file(copy(), read_file(file_));
  }

  check_result run() {
    if (std::optional<std::string> fault = compile()) return {false, file_ + ": not solved yet. " + *fault};
    std::size_t cases = 0;
    for (const run_group& group : groups) {
      const run_outcome outcome = run_check(folder_.file("check"), group, folder_.file(""), seconds_);
      cases = outcome.cases.size();
      if (!outcome.is_clean()) return {false, file_ + ": not solved yet. " + describe(outcome, group)};
    }
    return {true, file_ + ": solved. " + plural(cases, "case") +
                      ", 20 orders of the threads, both models: no finding, and all results are right.\n"};
  }

 private:
  [[nodiscard]] std::string copy() const { return folder_.file(chosen_.name + ".cu"); }

  /// Compiles with simtcc. Returns its status and messages, in which the file has the name that the learner gave.
  std::pair<int, std::string> simtcc(std::vector<std::string> arguments) const {
    const std::string messages = folder_.file("messages");
    const std::string beside = std::filesystem::absolute(file_).parent_path().string();
    arguments.insert(arguments.begin(), std::filesystem::read_symlink("/proc/self/exe").string());
    arguments.insert(arguments.end(), {"-iquote", beside});
    const int status = run_program(arguments, {.output = "/dev/null",
                                               .errors = messages,
                                               .environment = {"LC_ALL=C", "TMPDIR=" + folder_.file("")},
                                               .seconds = seconds_of_compilation});
    std::string text = read_file(messages);
    replace_all(text, copy(), file_);
    return {status, text};
  }

  /// Returns what is wrong with the source.
  std::optional<std::string> compile() const {
    const std::string source = folder_.file("check.cu");
    write_file(source, "#define main exercise_main\n#include \"" + chosen_.name + ".cu\"\n#undef main\n" +
                           "#line 1 \"harness.cuh\"\n" + std::string(embedded_file("harness.cuh")) +
                           "#line 1 \"check\"\n" + chosen_.check);
    const auto [status, messages] = simtcc({source, "-o", folder_.file("check")});
    if (status == 0) return {};
    if (status == status_of_timeout)
      return "Its compilation did not end within " + plural(seconds_of_compilation, "second") + ".\n";
    if (std::string errors = errors_in(messages); !errors.empty()) return errors;
    const auto [status_alone, messages_alone] = simtcc({"-c", copy(), "-o", folder_.file("alone.o")});
    if (std::string errors = errors_in(messages_alone); !errors.empty()) return errors;
    if (status_alone != 0) return "It cannot be compiled:\n" + messages_alone;
    if (messages.find("'exercise_main' was not declared") != std::string::npos ||
        messages.find("identifier 'exercise_main'") != std::string::npos)
      return "It has no int main() any more, with which you play; put one back, or move the file away and let "
             "`next` write a new one.\n";
    return "It compiles, but the check cannot call\n  " + chosen_.call +
           "\nKeep this function, its parameters and its result as they were.\n";
  }

  /// The first error in the learner's file, with its excerpt of the source; "" if there is none.
  [[nodiscard]] std::string errors_in(const std::string& messages) const {
    std::istringstream lines(messages);
    std::string shown;
    std::size_t count = 0, shown_lines = 0;
    bool is_first = false;  // the line belongs to the first error
    for (std::string line; std::getline(lines, line);) {
      const bool is_error = line.starts_with(file_ + ":") && (line.find(" error: ") != std::string::npos ||
                                                              line.find(" simtcc: ") != std::string::npos);
      if (is_error) ++count;
      is_first = (is_error && count == 1) || (is_first && line.starts_with(' '));
      if (is_first && shown_lines++ < max_lines) shown += "  " + line + "\n";
    }
    if (count == 0) return "";
    return "It does not compile. " +
           (count == 1 ? "The error" : "The first of " + std::to_string(count) + " errors") + ":\n" + shown;
  }

  std::string describe(run_outcome outcome, const run_group& group) const {
    const std::string runs = group.seeds == 1 ? "order of seed " + std::to_string(group.first_seed)
                                              : plural(group.seeds, "order") + " of the threads";
    const std::string where = outcome.cases.empty() ? "" : " in the case " + outcome.cases.back();
    if (outcome.status == status_of_timeout)
      return "The check did not end within " + plural(seconds_, "second") + where +
             " and was stopped.\nThink about: which loop never ends? The simulator names endless kernels; it does not "
             "see loops of the host.\n";
    if (!outcome.findings.empty()) return findings(outcome, runs + ", model " + group.model);
    if (!outcome.failure.empty()) return failure(outcome, group);
    replace_all(outcome.reason_of_abort, copy(), file_);
    if (outcome.status == 128 + SIGABRT)
      return "It was aborted" + where + (outcome.reason_of_abort.empty() ? "" : ": " + outcome.reason_of_abort) +
             ".\nThink about: which abort(), assert() or exception that nothing catches ends the program there?\n";
    if (outcome.status > 128)
      return "It crashed" + where + ": " + strsignal(outcome.status - 128) +
             ".\nThink about: which pointer or index does the code of the host use there? It cannot use memory of "
             "the device.\n";
    return "It ended the program" + where + " (status " + std::to_string(outcome.status) +
           "): the function must return, so that the check can look at its results.\n";
  }

  std::string findings(const run_outcome& outcome, const std::string& runs) const {
    const std::string& first = outcome.case_of_finding;
    std::string text = "The simulator found" + (first.empty() ? "" : ", first for " + first) + " (" + runs + "):\n";
    for (std::size_t i = 0; i < std::min(outcome.findings.size(), max_findings); ++i) {
      std::string finding = without_fix(outcome.findings[i]);
      replace_all(finding, copy(), file_);
      text += "  " + finding + "\n";
    }
    if (outcome.findings.size() > max_findings)
      text += "  and " + std::to_string(outcome.findings.size() - max_findings) + " more\n";
    text += think_about(question_of(outcome.findings.front()));
    if (outcome.failure.size() == 4) {
      text += wrong_result(outcome) + ".\n";
    } else if (outcome.failure.size() > 1 && !question_of_error(outcome.failure[1]).empty()) {
      text += reported_error(outcome) + ".\n" + think_about(question_of_error(outcome.failure[1]));
    }
    return text;
  }

  /// A finding without its general fix, which may not be the one that the exercise is about.
  static std::string without_fix(std::string finding) {
    const std::size_t fix = finding.find("; fix: ");
    if (fix == std::string::npos) return finding;
    const std::size_t end = std::min(finding.find("; seen ", fix), finding.find("; with ", fix));
    return finding.erase(fix, end == std::string::npos ? end : end - fix);
  }

  /// The call of CUDA at FILE:LINE, if that is a line of the learner's file: " of cudaMemcpy (bytes.cu:22)".
  [[nodiscard]] std::string failed_call(const std::string& place) const {
    const std::size_t colon = place.rfind(':');
    if (colon == std::string::npos || place.substr(0, colon) != copy()) return "";
    const long number = std::strtol(place.c_str() + colon + 1, nullptr, 10);
    std::istringstream lines(read_file(file_));
    std::string line;
    for (long i = 0; i < number; ++i) std::getline(lines, line);
    const std::size_t call = line.find("cuda");
    std::string name = line.find("<<<") != std::string::npos ? "a launch" : "a call";
    if (call != std::string::npos)
      name = line.substr(call, std::min(line.find_first_not_of(letters, call), line.size()) - call);
    return " of " + name + " (" + file_ + ":" + std::to_string(number) + ")";
  }

  static std::string think_about(std::string_view question) {
    return question.empty() ? "" : "Think about: " + std::string(question) + "\n";
  }

  [[nodiscard]] std::string reported_error(const run_outcome& outcome) const {
    const std::string call = outcome.failure.size() == 3 ? failed_call(outcome.failure[2]) : "";
    return "CUDA reports an error" + call + " for " + outcome.cases.back() + ": " + outcome.failure[1];
  }

  static std::string wrong_result(const run_outcome& outcome) {
    return "Wrong result for " + outcome.cases.back() + ": " + outcome.failure[1] + ": expected " +
           outcome.failure[2] + ", found " + outcome.failure[3];
  }

  [[nodiscard]] std::string failure(const run_outcome& outcome, const run_group& group) const {
    std::string text, question;
    const std::string last = outcome.cases.empty() ? "" : outcome.cases.back();
    if (outcome.failure.size() == 4) {
      text = wrong_result(outcome);
    } else if (outcome.failure[0] == "exception") {
      text = "It ended by an exception for " + last + ": " + outcome.failure[1];
    } else {
      text = reported_error(outcome);
      question = think_about(question_of_error(outcome.failure[1]));
    }
    if (group.seeds > 1)
      text +=
          ", in " + std::to_string(outcome.failed_runs) + " of " + plural(group.seeds, "order") + " of the threads";
    text += std::string(" (model ") + group.model + ").\n";
    if (outcome.cases.size() < 2) return text + question;
    text += "Right for ";
    const std::size_t right = outcome.cases.size() - 1,
                      first = right > max_passed_cases ? right - max_passed_cases : 0;
    for (std::size_t i = first; i < right; ++i) text += (i == first ? "" : "; ") + outcome.cases[i];
    return text +
           (question.empty() ? ". Think about: what is different in the case that fails?\n" : ".\n" + question);
  }

  const exercise& chosen_;
  std::string file_;
  unsigned seconds_;
  temporary_folder folder_;
};

}  // namespace

check_result check_exercise(const exercise& chosen, const std::string& file, unsigned seconds) {
  return exercise_check(chosen, file, seconds).run();
}

}  // namespace exactdot::simtcc::exercises
