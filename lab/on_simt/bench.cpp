// The simulator as a bench: counts everything, times nothing, and reports what its detectors find.
#include <exactdot/simt/on_cpu.hpp>
#include <lab/bench.hpp>

namespace exactdot::lab {
namespace {

class copy final : public device_memory {
 public:
  copy(simt::stream& on, const void* data, std::size_t bytes) : bytes_(on, bytes) {
    bytes_.copy_from(static_cast<const char*>(data), bytes);
  }
  [[nodiscard]] void* data() const override { return bytes_.data(); }

 private:
  simt::buffer<char> bytes_;
};

std::string place_of(const simt::access& at) {
  const auto triple = [](const simt::index3& i) {
    return i.y == 0 && i.z == 0 ? std::to_string(i.x)
                                : std::to_string(i.x) + "," + std::to_string(i.y) + "," + std::to_string(i.z);
  };
  return "block " + triple(at.block) + ", thread " + triple(at.thread);
}

class simt_bench final : public bench {
 public:
  explicit simt_bench(const simt::settings& how) : stream_(how) {}

  [[nodiscard]] world where() const override { return world::simt; }
  [[nodiscard]] std::string name() const override { return "simt"; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
    return {{"model", how().model == simt::execution::lock_step ? "lock_step" : "independent"}};
  }
  [[nodiscard]] unsigned multiprocessors() const override {
    return static_cast<unsigned>(stream_.multiprocessors());
  }
  [[nodiscard]] void* stream() override { return &stream_; }
  [[nodiscard]] std::unique_ptr<device_memory> upload(const void* data, std::size_t bytes) override {
    return std::make_unique<copy>(stream_, data, bytes);
  }
  /// The simulator remembers who touched each four bytes last.
  [[nodiscard]] std::size_t cost_of(std::size_t bytes) const override { return 24 * bytes; }
  void begin(std::uint64_t seed) override {
    stream_.how().seed = seed;
    stream_.clear();
  }
  [[nodiscard]] tally counted() const override {
    const simt::counters& c = stream_.counted();
    return {c.launches, c.atomics, c.steps, c.barriers};
  }
  [[nodiscard]] std::vector<finding> found() const override {
    std::vector<finding> all;
    for (const simt::fault& fault : stream_.faults()) {
      const std::string& path = fault.here.file;
      all.push_back({simt::name_of(fault.kind), place_of(fault.here), path.substr(path.rfind('/') + 1),
                     fault.here.line, fault.text()});
    }
    return all;
  }
  [[nodiscard]] std::optional<double> seconds(const std::function<void()>&) override { return {}; }

 private:
  [[nodiscard]] simt::settings& how() const { return const_cast<simt::stream&>(stream_).how(); }

  simt::stream stream_;
};

std::unique_ptr<bench> make(const bench_settings& settings) {
  simt::settings how;
  how.model = settings.lock_step ? simt::execution::lock_step : simt::execution::independent;
  return std::make_unique<simt_bench>(how);
}

const enlist_bench here{world::simt, make};

}  // namespace
}  // namespace exactdot::lab
