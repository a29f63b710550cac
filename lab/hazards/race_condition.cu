// race_condition: a million threads count themselves with *count += 1.
//
// The line is a load, an add and a store. A thread that loads between another thread's load and store erases that
// thread's update. The count is far below a million and may vary. race_condition_fixed uses atomicAdd instead.
#include <lab/hazard_kernel.hpp>
#include <set>

namespace exactdot::lab {
namespace {

__global__ void count_plainly(int* count) {
  *count += 1;  // race
}

hazard_outcome run_race(const hazard_request& request) {
  const int blocks = request.small ? 2 : 1000, threads = request.small ? 4 : 1000;
  seeded_stream stream(request.seed);
  gpu::buffer<int> count(stream, 1);
  hazard_outcome outcome;
  std::vector<int> counts;
  bool few = true;
  for (int i = 0; i < request.runs; ++i) {
    count.fill_zero();
    gpu::launch(count_plainly, blocks, threads, 0, stream, count.data());
    counts.push_back(only_value(count));
    request.add_progress(1);
    few = few && counts.back() > 0 && counts.back() < blocks * threads / 2;
    outcome.figures.push_back({"count_" + std::to_string(i + 1), static_cast<double>(counts.back())});
  }
  outcome.expected = on_simt ? "below half of 1000000 in each run, and different counts"
                             : "below half of 1000000 in each run; the count may vary";
  outcome.observed = list_of(counts);
  outcome.detected = take_findings(stream);
  const bool one_number = std::set<int>(counts.begin(), counts.end()).size() == 1;
  outcome.as_expected =
      few && (!on_simt || (has(outcome.detected, "data_race") && (request.runs < 2 || !one_number)));
  return outcome;
}

const register_hazard registration{
    {.number = 1,
     .name = "race_condition",
     .file = "race_condition.cu",
     .work = static_cast<std::size_t>(hazard_request{}.runs),
     .effect = "Every thread of 1000 blocks of 1000 threads executes *count += 1.",
     .cause =
         "The statement is a load, an add and a store. A thread that loads between another thread's load and store "
         "reads the old value, and its store erases the other's update. Thousands of threads do so at once.",
     .fix =
         "atomicAdd makes the three steps indivisible: race_condition_fixed. Faster: add in registers and shared "
         "memory first, then use one atomic per block: exactdot lab, rung shared_atomic."},
    run_race};

}  // namespace
}  // namespace exactdot::lab
