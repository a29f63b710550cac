// Finishes of states and of sums of mode fast, in a launch of their own: kernels and launches.
#include <cstdint>
#include <cuda/core/exchange.cuh>
#include <cuda/core/kernel.cuh>
#include <cuda/core/tuning.hpp>
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <exactdot/core/finish.hpp>
#include <exactdot/simt/cuda.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

// From a sum of mode fast to the result: its root or its quotient by the count, in the carrier, as on a CPU.

/// Rounded to nearest, as on a CPU, whatever the compiler's options say.
__device__ __forceinline__ float rounded_root(float x) { return __fsqrt_rn(x); }
__device__ __forceinline__ double rounded_root(double x) { return __dsqrt_rn(x); }
__device__ __forceinline__ float rounded_quotient(float x, float y) { return __fdiv_rn(x, y); }
__device__ __forceinline__ double rounded_quotient(double x, double y) { return __ddiv_rn(x, y); }

/// Takes the root or the quotient of the sum, if the rule asks for it.
template <class T>
__device__ __forceinline__ T finished_sum(const core::result_rule& rule, std::uint64_t count, T sum) {
  if (rule.finish() == core::finish::root) return rounded_root(sum);
  if (rule.finish() == core::finish::quotient) return rounded_quotient(sum, static_cast<T>(count));
  return sum;
}

// Second launches of reductions whose result is more than a rounded sum: roots, quotients, variances, integers,
// 16-bit results, and states of another layout. One thread reads the state that the first launch has left in the
// workspace, clears it, and stores the result. Cost: a launch, and some microseconds for the states of double.

/// result = the finish of the states, which become zero. Sets *status if an integer type does not hold the result.
__global__ void finish_states_kernel(core::state_layout layout, const __grid_constant__ finish_request asked,
                                     std::int64_t* words, std::int64_t* scratch, unsigned* status,
                                     const __grid_constant__ destination to) {
  begin_kernel(1);
  if (to.is_decided()) return;
  std::int64_t* const squares = words + layout.words();
  core::normalise(layout, words);
  core::outcome found{0};
  if (asked.states == 2) {
    core::normalise(layout, squares);
    found = core::finish_moments(to.rule, layout, words, squares, asked.count, asked.ddof, scratch);
  } else {
    found = core::finish_state(to.rule, layout, words, asked.count);
  }
  for (int i = 0; i < asked.states * layout.words(); ++i) words[i] = 0;
  if (found.overflows) *status = 1;
  store_anywhere(to, found.overflows ? 0 : found.word);
}

/// target += the state, as one more canonical state of its layout; the state becomes zero. `scratch`: as many words
/// as the target.
__global__ void add_state_kernel(core::state_layout layout, std::int64_t* words, core::state_layout target_layout,
                                 std::int64_t* target, std::int64_t* scratch) {
  begin_kernel(1);
  core::normalise(layout, words);
  for (int i = 0; i < target_layout.words(); ++i) scratch[i] = 0;
  core::add_state(target_layout, scratch, layout, words);
  core::normalise(target_layout, scratch);
  for (int i = 0; i < target_layout.words(); ++i) target[i] += scratch[i];
  for (int i = 0; i < 3; ++i) {
    std::int64_t& count = target[target_layout.nans() + i];
    count = ::min(count, core::state_layout::max_count);
  }
  ++target[target_layout.states()];
  for (int i = 0; i < layout.words(); ++i) words[i] = 0;
}

/// Takes the root or the quotient of the sum in *sum, if the rule asks for it, and converts it to the result type.
template <class T>
__global__ void finish_fast_kernel(const T* sum, std::uint64_t count, const __grid_constant__ destination to) {
  begin_kernel(1);
  store_anywhere(to, core::converted_word(to.rule, finished_sum(to.rule, count, *sum)));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

namespace exactdot::inline v0_3::cuda {

using namespace cuda_engine;

bool kernels_have_capability_9() {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, finish_states_kernel), "asking for a kernel's properties");
  return attributes.ptxVersion >= 10 * variant_capability;  // of the source, also if the driver compiled it
}

void finish_states(const workspace::storage& storage, const core::state_layout& layout, const finish_request& asked,
                   const destination& to) {
  launch_kernel(storage, "launching the finish of an exact state", {1, 1}, finish_states_kernel, layout, asked,
                storage.words, storage.scratch, storage.status, to);
}

void add_to_layout(const workspace::storage& storage, const core::state_layout& layout,
                   const core::state_layout& target_layout, std::int64_t* target) {
  launch_kernel(storage, "launching the addition of a state", {1, 1}, add_state_kernel, layout, storage.words,
                target_layout, target, storage.scratch);
}

void finish_fast(const workspace::storage& storage, element_type carrier, std::uint64_t count,
                 const destination& to) {
  with_carrier(carrier, [&]<class T>(T) {
    launch_kernel(storage, "launching the finish of a sum", {1, 1}, finish_fast_kernel<T>,
                  reinterpret_cast<const T*>(storage.scratch), count, to);
  });
}

}  // namespace exactdot::inline v0_3::cuda
