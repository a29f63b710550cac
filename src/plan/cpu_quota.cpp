// Finds and reads the files of control groups; see cpu_quota.hpp.
//
//   /proc/self/cgroup       the group's path in each hierarchy; version 1: "4:cpu,cpuacct:/a/b"; 2: "0::/a/b"
//   /proc/self/mountinfo    where hierarchies are mounted, and which of their groups is the root of the mount
//   cpu.max                 version 2: "quota period" or "max period"
//   cpu.cfs_quota_us, …     version 1: a negative quota is none
#include <algorithm>
#include <fstream>
#include <limits>
#include <plan/cpu_quota.hpp>
#include <sstream>
#include <string_view>
#include <vector>

namespace exactdot::inline v0_3::engine {
namespace {

constexpr double no_quota = std::numeric_limits<double>::infinity();

/// Whether a list with commas holds "cpu".
bool names_cpu(std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == "cpu") return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

/// A mounted hierarchy that may limit processors.
struct mount {
  bool is_version_2;
  std::string group;  // the root of the mount
  std::string folder;
};

/// "36 35 98:0 /group /folder options [tags] - type source super-options"
std::vector<mount> find_mounts(const std::string& root) {
  std::vector<mount> found;
  std::ifstream file(root + "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string skipped, word, type, super_options;
    mount each{};
    words >> skipped >> skipped >> skipped >> each.group >> each.folder;
    while (words >> word && word != "-") continue;
    words >> type >> skipped >> super_options;
    each.is_version_2 = type == "cgroup2";
    if (each.is_version_2 || (type == "cgroup" && names_cpu(super_options))) found.push_back(each);
  }
  return found;
}

/// The path of this process's group, or "" if the line is not there.
std::string group_of_process(const std::string& root, bool version_2) {
  std::ifstream file(root + "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version_2 ? controllers.empty() : names_cpu(controllers)) return line.substr(second + 1);
  }
  return {};
}

double quota_in(const std::string& folder, bool version_2) {
  double quota = 0, period = 0;
  if (version_2) {
    std::ifstream(folder + "/cpu.max") >> quota >> period;  // "max" is no number: the quota stays 0
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : no_quota;
}

/// The least quota of the process's group and those above it, as far as the mount shows them.
double quota_of(const mount& hierarchy, const std::string& root) {
  std::string group = group_of_process(root, hierarchy.is_version_2);
  if (hierarchy.group != "/") {  // as in a container, whose groups begin inside of the machine's
    group = group.starts_with(hierarchy.group) ? group.substr(hierarchy.group.size()) : "";
  }
  double least = no_quota;
  for (;;) {
    least = std::min(least, quota_in(root + hierarchy.folder + "/" + group, hierarchy.is_version_2));
    const std::size_t slash = group.rfind('/');
    if (slash == std::string::npos) break;
    group.resize(slash);
  }
  return std::min(least, quota_in(root + hierarchy.folder, hierarchy.is_version_2));
}

}  // namespace

double cpu_quota(const std::string& root) noexcept {
  try {
    double least = no_quota;
    for (const mount& hierarchy : find_mounts(root)) least = std::min(least, quota_of(hierarchy, root));
    return least;
  } catch (const std::exception&) {  // no memory
    return no_quota;
  }
}

}  // namespace exactdot::inline v0_3::engine
