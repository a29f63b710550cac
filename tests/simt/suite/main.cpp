// Runs the suite with K seeds in both models and judges each run: found, wrong, missed, false alarm.
//
// found: a finding of the right kind on labelled lines, for a race both of its lines. wrong: findings, but not that
// one. missed: no finding. A finding with no labelled line is a false alarm, in faulty kernels too, and so is a
// wrong result of a correct kernel. Known misses are a file of lines FAMILY | NAME | MODEL | never, sometimes or
// false_alarm | REASON.
//
// usage: simt_suite [--seeds K] [--known FILE] [--json FILE] [--only TEXT] [--verbose] | --sabotage
// --sabotage: each kind of fault must have a row that is named, and is missed if its findings are dropped.
// Exits with 1 after a false alarm, and if the misses are others than the known ones.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "runner.hpp"

namespace {
using namespace suite;
using exactdot::simt::fault;

struct options {
  unsigned seeds = 3;
  std::string known, json, only;
  bool verbose = false, sabotage = false;
};

struct known_miss {
  std::string how, reason;
  bool used = false;
};
using known_misses = std::map<std::string, known_miss>;  // by "family | name | model"

std::string key_of(const row& kernel, execution model) {
  return kernel.family + " | " + kernel.name + " | " + name_of(model);
}

std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    json += c == '\n' ? ' ' : c;
  }
  return json + '"';
}

std::string to_json(const row& kernel, execution model, const outcome& sum, const known_misses& known) {
  const auto number = [](const char* name, unsigned value) {
    return "\"" + std::string(name) + "\": " + std::to_string(value);
  };
  std::string json = "{\"family\": " + quoted(kernel.family) + ", \"name\": " + quoted(kernel.name) +
                     ", \"model\": \"" + name_of(model) + "\", \"fault\": ";
  json += kernel.is_faulty(model) ? quoted(exactdot::simt::name_of(*kernel.fault)) : "null";
  json += ", " + number("runs", sum.runs) + ", " + number("found", sum.found) + ", " + number("wrong", sum.wrong) +
          ", " + number("missed", sum.missed) + ", " + number("false_alarms", sum.false_alarms);
  if (const auto at = known.find(key_of(kernel, model)); at != known.end())
    json += ", \"how\": " + quoted(at->second.how) + ", \"reason\": " + quoted(at->second.reason);
  if (sum.found != sum.runs && !sum.example.empty() && sum.found == 0)
    json += ", \"named_instead\": " + quoted(sum.example);
  return json + "}";
}

known_misses read_known(const std::string& file) {
  known_misses known;
  std::ifstream source(file);
  if (!source) {
    std::fprintf(stderr, "simt_suite: cannot read %s\n", file.c_str());
    std::exit(2);
  }
  for (std::string line; std::getline(source, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    const std::size_t reason = line.rfind(" | "), how = line.rfind(" | ", reason - 1);
    const std::string word = line.substr(how + 3, reason - how - 3);
    if (how == std::string::npos || (word != "never" && word != "sometimes" && word != "false_alarm")) {
      std::fprintf(
          stderr, "simt_suite: %s: expected FAMILY | NAME | MODEL | never, sometimes or false_alarm | REASON: %s\n",
          file.c_str(), line.c_str());
      std::exit(2);
    }
    known[line.substr(0, how)] = {word, line.substr(reason + 3)};
  }
  return known;
}

/// Returns what contradicts the known misses; "" if nothing does.
std::string difference(const outcome& sum, const known_miss* known, bool many_seeds) {
  const bool always = sum.found == sum.runs;
  if (known == nullptr) return always ? "" : "is no known miss";
  if (known->how == "never") return sum.found == 0 ? "" : "is listed as never found";
  if (many_seeds && always) return "is listed as found sometimes, and was found with every seed";
  if (many_seeds && sum.found == 0) return "is listed as found sometimes, and was never found";
  return "";
}

options read_options(int count, char** arguments) {
  options result;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    const char* const value = i + 1 < count ? arguments[i + 1] : nullptr;
    if (name == "--verbose") {
      result.verbose = true;
      continue;
    }
    if (name == "--sabotage") {
      result.sabotage = true;
      continue;
    }
    ++i;
    if (name == "--seeds" && value != nullptr && std::atoi(value) > 0) {
      result.seeds = static_cast<unsigned>(std::atoi(value));
    } else if (name == "--known" && value != nullptr) {
      result.known = value;
    } else if (name == "--json" && value != nullptr) {
      result.json = value;
    } else if (name == "--only" && value != nullptr) {
      result.only = value;
    } else {
      std::fprintf(
          stderr,
          "usage: simt_suite [--seeds K] [--known FILE] [--json FILE] [--only TEXT] [--verbose] | --sabotage\n");
      std::exit(2);
    }
  }
  return result;
}

}  // namespace

