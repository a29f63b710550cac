// race_condition_fixed: the million threads of race_condition count themselves with atomicAdd.
//
// The memory system executes the additions one after another: the count is exactly a million. The cost is the
// serialisation on one address, measured on a GPU against the plain kernel. The compiler may reduce it by adding up
// a warp first.
#include <cmath>
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

__global__ void count_plainly(int* count) { *count += 1; }
__global__ void count_atomically(int* count) { atomicAdd(count, 1); }

hazard_outcome run_fixed(const hazard_request& request) {
  const int blocks = request.small ? 2 : 1000, threads = request.small ? 4 : 1000;
  seeded_stream stream(request.seed);
  gpu::buffer<int> count(stream, 1);
  count.fill_zero();
  gpu::launch(count_atomically, blocks, threads, 0, stream, count.data());
  const int counted = only_value(count);
  hazard_outcome outcome;
  outcome.expected = "1000000";
  outcome.observed = std::to_string(counted);
  outcome.detected = take_findings(stream);
  outcome.as_expected = counted == blocks * threads && outcome.detected.empty();
  outcome.figures = {{"count", static_cast<double>(counted)}};
  const double plain =
      microseconds(stream, [&] { gpu::launch(count_plainly, blocks, threads, 0, stream, count.data()); });
  const double atomic =
      microseconds(stream, [&] { gpu::launch(count_atomically, blocks, threads, 0, stream, count.data()); });
  if (!std::isnan(plain)) {
    outcome.observed +=
        format_text("; %.3g µs against %.3g µs without atomics: %.3g times (a Fermi card: about 100)", atomic,
                    plain, atomic / plain);
    outcome.figures.insert(outcome.figures.end(), {{"atomic_microseconds", atomic}, {"plain_microseconds", plain}});
  }
  return outcome;
}

const register_hazard registration{
    {.number = 2,
     .name = "race_condition_fixed",
     .file = "race_condition_fixed.cu",
     .mistake = false,
     .effect = "Every thread of 1000 blocks of 1000 threads executes atomicAdd(count, 1).",
     .cause =
         "An atomic reads, adds and writes in one indivisible step, so no update is lost. All atomics serialise on "
         "one address, which costs time but does not change the result.",
     .fix =
         "Nothing needs fixing. Fewer atomics are faster: one sum per block, then one atomic: exactdot lab, rung "
         "shared_atomic."},
    run_fixed};

}  // namespace
}  // namespace exactdot::lab
