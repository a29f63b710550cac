// bank_conflicts: a tree in shared memory whose active lanes are 2, 4, 8 … words apart, beside sequential
// addressing.
//
// Shared memory has 32 banks of 4 bytes and serves one word per bank at a time. Lanes that are 2 words apart meet
// in pairs in a bank, lanes that are 32 words apart all in one. With sequential addressing neighbours read
// neighbours, and there is no conflict. The simulator counts the passes over the banks; a GPU measures the time.
#include <cmath>
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr unsigned threads = 1024, blocks = on_simt ? 1 : 1056;
constexpr unsigned levels = 10, deepest_conflict = 5;
static_assert(threads == 1u << levels);

/// A level of the tree, from 0: lane t adds places 2 * distance * t and 2 * distance * t + distance.
struct strided {
  static __device__ void add(float* partial, unsigned level) {
    const unsigned distance = 1u << level, at = 2 * distance * threadIdx.x;
    if (at >= threads) return;
    const float other = partial[at + distance];
    partial[at] += other;  // conflict
  }
};

/// A level of the tree from the other end: lane t adds places t and t + half.
struct sequential {
  static __device__ void add(float* partial, unsigned level) {
    const unsigned half = threads / 2 >> level;  // a division by a variable costs more than the conflicts
    if (threadIdx.x >= half) return;
    const float other = partial[threadIdx.x + half];
    partial[threadIdx.x] += other;
  }
};

/// Runs the levels from `first` to before `end`; all of them add a block of ones.
template <class Addressing>
__global__ void add_levels(unsigned first, unsigned end, float* sums) {
  __shared__ float partial[threads];
  partial[threadIdx.x] = 1;
  __syncthreads();
  for (unsigned level = first; level < end; ++level) {
    Addressing::add(partial, level);
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

struct tree {
  float sum;
  double microseconds;
  std::vector<double> degrees;  ///< of the accesses in each level: passes over the banks / passes without conflicts
};

template <class Addressing>
tree run_tree(gpu::stream& stream) {
  gpu::buffer<float> sums(stream, blocks);
  const auto add = [&](unsigned first, unsigned end) {
    gpu::launch(add_levels<Addressing>, blocks, threads, 0, stream, first, end, sums.data());
  };
  const auto passes = [&](unsigned first, unsigned end) {
    return costs_of(stream, "shared", "", [&] { add(first, end); });
  };
  tree result;
  const access_costs none = passes(0, 0);
  for (unsigned level = 0; on_simt && level < levels; ++level) {
    const access_costs one = passes(level, level + 1);
    result.degrees.push_back((one.passes - none.passes) / (one.ideal_passes - none.ideal_passes));
  }
  result.microseconds = microseconds(stream, [&] { add(0, levels); });
  add(0, levels);
  std::vector<float> values(blocks);
  sums.copy_to(values.data(), values.size());
  result.sum = values.back();
  return result;
}

/// A launch for each of two levels and kernels: of the whole tree the page has room for the first levels only.
hazard_outcome run_for_page(gpu::stream& stream) {
  hazard_outcome outcome;
  gpu::buffer<float> sums(stream, blocks);
  for (const unsigned level : {deepest_conflict, 1U}) {
    gpu::launch(add_levels<strided>, blocks, threads, 0, stream, level - 1, level, sums.data());
    gpu::launch(add_levels<sequential>, blocks, threads, 0, stream, level - 1, level, sums.data());
    outcome.launches.insert(outcome.launches.end(), 2, "level " + std::to_string(level));
  }
  return outcome;
}

std::string degrees_text(const std::vector<double>& degrees) {
  std::string text;
  for (const double degree : degrees) text += format_text("%5.3g", degree);
  return text;
}

hazard_outcome run_conflicts(const hazard_request& request) {
  seeded_stream stream(request.seed);
  if (request.small) return run_for_page(stream);
  const tree with = run_tree<strided>(stream), without = run_tree<sequential>(stream);
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  const bool right = with.sum == threads && without.sum == threads && outcome.detected.empty();
  if (on_simt) {
    const std::vector<double> doubling{2, 4, 8, 16, 32};
    const bool conflicts = std::vector<double>(with.degrees.begin(), with.degrees.begin() + 5) == doubling;
    const bool none = without.degrees == std::vector<double>(without.degrees.size(), 1);
    outcome.expected =
        "2, 4, 8, 16 and 32 lanes in one bank in the first five levels; none with sequential addressing";
    outcome.observed =
        std::string(conflicts ? "2, 4, 8, 16 and 32 lanes in one bank" : "other numbers of lanes in one bank") +
        "; with sequential addressing " + (none ? "one lane per bank in every level" : "conflicts") +
        (right ? "; both sums right" : "; a sum is wrong");
    outcome.as_expected = right && conflicts && none;
    outcome.table = {"passes over the banks, relative to those without conflicts:",
                     "level             1    2    3    4    5    6    7    8    9   10",
                     "strided      " + degrees_text(with.degrees), "sequential   " + degrees_text(without.degrees)};
    outcome.figures = {{"degree_of_level_1", with.degrees[0]},
                       {"degree_of_level_5", with.degrees[4]},
                       {"degree_of_sequential_addressing", without.degrees[4]}};
  } else {
    outcome.expected = "right sums; what the conflicts cost in time depends on the GPU";
    outcome.observed =
        format_text("%.3g µs with the stride, %.3g µs with sequential addressing: %.3g times; %s",
                    with.microseconds, without.microseconds, with.microseconds / without.microseconds,
                    right ? "both sums right" : "a sum is wrong");
    outcome.as_expected = right;
    outcome.figures = {{"strided_microseconds", with.microseconds},
                       {"sequential_microseconds", without.microseconds}};
  }
  return outcome;
}

const register_hazard registration{
    {.number = 22,
     .name = "bank_conflicts",
     .file = "bank_conflicts.cu",
     .effect =
         "A block of 1024 threads adds ones by a tree in shared memory: in level k of 10 the active lanes are 2^k words "
         "apart. With sequential addressing neighbours read neighbours in every level.",
     .cause = "Word w of shared memory lies in bank w mod 32, and a bank serves one word at a time. In level 1 two lanes "
              "meet in each bank, in level 5 all 32 lanes in one: the hardware executes the access in 32 passes. "
              "Sequential addressing has no conflicts, although a text says otherwise.",
     .fix = "Let active lanes access neighbouring words: partial[t] += partial[t + half], rung shared_atomic."},
    run_conflicts};

}  // namespace
}  // namespace exactdot::lab
