// From a sum of mode fast to the result: its root or its quotient by the count, in the carrier, as on a CPU.
#pragma once

#include <cstdint>
#include <exactdot/core/finish.hpp>
#include <exactdot/simt/cuda.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

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

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
