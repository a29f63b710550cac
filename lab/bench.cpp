// The benches that this build has, and the host's; see bench.hpp.
#include <exactdot/error.hpp>
#include <lab/bench.hpp>
#include <map>

namespace exactdot::lab {
namespace {

std::map<world, bench_maker>& makers() {
  static std::map<world, bench_maker> all;
  return all;
}

class borrowed final : public device_memory {
 public:
  explicit borrowed(const void* data) : data_(const_cast<void*>(data)) {}
  [[nodiscard]] void* data() const override { return data_; }

 private:
  void* data_;
};

class host_bench final : public bench {
 public:
  [[nodiscard]] world where() const override { return world::host; }
  [[nodiscard]] std::string name() const override { return "the host"; }
  [[nodiscard]] std::unique_ptr<device_memory> upload(const void* data, std::size_t) override {
    return std::make_unique<borrowed>(data);
  }
  void begin(std::uint64_t) override {}
  [[nodiscard]] std::optional<double> seconds(const std::function<void()>&) override { return {}; }
};

std::unique_ptr<bench> make_host_bench(const bench_settings&) { return std::make_unique<host_bench>(); }

const enlist_bench host{world::host, make_host_bench};

}  // namespace

enlist_bench::enlist_bench(world where, bench_maker make) { makers()[where] = make; }

std::unique_ptr<bench> open_bench(world where, const bench_settings& settings) {
  const auto found = makers().find(where);
  if (found != makers().end()) return found->second(settings);
  throw error(errc::no_device,
              where == world::cuda
                  ? "--device cuda: no CUDA compiler was found when this was built; take --device simt"
                  : "--device simt: this was built without the simulator (EXACTDOT_BUILD_SIMT)");
}

}  // namespace exactdot::lab
