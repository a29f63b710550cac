// Registered workloads; see workload.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <deque>
#include <exactdot/error.hpp>
#include <io/fault.hpp>
#include <lab/workload.hpp>

namespace exactdot::lab {
namespace {

/// A local static: other workloads are registered before main, in unspecified order. A deque keeps references
/// valid.
std::deque<workload>& registered_workloads() {
  static std::deque<workload> registered{dot_workload(), rows_workload(), groups_workload()};
  return registered;
}

}  // namespace

void add_workload(const workload& added) { registered_workloads().push_back(added); }

std::vector<workload> workloads() { return {registered_workloads().begin(), registered_workloads().end()}; }

const workload& find_workload(std::string_view name) {
  std::vector<std::string_view> names;
  for (const workload& candidate : registered_workloads()) {
    if (candidate.name == name) return candidate;
    names.emplace_back(candidate.name);
  }
  throw error(errc::bad_option, fmt::format("'{}': unknown workload; expected {}", io::printable(std::string(name)),
                                            fmt::join(names, ", ")));
}

}  // namespace exactdot::lab
