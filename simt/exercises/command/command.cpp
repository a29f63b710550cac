// The words of the command line, the folder with the learner's files and its progress.
#include "command.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "catalogue.hpp"
#include "cc/nvcc_options.hpp"
#include "cc/process.hpp"
#include "progress.hpp"
#include "check.hpp"

extern char** environ;

namespace exactdot::simtcc::exercises {
namespace {

constexpr std::string_view help =
    R"(Exercises: small CUDA files with a hole or a fault, for you to edit; a simulator of a GPU checks them.

usage: COMMAND list          the exercises in their order, and which are solved
       COMMAND next [NAME]   write the first unsolved exercise, or this one, into this folder, unless its file is here
       COMMAND check FILE    compile and run it in many orders of the threads; say what is wrong
       COMMAND hint [FILE]   the next hint, after the last one a solution; without FILE: of the first unsolved

  --seconds N    check: that each of four groups of runs may take; default: 60
  --help

The file .simtcc-exercises beside the exercises remembers what is solved. A file that you have edited is never replaced:
to begin one again, move it away and ask for it by `next`.
Exit status: 0; 1: not solved, or a file cannot be used; 2: wrong usage. A C++ compiler is needed, as by simtcc.
)";

constexpr std::size_t max_source_bytes = 1000000;

struct refusal {
  std::string text;
  int status = 1;
};

std::string list_of_actions() { return "expected list, next [NAME], check FILE or hint [FILE]"; }

/// What the words ask for.
struct request {
  std::string action, file;
  unsigned seconds = 60;
};

unsigned seconds_of(const std::string& text) {
  const bool digits =
      !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoul(text) == 0) throw refusal{"--seconds " + text + ": expected 1 to 99999", 2};
  return static_cast<unsigned>(std::stoul(text));
}

request read_request(const std::vector<std::string>& words) {
  request result;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--seconds" && i + 1 == words.size()) throw refusal{"--seconds: expected a number after it", 2};
    if (word == "--seconds") {
      result.seconds = seconds_of(words[++i]);
    } else if (word.starts_with("--seconds=")) {
      result.seconds = seconds_of(word.substr(word.find('=') + 1));
    } else if (word.size() > 1 && word.front() == '-') {
      throw refusal{word + ": unknown option; expected --seconds N or --help", 2};
    } else {
      names.push_back(word);
    }
  }
  if (names.empty()) throw refusal{"an action is missing; " + list_of_actions(), 2};
  result.action = names[0];
  const std::vector<std::string_view> actions = {"list", "next", "check", "hint"};
  if (std::ranges::find(actions, result.action) == actions.end()) {
    const std::string_view near = nearest_word(result.action, actions);
    throw refusal{"'" + result.action + "': unknown; " +
                      (near.empty() ? list_of_actions() : "did you mean " + std::string(near) + "?"),
                  2};
  }
  const std::size_t max_files = result.action == "list" ? 0 : 1;
  if (names.size() > max_files + 1)
    throw refusal{"'" + names[max_files + 1] + "': one word too many after " + names[max_files], 2};
  if (names.size() == 2) result.file = names[1];
  if (result.action == "check" && result.file.empty())
    throw refusal{"check: a file is missing; expected check FILE.cu", 2};
  return result;
}

/// The exercise that a file belongs to, by the file's name. An absent `.cu` is added to the name.
const exercise& exercise_of(std::string& file, const std::string& command) {
  std::filesystem::path path(file);
  if (path.extension() == "") file = (path += ".cu").string();
  const std::string name = path.stem().string();
  const auto& all = all_exercises();
  const std::size_t place = place_of(name);
  if (place < all.size() && path.extension() == ".cu") return all[place];
  std::vector<std::string_view> names;
  for (const exercise& each : all) names.push_back(each.name);
  const std::string_view near = nearest_word(name, names);
  throw refusal{
      file + ": is no exercise" +
      (near.empty() ? "; `" + command + " list` names them" : "; did you mean " + std::string(near) + ".cu?")};
}

/// Throws unless the file can be read.
void check_readable(const exercise& chosen, const std::string& file, const std::string& command) {
  std::error_code fault;
  if (!std::filesystem::exists(file, fault)) {
    throw refusal{file + ": no such file; `" + command + " next " + chosen.name + "` writes it"};
  }
  if (!std::filesystem::is_regular_file(file, fault))
    throw refusal{file + ": is no file; expected a CUDA source file"};
  if (access(file.c_str(), R_OK) != 0) throw refusal{file + ": cannot be read: " + std::strerror(errno)};
  if (std::filesystem::file_size(file, fault) > max_source_bytes)
    throw refusal{file + ": has more than a million bytes, so it is not the exercise; move it away and use `" +
                  command + " next`"};
}

std::string folder_of(const std::string& file) {
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Writes a new file. Returns false if there is one of this name.
bool write_new_file(const std::string& file, const std::string& text) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == EEXIST) return false;
  const bool written = descriptor >= 0 && write(descriptor, text.data(), text.size()) == ssize_t(text.size());
  const int reason = errno;
  if (descriptor >= 0) close(descriptor);
  if (written) return true;
  if (descriptor >= 0) unlink(file.c_str());
  throw refusal{file + ": cannot be written: " + std::strerror(reason) + "; use a folder of your own"};
}

class session {
 public:
  session(std::string command, std::string folder) : command_(std::move(command)), progress_(std::move(folder)) {}

