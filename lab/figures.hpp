// Figures derived from a measurement: bandwidth, and time relative to the read ceiling, the naive rung and cuBLAS.
#pragma once

#include <lab/ladder.hpp>
#include <optional>

namespace exactdot::lab {

/// Bytes that a rung has to read: one or both vectors, and the keys.
[[nodiscard]] inline double bytes_read(const ladder_result& result) {
  const std::size_t of_element = size_of(result.type) * (result.reads_b ? 2 : 1);
  return static_cast<double>(result.n) *
         static_cast<double>(of_element + (result.has_keys ? sizeof(std::uint32_t) : 0));
}

struct figures {
  std::optional<double> microseconds;                          ///< of the kernels, or of a host rung's loop
  std::optional<double> copy_microseconds, host_microseconds;  ///< null if the host has no part in the result
  std::optional<double> total_microseconds;                    ///< of kernels, copy and host
  std::optional<double> gb_per_s, gflop_per_s;  ///< flops: an addition per element, for pairs a multiplication too
  std::optional<double> percent_of_ceiling;
  std::optional<double> speedup_over_naive;  ///< time of atomic_per_element / time
  std::optional<double> ratio_to_cublas;     ///< time / time of cublas
};

[[nodiscard]] inline figures figures_of(const ladder_result& result, const measurement& measured) {
  figures f;
  if (!measured.seconds || !(*measured.seconds > 0)) return f;
  const double seconds = *measured.seconds;
  const finish_times finish = measured.finish.value_or(finish_times{});
  f.total_microseconds = (seconds + finish.copy + finish.add) * 1e6;
  if (measured.finish) f.copy_microseconds = finish.copy * 1e6, f.host_microseconds = finish.add * 1e6;
  if (measured.on_host) f.host_microseconds = seconds * 1e6;
  const auto n = static_cast<double>(result.n);
  f.microseconds = seconds * 1e6;
  f.gb_per_s = bytes_read(result) / seconds * 1e-9;
  f.gflop_per_s = (result.reads_b ? 2 : 1) * n / seconds * 1e-9;
  if (result.read_seconds) f.percent_of_ceiling = 100 * *result.read_seconds / seconds;
  if (result.naive_seconds) f.speedup_over_naive = *result.naive_seconds / seconds;
  if (result.cublas_seconds) f.ratio_to_cublas = seconds / *result.cublas_seconds;
  return f;
}

/// Returns the counted atomics; on a device that does not count them, the rung's formula (null if they depend on
/// the data, and for operations other than sum, whose compare-and-swap retries are unknown).
[[nodiscard]] inline std::optional<std::uint64_t> atomics_of(const ladder_result& result,
                                                             const measurement& measured) {
  if (measured.counts.atomics) return measured.counts.atomics;
  const bool is_unknown = result.op != operation::sum || measured.info.atomics_depend_on_data;
  if (is_unknown || measured.info.blocks == block_rule::none) return {};
  return measured.info.atomics != nullptr ? measured.info.atomics(measured.config) : 0;
}

}  // namespace exactdot::lab
