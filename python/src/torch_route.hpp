// What watches a call on PyTorch's tensors in this thread: nothing, autograd alone, or what needs its dispatcher.
#pragma once

#include <nanobind/nanobind.h>

namespace exactdot::python {

enum class route { engine, gradient, dispatcher };

/// Of the arguments of an operator: `dispatcher` if a mode, a tracer, a transform or a subclass of tensors watches
/// the call, `gradient` if autograd alone does, or forward derivatives, whose refusal names what is missing.
route route_of(PyObject* const* arguments, Py_ssize_t count);

/// Whether no mode, transform or tracer watches the calls of this thread.
bool is_unwatched();
bool has_forward_derivatives();
bool is_autocast();
/// torch.is_grad_enabled()
bool computes_gradients();
/// x.requires_grad
bool requires_gradient(PyObject* x);

}  // namespace exactdot::python
