// All peers: exactdot's two modes, and the libraries found when the benchmark was configured.
#include <fmt/format.h>

#include <exactdot/dot.hpp>
#include <exactdot/info.hpp>
#include <exactdot/reductions.hpp>
#include <exception>
#include <lab/openblas_core.hpp>
#include <lab/peers.hpp>
#include <stdexcept>

#include "blas.hpp"
#include "library.hpp"
#include "peer.hpp"

namespace bench {
namespace {

int exactdot_threads = 1;
reduction selected = reduction::dot;  // what exactdot_reduce computes

template <class T, exactdot::mode mode>
T exactdot_dot(int n, const T* a, int, const T* b, int) {
  return exactdot::dot<T, T>(a, b, static_cast<std::size_t>(n),
                             {.mode = mode, .device = exactdot::device::cpu, .threads = exactdot_threads});
}

template <class T, exactdot::mode mode>
T exactdot_reduce(int n, const T* a, int, const T* b, int) {
  const exactdot::options options{.mode = mode, .device = exactdot::device::cpu, .threads = exactdot_threads};
  const exactdot::any_vector x = exactdot::to_any(a, static_cast<std::size_t>(n));
  if (exactdot::inputs_of(selected) == 1) {
    return value_of<T>(exactdot::reduce(selected, x, result_type<T>(selected), options).bits);
  }
  const exactdot::any_vector y = exactdot::to_any(b, static_cast<std::size_t>(n));
  return value_of<T>(exactdot::reduce(selected, x, y, result_type<T>(selected), options).bits);
}

template <exactdot::mode mode>
peer exactdot_peer(const std::string& name, reduction what) {
  const bool is_dot = what == reduction::dot;
  return {name, fmt::format("exactdot {}, {}", exactdot::version(), exactdot::cpu().instruction_set),
          is_dot ? exactdot_dot<float, mode> : exactdot_reduce<float, mode>,
          is_dot ? exactdot_dot<double, mode> : exactdot_reduce<double, mode>,
          [](int threads) { exactdot_threads = threads; }};
}

std::vector<peer> exactdot_peers(reduction what) {
  std::vector<peer> peers = {exactdot_peer<exactdot::mode::exact>("exact", what)};
  if (has_fast(what)) peers.push_back(exactdot_peer<exactdot::mode::fast>("fast", what));
  return peers;
}

peer openblas_peer(const exactdot::lab::openblas& library, blas_library place, reduction what,
                   const std::string& name, const std::string& remark, void (*set_threads)(int)) {
  if (!library.available()) throw std::runtime_error(library.fault());
  const blas_functions found =
      find_blas_functions(what, place, [&](const char* function) { return library.symbol(function); });
  return {name, fmt::format("{}, {}, core {}{}", library.version(), found.called, library.core_name(), remark),
          found.of_floats, found.of_doubles, set_threads};
}

/// Returns OpenBLAS with its best kernels and, if different, with the kernels that it selects itself.
std::vector<peer> openblas_peers(reduction what) {
  using exactdot::lab::openblas;
  const openblas& best = openblas::instance();
  const std::string& core = best.asked_core();
  const std::string remark =
      core.empty() ? "" : fmt::format(" (by {}={})", exactdot::lab::openblas_core_variable, core);
  std::vector<peer> peers = {openblas_peer(best, blas_library::openblas, what, openblas_name, remark,
                                           [](int threads) { openblas::instance().set_threads(threads); })};
  const openblas& shipped = openblas::as_shipped();
  if (&shipped == &best) return peers;
  peers.push_back(openblas_peer(shipped, blas_library::openblas_as_shipped, what,
                                fmt::format("{}_as_shipped", openblas_name), " (selected by OpenBLAS)",
                                [](int threads) { openblas::as_shipped().set_threads(threads); }));
  return peers;
}

peer blis_peer(reduction what) {
  const library file(BLIS_LIBRARY);
  const blas_functions found =
      find_blas_functions(what, blas_library::blis, [&](const char* name) { return file.symbol(name); });
  std::string description = "BLIS";
  if (auto* version = file.find<const char*()>("bli_info_get_version_str")) {
    description += fmt::format(" {}", version());
  }
  description += ", " + found.called;
  auto* id = file.find<int()>("bli_arch_query_id");
  auto* name = file.find<const char*(int)>("bli_arch_string");
  if (id != nullptr && name != nullptr) description += fmt::format(", kernels {}", name(id()));
  return {"blis", description, found.of_floats, found.of_doubles};
}

peer module_peer(const std::string& name, const std::string& module, const std::string& prefix, reduction what,
                 const std::string& description) {
  const library file(fmt::format("{}/{}.so", program_folder(), module));
  const std::string of_floats = fmt::format("{}_s{}", prefix, exactdot::name_of(what));
  const std::string of_doubles = fmt::format("{}_d{}", prefix, exactdot::name_of(what));
  peer found = {name, description, file.find<reduction_function<float>>(of_floats.c_str()),
                file.find<reduction_function<double>>(of_doubles.c_str())};
  if (found.of_floats == nullptr || found.of_doubles == nullptr) {
    throw std::runtime_error(fmt::format("has no {}", exactdot::name_of(what)));
  }
  return found;
}

/// The floor: a loop that only reads.
peer read_peer(reduction what) {
  const library file(fmt::format("{}/peer_read.so", program_folder()));
  const std::string vectors = exactdot::inputs_of(what) == 2 ? "two" : "one";
  return {"read",
          fmt::format("a loop that only reads, {}, -O3 -march=native", COMPILER),
          file.find<reduction_function<float>>(fmt::format("read_{}_s", vectors).c_str()),
          file.find<reduction_function<double>>(fmt::format("read_{}_d", vectors).c_str()),
          nullptr,
          true};
}

/// Eigen's expression for a reduction.
std::string in_eigen(reduction what) {
  if (what == reduction::dot) return "Map::dot";
  if (what == reduction::asum) return "Map::lpNorm<1>";
  if (what == reduction::nrm2) return "Map::norm";
  return what == reduction::sum_of_squares ? "Map::squaredNorm" : "Map::sum";
}

}  // namespace

std::vector<peer> all_peers(reduction what, std::vector<std::string>& missing) {
  selected = what;
  std::vector<peer> peers;
  const auto try_add = [&](const std::string& name, auto&& make) {
    try {
      for (auto& found : make()) peers.push_back(std::move(found));
    } catch (const std::exception& error) {
      missing.push_back(fmt::format("{}: {}", name, error.what()));
    }
  };
  using list = std::vector<peer>;
  const std::string eigen = fmt::format("Eigen {}, {}, -O3", EIGEN_VERSION, in_eigen(what));
  const std::string standard = fmt::format("{}, -O3 -march=native", COMPILER);
  const std::string unsequenced = what == reduction::sum ? "std::reduce" : "std::transform_reduce";
  try_add("exactdot", [&] { return exactdot_peers(what); });
  try_add("openblas", [&] { return openblas_peers(what); });
  try_add("blis", [&] { return list{blis_peer(what)}; });
  try_add("eigen", [&] {
    return list{module_peer("eigen_native", "peer_eigen_native", "eigen", what, eigen + " -march=native")};
  });
  try_add("eigen", [&] { return list{module_peer("eigen", "peer_eigen", "eigen", what, eigen)}; });
  try_add("transform_reduce", [&] {
    return list{module_peer("transform_reduce", "peer_standard", "transform_reduce", what,
                            unsequenced + ", std::execution::unseq, " + standard)};
  });
  try_add("loop",
          [&] { return list{module_peer("loop", "peer_standard", "loop", what, "sequential loop, " + standard)}; });
  try_add("read", [&] { return list{read_peer(what)}; });
  return peers;
}

}  // namespace bench
