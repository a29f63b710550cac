// The kernels of the CPU engine: one table per element type and instruction set.
//
// kernels.cpp compiles them once per Highway target and picks a table at run time. No result depends on
// which table is used.
#pragma once

#include <cpu/approximation.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace exactdot::cpu_engine {

template <class T>
struct kernels {
  /// Mode fast: the tile tree of order v1 over n elements.
  T (*fast)(const T* a, const T* b, std::size_t n);
  /// An approximation with a proven error bound, or false when the data does not suit it.
  bool (*approximate)(const T* a, const T* b, std::size_t n, approximation& result);
  /// words += the exact state; normalised on entry and on return. If `may_give_up`: false, and the words worthless,
  /// when the exponents of finite data spread so wide that only integers would do.
  bool (*accumulate)(const T* a, const T* b, std::size_t n, std::int64_t* words, bool may_give_up);
};

struct instruction_set {
  const char* name;
  std::tuple<kernels<float>, kernels<double>> tables;
};

/// The table in use: the best one, or the one that use_instruction_set or EXACTDOT_TARGET chose.
const instruction_set& current_instruction_set();
/// All that this machine can run, best first.
std::vector<const instruction_set*> runnable_instruction_sets();
void choose_instruction_set(const std::string& name);

template <class T>
inline const kernels<T>& current_kernels() {
  return std::get<kernels<T>>(current_instruction_set().tables);
}

}  // namespace exactdot::cpu_engine
