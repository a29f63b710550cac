// Host rung: a plain function, registered for every backend.
#pragma once

#include <functional>
#include <lab/registry.hpp>

namespace exactdot::lab {

template <class T>
using host_dot = std::function<T(const T* a, const T* b, std::size_t n)>;

/// Registers a host rung; each launch calls the function once.
struct register_host_rung {
  register_host_rung(const rung_info& info, host_dot<float> of_floats, host_dot<double> of_doubles);
};

/// Returns a host rung without registering it.
[[nodiscard]] rung make_host_rung(const rung_info& info, host_dot<float> of_floats, host_dot<double> of_doubles);

}  // namespace exactdot::lab
