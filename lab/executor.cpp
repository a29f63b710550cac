// Registered executors, and the executor of the host; see executor.hpp.
#include <exactdot/error.hpp>
#include <lab/executor.hpp>
#include <map>

namespace exactdot::lab {
namespace {

std::map<backend, executor_factory>& factories() {
  static std::map<backend, executor_factory> registered;
  return registered;
}

class host_memory final : public device_memory {
 public:
  explicit host_memory(const void* data) : data_(const_cast<void*>(data)) {}
  [[nodiscard]] void* data() const override { return data_; }

 private:
  void* data_;
};

class host_executor final : public executor {
 public:
  [[nodiscard]] backend target() const override { return backend::host; }
  [[nodiscard]] std::string name() const override { return "host"; }
  [[nodiscard]] std::unique_ptr<device_memory> upload(const void* data, std::size_t) override {
    return std::make_unique<host_memory>(data);
  }
  void start_run(std::uint64_t) override {}
  [[nodiscard]] std::optional<double> seconds_per_call(const std::function<void()>&) override { return {}; }
};

std::unique_ptr<executor> make_host_executor(const executor_settings&) { return std::make_unique<host_executor>(); }

const register_executor registration{backend::host, make_host_executor};

}  // namespace

register_executor::register_executor(backend target, executor_factory make) { factories()[target] = make; }

std::unique_ptr<executor> open_executor(backend target, const executor_settings& settings) {
  const auto found = factories().find(target);
  if (found != factories().end()) return found->second(settings);
  throw error(errc::no_device,
              target == backend::cuda
                  ? "--device cuda: this program was built without a CUDA compiler; use --device simt"
                  : "--device simt: this program was built without the simulator (EXACTDOT_BUILD_SIMT=OFF)");
}

}  // namespace exactdot::lab
