// The rows of the suite, and the lines of their faults: found by the comment `// fault: NAME, NAME` that ends a
// line.
#include "suite.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace suite {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "simt_suite: %s\n", what.c_str());
  std::exit(2);
}

std::set<int> lines_of(const std::string& file, const std::string& name) {
  std::ifstream source(file);
  if (!source) refuse("cannot read " + file);
  const std::string mark = "// fault: ";
  std::set<int> lines;
  std::string line, word;
  for (int number = 1; std::getline(source, line); ++number) {
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    std::istringstream names(line.substr(at + mark.size()));
    while (std::getline(names >> std::ws, word, ',')) {
      const bool prefix = word.ends_with("*");
      if (prefix ? name.starts_with(word.substr(0, word.size() - 1)) : word == name) lines.insert(number);
    }
  }
  return lines;
}

}  // namespace

std::vector<row>& rows() {
  static std::vector<row> all;
  return all;
}

family::family(std::string name, const std::string& file)
    : name_(std::move(name)), file_(EXACTDOT_SUITE_FOLDER "/" + file.substr(file.rfind('/') + 1)) {}

family& family::faulty(const std::string& name, kernel run, fault_kind kind, const shape& size) {
  row added{name_, name, file_, run, size, kind, lines_of(file_, name)};
  if (added.lines.empty()) refuse(file_ + ": no line ends in // fault: " + name);
  added.size.result.reset();
  rows().push_back(added);
  return *this;
}

family& family::correct(const std::string& name, kernel run, const shape& size) {
  row added{name_, name + " (correct)", file_, run, size, {}, {}};
  rows().push_back(added);
  return *this;
}

family& family::pair(const std::string& name, kernel faulty_kernel, kernel correct_kernel, fault_kind kind,
                     const shape& size) {
  return faulty(name, faulty_kernel, kind, size).correct(name, correct_kernel, size);
}

}  // namespace suite
