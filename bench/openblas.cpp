// OpenBLAS, loaded so that it runs as fast as it can.
//
// Where it chooses kernels older than the machine (lab/openblas_core.hpp), a copy of the library file is loaded a
// second time with the better ones asked for, and both are measured. The file must be another one, since the
// loader gives out one handle a file.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <lab/openblas_core.hpp>

#include "library.hpp"
#include "peer.hpp"

namespace bench {
namespace {

using exactdot::lab::better_openblas_core;
using exactdot::lab::openblas_core_variable;

struct loaded {
  explicit loaded(const std::string& path) : file(path) {
    if (auto* name = file.find<char*()>("openblas_get_corename")) core = name();
    if (auto* config = file.find<char*()>("openblas_get_config")) version = config();
    version = version.substr(0, version.find(' ', version.find(' ') + 1));  // "OpenBLAS 0.3.21"
  }

  [[nodiscard]] peer as_peer(const std::string& name, const std::string& remark) const {
    return {name, fmt::format("{}, cblas_sdot and cblas_ddot, core {}{}", version, core, remark),
            file.find<dot_function<float>>("cblas_sdot"), file.find<dot_function<double>>("cblas_ddot"),
            file.find<void(int)>("openblas_set_num_threads")};
  }

  library file;
  std::string core = "unknown";
  std::string version;
};

loaded load_copy(const std::string& path, const std::string& core) {
  const auto copy = std::filesystem::temp_directory_path() / fmt::format("exactdot_bench_{}_openblas.so", getpid());
  std::filesystem::copy_file(path, copy);
  setenv(openblas_core_variable, core.c_str(), 1);
  try {
    loaded again(copy);
    unsetenv(openblas_core_variable);
    std::filesystem::remove(copy);
    return again;
  } catch (...) {
    std::filesystem::remove(copy);
    throw;
  }
}

}  // namespace

std::vector<peer> openblas_peers() {
  const std::string path = OPENBLAS_LIBRARY;
  const loaded first(path);
  if (const char* forced = std::getenv(openblas_core_variable))
    return {first.as_peer(openblas_name, fmt::format(" (by {}={})", openblas_core_variable, forced))};
  const std::string better = better_openblas_core(first.core);
  if (better.empty()) return {first.as_peer(openblas_name, "")};
  const loaded second = load_copy(path, better);
  return {second.as_peer(openblas_name, fmt::format(" (by {}={})", openblas_core_variable, better)),
          first.as_peer(fmt::format("{}_as_shipped", openblas_name), " (its own choice)")};
}

}  // namespace bench
