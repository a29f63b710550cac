// SPDX-License-Identifier: Apache-2.0
// How a dot product is to be computed: mode, device, threads, and a window into a running computation.
//
// No option changes a bit of an exact result; only `mode` changes what is computed.
#pragma once

#include <exactdot/requirements.hpp>

#include <atomic>
#include <cstddef>

namespace exactdot::inline v0_3 {

enum class mode {
  exact,  ///< the real-number sum of products, rounded once (nearest, ties to even)
  fast,   ///< plain fused multiply-adds in order v1 (docs/contract.md): the same bits everywhere, not exact
};

/// A GPU is used by programs that are linked with exactdot::cuda. Vectors in device or managed memory stay there;
/// others are brought over in chunks. docs/contract.md says which call goes where.
enum class device {
  automatic,  ///< the fastest engine at hand; for vectors in a GPU's memory, that GPU
  cpu,        ///< the vectors lie in host memory; from 4096 elements on it is an error if not
  cuda,       ///< demand a GPU; an error where there is none
};

/// Lets another thread watch a long computation and end it.
struct monitor {
  std::atomic<std::size_t> done{0};  ///< each call adds the elements it has finished; never reset
  std::atomic<bool> cancel{false};   ///< set to true: the call ends soon with errc::cancelled
};

struct options {
  exactdot::mode mode = exactdot::mode::exact;
  exactdot::device device = exactdot::device::automatic;
  int device_index = 0;  ///< which GPU, when device is cuda
  int threads = 0;       ///< at most so many CPU threads, also to copy for a GPU; 0: as many as are worth it
  exactdot::monitor* monitor = nullptr;  ///< optional; must outlive the call
};

}  // namespace exactdot::inline v0_3
