// Executor of a GPU. Times calls by replaying a CUDA graph (replay.cuh).
//
// The vectors remain where the previous call left them: short vectors are read from the cache, by every rung alike.
#include <algorithm>
#include <exactdot/simt/on_gpu.hpp>
#include <lab/executor.hpp>
#include <lab/gpu_error.hpp>
#include <lab/on_gpu/read_ceiling.cuh>
#include <lab/on_gpu/replay.cuh>
#include <limits>
#include <vector>

namespace exactdot::lab {
namespace {

using on_gpu::check;

class gpu_memory final : public device_memory {
 public:
  gpu_memory(on_gpu::stream& stream, const void* data, std::size_t bytes) : bytes_(stream, bytes) {
    bytes_.copy_from(static_cast<const char*>(data), bytes);
    on_gpu::synchronise(stream);
  }
  [[nodiscard]] void* data() const override { return bytes_.data(); }

 private:
  on_gpu::buffer<char> bytes_;
};

class gpu_executor final : public executor {
 public:
  gpu_executor() { check(cudaGetDeviceProperties(&properties_, 0), "querying the device properties"); }

  [[nodiscard]] backend target() const override { return backend::cuda; }
  [[nodiscard]] std::string name() const override { return properties_.name; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
    int driver = 0;
    check(cudaDriverGetVersion(&driver), "querying the driver version");
    const auto text = [](int version) {
      return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    };
    return {{"compute_capability", std::to_string(properties_.major) + "." + std::to_string(properties_.minor)},
            {"driver_cuda", text(driver)},
            {"toolkit", text(CUDART_VERSION)}};
  }
  [[nodiscard]] unsigned multiprocessors() const override {
    return static_cast<unsigned>(properties_.multiProcessorCount);
  }
  [[nodiscard]] void* stream() override { return &stream_; }
  [[nodiscard]] std::size_t free_bytes() const override {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "querying the free memory");
    return free;
  }
  [[nodiscard]] std::unique_ptr<device_memory> upload(const void* data, std::size_t bytes) override {
    return std::make_unique<gpu_memory>(stream_, data, bytes);
  }
  void start_run(std::uint64_t) override { stream_.launches = 0; }
  [[nodiscard]] counters read_counters() const override { return {stream_.launches}; }

  [[nodiscard]] std::optional<double> seconds_per_call(const std::function<void()>& launch) override {
    return median_replay_seconds(stream_, launch);
  }

  [[nodiscard]] std::optional<double> seconds_to_read(const void* a, const void* b, std::size_t bytes) override {
    on_gpu::buffer<unsigned> out(stream_, 1);
    double best = std::numeric_limits<double>::infinity();
    for (const dim3 threads : {dim3(256), dim3(512), dim3(1024)}) {
      for (const unsigned waves : {1U, 2U, 8U}) {
        const dim3 blocks(multiprocessors() * (2048 / threads.x) * waves);
        const auto launch = [&] { read_both(stream_, blocks, threads, a, b, bytes, out.data()); };
        best = std::min(best, median_replay_seconds(stream_, launch));
      }
    }
    return best;
  }

 private:
  on_gpu::stream stream_;
  cudaDeviceProp properties_{};
};

std::unique_ptr<executor> make_gpu_executor(const executor_settings&) {
  int devices = 0, driver = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  cudaDriverGetVersion(&driver);
  if (status != cudaSuccess || devices == 0) {
    const char* const message = status == cudaSuccess ? "" : cudaGetErrorString(status);
    throw error(errc::no_device, "--device cuda: " + missing_gpu_reason(driver, message) + "; use --device simt");
  }
  return std::make_unique<gpu_executor>();
}

const register_executor registration{backend::cuda, make_gpu_executor};

}  // namespace
}  // namespace exactdot::lab
