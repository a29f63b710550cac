// One line an exercise, `NAME solved` or `NAME hints 2`. It is replaced as a whole, so a full disk leaves the old
// one.
#include "progress.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "catalogue.hpp"

namespace exactdot::simtcc::exercises {
namespace {

constexpr const char* file_name = ".simtcc-exercises";
constexpr const char* first_line =
    "# The progress of simtcc's exercises in this folder. Without this file all are unsolved.";
constexpr std::size_t max_bytes = 100000;

}  // namespace

progress::progress(std::string folder) : file_((std::filesystem::path(std::move(folder)) / file_name).string()) {
  read();
}

std::size_t progress::hints_seen(const std::string& name) const {
  const auto found = hints_.find(name);
  return found == hints_.end() ? 0 : found->second;
}

void progress::set_solved(const std::string& name) {
  if (solved_.insert(name).second) write();
}

void progress::set_hints_seen(const std::string& name, std::size_t count) {
  if (std::exchange(hints_[name], count) != count) write();
}

void progress::read() {
  std::error_code fault;
  const auto status = std::filesystem::status(file_, fault);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_regular_file(status) || std::filesystem::file_size(file_, fault) > max_bytes) {
    notes_.push_back(file_ + ": is no file of progress, so all exercises are taken as unsolved; remove it");
    return;
  }
  std::ifstream in(file_, std::ios::binary);
  if (!in) notes_.push_back(file_ + ": cannot be read, so all exercises are taken as unsolved");
  int number = 0, ignored = 0, first_ignored = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (read_line(line)) continue;
    if (ignored++ == 0) first_ignored = number;
  }
  if (ignored == 0) return;
  notes_.push_back(
      file_ + ":" + std::to_string(first_ignored) + ": this line" +
      (ignored == 1 ? "" : " and " + std::to_string(ignored - 1) + " more") +
      " cannot be understood; expected NAME solved or NAME hints COUNT. What is missing in the list of "
      "solved exercises comes back when you check them again");
}

/// Returns whether it is understood.
bool progress::read_line(const std::string& line) {
  if (line.empty() || line.front() == '#') return true;
  std::istringstream words(line);
  std::string name, state, rest;
  words >> name >> state;
  if (place_of(name) == all_exercises().size()) return false;
  std::size_t count = 0;
  if (state == "hints" && words >> count && !(words >> rest)) {
    hints_[name] = std::min(count, all_exercises()[place_of(name)].hints.size() + 1);
    return true;
  }
  if (state != "solved" || words >> rest) return false;
  solved_.insert(name);
  return true;
}

void progress::write() {
  const std::string next = file_ + ".new";
  std::ofstream out(next, std::ios::binary);
  out << first_line << '\n';
  for (const std::string& name : solved_) out << name << " solved\n";
  for (const auto& [name, count] : hints_) out << name << " hints " << count << '\n';
  out.close();
  if (out && std::rename(next.c_str(), file_.c_str()) == 0) return;
  const int reason = errno;
  std::remove(next.c_str());
  notes_.push_back(file_ + ": cannot be written (" + std::strerror(reason) +
                   "), so this is not remembered; work in a folder of your own");
}

}  // namespace exactdot::simtcc::exercises