int main(int count, char** arguments) {
  const options wanted = read_options(count, arguments);
  if (wanted.sabotage) return count_unnoticed_losses() == 0 ? 0 : 1;
  known_misses known = wanted.known.empty() ? known_misses() : read_known(wanted.known);
  unsigned failures = 0, faulty = 0, correct = 0, runs = 0, found = 0;
  std::string json;
  const auto fail = [&](const row& kernel, execution model, const std::string& what) {
    ++failures;
    std::printf("%s: %s\n", key_of(kernel, model).c_str(), what.c_str());
  };
  for (const row& kernel : rows()) {
    if ((kernel.family + ": " + kernel.name).find(wanted.only) == std::string::npos) continue;
    for (const execution model : both_models) {
      if (!holds(kernel.size.runs_in, model)) continue;
      outcome sum;
      for (unsigned seed = 1; seed <= wanted.seeds; ++seed) {
        const run_result result = run(kernel, model, seed);
        judge(kernel, model, result, sum);
        if (!wanted.verbose) continue;
        std::printf("%s, seed %u: %s\n", key_of(kernel, model).c_str(), seed, result.error.c_str());
        for (const fault& each : result.faults) std::printf("  %s\n", each.text().c_str());
      }
      const auto at = known.find(key_of(kernel, model));
      known_miss* const listed = at == known.end() ? nullptr : &at->second;
      if (listed != nullptr) listed->used = true;
      const bool alarm_is_known = listed != nullptr && listed->how == "false_alarm";
      if ((sum.false_alarms != 0) != alarm_is_known)
        fail(kernel, model, "false alarm with " + std::to_string(sum.false_alarms) + " seeds: " + sum.false_alarm);
      if (kernel.is_faulty(model)) {
        ++faulty, runs += sum.runs, found += sum.found;
        const std::string different = difference(sum, listed, wanted.seeds >= 50);
        if (!different.empty()) {
          fail(kernel, model,
               different + ": found with " + std::to_string(sum.found) + " of " + std::to_string(sum.runs) +
                   " seeds" + (sum.found == 0 && !sum.example.empty() ? "; instead " + sum.example : ""));
        }
      } else {
        ++correct;
        if (listed != nullptr && !alarm_is_known) fail(kernel, model, "is a known miss, but has no fault");
      }
      json += (json.empty() ? "\n  " : ",\n  ") + to_json(kernel, model, sum, known);
    }
  }
  for (const auto& [key, miss] : known) {
    if (miss.used || !wanted.only.empty()) continue;
    ++failures;
    std::printf("%s: is a known miss, but no row of the suite\n", key.c_str());
  }
  std::printf("%zu kernels with %u seeds: %u faults, found in %u of %u runs; %u correct cases; %u failures\n",
              rows().size(), wanted.seeds, faulty, found, runs, correct, failures);
  if (!wanted.json.empty()) {
    std::ofstream file(wanted.json);
    file << "{\"seeds\": " << wanted.seeds << ", \"kernels\": " << rows().size() << ", \"rows\": [" << json
         << "\n]}\n";
    if (!file.flush()) {
      std::fprintf(stderr, "simt_suite: cannot write %s\n", wanted.json.c_str());
      return 2;
    }
  }
  return failures == 0 ? 0 : 1;
}
