// The boundary of the C interface: exceptions become status codes and the calling thread's message.
#pragma once

#include <exactdot.h>

#include <exactdot/error.hpp>
#include <string>

namespace exactdot::c {

/// The status of the exception that is being handled; stores its sentence for xd_message.
xd_status status_of_current_exception() noexcept;

/// Runs `body`. No exception leaves it.
template <class Body>
xd_status guarded(Body&& body) noexcept {
  try {
    body();
    return XD_OK;
  } catch (...) {
    return status_of_current_exception();
  }
}

}  // namespace exactdot::c
