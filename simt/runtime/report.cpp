// Text and JSON of findings. One line a finding; a summary line always, so that silence is never taken for success.
#include "report.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "context.hpp"
#include "running.hpp"
#include "unread.hpp"

namespace exactdot::simt {
namespace {

std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\', json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      json += escape;
    } else {
      json += c;
    }
  }
  return json + '"';
}

std::string to_json(const index3& index) {
  return "[" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " + std::to_string(index.z) + "]";
}

std::string to_json(const fault_site& site) {
  std::string json = "{\"action\": " + quoted(site.action) + ", \"file\": " + quoted(site.file) +
                     ", \"line\": " + std::to_string(site.line);
  if (!site.by_host) json += ", \"block\": " + to_json(site.block) + ", \"thread\": " + to_json(site.thread);
  return json + "}";
}

finding to_finding(const fault& found) {
  std::string json = "{\"kind\": " + quoted(name_of(found.kind)) + ", \"space\": " + quoted(found.space) +
                     ", \"variable\": " + quoted(found.variable) + ", \"site\": " + to_json(found.site);
  if (!found.other_site.action.empty()) json += ", \"other_site\": " + to_json(found.other_site);
  json += ", \"cause\": " + quoted(found.cause) + ", \"fix\": " + quoted(found.fix);
  json += ", \"times\": " + std::to_string(found.times) + ", \"text\": " + quoted(found.text());
  std::string sites[2];
  for (const bool other : {false, true}) {
    const fault_site& site = other ? found.other_site : found.site;
    sites[other ? 1 : 0] = site.file + '|' + std::to_string(site.line);
    if (found.kind != fault_kind::data_race) sites[other ? 1 : 0] += '|' + site.action;
  }
  if (found.kind == fault_kind::data_race && sites[1] < sites[0]) std::swap(sites[0], sites[1]);
  return {found.text(), json, name_of(found.kind) + ('|' + sites[0]) + '|' + sites[1], is_note(found.kind), 1, 0};
}

std::string to_json(const line_costs& line) {
  std::string json = "{\"kernel\": " + quoted(line.kernel) + ", \"file\": " + quoted(line.file) +
                     ", \"line\": " + std::to_string(line.line) + ", \"action\": " + quoted(line.action) +
                     ", \"space\": " + quoted(line.space);
  const struct {
    const char* name;
    std::uint64_t value;
  } counts[] = {{"requests", line.requests},
                {"lanes", line.lanes},
                {"bytes", line.bytes},
                {"sectors", line.sectors},
                {"wavefronts", line.wavefronts},
                {"ideal_wavefronts", line.ideal},
                {"longest_queue", line.longest_queue}};
  for (const auto& [name, value] : counts) json += ", \"" + std::string(name) + "\": " + std::to_string(value);
  return json + "}";
}

std::string plural(std::uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

bool write_json(const run_report& report, const program_settings& settings) {
  std::string json =
      "{\n  \"seed\": " + std::to_string(settings.seed) + ",\n  \"seeds\": " + std::to_string(settings.seeds) +
      ",\n  \"model\": \"" + name_of(settings.model) + "\",\n  \"launches\": " + std::to_string(report.launches) +
      ",\n  \"steps\": " + std::to_string(report.steps) +
      ",\n  \"stopped_by\": " + (report.stopped_by == 0 ? "null" : quoted(strsignal(report.stopped_by)));
  for (const bool notes : {false, true}) {
    std::string list;
    for (const finding& found : report.findings) {
      if (found.is_note != notes) continue;
      list += list.empty() ? "\n    " : ",\n    ";
      list += found.json + ", \"seeds\": " + std::to_string(found.seeds) +
              ", \"first_seed\": " + std::to_string(found.first_seed) + "}";
    }
    json +=
        std::string(",\n  \"") + (notes ? "notes" : "findings") + "\": [" + list + (list.empty() ? "]" : "\n  ]");
  }
  if (settings.profile) json += ",\n  \"costs\": [" + report.costs_json + "]";
  json += "\n}\n";
  std::FILE* const file = std::fopen(settings.json.c_str(), "w");
  const bool written = file != nullptr && std::fputs(json.c_str(), file) >= 0;
  if (file != nullptr && std::fclose(file) == 0 && written) return true;
  std::fprintf(stderr, "simtcc: cannot write %s: %s\n", settings.json.c_str(), std::strerror(errno));
  return false;
}

}  // namespace

std::size_t run_report::faults() const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [](const finding& found) { return !found.is_note; }));
}

std::vector<finding> compare_sums(const std::vector<run_report>& runs, std::uint64_t first_seed) {
  struct extremes {
    const run_report::sum* first;
    double min, max;
    std::set<double> values;
  };
  std::map<std::string, extremes> by_key;
  for (const run_report& run : runs) {
    for (const run_report::sum& sum : run.sums) {
      extremes& known = by_key.try_emplace(sum.key, extremes{&sum, sum.value, sum.value, {}}).first->second;
      known.min = std::min(known.min, sum.value), known.max = std::max(known.max, sum.value);
      known.values.insert(sum.value);
    }
  }
  std::map<std::pair<std::string, int>, const extremes*> widest;  // by line
  const auto spread = [](const extremes& of) {
    return (of.max - of.min) / std::max(std::abs(of.max), std::abs(of.min));
  };
  for (const auto& [key, sum] : by_key) {
    if (!(sum.max > sum.min)) continue;
    const extremes*& known = widest[{sum.first->file, sum.first->line}];
    if (known == nullptr || spread(sum) > spread(*known)) known = &sum;
  }
  std::vector<finding> found;
  for (const auto& [line, sum] : widest) {
    char values[128];
    std::snprintf(values, sizeof values, "%zu results, from %.9g to %.9g (%.2g of them)", sum->values.size(),
                  sum->min, sum->max, spread(*sum));
    fault note;
    note.kind = fault_kind::order_dependent;
    note.space = "global", note.variable = sum->first->variable;
    note.site.by_host = true, note.site.action = "sum by atomics", note.site.file = line.first;
    note.site.line = line.second;
    note.cause = std::string("no race, but each addition of floats rounds, and the seed orders them: ") + values;
    note.fix = "if the bits count, integers, or sums in a fixed order";
    found.push_back(to_finding(note));
    found.back().seeds = static_cast<unsigned>(runs.size()), found.back().first_seed = first_seed;
  }
  return found;
}

