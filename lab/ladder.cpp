// The ladder; see ladder.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <exactdot/error.hpp>
#include <io/fault.hpp>
#include <lab/ladder.hpp>
#include <stdexcept>

namespace exactdot::lab {
namespace {

const rung* find(const std::vector<rung>& rungs, std::string_view name) {
  const auto found =
      std::ranges::find(rungs, name, [](const rung& one) { return std::string_view(one.info.name); });
  return found == rungs.end() ? nullptr : &*found;
}

std::string names_of(const std::vector<rung>& rungs) {
  std::string names;
  for (const rung& one : rungs) names += (names.empty() ? "" : ", ") + std::string(one.info.name);
  return names;
}

bool is_named(const ladder_request& request, std::string_view name) {
  return std::ranges::find(request.rungs, name) != request.rungs.end();
}

/// Why a rung cannot do what is asked; empty when it can.
std::string unfit(const rung_info& info, const conditions& how) {
  if (how.op != operation::sum && !info.any_operation) {
    return fmt::format("{}: it only adds; --op {} needs a rung that takes any operation", info.name,
                       operation_names[static_cast<std::size_t>(how.op)]);
  }
  return how.block != 0 ? refusal(info, how.block) : "";
}

/// Why a rung that was named cannot have a grid of so many blocks; empty when it can.
std::string unfit_grid(const rung_info& info, unsigned grid) {
  if (grid == 0 || info.grid != grid_rule::one_thread_each) return {};
  return fmt::format("{}: a thread takes one element, so --n and --block decide how many blocks; --grid cannot",
                     info.name);
}

void require_monitor(const ladder_request& request) {
  if (request.data.monitor != nullptr && request.data.monitor->cancel) throw error(errc::cancelled, "cancelled");
}

/// The kernels' time of a rung to compare with; null where there is none, or where it does not run here.
template <element T>
std::optional<double> time_alone(std::string_view name, bench& on, const problem<T>& data) {
  const std::vector<rung> all = ladder(on.where());
  const rung* const one = find(all, name);
  try {
    return one == nullptr ? std::nullopt : time_of(*one, on, data, {});
  } catch (const error&) {  // whoever asked for it by name is told below
    return {};
  }
}

/// Adds a row; or, where the rung's library is missing and nobody named it, a line to left_out, and gives false.
template <element T>
bool measure_into(ladder_result& result, const ladder_request& request, const rung& one, bench& on,
                  const problem<T>& data) {
  try {
    result.rows.push_back(measure(one, on, data, request.how));
  } catch (const error& fault) {
    if (fault.code() != errc::no_device || is_named(request, one.info.name)) throw;
    result.left_out.push_back(fmt::format("{}: {}", one.info.name, fault.what()));
    return false;
  }
  return true;
}

template <element T>
void fill_in(const ladder_request& request, bench& on, const std::vector<rung>& rungs, ladder_result& result) {
  std::vector<T> a(result.n), b(result.n);
  io::data_source<T>(request.data).next(a, b);
  const problem<T> data(on, a, b, request.how.op);
  result.exact = static_cast<double>(data.right().value());
  if (on.where() == world::cuda) {
    result.ceiling = on.seconds_to_read(data.device_a(), data.device_b(), result.n * sizeof(T));
    if (request.how.op == operation::sum) {
      result.naive = time_alone("atomic_per_element", on, data);
      result.cublas = time_alone("cublas", on, data);
    }
  }
  for (const rung& one : rungs) {
    require_monitor(request);
    if (request.say) request.say(one.info.name);
    if (!measure_into(result, request, one, on, data)) continue;
    if (result.rows.back().info.name == std::string_view("cublas")) result.cublas = result.rows.back().seconds;
    if (result.rows.back().info.name == std::string_view("atomic_per_element")) {
      result.naive = result.rows.back().seconds;
    }
  }
}

}  // namespace

std::vector<rung> choose_rungs(const ladder_request& request) {
  const std::vector<rung> all = ladder(request.where);
  std::vector<rung> chosen;
  for (const std::string& name : request.rungs) {
    const rung* const one = find(all, name);
    if (one == nullptr) {
      throw error(errc::bad_option, fmt::format("--rung {}: there is no such rung here; there are {}",
                                                io::printable(name), names_of(all)));
    }
    for (const std::string& reason : {unfit(one->info, request.how), unfit_grid(one->info, request.how.grid)}) {
      if (!reason.empty()) throw error(errc::bad_option, reason);
    }
  }
  for (const rung& one : all) {
    if (!request.rungs.empty() && !is_named(request, one.info.name)) continue;
    if (request.how.op != operation::sum && !one.info.any_operation) continue;
    const std::string reason = unfit(one.info, request.how);
    if (!reason.empty()) throw error(errc::bad_option, reason);
    chosen.push_back(one);
  }
  return chosen;
}

void require_memory(const ladder_request& request, const bench& on, std::size_t n) {
  const auto item = static_cast<double>(io::item_size(request.type));
  const double vectors = 2 * item * static_cast<double>(n);
  const double on_device = on.where() == world::host ? 0 : 1.5 * vectors;  // and room for n products
  const double simulated = on.free_bytes() == 0 ? on_device * static_cast<double>(on.cost_of(1)) : 0;
  const auto refuse = [&](const char* where, double needed, double free) {
    throw std::runtime_error(fmt::format("--n {}: {:.3g} GB of {} are needed, {:.3g} GB are free", n, needed * 1e-9,
                                         where, free * 1e-9));
  };
  const double on_host = 2 * vectors + simulated;
  if (on_host > static_cast<double>(request.memory)) refuse("memory", on_host, static_cast<double>(request.memory));
  if (on.free_bytes() != 0 && on_device > static_cast<double>(on.free_bytes())) {
    refuse("the GPU's memory", on_device, static_cast<double>(on.free_bytes()));
  }
}

ladder_result climb(const ladder_request& request) {
  const std::unique_ptr<bench> on = open_bench(request.where, request.settings);
  std::vector<rung> rungs = choose_rungs(request);
  require_memory(request, *on, request.data.n);
  ladder_result result;
  result.device = on->name();
  result.facts = on->facts();
  result.data = request.data.data;
  result.n = request.data.n;
  result.type = request.type;
  result.op = request.how.op;
  io::visit(request.type, [&](auto zero) {
    using T = decltype(zero);
    fill_in<T>(request, *on, rungs, result);
    std::erase_if(rungs, [&](const rung& one) {  // what was left out
      return std::ranges::none_of(
          result.rows, [&](const row& other) { return std::string_view(other.info.name) == one.info.name; });
    });
    if (request.data.data == io::data_set::ramp && request.how.op == operation::sum) {
      result.ramp = ramp_truths<T>(request, *on, rungs);
    }
  });
  return result;
}

}  // namespace exactdot::lab
