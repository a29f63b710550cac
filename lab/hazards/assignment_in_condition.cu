// assignment_in_condition: a kernel that waits by while (*flag = 0) instead of while (*flag == 0).
//
// An assignment is an expression with the assigned value: the condition stores 0, reads as false, and the loop ends
// at once. Compilers warn; the warnings are in the report. This file disables them, because the build makes them
// errors.
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr int n = 1000;

__device__ void wait(int* flag) {
#if defined(__CUDACC__)
#pragma nv_diag_suppress 187
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
  while (*flag = 0) {  // assignment
  }
#pragma GCC diagnostic pop
}

__device__ void wait_for_flag(volatile int* flag) {
  while (*flag == 0) {
  }
}

/// Block 0 adds and sets the flag; block 1 waits for the flag and copies the sum.
template <bool compare>
__global__ void pass_on(const float* x, float* sum, int* flag, float* copy) {
  if (blockIdx.x == 0) {
    float value = 0;
    for (int i = 0; i < n; ++i) value += x[i];
    *sum = value;  // race
    __threadfence();
    *static_cast<volatile int*>(flag) = 1;
  } else {
    compare ? wait_for_flag(flag) : wait(flag);
    __threadfence();
    *copy = *sum;  // race
  }
}

template <bool compare>
float copied_sum(gpu::stream& stream) {
  gpu::buffer<float> x(stream, n), sums(stream, 2);
  gpu::buffer<int> flag(stream, 1);
  fill_ones(x);
  sums.fill_zero();
  flag.fill_zero();
  gpu::launch(pass_on<compare>, 2, 1, 0, stream, x.data(), sums.data(), flag.data(), sums.data() + 1);
  float values[2];
  sums.copy_to(values, 2);
  return values[1];
}

hazard_outcome run_assignment(const hazard_request& request) {
  seeded_stream stream(request.seed);
  const float right = copied_sum<true>(stream);
  const std::vector<reported_fault> right_faults = take_findings(stream);
  const float wrong = copied_sum<false>(stream);
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  outcome.expected =
      on_simt ? "1000 with ==; 0 with = and a reported race" : "1000 with ==; with = undefined, usually 0";
  outcome.observed = format_text("%g with ==; %g with =", right, wrong);
  outcome.as_expected =
      right == n && right_faults.empty() && (!on_simt || (wrong == 0 && has(outcome.detected, "data_race")));
  add_findings(outcome, right_faults);
  outcome.figures = {{"comparison", static_cast<double>(right)}, {"assignment", static_cast<double>(wrong)}};
  outcome.table = {
      "while (*flag = 0) {}",
      "GCC -Wall    warning: suggest parentheses around assignment used as truth value [-Wparentheses]",
      "Clang        warning: using the result of an assignment as a condition without parentheses",
      "nvcc         warning #187-D: use of \"=\" where \"==\" may have been intended"};
  return outcome;
}

const register_hazard registration{
    {.number = 19,
     .name = "assignment_in_condition",
     .file = "assignment_in_condition.cu",
     .effect =
         "Block 1 waits for a flag that block 0 sets after its sum, by while (*flag = 0) and by while (*flag == "
         "0).",
     .cause =
         "= stores 0 into the flag and yields 0, which is false: the loop never waits, and it may erase the flag "
         "that other blocks wait for.",
     .fix = "Write ==, compile with -Wall, and make warnings errors (nvcc: -Werror all-warnings). A constant on "
            "the left "
            "side, 0 == *flag, does not compile with =."},
    run_assignment};

}  // namespace
}  // namespace exactdot::lab