run_report collect_report(int status) {
  auto& runtime = runtime_context::instance();
  run_report report;
  report.launches = runtime.stream.counted().launches;
  report.steps = runtime.stream.counted().steps;
  report.elapsed_time_used = runtime.elapsed_time_used;
  for (const fault& found : runtime.stream.faults()) report.findings.push_back(to_finding(found));
  if (const refused_launch& unseen = runtime.unseen; !unseen.reason.empty()) {
    fault found;
    found.kind = fault_kind::refused_launch;
    found.variable = unseen.reason;
    found.site.by_host = true;
    found.site.action = "launch";
    found.site.file = unseen.file, found.site.line = unseen.line;
    report.findings.push_back(to_finding(found));
  }
  if (!runtime.device_failed() && running == nullptr)
    device_memory::instance().for_each_buffer(
        [&](const region& buffer) { note_unread_words(runtime.stream.state(), buffer); });
  for (const fault& note : runtime.stream.notes()) report.findings.push_back(to_finding(note));
  if (const failed_call& failed = runtime.failed;
      status == 0 && failed.error != cudaSuccess && !runtime.device_failed()) {
    fault note;
    note.kind = fault_kind::failed_call;
    note.variable = std::string(cudaGetErrorName(failed.error)) + ": " + cudaGetErrorString(failed.error);
    note.site.by_host = true, note.site.action = "call";
    note.site.file = failed.file, note.site.line = failed.line;
    note.cause = "the program has never asked for the error, and ends with status 0";
    note.fix = "a check of the result of every call";
    report.findings.push_back(to_finding(note));
  }
  for (const auto& sum : runtime.stream.state().sums)
    report.sums.push_back(
        {std::to_string(sum.launch) + "+" + std::to_string(sum.offset),
         "buffer of " + std::to_string(sum.buffer_bytes) + " bytes + " + std::to_string(sum.offset), sum.file,
         sum.line, sum.value});
  report.costs = cost_table(runtime.stream.costs());
  for (const line_costs& line : runtime.stream.costs())
    report.costs_json += (report.costs_json.empty() ? "\n    " : ",\n    ") + to_json(line);
  for (finding& found : report.findings) found.first_seed = runtime.settings.seed;
  return report;
}

bool publish(const run_report& report) {
  const program_settings& settings = runtime_context::instance().settings;
  const std::string runs = settings.seeds == 1 ? "seed " + std::to_string(settings.seed)
                                               : "seeds " + std::to_string(settings.seed) + " to " +
                                                     std::to_string(settings.seed + settings.seeds - 1);
  const std::string launches = std::to_string(report.launches) + (report.launches == 1 ? " launch" : " launches");
  const std::string count = report.faults() == 0 ? "no findings" : plural(report.faults(), "finding");
  std::string text;
  if (report.stopped_by != 0) {
    text = std::string("simtcc: the program did not run to its end: ") + strsignal(report.stopped_by) +
           (report.in_launch ? ", in a launch" : "") + "; until then:\n";
  }
  text += "simtcc: " + count + " in " + launches + " (" + plural(report.steps, "step") + ", " + runs + ", " +
          name_of(settings.model) + ")\n";
  for (const finding& found : report.findings) {
    text += (found.is_note ? "simtcc: note: " : "simtcc: ") + found.text;
    if (settings.seeds > 1) {
      text += "; with " + plural(found.seeds, "seed") + " of " + std::to_string(settings.seeds) +
              ", the first is " + std::to_string(found.first_seed);
    }
    text += "\n";
  }
  if (!report.costs.empty())
    text += "simtcc: costs of each line, counted by the simulator; requests and lanes are those of warps\n" +
            report.costs;
  if (report.elapsed_time_used)
    text +=
        "simtcc: cudaEventElapsedTime counts steps of the simulator, a million as a millisecond; it is no time\n";
  std::fputs(text.c_str(), stderr);
  return settings.json.empty() || write_json(report, settings);
}

}  // namespace exactdot::simt

/// For the checks of exercises (harness.cuh): the number of findings until now.
extern "C" unsigned long simtcc_finding_count() {
  return exactdot::simt::runtime_context::instance().stream.faults().size();
}

/// For the checks of exercises: FILE:LINE of the call or launch that has failed and not been asked for; "" if none
/// has.
extern "C" const char* simtcc_failed_call() {
  const auto& runtime = exactdot::simt::runtime_context::instance();
  static std::string text;
  const bool is_launch = runtime.failed.error == cudaSuccess;
  const std::string& file = is_launch ? runtime.unseen.file : runtime.failed.file;
  text = file.empty() ? "" : file + ":" + std::to_string(is_launch ? runtime.unseen.line : runtime.failed.line);
  return text.c_str();
}
