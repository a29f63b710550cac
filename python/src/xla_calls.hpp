// Handlers of XLA's FFI: the reductions of exactdot.jax.
#pragma once

#include <nanobind/nanobind.h>

namespace exactdot::python {

/// Adds _xla_handlers(): a dictionary of names and capsules for jax.ffi.register_ffi_target.
void bind_xla_calls(nanobind::module_& module);

}  // namespace exactdot::python
