// Which exercises are solved and how many of their hints were seen, in a small file of the learner's folder.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace exactdot::simtcc::exercises {

class progress {
 public:
  /// Reads the file of this folder. What it does not understand is left out, with a note.
  explicit progress(std::string folder);

  [[nodiscard]] bool is_solved(const std::string& name) const { return solved_.contains(name); }
  [[nodiscard]] std::size_t hints_seen(const std::string& name) const;
  [[nodiscard]] std::size_t number_solved() const { return solved_.size(); }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// Each writes the file; if that fails, a note says so.
  void set_solved(const std::string& name);
  void set_hints_seen(const std::string& name, std::size_t count);

 private:
  void read();
  bool read_line(const std::string& line);
  void write();

  std::string file_;
  std::set<std::string> solved_;
  std::map<std::string, std::size_t> hints_;
  std::vector<std::string> notes_;
};

}  // namespace exactdot::simtcc::exercises
