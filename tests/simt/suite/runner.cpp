// A finding is right if it is of the row's kind and on its labelled lines, for a race on two of them.
#include "runner.hpp"

#include <exactdot/error.hpp>
#include <numeric>

namespace suite {
using exactdot::simt::fault;
using exactdot::simt::fault_site;

namespace {
/// Launches a row's kernel on buffers of its own. Returns what is wrong with the result, or "".
std::string launch(const row& kernel, gpu::stream& stream) {
  gpu::buffer<int> in(stream, arrays::n), out(stream, 1024), scratch(stream, 1024), zeros(stream, 256);
  std::vector<int> numbers(arrays::n), host(1024);
  std::iota(numbers.begin(), numbers.end(), 0);
  in.copy_from(numbers.data(), numbers.size());
  zeros.fill_zero();
  try {
    gpu::launch(kernel.run, kernel.size.grid, kernel.size.block, kernel.size.shared,
                gpu::cluster_dimensions{kernel.size.cluster}, stream,
                arrays{in.data(), out.data(), scratch.data(), zeros.data(), host.data()});
    if (!kernel.size.result) return "";  // no kernel may have written it, and reading it would be a fault
    int value = 0;
    out.copy_to(&value, 1);
    if (value != *kernel.size.result)
      return "out[0] is " + std::to_string(value) + ", expected " + std::to_string(*kernel.size.result);
  } catch (const exactdot::error& failure) {
    return failure.what();
  }
  return "";
}
}  // namespace

run_result run(const row& kernel, execution model, std::uint64_t seed) {
  gpu::stream stream({.seed = seed, .model = model, .step_budget = 300'000, .spin_budget = 20});
  run_result result;
  result.error = launch(kernel, stream);
  result.faults = stream.faults();
  result.faults.insert(result.faults.end(), stream.notes().begin(), stream.notes().end());
  return result;
}

namespace {
bool is_labelled(const row& kernel, const fault_site& site) {
  const auto base = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  return !site.action.empty() && base(site.file) == base(kernel.file) && kernel.lines.contains(site.line);
}

}  // namespace

void judge(const row& kernel, execution model, const run_result& result, outcome& sum) {
  ++sum.runs;
  const bool faulty = kernel.is_faulty(model);
  const fault* right = nullptr;
  std::string stray = result.error;
  for (const fault& found : result.faults) {
    const bool first = is_labelled(kernel, found.site), second = is_labelled(kernel, found.other_site);
    const bool on_lines = found.kind == fault_kind::data_race ? first && second : first || second;
    if (faulty && found.kind == kernel.fault && on_lines && right == nullptr) right = &found;
    if (!faulty || (!first && !second)) stray = found.text();
  }
  if (faulty && right == nullptr) stray = result.error;  // findings elsewhere are a wrong name for the fault
  if (!stray.empty()) {
    ++sum.false_alarms;
    sum.false_alarm = stray;
  }
  if (!faulty) return;
  if (right != nullptr) {
    if (sum.found++ == 0) sum.example = right->text();
  } else if (!result.faults.empty()) {
    ++sum.wrong;
    if (sum.example.empty()) sum.example = result.faults.front().text();
  } else {
    ++sum.missed;
  }
}

}  // namespace suite
