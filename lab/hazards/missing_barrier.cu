// missing_barrier: the tree of a block in shared memory, without __syncthreads() after each level.
//
// A thread reads its neighbour's sum before the neighbour has written it. 16 blocks of 256 threads each add 256
// ones; without the barrier the sums come out small, with it each is 256. On a GPU it may go well by luck.
#include <algorithm>
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr int blocks = 16, threads = 256;

template <bool with_barriers>
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

/// The sums that are not 256, smallest first.
std::vector<float> wrong_ones(const gpu::buffer<float>& sums) {
  std::vector<float> all(blocks);
  sums.copy_to(all.data(), all.size());
  std::erase(all, static_cast<float>(threads));
  std::ranges::sort(all);
  return all;
}

hazard_outcome run_tree(const hazard_request& request) {
  seeded_stream stream(request.seed);
  gpu::buffer<float> x(stream, blocks * threads);
  gpu::buffer<float> sums(stream, blocks);
  const std::vector<float> ones(x.size(), 1.0F);
  x.copy_from(ones.data(), ones.size());
  gpu::launch(add_in_tree<false>, blocks, threads, 0, stream, x.data(), sums.data());
  const std::vector<float> without = wrong_ones(sums);
  hazard_outcome seen;
  seen.detected = take_findings(stream);
  gpu::launch(add_in_tree<true>, blocks, threads, 0, stream, x.data(), sums.data());
  const std::vector<float> with = wrong_ones(sums);
  const std::vector<named_fault> with_barriers = take_findings(stream);
  seen.expected = on_simt ? "with barriers all sums are 256; without, smaller ones and a race named"
                          : "with barriers all sums are 256; without, anything";
  seen.observed =
      text_of("with barriers %zu of %d sums are wrong; without, %zu", with.size(), blocks, without.size());
  if (!without.empty()) seen.observed += text_of(", %g to %g for 256", without.front(), without.back());
  seen.as_expected = with.empty() && with_barriers.empty();
  if (on_simt) seen.as_expected = seen.as_expected && !without.empty() && has(seen.detected, "data_race");
  seen.detected.insert(seen.detected.end(), with_barriers.begin(), with_barriers.end());
  seen.figures = {{"wrong_with_barriers", static_cast<double>(with.size())},
                  {"wrong_without_barriers", static_cast<double>(without.size())}};
  return seen;
}

const enlist_hazard here{
    {.number = 8,
     .name = "missing_barrier",
     .file = "missing_barrier.cu",
     .does = "A block adds 256 ones by a tree in shared memory; the barrier between the levels is left out.",
     .why = "Each level reads what other threads wrote in the level before. Nothing makes them wait for it but "
            "__syncthreads(); that the threads of a warp often run together hides the fault for a while.",
     .cure = "__syncthreads() after every level, outside of the if; exactdot lab, shared_atomic. Or values that go "
             "through shuffles, which wait by themselves: shuffle_block."},
    run_tree};

}  // namespace
}  // namespace exactdot::lab
