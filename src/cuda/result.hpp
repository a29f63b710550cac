// Where the result of a launch goes.
#pragma once

#include <cstdint>
#include <cuda/state.hpp>

namespace exactdot::cuda_engine {

/// A rounded sum: to device memory, or to the host, as words that carry the number of the call, like those of
/// mailbox.cuh, in host memory that is mapped into the device's. The host looks at them until they are there, which
/// is sooner than the stream is done.
template <class R>
struct rounded_result {
  R* to;  ///< null: to the host
  volatile wide_unsigned* host = nullptr;
  unsigned call = 0;
};

/// The words of an accumulator<T> in device memory, normalised or with additions to spare; the sum is added to
/// them, as one more state.
struct state_words {
  std::int64_t* to;
};

}  // namespace exactdot::cuda_engine
