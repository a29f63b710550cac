// Executor of the simulator: counts events, reports the detectors' findings, measures no time.
#include <algorithm>
#include <exactdot/simt/on_cpu.hpp>
#include <lab/executor.hpp>

namespace exactdot::lab {
namespace {

class simulated_memory final : public device_memory {
 public:
  simulated_memory(simt::stream& stream, const void* data, std::size_t bytes) : bytes_(stream, bytes) {
    bytes_.copy_from(static_cast<const char*>(data), bytes);
  }
  [[nodiscard]] void* data() const override { return bytes_.data(); }

 private:
  simt::buffer<char> bytes_;
};

std::string thread_text(const simt::fault_site& access) {
  const auto triple = [](const simt::index3& i) {
    return i.y == 0 && i.z == 0 ? std::to_string(i.x)
                                : std::to_string(i.x) + "," + std::to_string(i.y) + "," + std::to_string(i.z);
  };
  return "block " + triple(access.block) + ", thread " + triple(access.thread);
}

kernel_costs sum_of(const std::vector<simt::line_costs>& lines) {
  constexpr std::uint64_t bytes_per_sector = 32;
  kernel_costs total;
  for (const simt::line_costs& line : lines) {
    if (line.action == "barrier") continue;
    total.requests += line.requests;
    total.lanes += line.lanes;
    total.bytes_moved += bytes_per_sector * line.sectors;
    total.passes += line.wavefronts;
    total.passes_without_conflicts += line.ideal;
    total.longest_queue = std::max(total.longest_queue, line.longest_queue);
    if (line.space != "global" || line.action == "atomic") continue;
    total.global_requests += line.requests;
    total.sectors += line.sectors;
  }
  return total;
}

class simt_executor final : public executor {
 public:
  explicit simt_executor(const simt::settings& settings) : stream_(settings) {}

  [[nodiscard]] backend target() const override { return backend::simt; }
  [[nodiscard]] std::string name() const override { return "simt"; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
    return {{"model", settings().model == simt::execution::lock_step ? "lock_step" : "independent"}};
  }
  [[nodiscard]] unsigned multiprocessors() const override {
    return static_cast<unsigned>(stream_.multiprocessors());
  }
  [[nodiscard]] void* stream() override { return &stream_; }
  [[nodiscard]] std::unique_ptr<device_memory> upload(const void* data, std::size_t bytes) override {
    return std::make_unique<simulated_memory>(stream_, data, bytes);
  }
  /// Includes the simulator's record of the last accesses to each four bytes.
  [[nodiscard]] std::size_t footprint(std::size_t bytes) const override { return 24 * bytes; }
  void start_run(std::uint64_t seed) override {
    stream_.settings().seed = seed;
    stream_.clear();
  }
  void count_costs(bool count) override { stream_.settings().profile = count; }
  [[nodiscard]] counters read_counters() const override {
    const simt::counters& c = stream_.counted();
    counters counted{c.launches, c.atomics, c.steps, c.barriers};
    if (settings().profile) counted.costs = sum_of(stream_.costs());
    return counted;
  }
  [[nodiscard]] std::vector<finding> findings() const override {
    std::vector<finding> all;
    for (const simt::fault& fault : stream_.faults()) {
      const std::string& path = fault.site.file;
      all.push_back({simt::name_of(fault.kind), thread_text(fault.site), path.substr(path.rfind('/') + 1),
                     fault.site.line, fault.text()});
    }
    return all;
  }
  [[nodiscard]] std::optional<double> seconds_per_call(const std::function<void()>&) override { return {}; }

 private:
  [[nodiscard]] simt::settings& settings() const { return const_cast<simt::stream&>(stream_).settings(); }

  simt::stream stream_;
};

std::unique_ptr<executor> make_simt_executor(const executor_settings& settings) {
  simt::settings simulation;
  simulation.model = settings.lock_step ? simt::execution::lock_step : simt::execution::independent;
  return std::make_unique<simt_executor>(simulation);
}

const register_executor registration{backend::simt, make_simt_executor};

}  // namespace
}  // namespace exactdot::lab
