// missing_barrier: a block's tree in shared memory without __syncthreads() after each level.
//
// A thread reads another thread's sum before it is written. 16 blocks of 256 threads each add 256 ones. Without the
// barriers the sums are too small; with them each is 256. On a GPU the result may be correct by chance.
#include <algorithm>
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

template <int threads, bool with_barriers>
__global__ void add_in_tree(const float* x, float* sums) {
  __shared__ float partial[threads];
  partial[threadIdx.x] = x[blockIdx.x * threads + threadIdx.x];
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) {
      partial[threadIdx.x] += partial[threadIdx.x + half];  // race
    }
    if (with_barriers) __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

/// Returns the sums that are not the number of threads, smallest first.
std::vector<float> wrong_sums(const gpu::buffer<float>& sums, int threads) {
  std::vector<float> all(sums.size());
  sums.copy_to(all.data(), all.size());
  std::erase(all, static_cast<float>(threads));
  std::ranges::sort(all);
  return all;
}

template <int threads>
hazard_outcome run_tree(const hazard_request& request, int blocks) {
  seeded_stream stream(request.seed);
  gpu::buffer<float> x(stream, blocks * threads);
  gpu::buffer<float> sums(stream, blocks);
  const std::vector<float> ones(x.size(), 1.0F);
  x.copy_from(ones.data(), ones.size());
  gpu::launch(add_in_tree<threads, false>, blocks, threads, 0, stream, x.data(), sums.data());
  const std::vector<float> without = wrong_sums(sums, threads);
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  gpu::launch(add_in_tree<threads, true>, blocks, threads, 0, stream, x.data(), sums.data());
  const std::vector<float> with = wrong_sums(sums, threads);
  const std::vector<reported_fault> with_barriers = take_findings(stream);
  outcome.expected = on_simt ? "with barriers all sums are 256; without, smaller sums and a reported race"
                             : "with barriers all sums are 256; without, undefined";
  outcome.observed = format_text("with barriers %zu of %d sums are wrong; without %zu of %d", with.size(), blocks,
                                 without.size(), blocks);
  if (!without.empty())
    outcome.observed += format_text(", which are %g to %g; right is %d", without.front(), without.back(), threads);
  outcome.as_expected = with.empty() && with_barriers.empty();
  if (on_simt) outcome.as_expected = outcome.as_expected && !without.empty() && has(outcome.detected, "data_race");
  outcome.detected.insert(outcome.detected.end(), with_barriers.begin(), with_barriers.end());
  outcome.figures = {{"wrong_with_barriers", static_cast<double>(with.size())},
                     {"wrong_without_barriers", static_cast<double>(without.size())}};
  return outcome;
}

hazard_outcome run_trees(const hazard_request& request) {
  return request.small ? run_tree<8>(request, 2) : run_tree<256>(request, 16);
}

const register_hazard registration{
    {.number = 8,
     .name = "missing_barrier",
     .file = "missing_barrier.cu",
     .effect = "A block adds 256 ones by a tree in shared memory without the barrier between the levels.",
     .cause = "Each level reads what other threads wrote in the previous level. Only __syncthreads() makes a "
              "thread wait "
              "for them. Threads of a warp often run together, which hides the fault.",
     .fix = "Call __syncthreads() after every level, outside the if: exactdot lab, rung shared_atomic. Or pass "
            "values by "
            "shuffles, which synchronise by themselves: rung shuffle_block."},
    run_trees};

}  // namespace
}  // namespace exactdot::lab
