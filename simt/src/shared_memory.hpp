// Static shared memory: a kernel's __shared__ variables are thread_local ones of the one CPU thread, and each block
// has a copy of those that it has touched, put in place while the block runs. A kernel's `extern __shared__` array
// is one more such variable, of the launch's size (extern_shared.cpp).
//
// Names and sizes come from the program's symbol table, where it has one; else variables are kept by lines of 64
// bytes, and an address between them cannot be told from one in them. A variable in another kernel is not for this
// one; kernels are known by a section that __global__ makes the compiler write.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "region.hpp"

namespace exactdot::simt {

struct variable {
  std::uintptr_t start = 0;
  std::size_t size = 0;
  std::string name;
  bool initialised = false;  // of thread-local ones: by more than zeros
};

/// A thread-local variable of the simulator's own. It lies among the kernels' shared ones: with room around it,
/// where accesses that just miss one of those do no harm.
template <class T>
struct alignas(64) guarded {
  unsigned char before[1024];
  T value;
  unsigned char after[1024];

  operator const T&() const { return value; }
  T operator->() const { return value; }
  guarded& operator=(T x) {
    value = x;
    return *this;
  }
  [[nodiscard]] bool holds(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(this) < sizeof *this;
  }
  [[nodiscard]] bool holds_value(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(&value) < sizeof value;
  }
};

/// The loaded object (program or shared library) that a kernel belongs to.
class shared_module {
 public:
  explicit shared_module(const void* kernel);
  ~shared_module();  // puts back what lay where kernels have had shared variables: the host's, if one was astray
  shared_module(const shared_module&) = delete;
  shared_module& operator=(const shared_module&) = delete;

  [[nodiscard]] bool is_shared(std::uintptr_t address) const { return address - thread_start < thread_size; }
  [[nodiscard]] bool is_global(std::uintptr_t address) const {
    return std::any_of(writable.begin(), writable.end(),
                       [=](const variable& range) { return address - range.start < range.size; });
  }
  /// Whether the code may read the address though it is neither: constants of the program.
  [[nodiscard]] bool is_constant(std::uintptr_t address) const {
    return std::any_of(constant.begin(), constant.end(),
                       [=](const variable& range) { return address - range.start < range.size; });
  }
  [[nodiscard]] bool is_near_shared(std::uintptr_t address) const {
    return thread_size != 0 && address - (thread_start - nearby) < thread_size + 2 * nearby;
  }
  /// The variable at a shared or global address, if it is one for this kernel; else of size 0.
  [[nodiscard]] variable find(std::uintptr_t address) const;
  /// The shared variable for this kernel that is nearest to an address near shared memory.
  [[nodiscard]] variable nearest(std::uintptr_t address) const;
  /// Whether what lies in shared memory there matters to nobody while this kernel runs.
  [[nodiscard]] bool is_idle(std::uintptr_t address, std::size_t size) const;
  void keep(const variable& one);  // what lies there now, until the end

  static constexpr std::size_t nearby = 4096;
  std::uintptr_t thread_start = 0;
  std::size_t thread_size = 0;
  std::vector<variable> writable, constant;  // segments of the object
  std::uintptr_t load_address = 0;
  std::string file;

 private:
  [[nodiscard]] bool is_for_this_kernel(const variable& symbol) const;
  std::uintptr_t kernel_;
  std::map<std::uintptr_t, std::vector<unsigned char>> kept_;
};

/// One block's copies.
class static_shared {
 public:
  /// The variable at this address, the block's own from now on and at first garbage; null if there is none.
  region* find(std::uintptr_t address, shared_module& module);
  /// Gives a block that does not run yet its own copy of a variable.
  void add(std::uintptr_t start, std::size_t bytes);
  void save();     // from the variables
  void restore();  // to them

 private:
  struct part {
    region where;
    std::vector<unsigned char> bytes;
  };
  std::vector<std::unique_ptr<part>> parts_;
};

/// Where a kernel's `extern __shared__` array lies, and how much of it there can be; null in a program without one.
inline void* (*extern_shared)() = nullptr;
inline constexpr std::size_t most_dynamic_shared = std::size_t{227} << 10;

}  // namespace exactdot::simt
