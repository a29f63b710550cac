// Shared library by dlopen and dlsym; see library.hpp.
//
// A missing library throws and a missing function is null; neither ends the process. The benchmark skips the peer.
#include "library.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>

namespace bench {

library::library(const std::string& path) {
  // dlopen("") would open this program itself
  if (path.empty()) throw std::runtime_error("not found when the benchmark was configured");
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (handle_ == nullptr) throw std::runtime_error(dlerror());
}

void* library::symbol(const char* name) const { return dlsym(handle_, name); }

std::string program_folder() { return std::filesystem::canonical("/proc/self/exe").parent_path(); }

}  // namespace bench