  int list() const {
    std::string text;
    std::string topic;
    std::size_t number = 0;
    for (const exercise& each : all_exercises()) {
      if (each.topic != topic) text += "\n" + each.topic + "\n";
      topic = each.topic;
      char line[200];
      std::snprintf(line, sizeof line, "  %2zu  %-22s %-8s %s\n", ++number, each.name.c_str(),
                    progress_.is_solved(each.name) ? "solved" : "", each.title.c_str());
      text += line;
    }
    text += "\n" + std::to_string(progress_.number_solved()) + " of " + std::to_string(all_exercises().size()) +
            " solved in this folder.\n";
    write_stdout(text.substr(1));
    return 0;
  }

  int next(const exercise* chosen) const {
    if (chosen == nullptr) chosen = first_unsolved();
    if (chosen == nullptr) {
      write_stdout(all_solved());
      return 0;
    }
    const std::string file = chosen->name + ".cu";
    const bool is_new = write_new_file(file, learner_file(*chosen, command_));
    write_stdout(title_of(*chosen) + "\n" + file +
                 (is_new ? " is here now: read its first lines, edit it"
                         : " was here already and is as you have left it: edit it") +
                 ", then\n  " + command_ + " check " + file + "\n");
    return 0;
  }

  int check(const exercise& chosen, const std::string& file, unsigned seconds) {
    const check_result result = check_exercise(chosen, file, seconds);
    std::string text = result.text;
    if (result.solved) {
      progress_.set_solved(chosen.name);
      text += "Learnt: " + chosen.learnt + "\n";
      const exercise* const following = first_unsolved();
      text += following == nullptr ? all_solved() : "Next: " + title_of(*following) + "\n  " + command_ + " next\n";
    } else {
      text += "A hint: " + command_ + " hint " + file + " (" + std::to_string(progress_.hints_seen(chosen.name)) +
              " of " + std::to_string(chosen.hints.size() + 1) + " seen)\n";
    }
    write_stdout(text);
    return result.solved ? 0 : 1;
  }

  int hint(const exercise* chosen) {
    if (chosen == nullptr) chosen = first_unsolved();
    if (chosen == nullptr) {
      write_stdout(all_solved());
      return 0;
    }
    const std::size_t count = chosen->hints.size() + 1;
    const std::size_t shown = std::min(progress_.hints_seen(chosen->name) + 1, count);
    std::string text = chosen->name + ".cu, hint " + std::to_string(shown) + " of " + std::to_string(count);
    text += shown < count ? ": " + chosen->hints[shown - 1] + "\n" : ", a solution:\n\n" + chosen->solution;
    progress_.set_hints_seen(chosen->name, shown);
    write_stdout(text);
    return 0;
  }

  [[nodiscard]] const std::vector<std::string>& notes() const { return progress_.notes(); }

 private:
  [[nodiscard]] const exercise* first_unsolved() const {
    for (const exercise& each : all_exercises()) {
      if (!progress_.is_solved(each.name)) return &each;
    }
    return nullptr;
  }
  static std::string title_of(const exercise& chosen) {
    return "exercise " + std::to_string(place_of(chosen.name) + 1) + " of " +
           std::to_string(all_exercises().size()) + ", " + chosen.name + ": " + chosen.title + " (" + chosen.topic +
           ")";
  }
  static std::string all_solved() {
    return "All " + std::to_string(all_exercises().size()) + " exercises are solved.\n";
  }

  std::string command_;
  progress progress_;
};

/// The user's choices for programs that simtcc compiles would change the check.
void forget_settings_of_programs() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry), name = variable.substr(0, variable.find('='));
    if (name.starts_with("SIMTCC_") && name != "SIMTCC_CXX") names.emplace_back(name);
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

int run(const std::string& command, const request& asked) {
  std::string file = asked.file;
  const exercise* const chosen = file.empty() ? nullptr : &exercise_of(file, command);
  if (asked.action == "check") check_readable(*chosen, file, command);
  session here(command, asked.action == "next" ? "." : folder_of(file));
  const std::size_t notes_before = here.notes().size();
  for (const std::string& note : here.notes())
    std::fprintf(stderr, "%s: note: %s\n", command.c_str(), note.c_str());
  const int status = asked.action == "list"    ? here.list()
                     : asked.action == "next"  ? here.next(chosen)
                     : asked.action == "check" ? here.check(*chosen, file, asked.seconds)
                                               : here.hint(chosen);
  for (std::size_t i = notes_before; i < here.notes().size(); ++i)
    std::fprintf(stderr, "%s: note: %s\n", command.c_str(), here.notes()[i].c_str());
  return status;
}

}  // namespace

int run_command(const std::string& program, const std::vector<std::string>& words) {
  const std::string command = program + " exercise";
  if (std::ranges::find(words, "--help") != words.end() || std::ranges::find(words, "-h") != words.end()) {
    std::string text(help);
    for (std::size_t at = 0; (at = text.find("COMMAND", at)) != std::string::npos;) text.replace(at, 7, command);
    write_stdout(text);
    return 0;
  }
  forget_settings_of_programs();
  try {
    return run(command, read_request(words));
  } catch (const refusal& refused) {
    std::fprintf(stderr, "%s: %s\n", command.c_str(), refused.text.c_str());
    return refused.status;
  }
}

}  // namespace exactdot::simtcc::exercises
