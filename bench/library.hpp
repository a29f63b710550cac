// Shared library opened at run time, so that several BLAS libraries with the same symbols can share a process.
//
// RTLD_LOCAL hides its symbols from other libraries; RTLD_DEEPBIND makes it prefer its own symbols.
#pragma once

#include <memory>
#include <string>

namespace bench {

class library {
 public:
  /// Throws std::runtime_error with the loader's message, or if the path is empty.
  explicit library(const std::string& path);

  /// Returns the function `name`; null if the library has none.
  template <class Function>
  [[nodiscard]] Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }
  [[nodiscard]] void* symbol(const char* name) const;

 private:
  void* handle_;  // never closed: thread pools inside it run until the process ends
};

/// Returns the folder of this program, which contains the modules.
std::string program_folder();

}  // namespace bench
