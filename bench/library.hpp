// A shared library opened at run time, so that two BLAS libraries with the same symbols live in one process.
//
// RTLD_LOCAL keeps its symbols from the others, RTLD_DEEPBIND makes it prefer its own to theirs.
#pragma once

#include <memory>
#include <string>

namespace bench {

class library {
 public:
  /// Throws std::runtime_error with the loader's words, or for an empty path.
  explicit library(const std::string& path);

  /// The function of that name; null where the library has none.
  template <class Function>
  [[nodiscard]] Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  [[nodiscard]] void* symbol(const char* name) const;
  void* handle_;  // never closed: thread pools inside it run until the process ends
};

/// The folder of this program, where the modules lie.
std::string program_folder();

}  // namespace bench
