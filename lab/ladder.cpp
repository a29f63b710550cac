// Runs the ladder; see ladder.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <exactdot/error.hpp>
#include <io/fault.hpp>
#include <lab/figures.hpp>
#include <lab/ladder.hpp>
#include <stdexcept>

namespace exactdot::lab {
namespace {

const rung* find(const std::vector<rung>& rungs, std::string_view name) {
  const auto found =
      std::ranges::find(rungs, name, [](const rung& candidate) { return std::string_view(candidate.info.name); });
  return found == rungs.end() ? nullptr : &*found;
}

std::string names_of(const std::vector<rung>& rungs) {
  std::string names;
  for (const rung& listed : rungs) names += (names.empty() ? "" : ", ") + std::string(listed.info.name);
  return names;
}

bool is_named(const ladder_request& request, std::string_view name) {
  return std::ranges::find(request.rungs, name) != request.rungs.end();
}

/// Returns why a rung cannot run with these options; empty if it can.
std::string option_error(const rung_info& info, const run_options& options) {
  if (options.op != operation::sum && !info.any_operation) {
    return fmt::format("--op {}: rung {} supports only sum", operation_names[static_cast<std::size_t>(options.op)],
                       info.name);
  }
  return options.block != 0 ? block_size_error(info, options.block) : "";
}

/// Returns why a rung selected by name cannot use --grid; empty if it can.
std::string grid_error(const rung_info& info, unsigned grid) {
  if (grid == 0 || info.grid != grid_rule::one_thread_each) return {};
  return fmt::format("--grid {}: rung {} reads one element per thread; --n and --block determine its grid", grid,
                     info.name);
}

/// Baselines and closed forms exist for dot products only.
bool is_dot_product(const ladder_request& request) {
  return request.workload == "dot" && request.options.op == operation::sum;
}

void throw_if_cancelled(const ladder_request& request) {
  if (request.data.monitor != nullptr && request.data.monitor->cancel) throw error(errc::cancelled, "cancelled");
}

/// Returns the kernel time of a baseline rung; null if the rung does not exist or cannot run on this machine.
template <element T>
std::optional<double> baseline_seconds(std::string_view name, executor& device, const problem<T>& data) {
  const std::vector<rung> all = ladder(device.target());
  const rung* const baseline = find(all, name);
  try {
    return baseline == nullptr ? std::nullopt : kernel_seconds(*baseline, device, data, {});
  } catch (const error&) {  // append_measurement reports the error if the user named the rung
    return {};
  }
}

/// Appends a measurement and returns true. If the rung's library is missing and the user did not name the rung,
/// adds the reason to `skipped` and returns false. Other errors are thrown with the name of the rung.
template <element T>
bool append_measurement(ladder_result& result, const ladder_request& request, const rung& tested, executor& device,
                        const problem<T>& data) {
  try {
    result.measurements.push_back(measure(tested, device, data, request.options));
  } catch (const error& fault) {
    const std::string text = fmt::format("rung {}: {}", tested.info.name, fault.what());
    if (fault.code() != errc::no_device || is_named(request, tested.info.name)) throw error(fault.code(), text);
    result.skipped.push_back(fmt::format("{}: {}", tested.info.name, fault.what()));
    return false;
  }
  return true;
}

/// Returns the seconds in which the device reads what the rungs read. Without a second vector the first one is read
/// in two halves, and keys count as further bytes of it.
template <element T>
std::optional<double> seconds_to_read(executor& device, const problem<T>& data, const ladder_result& result) {
  if (result.reads_b) return device.seconds_to_read(data.device_a(), data.device_b(), result.n * sizeof(T));
  constexpr std::size_t alignment = 16 / sizeof(T);
  const std::size_t half = result.n / 2 / alignment * alignment;
  const std::optional<double> halves =
      device.seconds_to_read(data.device_a(), data.device_a() + half, half * sizeof(T));
  if (!halves || half == 0) return halves;
  return *halves * bytes_read(result) / static_cast<double>(2 * half * sizeof(T));
}

template <element T>
void measure_rungs(const ladder_request& request, executor& device, const std::vector<rung>& rungs,
                   ladder_result& result) {
  const workload& kind = find_workload(request.workload);
  const host_vectors<T> vectors = kind.of<T>().data(request.data, request.parts);
  const problem<T> data(device, vectors, request.options.op, kind, request.parts);
  if (!data.references().empty()) result.exact = static_cast<double>(data.references().front().value());
  if (device.target() == backend::cuda) {
    result.read_seconds = seconds_to_read(device, data, result);
    if (is_dot_product(request)) {
      result.naive_seconds = baseline_seconds("atomic_per_element", device, data);
      result.cublas_seconds = baseline_seconds("cublas", device, data);
    }
  }
  for (const rung& tested : rungs) {
    throw_if_cancelled(request);
    if (request.on_progress) request.on_progress(tested.info.name);
    if (!append_measurement(result, request, tested, device, data)) continue;
    const measurement& latest = result.measurements.back();
    if (latest.info.name == std::string_view("cublas")) result.cublas_seconds = latest.seconds;
    if (latest.info.name == std::string_view("atomic_per_element")) result.naive_seconds = latest.seconds;
  }
}

}  // namespace

std::vector<rung> choose_rungs(const ladder_request& request) {
  const std::vector<rung> all = ladder(request.target, request.workload);
  std::vector<rung> chosen;
  for (const std::string& name : request.rungs) {
    const rung* const named = find(all, name);
    if (named == nullptr) {
      throw error(errc::bad_option, fmt::format("--rung {}: unknown rung; the rungs on this device are {}",
                                                io::printable(name), names_of(all)));
    }
    for (const std::string& reason :
         {option_error(named->info, request.options), grid_error(named->info, request.options.grid)}) {
      if (!reason.empty()) throw error(errc::bad_option, reason);
    }
  }
  for (const rung& candidate : all) {
    if (!request.rungs.empty() && !is_named(request, candidate.info.name)) continue;
    if (request.options.op != operation::sum && !candidate.info.any_operation) continue;
    const std::string reason = option_error(candidate.info, request.options);
    if (!reason.empty()) throw error(errc::bad_option, reason);
    chosen.push_back(candidate);
  }
  if (chosen.empty() && !all.empty()) {
    throw error(errc::bad_option,
                fmt::format("--op {}: the rungs of workload {} support only sum",
                            operation_names[static_cast<std::size_t>(request.options.op)], request.workload));
  }
  return chosen;
}

void require_memory(const ladder_request& request, const executor& device, std::size_t n) {
  const auto item = static_cast<double>(size_of(request.type));
  const workload& kind = find_workload(request.workload);
  constexpr double exact_state = sizeof(accumulator<double>);
  const auto results = static_cast<double>(kind.results(n, request.parts));
  const double vectors = (2 * item + (kind.has_keys ? sizeof(std::uint32_t) : 0)) * static_cast<double>(n);
  const double states = results * (kind.has_keys ? exact_state : item);
  const double on_device = device.target() == backend::host ? 0 : 1.5 * vectors + states;  // includes n products
  const double simulated = device.free_bytes() == 0 ? on_device * static_cast<double>(device.footprint(1)) : 0;
  const auto reject = [&](const char* memory, double needed, double free) {
    throw std::runtime_error(fmt::format("--n {}: {:.3g} GB of {} memory are needed, {:.3g} GB are free", n,
                                         needed * 1e-9, memory, free * 1e-9));
  };
  const double on_host = 2 * vectors + results * exact_state + simulated;
  const auto host_limit = static_cast<double>(request.memory_limit);
  if (on_host > host_limit) reject("host", on_host, host_limit);
  if (device.free_bytes() != 0 && on_device > static_cast<double>(device.free_bytes())) {
    reject("GPU", on_device, static_cast<double>(device.free_bytes()));
  }
}

ladder_result run_ladder(const ladder_request& request) {
  const std::unique_ptr<executor> device = open_executor(request.target, request.settings);
  std::vector<rung> rungs = choose_rungs(request);
  require_memory(request, *device, request.data.n);
  ladder_result result;
  result.workload = request.workload;
  const workload& kind = find_workload(request.workload);
  result.terms = kind.terms;
  result.reads_b = kind.reads_b, result.has_keys = kind.has_keys;
  result.results = kind.results(request.data.n, request.parts);
  if (kind.divided != nullptr) result.divided = kind.divided(request.data.n, request.parts);
  result.device = device->name();
  result.facts = device->facts();
  result.data = request.data.data;
  result.n = request.data.n;
  result.type = request.type;
  result.op = request.options.op;
  with_carrier(request.type, [&](auto zero) {
    using T = decltype(zero);
    measure_rungs<T>(request, *device, rungs, result);
    std::erase_if(rungs, [&](const rung& candidate) {  // skipped rungs
      return std::ranges::none_of(result.measurements, [&](const measurement& done) {
        return std::string_view(done.info.name) == candidate.info.name;
      });
    });
    if (request.data.data == io::data_set::ramp && is_dot_product(request)) {
      result.ramp = ramp_results<T>(request, *device, rungs);
    }
  });
  return result;
}

}  // namespace exactdot::lab
