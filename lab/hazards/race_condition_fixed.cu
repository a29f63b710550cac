// race_condition_fixed: the million threads of race_condition count themselves with atomicAdd.
//
// The memory itself adds, one after the other: exactly a million. The price is the queue at one address, measured
// on a GPU against the plain kernel; the compiler may spare most of it by adding up a warp first.
#include <cmath>
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr int blocks = 1000, threads = 1000;

__global__ void count_plainly(int* count) { *count += 1; }
__global__ void count_atomically(int* count) { atomicAdd(count, 1); }

hazard_outcome run_fixed(const hazard_request& request) {
  seeded_stream stream(request.seed);
  gpu::buffer<int> count(stream, 1);
  count.fill_zero();
  gpu::launch(count_atomically, blocks, threads, 0, stream, count.data());
  const int counted = only_value(count);
  hazard_outcome seen;
  seen.expected = "1000000";
  seen.observed = std::to_string(counted);
  seen.detected = take_findings(stream);
  seen.as_expected = counted == blocks * threads && seen.detected.empty();
  seen.figures = {{"count", static_cast<double>(counted)}};
  const double plain =
      microseconds(stream, [&] { gpu::launch(count_plainly, blocks, threads, 0, stream, count.data()); });
  const double atomic =
      microseconds(stream, [&] { gpu::launch(count_atomically, blocks, threads, 0, stream, count.data()); });
  if (!std::isnan(plain)) {
    seen.observed += text_of("; %.3g us against %.3g us without atomics: %.3g times (a Fermi card: about 100)",
                             atomic, plain, atomic / plain);
    seen.figures.insert(seen.figures.end(), {{"atomic_microseconds", atomic}, {"plain_microseconds", plain}});
  }
  return seen;
}

const enlist_hazard here{
    {.number = 2,
     .name = "race_condition_fixed",
     .file = "race_condition_fixed.cu",
     .does = "1000 blocks of 1000 threads each do atomicAdd(count, 1).",
     .why = "An atomic reads, adds and writes as one step that nobody splits, so no update is lost. All of them "
            "queue at one address, which costs time but no result.",
     .cure = "Nothing is wrong here. Fewer atomics are faster: a sum a block, then one atomic; exactdot lab, "
             "shared_atomic."},
    run_fixed};

}  // namespace
}  // namespace exactdot::lab
