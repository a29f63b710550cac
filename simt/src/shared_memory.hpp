// Static shared memory: a kernel's __shared__ variables are thread_local ones of the one CPU thread, and each block
// has a copy of those that it has touched, put in place while the block runs. A kernel's `extern __shared__` array
// is one more such variable, of the launch's size (extern_shared.cpp).
//
// Names and sizes come from the program's symbol table, where it has one; else variables are kept by lines of 64
// bytes, and an address between them cannot be told from one in them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "region.hpp"

namespace exactdot::simt {

struct variable {
  std::uintptr_t start = 0;
  std::size_t size = 0;
  std::string name;
};

/// The loaded object (program or shared library) that a kernel belongs to.
struct shared_module {
  explicit shared_module(const void* kernel);

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
  /// The variable at a shared or global address; of size 0 if there is none.
  [[nodiscard]] variable find(std::uintptr_t address) const;

  std::uintptr_t thread_start = 0;
  std::size_t thread_size = 0;
  std::vector<variable> writable, constant;  // segments of the object
  std::uintptr_t load_address = 0;
  std::string file;
};

/// One block's copies.
class static_shared {
 public:
  /// The variable at this address, the block's own from now on and at first garbage; null if there is none.
  region* find(std::uintptr_t address, const shared_module& module);
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
