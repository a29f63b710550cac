// Static shared memory: a kernel's __shared__ variables are thread_local ones of the one CPU thread, and each block
// has a copy of those that it has touched, put in place while the block runs.
//
// Their names and sizes come from the program's symbol table, where it has one; else they are kept by lines of 64
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "memory.hpp"

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
    for (const auto& range : writable) {
      if (address - range.start < range.size) return true;
    }
    return false;
  }
  /// The variable at a shared or global address, or one without a name.
  [[nodiscard]] variable find(std::uintptr_t address) const;

  std::uintptr_t thread_start = 0;
  std::size_t thread_size = 0;
  std::vector<variable> writable;  // segments with the object's variables
  std::uintptr_t load_address = 0;
  std::string file;
};

/// One block's copies.
class static_shared {
 public:
  /// Makes the block the owner of the variable at this address: a copy of its own from now on, at first garbage.
  void touch(std::uintptr_t address, const shared_module& module);
  void save();     // from the variables
  void restore();  // to them
  [[nodiscard]] cell& at(std::uintptr_t address) { return cells_.at(address); }

 private:
  struct part {
    std::uintptr_t start;
    std::vector<unsigned char> bytes;
  };
  std::vector<part> parts_;
  shadow cells_;
};

}  // namespace exactdot::simt
