// Signals in kernel code: a finding with the line, and what was found before stays. The simulator stays usable.
#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "findings.hpp"

namespace {
using namespace simt_test;

__global__ void divide(int* x) {
  x[1] = 7 / x[0];  // division
}
__global__ void illegal_instruction(int* x) {
  if (x[0] == 0) __builtin_trap();  // illegal instruction
}
__global__ void call_nothing(void (**function)()) {
  (*function)();  // call
  function[1] = nullptr;
}
__global__ void compare_with_nothing(int* x, const char* nothing) {
  x[0] = 1;
  x[1] = static_cast<int>(std::strlen(nothing));  // library function
}
__global__ void abort_it(int* x) {
  if (x[0] == 0) std::abort();  // abort
}
__global__ void raise_it(int* x) {
  if (x[0] == 0) std::raise(SIGTRAP);  // raised
}
__device__ int depth_of(volatile int* x, int depth) {
  volatile int frame[64] = {};
  frame[depth % 64] = depth;                                           // deep
  return depth < 0 ? *x : depth_of(x, depth + 1) + frame[depth % 64];  // deep
}
__global__ void recurse(int* x) { x[0] = depth_of(x, 0); }
__global__ void race(int* x) {
  x[0] += 1;  // race before the crash
}
__global__ void divide_correctly(int* x) { x[1] = 7 / (x[0] + 1); }

void expect_crash(void (*kernel)(int*), const std::string& comment, const std::string& action) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    filled<int> x(stream, 64);
    gpu::launch(race, 2, 1, 0, stream, x.data());
    x.fill_zero();
    gpu::launch(kernel, 1, 1, 0, stream, x.data());
    EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "race before the crash"));
    EXPECT_TRUE(has_fault(stream, fault_kind::trap, "", comment));
    EXPECT_EQ(stream.faults().back().site.action, action);
    EXPECT_EQ(stream.faults().size(), 2U) << faults_of(stream);
    stream.clear();
    gpu::launch(divide_correctly, 1, 1, 0, stream, x.data());
    EXPECT_EQ(x[1], 7);
    EXPECT_EQ(faults_of(stream), "");
  }
}

TEST(simt_crash, reports_signals_with_their_lines) {
  expect_crash(divide, "division", "integer division");
  expect_crash(illegal_instruction, "illegal instruction", "crash");
  expect_crash(abort_it, "abort", "crash");
  expect_crash(raise_it, "raised", "crash");
}

/// Runs an action with the host's floating point set: rounding up, in MXCSR and the x87 control word, and denormals
/// flushed. Asserts that it stays so.
template <class Action>
void expect_same_floating_point(Action action) {
  constexpr unsigned flush_denormals = 0x8040;
  const unsigned before = __builtin_ia32_stmxcsr();
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | flush_denormals);
  const unsigned set = __builtin_ia32_stmxcsr();
  action();
  const unsigned kept = __builtin_ia32_stmxcsr();
  const int x87_mode = std::fegetround();  // of the x87 control word
  std::fesetround(FE_TONEAREST);
  __builtin_ia32_ldmxcsr(before);
  EXPECT_EQ(kept, set);
  EXPECT_EQ(x87_mode, FE_UPWARD);
}

__global__ void round_to_nearest(float* x, float tiny, float half) {
  x[0] = 1 + tiny;
  x[1] = 0x1p-126f * half;
}

TEST(simt_crash, leaves_the_floating_point_of_the_host) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    filled<int> x(stream, 64);
    x.fill_zero();
    for (void (*kernel)(int*) : {divide_correctly, divide, raise_it, abort_it})
      expect_same_floating_point([&] { gpu::launch(kernel, 1, 1, 0, stream, x.data()); });
    EXPECT_TRUE(stream.has(fault_kind::trap));
  }
}

TEST(simt_crash, kernels_do_not_see_the_floating_point_of_the_host) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    filled<float> x(stream, 2);
    expect_same_floating_point([&] { gpu::launch(round_to_nearest, 1, 1, 0, stream, x.data(), 0x1p-30f, 0.5f); });
    EXPECT_EQ(x[0], 1);
    EXPECT_EQ(x[1], 0x1p-127f);
  }
}

TEST(simt_crash, late_ticks_of_a_launch_do_nothing) {
  gpu::stream stream;
  filled<int> x(stream, 64);
  x.fill_zero();
  gpu::launch(divide_correctly, 1, 1, 0, stream, x.data());
  std::raise(SIGVTALRM);
  std::thread([] { std::raise(SIGVTALRM); }).join();
  std::thread([&] { gpu::launch(divide_correctly, 1, 1, 0, stream, x.data()); }).join();
  std::raise(SIGVTALRM);  // the thread of the launch has ended
  EXPECT_EQ(x[1], 7);
}

TEST(simt_crash, reports_stack_overflow) {
  gpu::stream stream;
  filled<int> x(stream, 1);
  gpu::launch(recurse, 1, 1, 0, stream, x.data());
  ASSERT_TRUE(stream.has(fault_kind::trap)) << faults_of(stream);
  EXPECT_EQ(stream.faults().front().site.action, "stack overflow");
  EXPECT_NE(stream.faults().front().site.line, 0);
}

TEST(simt_crash, reports_bad_addresses_of_functions_and_in_libraries) {
  gpu::stream stream;
  filled<void (*)()> function(stream, 2);
  gpu::launch(call_nothing, 1, 1, 0, stream, function.data());
  EXPECT_TRUE(has_fault(stream, fault_kind::trap, "", "call"));
  stream.clear();
  filled<int> x(stream, 2);
  gpu::launch(compare_with_nothing, 1, 1, 0, stream, x.data(), static_cast<const char*>(nullptr));
  ASSERT_TRUE(stream.has(fault_kind::trap)) << faults_of(stream);
  EXPECT_EQ(base_name(stream.faults().front().site.file), base_name(__FILE__)) << faults_of(stream);
}

}  // namespace
