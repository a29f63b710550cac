// Dot products side by side with the vendor's libraries, on a GPU.
//
// Three ways to call each: inside a replayed CUDA graph (the device's time alone), as launches on a stream, and end
// to end with the result on the host, by wall clock. `warm`: the same vectors again; `cold`: after the L2 cache was
// flushed, and each call on a copy of its own. Everyone who is timed for one length is timed in every round, in
// another order each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct gpu_row {
  std::string type;
  std::size_t n;
  std::string data;
  std::string peer;
  std::string how;    ///< graph, stream or host
  std::string l2;     ///< warm or cold
  std::string shape;  ///< of the launch, where it was chosen here
  double microseconds = 0;
  double spread = 0;  ///< (third quartile - first) / median
  /// Of the peers that have a result; units of the last place of the exact one.
  std::optional<double> error_ulps = {};
  std::uint64_t bits = 0;
  std::optional<bool> same_bits_as_cpu = {};  ///< of exactdot's own
};

struct gpu_request {
  std::vector<std::size_t> sizes;
  std::vector<std::string> types;    ///< float32, float64
  std::vector<std::string> hostile;  ///< data sets, for exact alone
  int rounds = 11;
  double sample_seconds = 1e-3;
  std::function<void(const std::string&)> say = {};                ///< what is being done
  std::function<void(const std::vector<gpu_row>&)> measured = {};  ///< the rows of one type and length
};

/// Hostile data are timed up to this length; a set on which a call takes over 20 ms not beyond that either.
inline constexpr std::size_t longest_hostile = std::size_t{1} << 26;

struct gpu_facts {
  std::vector<std::pair<std::string, std::string>> machine;  ///< GPU, driver, toolkit, …
  std::vector<std::pair<std::string, std::string>> peers;    ///< name, and how it is called
  std::vector<std::string> missing;                          ///< peers and sizes left out, with the reason
  std::size_t workspace_bytes = 0;                           ///< of device memory, in one exactdot::cuda::workspace
};

/// Throws exactdot::error: errc::no_device where this build or this machine has none; errc::device_failure.
gpu_facts measure_gpu(const gpu_request& request);

}  // namespace bench
