// All peers: exactdot's two modes, and the libraries found when the benchmark was configured.
#include <fmt/format.h>

#include <exactdot/dot.hpp>
#include <exactdot/info.hpp>
#include <exception>
#include <lab/openblas_core.hpp>
#include <lab/peers.hpp>
#include <stdexcept>

#include "library.hpp"
#include "peer.hpp"

namespace bench {
namespace {

int exactdot_threads = 1;

template <class T, exactdot::mode mode>
T exactdot_dot(int n, const T* a, int, const T* b, int) {
  return exactdot::dot<T, T>(a, b, static_cast<std::size_t>(n),
                             {.mode = mode, .device = exactdot::device::cpu, .threads = exactdot_threads});
}

template <exactdot::mode mode>
peer exactdot_peer(const std::string& name) {
  return {name, fmt::format("exactdot {}, {}", exactdot::version(), exactdot::cpu().instruction_set),
          exactdot_dot<float, mode>, exactdot_dot<double, mode>, [](int threads) { exactdot_threads = threads; }};
}

peer openblas_peer(const exactdot::lab::openblas& library, const std::string& name, const std::string& remark,
                   void (*set_threads)(int)) {
  if (!library.available()) throw std::runtime_error(library.fault());
  return {name,
          fmt::format("{}, cblas_sdot and cblas_ddot, core {}{}", library.version(), library.core_name(), remark),
          library.cblas_dot<float>(), library.cblas_dot<double>(), set_threads};
}

/// Returns OpenBLAS with its best kernels and, if different, with the kernels that it selects itself.
std::vector<peer> openblas_peers() {
  using exactdot::lab::openblas;
  const openblas& best = openblas::instance();
  const std::string& core = best.asked_core();
  const std::string remark =
      core.empty() ? "" : fmt::format(" (by {}={})", exactdot::lab::openblas_core_variable, core);
  std::vector<peer> peers = {
      openblas_peer(best, openblas_name, remark, [](int threads) { openblas::instance().set_threads(threads); })};
  const openblas& shipped = openblas::as_shipped();
  if (&shipped == &best) return peers;
  peers.push_back(openblas_peer(shipped, fmt::format("{}_as_shipped", openblas_name), " (selected by OpenBLAS)",
                                [](int threads) { openblas::as_shipped().set_threads(threads); }));
  return peers;
}

peer blis_peer() {
  const library file(BLIS_LIBRARY);
  std::string description = "BLIS";
  if (auto* version = file.find<const char*()>("bli_info_get_version_str")) {
    description += fmt::format(" {}", version());
  }
  description += ", cblas_sdot and cblas_ddot";
  auto* id = file.find<int()>("bli_arch_query_id");
  auto* name = file.find<const char*(int)>("bli_arch_string");
  if (id != nullptr && name != nullptr) description += fmt::format(", kernels {}", name(id()));
  return {"blis", description, file.find<dot_function<float>>("cblas_sdot"),
          file.find<dot_function<double>>("cblas_ddot")};
}

peer module_peer(const std::string& name, const std::string& module, const std::string& prefix,
                 const std::string& description) {
  const library file(fmt::format("{}/{}.so", program_folder(), module));
  return {name, description, file.find<dot_function<float>>((prefix + "_sdot").c_str()),
          file.find<dot_function<double>>((prefix + "_ddot").c_str())};
}

}  // namespace

std::vector<peer> all_peers(std::vector<std::string>& missing) {
  std::vector<peer> peers;
  const auto try_add = [&](const std::string& name, auto&& make) {
    try {
      for (auto& found : make()) {
        if (found.sdot == nullptr || found.ddot == nullptr) throw std::runtime_error("no cblas_sdot or cblas_ddot");
        peers.push_back(std::move(found));
      }
    } catch (const std::exception& error) {
      missing.push_back(fmt::format("{}: {}", name, error.what()));
    }
  };
  using list = std::vector<peer>;
  const std::string eigen = fmt::format("Eigen {}, Map::dot, -O3", EIGEN_VERSION);
  const std::string standard = fmt::format("{}, -O3 -march=native", COMPILER);
  try_add("exactdot", [] {
    return list{exactdot_peer<exactdot::mode::exact>("exact"), exactdot_peer<exactdot::mode::fast>("fast")};
  });
  try_add("openblas", [] { return openblas_peers(); });
  try_add("blis", [] { return list{blis_peer()}; });
  try_add("eigen", [&] {
    return list{module_peer("eigen_native", "peer_eigen_native", "cblas", eigen + " -march=native")};
  });
  try_add("eigen", [&] { return list{module_peer("eigen", "peer_eigen", "cblas", eigen)}; });
  try_add("transform_reduce", [&] {
    return list{module_peer("transform_reduce", "peer_standard", "transform_reduce",
                            "std::transform_reduce, std::execution::unseq, " + standard)};
  });
  try_add("loop",
          [&] { return list{module_peer("loop", "peer_standard", "loop", "sequential loop, " + standard)}; });
  return peers;
}

}  // namespace bench
