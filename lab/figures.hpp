// The figures of a row that come from comparing it: with the bytes read, the ceiling, the naive rung and cuBLAS.
#pragma once

#include <lab/ladder.hpp>
#include <optional>

namespace exactdot::lab {

struct figures {
  std::optional<double> microseconds, finish_microseconds;
  std::optional<double> gb_per_s, gflop_per_s;  ///< 2n flops: a multiplication and an addition a pair
  std::optional<double> percent_of_ceiling;
  std::optional<double> speedup_over_naive;  ///< time of atomic_per_element / time
  std::optional<double> ratio_to_cublas;     ///< time / time of cublas
};

[[nodiscard]] inline figures figures_of(const ladder_result& result, const row& one) {
  figures f;
  if (one.finish_seconds) f.finish_microseconds = *one.finish_seconds * 1e6;
  if (!one.seconds || !(*one.seconds > 0)) return f;
  const double seconds = *one.seconds;
  const auto n = static_cast<double>(result.n);
  f.microseconds = seconds * 1e6;
  f.gb_per_s = 2 * n * static_cast<double>(io::item_size(result.type)) / seconds * 1e-9;
  f.gflop_per_s = 2 * n / seconds * 1e-9;
  if (result.ceiling) f.percent_of_ceiling = 100 * *result.ceiling / seconds;
  if (result.naive) f.speedup_over_naive = *result.naive / seconds;
  if (result.cublas) f.ratio_to_cublas = seconds / *result.cublas;
  return f;
}

/// Counted where the device counts; by the rung's own formula where it does not.
[[nodiscard]] inline std::optional<std::uint64_t> atomics_of(const ladder_result& result, const row& one) {
  if (one.counted.atomics) return one.counted.atomics;
  if (result.op != operation::sum || one.info.blocks == block_rule::none) return {};  // retries are not known
  return one.info.atomics != nullptr ? one.info.atomics(one.size) : 0;
}

}  // namespace exactdot::lab
