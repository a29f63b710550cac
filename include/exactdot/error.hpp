// SPDX-License-Identifier: Apache-2.0
// The one exception type of the library.
//
// Every failure is an exactdot::error: a code for programs, and a sentence for people that says what was wrong and what
// to do. One exception: where host memory runs out, std::bad_alloc. The library never prints, exits or falls back to a
// weaker result.
#pragma once

#include <exactdot/requirements.hpp>

#include <stdexcept>
#include <string>

namespace exactdot::inline v0_3 {

enum class errc {
  size_mismatch,   ///< two vectors of different length
  null_pointer,    ///< a null pointer with a length above zero
  bad_option,      ///< an option value outside its documented range
  no_device,       ///< a device was demanded that this machine or this build does not have
  empty_input,     ///< min, max and their indices of no elements
  overflow,        ///< an integer result that the result type does not hold
  headroom,        ///< an accumulator cannot hold the sum; nothing was lost silently
  cancelled,       ///< monitor::cancel was set while the computation ran
  device_failure,  ///< CUDA reports a failure, of this call or of an earlier one on the same device
  file,            ///< a file cannot be read or written, or does not hold what it should
  communication,   ///< MPI reports a failure (exactdot/mpi.hpp)
};

class error : public std::runtime_error {
 public:
  error(errc code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  [[nodiscard]] errc code() const noexcept { return code_; }

 private:
  errc code_;
};

}  // namespace exactdot::inline v0_3
