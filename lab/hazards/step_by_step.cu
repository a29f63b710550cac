// step_by_step: two threads increment x = 7 in load, add and store; the order of these six steps decides.
//
// The simulator is told who goes when and keeps a trace of every access: one thread after the other gives 9, both
// loads before both stores give 8. What a thread holds lies in shared memory, a cell each, so that the add is a
// step too; volatile, or the compiler would keep it in a register. A GPU takes no orders; there two launches in a
// row, and two threads of one warp, come to the same.
#include <lab/hazard_kernel.hpp>
#include <map>

namespace exactdot::lab {
namespace {

__global__ void increment(int* x) {
  __shared__ int held[2];
  volatile int* const mine = &held[threadIdx.x];
  *mine = *x;         // load
  *mine = *mine + 1;  // add
  *x = *mine;         // store
}

/// Six rows from the trace: each phase of a thread is a read and a write, and what is written is what is read next.
template <class Trace>
std::vector<std::string> rows_of(const Trace& trace, int result) {
  constexpr const char* phases[] = {"load", "add", "store"};
  std::map<unsigned, int> accesses;
  std::vector<std::string> rows;
  int x = static_cast<int>(trace.front().before);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const int phase = accesses[trace[i].thread]++;
    if (phase % 2 == 0) continue;
    int written = result;
    for (std::size_t j = trace.size(); j-- > i + 1;) {
      if (trace[j].address == trace[i].address) written = static_cast<int>(trace[j].before);
    }
    if (phase == 5) x = written;
    const std::string does = text_of("%-5s %d", phases[phase / 2], written);
    const bool first = trace[i].thread == 0;
    rows.push_back(
        text_of("%6zu  %-12s%-12s%d", rows.size() + 1, first ? does.c_str() : "", first ? "" : does.c_str(), x));
  }
  return rows;
}

/// Runs the six phases in this order of the two threads; the simulator's steps are half of each.
template <class Stream>
int run_in_order(Stream& stream, const std::vector<unsigned>& phases, std::vector<std::string>& table) {
  gpu::buffer<int> x(stream, 1);
  const int seven = 7;
  x.copy_from(&seven, 1);
  stream.how().trace = true;
  stream.how().script.clear();
  for (const unsigned who : phases) stream.how().script.insert(stream.how().script.end(), {who, who});
  gpu::launch(increment, 1, 2, 0, stream, x.data());
  const int result = only_value(x);
  table.emplace_back("  step  thread A    thread B    x");
  for (const std::string& row : rows_of(stream.trace(), result)) table.push_back(row);
  return result;
}

template <class Stream>
hazard_outcome run_steps(Stream& stream) {
  hazard_outcome seen;
  int in_turn = 0, interleaved = 0;
  if constexpr (simulated<Stream>) {
    seen.table.emplace_back("one after the other:");
    in_turn = run_in_order(stream, {0, 0, 0, 1, 1, 1}, seen.table);
    seen.detected = take_findings(stream);
    seen.table.emplace_back("both load before either stores:");
    interleaved = run_in_order(stream, {0, 1, 0, 1, 0, 1}, seen.table);
    const std::vector<named_fault> when_interleaved = take_findings(stream);
    seen.as_expected = has(seen.detected, "data_race") && has(when_interleaved, "data_race");
    seen.detected.insert(seen.detected.end(), when_interleaved.begin(), when_interleaved.end());
  } else {
    gpu::buffer<int> x(stream, 1);
    const int seven = 7;
    x.copy_from(&seven, 1);
    for (int i = 0; i < 2; ++i) gpu::launch(increment, 1, 1, 0, stream, x.data());
    in_turn = only_value(x);
    x.copy_from(&seven, 1);
    gpu::launch(increment, 1, 2, 0, stream, x.data());
    interleaved = only_value(x);
    seen.table.emplace_back(
        "two launches of a thread each, and one launch of two threads that a warp runs together");
    seen.as_expected = true;
  }
  seen.expected = "9 and 8";
  seen.observed = list_of(std::vector<int>{in_turn, interleaved});
  seen.as_expected = seen.as_expected && in_turn == 9 && interleaved == 8;
  seen.figures = {{"one_after_the_other", static_cast<double>(in_turn)},
                  {"interleaved", static_cast<double>(interleaved)}};
  return seen;
}

hazard_outcome run_step_by_step(const hazard_request& request) {
  seeded_stream stream(request.seed);
  return run_steps<gpu::stream>(stream);
}

const enlist_hazard here{
    {.number = 3,
     .name = "step_by_step",
     .file = "step_by_step.cu",
     .does = "Two threads increment x = 7, each by a load, an add and a store, in two orders.",
     .why = "Which order it is, is up to the hardware. Both are a race, also the one that happens to give 9: the "
            "simulator names it there too, for nothing orders the two threads.",
     .cure = "An atomic, for which there is no step in between: race_condition_fixed."},
    run_step_by_step};

}  // namespace
}  // namespace exactdot::lab
