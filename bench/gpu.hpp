// Benchmark of a reduction beside the vendor's libraries on a GPU.
//
// Timing modes:
//
//   graph   in a replayed CUDA graph: the device's time alone
//   stream  as launches on a stream
//   host    end to end with the result on the host, by wall clock
//
// L2 cache: `warm` reads the same vectors again; `cold` flushes the cache first and gives each call its own copy of
// the vectors. All series of one length are sampled in every round, each time in a new order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reduction.hpp"

namespace bench {

struct gpu_measurement {
  std::string type;
  std::size_t n;
  std::string data;
  std::string peer;
  std::string timing_mode;    ///< graph, stream or host
  std::string l2;             ///< warm or cold
  std::string launch_config;  ///< for kernels whose launch the benchmark chooses
  double microseconds = 0;
  double spread = 0;                      ///< (third quartile - first) / median
  std::optional<double> error_ulps = {};  ///< in ulps of the exact result; null for peers without a result
  std::uint64_t bits = 0;
  std::optional<bool> same_bits_as_cpu = {};  ///< for exactdot's modes
  int vectors = 2;                            ///< vectors that the reduction reads
};

struct gpu_request {
  reduction what = reduction::dot;
  std::vector<std::size_t> sizes;
  std::vector<std::string> types;    ///< float32, float64
  std::vector<std::string> hostile;  ///< hostile data sets; only exact is timed on them
  int rounds = 11;
  double sample_seconds = 1e-3;
  std::function<void(const std::string&)> on_progress = {};                   ///< called with the type and length
  std::function<void(const std::vector<gpu_measurement>&)> on_measured = {};  ///< called once per type and length
};

/// Hostile data sets are timed up to this length. A set on which a call takes over 20 ms is not timed at greater
/// lengths.
inline constexpr std::size_t max_hostile_length = std::size_t{1} << 26;

struct gpu_facts {
  std::vector<std::pair<std::string, std::string>> machine;  ///< GPU, driver, toolkit, …
  std::vector<std::pair<std::string, std::string>> peers;    ///< name and description
  std::vector<std::string> missing;                          ///< skipped peers and lengths, with the reason
  std::size_t workspace_bytes = 0;                           ///< device memory of one exactdot::cuda::workspace
};

/// Measures all peers. Throws exactdot::error: errc::no_device if this build or this machine has no GPU;
/// errc::device_failure.
gpu_facts measure_gpu(const gpu_request& request);

}  // namespace bench
