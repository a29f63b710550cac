// See page.hpp. The text of the sources is read when the page is written: the program knows their paths only.
#include "page.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <simt/page/page.hpp>

#include "context.hpp"

namespace exactdot::simt {
namespace {

struct open_page {
  recorder launches;
  std::filesystem::path file, start_folder;  // where the program started: it may change its folder
};
open_page* page = nullptr;

recorder_settings settings_of_page(const program_settings& settings) {
  recorder_settings recorded;
  recorded.max_total_steps = 24000;
  recorded.blocks = settings.html_blocks;
  recorded.numbers = settings.html_launches;
  return recorded;
}

std::string read_all(const std::filesystem::path& path) {
  std::error_code absent;
  if (!std::filesystem::is_regular_file(path, absent)) return "";
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The sources that the page shows, with notes on those that it cannot.
class source_files {
 public:
  std::string text_of(const std::string& path) {
    const auto [at, fresh] = texts_.try_emplace(path);
    if (!fresh || path.empty()) return at->second;
    at->second = read_all(page->start_folder / path);
    const std::string name = path.substr(path.rfind('/') + 1);
    struct stat source {
    }, program{};
    if (at->second.empty()) {
      notes_.push_back("The source " + name + " cannot be read.");
    } else if (stat((page->start_folder / path).c_str(), &source) == 0 && stat("/proc/self/exe", &program) == 0 &&
               source.st_mtime > program.st_mtime) {
      notes_.push_back("The source " + name + " has changed since the program was compiled: its lines may differ.");
    }
    return at->second;
  }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::map<std::string, std::string> texts_;
  std::vector<std::string> notes_;
};

/// Returns the command line with the settings that choose the run.
std::string command_line(const program_settings& settings) {
  std::string command;
  if (settings.seed != 1) command += "SIMTCC_SEED=" + std::to_string(settings.seed) + " ";
  if (settings.model != execution::independent)
    command += std::string("SIMTCC_MODEL=") + name_of(settings.model) + " ";
  command += "SIMTCC_HTML=FILE";
  std::ifstream words("/proc/self/cmdline", std::ios::binary);
  constexpr std::size_t max_length = 400;
  for (std::string word; std::getline(words, word, '\0') && command.size() < max_length;) command += " " + word;
  return command;
}

std::string list_of(const std::vector<unsigned>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size() && i < 10; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return text + (numbers.size() > 10 ? ", …" : "");
}

/// Removes launches without a step, and says why they have none.
void remove_empty(page_subject& subject) {
  for (auto at = subject.launches.begin(); at != subject.launches.end();) {
    const recorded_launch& launch = *at;
    if (!launch.steps.empty()) {
      ++at;
      continue;
    }
    const unsigned blocks = launch.threads / std::max(1U, launch.threads_per_block);
    const bool has_none =
        !subject.limits.blocks.empty() && std::all_of(subject.limits.blocks.begin(), subject.limits.blocks.end(),
                                                      [&](unsigned block) { return block >= blocks; });
    const std::string name = "Launch " + std::to_string(launch.number) + " (" + launch.kernel + ") ";
    subject.notes.push_back(has_none ? name + "has blocks 0 to " + std::to_string(blocks - 1) + ", so none of " +
                                           list_of(subject.limits.blocks) + "."
                                     : name + "made no step.");
    at = subject.launches.erase(at);
  }
}

void note_absent_launches(page_subject& subject) {
  const std::size_t count = page->launches.launch_count();
  if (count == 0) subject.notes.push_back("The program has launched no kernel.");
  for (const std::size_t number : subject.limits.numbers) {
    if (number > count && count != 0) {
      subject.notes.push_back("There is no launch " + std::to_string(number) + ": the program made " +
                              std::to_string(count) + ".");
    }
  }
}

/// Findings of host code, and of launches that are not on the page.
void note_other_findings(page_subject& subject) {
  constexpr std::size_t max_notes = 10;
  std::size_t left = 0;
  for (const fault& found : runtime_context::instance().stream.faults()) {
    const auto has_it = [&](const recorded_launch& launch) {
      return std::any_of(launch.faults.begin(), launch.faults.end(),
                         [&](const fault& shown) { return shown.text() == found.text(); });
    };
    if (std::any_of(subject.launches.begin(), subject.launches.end(), has_it)) continue;
    if (subject.notes.size() >= max_notes) {
      ++left;
      continue;
    }
    subject.notes.push_back(
        (found.site.by_host ? "Finding in host code: " : "Finding of a launch that is not shown: ") + found.text() +
        ".");
  }
  if (left != 0) subject.notes.push_back("And " + std::to_string(left) + " more findings.");
}

/// The texts of findings count sightings until the end of the program; those of a launch until its own.
void update_findings(page_subject& subject) {
  const auto& all = runtime_context::instance().stream.faults();
  const auto same_site = [](const fault_site& left, const fault_site& right) {
    return left.file == right.file && left.line == right.line && left.action == right.action;
  };
  for (recorded_launch& launch : subject.launches) {
    for (fault& shown : launch.faults) {
      const auto latest = std::find_if(all.begin(), all.end(), [&](const fault& found) {
        return found.kind == shown.kind && same_site(found.site, shown.site) &&
               same_site(found.other_site, shown.other_site);
      });
      if (latest != all.end()) shown.times = latest->times, shown.cause = latest->cause, shown.fix = latest->fix;
    }
  }
}

}  // namespace

void start_page() {
  const program_settings& settings = runtime_context::instance().settings;
  std::error_code absent;
  const std::filesystem::path folder = std::filesystem::current_path(absent);
  page = new open_page{recorder(settings_of_page(settings)), folder / settings.html, folder};
}

bool has_page() { return page != nullptr; }

page_result finish_page(const run_report& report) {
  const program_settings& settings = runtime_context::instance().settings;
  page->launches.finish();
  page_subject subject;
  subject.name = program_invocation_short_name;
  subject.limits = settings_of_page(settings);
  subject.launches = page->launches.launches();
  subject.dropped_launches = page->launches.dropped_launches();
  const std::size_t findings = report.findings.size();
  subject.about =
      std::to_string(report.launches) + (report.launches == 1 ? " launch, " : " launches, ") +
      (findings == 0 ? "no findings" : std::to_string(findings) + (findings == 1 ? " finding" : " findings")) + ".";
  if (report.stopped_by != 0) {
    subject.about += std::string(" The program did not run to its end: ") + strsignal(report.stopped_by) +
                     (report.in_launch ? ", in a launch." : ".");
  }
  for (recorded_launch& launch : subject.launches) launch.seed = settings.seed;  // which decides all of them
  update_findings(subject);
  note_absent_launches(subject);
  remove_empty(subject);
  note_other_findings(subject);
  source_files sources;
  const source_reader reader = [&](const std::string& path) { return sources.text_of(path); };
  for (const recorded_launch& launch : subject.launches) {
    static_cast<void>(sources.text_of(launch.file));
    for (const std::string& file : launch.files) static_cast<void>(sources.text_of(file));
  }
  subject.notes.insert(subject.notes.end(), sources.notes().begin(), sources.notes().end());
  const std::string title = subject.name + ", step by step";
  const std::string failure = write_page(page->file, page_of(title, command_line(settings), {subject}, reader));
  if (!failure.empty()) return {"simtcc: cannot write " + settings.html + ": " + failure + "\n", false};
  page_result result{"simtcc: " + settings.html + ": written; open it in a browser\n", true};
  for (const std::string& line : left_out_of({subject}))
    result.messages += "simtcc: " + settings.html + ": " + line + "\n";
  return result;
}

}  // namespace exactdot::simt
