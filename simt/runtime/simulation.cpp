// See simulation.hpp.
#include <exactdot/simt/runtime/simulation.hpp>
#include <utility>

#include "context.hpp"

namespace exactdot::simt {

stream& device_queue() { return runtime_context::instance().stream; }

std::vector<std::string> take_findings() {
  auto& runtime = runtime_context::instance();
  std::vector<std::string> lines;
  for (const fault& found : runtime.stream.faults()) lines.push_back(found.text());
  if (const refused_launch refused = std::exchange(runtime.unseen, {}); !refused.reason.empty())
    lines.push_back(std::string(name_of(fault_kind::refused_launch)) + ": " + refused.reason);
  runtime.stream.clear();
  return lines;
}

}  // namespace exactdot::simt
