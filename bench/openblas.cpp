// OpenBLAS, loaded so that it runs as fast as it can.
//
// It chooses its kernels by CPU model when it is loaded. Releases older than a CPU do not know it and may fall
// back to SSE3 kernels, although OPENBLAS_CORETYPE=SkylakeX would run. In that case a copy of the library file
// is loaded a second time with that variable set, and both are measured: the file must be another one, since
// the loader gives out one handle a file.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "library.hpp"
#include "peer.hpp"

namespace bench {
namespace {

constexpr const char* core_variable = "OPENBLAS_CORETYPE";

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

/// The best core that this machine runs and the loaded library did not take; empty when it took a good one.
std::string better_core(std::string_view core) {
  constexpr std::array<std::string_view, 3> avx512 = {"SkylakeX", "Cooperlake", "SapphireRapids"};
  constexpr std::array<std::string_view, 3> avx2 = {"Haswell", "Zen", "Excavator"};
  const auto among = [core](const auto& names) { return std::ranges::find(names, core) != names.end(); };
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (has_avx512) return among(avx512) ? "" : "SkylakeX";
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return !has_avx2 || among(avx2) || among(avx512) ? "" : "Haswell";
}

loaded load_copy(const std::string& path, const std::string& core) {
  const auto copy = std::filesystem::temp_directory_path() / fmt::format("exactdot_bench_{}_openblas.so", getpid());
  std::filesystem::copy_file(path, copy);
  setenv(core_variable, core.c_str(), 1);
  try {
    loaded again(copy);
    unsetenv(core_variable);
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
  if (const char* forced = std::getenv(core_variable))
    return {first.as_peer(openblas_name, fmt::format(" (by {}={})", core_variable, forced))};
  const std::string better = better_core(first.core);
  if (better.empty()) return {first.as_peer(openblas_name, "")};
  const loaded second = load_copy(path, better);
  return {second.as_peer(openblas_name, fmt::format(" (by {}={})", core_variable, better)),
          first.as_peer(fmt::format("{}_as_shipped", openblas_name), " (its own choice)")};
}

}  // namespace bench
