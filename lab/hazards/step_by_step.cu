// step_by_step: two threads increment x = 7 by load, add and store; the order of these six steps decides.
//
// A script gives the simulator the order of the threads, and it traces every access. One thread after the other
// gives 9; both loads before both stores give 8. Each thread keeps its copy in shared memory, so that the add is a
// step too; volatile prevents the compiler from using a register. A GPU follows no script; there, two launches in a
// row and two threads of one warp give the same results.
#include <lab/hazard_kernel.hpp>
#include <map>

namespace exactdot::lab {
namespace {

__global__ void increment(int* x) {
  __shared__ int held[2];
  volatile int* const copy = &held[threadIdx.x];
  *copy = *x;         // load
  *copy = *copy + 1;  // add
  *x = *copy;         // store
}

/// Formats the trace as six lines. Each phase of a thread is a read and a write; the next read of an address gives
/// the value written.
template <class Trace>
std::vector<std::string> lines_of(const Trace& trace, int result) {
  constexpr const char* phases[] = {"load", "add", "store"};
  std::map<unsigned, int> accesses;
  std::vector<std::string> lines;
  int x = static_cast<int>(trace.front().before);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const int phase = accesses[trace[i].thread]++;
    if (phase % 2 == 0) continue;
    int written = result;
    for (std::size_t j = trace.size(); j-- > i + 1;) {
      if (trace[j].address == trace[i].address) written = static_cast<int>(trace[j].before);
    }
    if (phase == 5) x = written;
    const std::string step = format_text("%-5s %d", phases[phase / 2], written);
    const bool first = trace[i].thread == 0;
    lines.push_back(format_text("%6zu  %-12s%-12s%d", lines.size() + 1, first ? step.c_str() : "",
                                first ? "" : step.c_str(), x));
  }
  return lines;
}

/// Runs the six phases in the given order of threads. Each phase is two steps of the simulator.
template <class Stream>
int run_in_order(Stream& stream, const std::vector<unsigned>& phases, std::vector<std::string>& table) {
  gpu::buffer<int> x(stream, 1);
  const int seven = 7;
  x.copy_from(&seven, 1);
  stream.settings().trace = true;
  stream.settings().script.clear();
  for (const unsigned thread : phases)
    stream.settings().script.insert(stream.settings().script.end(), {thread, thread});
  gpu::launch(increment, 1, 2, 0, stream, x.data());
  const int result = only_value(x);
  table.emplace_back("  step  thread A    thread B    x");
  for (const std::string& line : lines_of(stream.trace(), result)) table.push_back(line);
  return result;
}

template <class Stream>
hazard_outcome run_steps(Stream& stream) {
  hazard_outcome outcome;
  int in_turn = 0, interleaved = 0;
  if constexpr (simulated<Stream>) {
    outcome.table.emplace_back("one after the other:");
    in_turn = run_in_order(stream, {0, 0, 0, 1, 1, 1}, outcome.table);
    outcome.detected = take_findings(stream);
    outcome.table.emplace_back("both load before either stores:");
    interleaved = run_in_order(stream, {0, 1, 0, 1, 0, 1}, outcome.table);
    const std::vector<reported_fault> interleaved_faults = take_findings(stream);
    outcome.as_expected = has(outcome.detected, "data_race") && has(interleaved_faults, "data_race");
    outcome.detected.insert(outcome.detected.end(), interleaved_faults.begin(), interleaved_faults.end());
  } else {
    gpu::buffer<int> x(stream, 1);
    const int seven = 7;
    x.copy_from(&seven, 1);
    for (int i = 0; i < 2; ++i) gpu::launch(increment, 1, 1, 0, stream, x.data());
    in_turn = only_value(x);
    x.copy_from(&seven, 1);
    gpu::launch(increment, 1, 2, 0, stream, x.data());
    interleaved = only_value(x);
    outcome.table.emplace_back("two launches of one thread each, then one launch of two threads of the same warp");
    outcome.as_expected = true;
  }
  outcome.expected = "9 and 8";
  outcome.observed = list_of(std::vector<int>{in_turn, interleaved});
  outcome.as_expected = outcome.as_expected && in_turn == 9 && interleaved == 8;
  outcome.figures = {{"one_after_the_other", static_cast<double>(in_turn)},
                     {"interleaved", static_cast<double>(interleaved)}};
  return outcome;
}

hazard_outcome run_step_by_step(const hazard_request& request) {
  seeded_stream stream(request.seed);
  return run_steps<gpu::stream>(stream);
}

const register_hazard registration{
    {.number = 3,
     .name = "step_by_step",
     .file = "step_by_step.cu",
     .mistake = false,
     .effect = "Two threads increment x = 7, each by a load, an add and a store, in two different orders.",
     .cause =
         "The hardware determines the order. Both orders are races, including the one that gives 9: the simulator "
         "reports it too, because nothing orders the two threads.",
     .fix = "Use an atomic, whose steps are indivisible: race_condition_fixed."},
    run_step_by_step};

}  // namespace
}  // namespace exactdot::lab
