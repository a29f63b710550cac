// A rung of the host: a plain function, enlisted for every world.
#pragma once

#include <functional>
#include <lab/registry.hpp>

namespace exactdot::lab {

template <class T>
using host_dot = std::function<T(const T* a, const T* b, std::size_t n)>;

/// Calls the function on every launch.
struct enlist_host_rung {
  enlist_host_rung(const rung_info& info, host_dot<float> of_floats, host_dot<double> of_doubles);
};

/// The same, not enlisted.
[[nodiscard]] rung make_host_rung(const rung_info& info, host_dot<float> of_floats, host_dot<double> of_doubles);

}  // namespace exactdot::lab
