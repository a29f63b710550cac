// Static shared memory of kernels: thread_local variables of the CPU thread, with one copy per block.
//
// Before a block runs, its copies of the variables that it has accessed are put in place. A kernel's
// `extern __shared__` array is one more such variable, of the launch's size (extern_shared.cpp).
// Names and sizes come from the symbol table. In a stripped program, variables are saved by lines of 64 bytes, and
// an address between variables cannot be told from one inside. Variables of other kernels are out of bounds;
// __global__ makes the compiler list kernels in a section.
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
  bool initialised = false;  // thread-local variables: has an initialiser other than zero
};

/// A thread-local variable of the simulator, with padding: it lies among the kernels' shared variables, and
/// accesses just outside of one of those must not reach it.
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

/// The loaded object (program or shared library) that contains a kernel and its variables.
class shared_module {
 public:
  explicit shared_module(const void* kernel);
  ~shared_module();  // restores the saved bytes: a faulty access may have reached variables of the host
  shared_module(const shared_module&) = delete;
  shared_module& operator=(const shared_module&) = delete;

  [[nodiscard]] bool is_shared(std::uintptr_t address) const { return address - thread_start < thread_size; }
  [[nodiscard]] bool is_global(std::uintptr_t address) const {
    return std::any_of(writable.begin(), writable.end(),
                       [=](const variable& range) { return address - range.start < range.size; });
  }
  /// Returns whether the address is in a read-only segment of the object.
  [[nodiscard]] bool is_constant(std::uintptr_t address) const {
    return std::any_of(constant.begin(), constant.end(),
                       [=](const variable& range) { return address - range.start < range.size; });
  }
  /// Returns whether the address is in a __constant__ variable.
  [[nodiscard]] bool is_read_only(std::uintptr_t address) const {
    return address - constants.start < constants.size;
  }
  [[nodiscard]] bool is_near_shared(std::uintptr_t address) const {
    return thread_size != 0 && address - (thread_start - margin) < thread_size + 2 * margin;
  }
  /// Returns the variable at a shared or global address; size 0 if this kernel may not use it.
  [[nodiscard]] variable find(std::uintptr_t address) const;
  /// Returns this kernel's shared variable nearest to an address for which is_near_shared() holds.
  [[nodiscard]] variable nearest(std::uintptr_t address) const;
  /// Returns whether a range of shared memory holds nothing that is used while this kernel runs.
  [[nodiscard]] bool is_unused(std::uintptr_t address, std::size_t size) const;
  /// Returns the kernel's name without namespaces and parameters; "kernel" in a stripped program.
  [[nodiscard]] std::string kernel_name() const;
  void save(const variable& shared);  // its current bytes, until the destructor

  static constexpr std::size_t margin = 4096;
  std::uintptr_t thread_start = 0;  // this CPU thread's thread_local variables
  std::size_t thread_size = 0;
  std::vector<variable> writable, constant;  // segments of the object
  variable constants;                        // the section of __constant__ variables (keywords.hpp)
  std::uintptr_t load_address = 0;
  std::string file;

 private:
  [[nodiscard]] bool is_for_this_kernel(const variable& symbol) const;
  std::uintptr_t kernel_;
  std::map<std::uintptr_t, std::vector<unsigned char>> saved_;
};

/// One block's copies of shared variables.
class static_shared {
 public:
  static_shared() = default;
  static_shared(static_shared&&) = default;
  ~static_shared();
  /// Returns the variable at this address, null if there is none. The first access adds it to the block's copies
  /// and fills it with 0xcb.
  region* find(std::uintptr_t address, shared_module& module) {
    region* const known = find_again(address);
    return known != nullptr ? known : find_first(address, module);
  }
  /// The same after the first access; else null.
  [[nodiscard]] region* find_again(std::uintptr_t address) const {
    for (auto held = copies_.rbegin(); held != copies_.rend(); ++held) {
      if ((*held)->range.holds(address)) return &(*held)->range;
    }
    return nullptr;
  }
  /// Adds a variable to the copies of a block that is not running.
  region& add(std::uintptr_t start, std::size_t bytes);
  /// Returns the address by which other blocks access the variable at this address; null if there is none. The
  /// block must not be running.
  void* window(std::uintptr_t address, shared_module& module, std::uint32_t block);
  /// Returns where the bytes of a variable are while its block is not running.
  [[nodiscard]] unsigned char* stored(const region& range, std::uintptr_t address);
  /// Calls the action for each variable that the block has accessed.
  template <class Action>
  void for_each(Action action) const {
    for (const auto& held : copies_) action(held->range);
  }
  void save();     // copies the variables to this block's copies
  void restore();  // and back

 private:
  region* find_first(std::uintptr_t address, shared_module& module);
  struct copy {
    region range;
    std::vector<unsigned char> bytes;
    unsigned char* window = nullptr;  // in device memory, instead of bytes, once another block has asked for it
    [[nodiscard]] unsigned char* data() { return window != nullptr ? window : bytes.data(); }
  };
  std::vector<std::unique_ptr<copy>> copies_;
};

/// Returns the kernel's `extern __shared__` array, of max_dynamic_shared bytes; null in a program without one.
inline void* (*extern_shared)() = nullptr;
inline constexpr std::size_t max_dynamic_shared = std::size_t{227} << 10;

}  // namespace exactdot::simt
