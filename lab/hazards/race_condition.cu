// race_condition: a million threads count themselves with *count += 1.
//
// The line is a load, an add and a store; whoever loads between another's load and store wipes out what that one
// adds. Far fewer than a million remain, and not always the same number. Cured by atomicAdd: race_condition_fixed.
#include <lab/hazard_kernel.hpp>
#include <set>

namespace exactdot::lab {
namespace {

constexpr int blocks = 1000, threads = 1000;

__global__ void count_plainly(int* count) {
  *count += 1;  // race
}

hazard_outcome run_race(const hazard_request& request) {
  seeded_stream stream(request.seed);
  gpu::buffer<int> count(stream, 1);
  hazard_outcome seen;
  std::vector<int> counts;
  bool few = true;
  for (int i = 0; i < request.runs; ++i) {
    count.fill_zero();
    gpu::launch(count_plainly, blocks, threads, 0, stream, count.data());
    counts.push_back(only_value(count));
    few = few && counts.back() > 0 && counts.back() < blocks * threads / 2;
    seen.figures.push_back({"count_" + std::to_string(i + 1), static_cast<double>(counts.back())});
  }
  seen.expected = on_simt ? "fewer than half of 1000000 each run, and not always the same number"
                          : "fewer than half of 1000000 each run; the number may change";
  seen.observed = list_of(counts);
  seen.detected = take_findings(stream);
  const bool one_number = std::set<int>(counts.begin(), counts.end()).size() == 1;
  seen.as_expected = few && (!on_simt || (has(seen.detected, "data_race") && (request.runs < 2 || !one_number)));
  return seen;
}

const enlist_hazard here{
    {.number = 1,
     .name = "race_condition",
     .file = "race_condition.cu",
     .does = "1000 blocks of 1000 threads each do *count += 1.",
     .why = "It is a load, an add and a store. A thread that loads between another's load and store has the old "
            "value, and its own store wipes out what the other added. Thousands do so at once.",
     .cure = "atomicAdd makes the three one step: race_condition_fixed. Better, add in registers and shared memory "
             "first and use one atomic a block: exactdot lab, shared_atomic."},
    run_race};

}  // namespace
}  // namespace exactdot::lab
