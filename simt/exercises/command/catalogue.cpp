// Takes the files of simt/exercises apart, by lines.
#include "catalogue.hpp"

#include <algorithm>
#include <sstream>

namespace exactdot::simtcc::exercises {
namespace {

enum class part { learner, solution, check };

/// The text of `//! key: text`.
void read_note(exercise& result, const std::string& line) {
  const std::size_t colon = line.find(": ");
  const std::string key = line.substr(4, colon - 4), text = line.substr(colon + 2);
  if (key == "title") result.title = text;
  if (key == "topic") result.topic = text;
  if (key == "call") result.call = text;
  if (key == "learnt") result.learnt = text;
  if (key == "hint") result.hints.push_back(text);
}

exercise read_exercise(const std::string& name) {
  exercise result;
  result.name = name;
  std::istringstream lines{std::string(embedded_file(name + ".cu"))};
  part at = part::learner;
  std::string before;  // of the learner's file: the lines of this function, for the solution's surroundings
  bool is_in_solution = false;  // the function that holds the solution has not ended
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("//! ")) {
      read_note(result, line);
    } else if (line == "#ifdef SOLUTION") {
      at = part::solution;
      result.solution = before;
    } else if (line == "#ifdef CHECK") {
      at = part::check;
    } else if (line == "#endif" || line == "#else") {
      at = part::learner;
      is_in_solution = line == "#endif";
    } else if (line += '\n'; at == part::learner) {
      result.text += line;
      before = line == "\n" ? "" : before + line;
      if (is_in_solution && line != "\n") result.solution += line;
      is_in_solution = is_in_solution && line != "\n" && !line.starts_with('}');
    } else {
      (at == part::solution ? result.solution : result.check) += line;
    }
  }
  while (result.text.ends_with("\n\n")) result.text.pop_back();
  result.solution.erase(0, result.solution.find_first_not_of('\n'));
  return result;
}

}  // namespace

const std::vector<exercise>& all_exercises() {
  static const std::vector<exercise> list = [] {
    std::vector<exercise> exercises;
    std::istringstream names(EXACTDOT_EXERCISES);
    for (std::string name; names >> name;) exercises.push_back(read_exercise(name));
    return exercises;
  }();
  return list;
}

std::size_t place_of(std::string_view name) {
  const auto& all = all_exercises();
  return static_cast<std::size_t>(std::ranges::find(all, name, &exercise::name) - all.begin());
}

std::string learner_file(const exercise& chosen, std::string_view command) {
  const std::string file = chosen.name + ".cu";
  return "// Exercise " + std::to_string(place_of(chosen.name) + 1) + " of " +
         std::to_string(all_exercises().size()) + ": " + chosen.title + " (" + chosen.topic +
         ")\n//\n// Play:  simtcc " + file + " -o " + chosen.name + " -run\n// Check: " + std::string(command) +
         " check " + file + "\n//\n" + chosen.text;
}

}  // namespace exactdot::simtcc::exercises
