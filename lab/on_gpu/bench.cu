// A GPU as a bench. What is timed is replayed from a CUDA graph (replay.cuh says how).
//
// The vectors stay where the last call left them, so that short ones come from the cache, for every rung alike.
#include <algorithm>
#include <exactdot/simt/on_gpu.hpp>
#include <lab/bench.hpp>
#include <lab/on_gpu/read_ceiling.cuh>
#include <lab/on_gpu/replay.cuh>
#include <limits>
#include <vector>

namespace exactdot::lab {
namespace {

using on_gpu::check;

class copy final : public device_memory {
 public:
  copy(on_gpu::stream& on, const void* data, std::size_t bytes) : bytes_(on, bytes) {
    bytes_.copy_from(static_cast<const char*>(data), bytes);
    on_gpu::synchronise(on);
  }
  [[nodiscard]] void* data() const override { return bytes_.data(); }

 private:
  on_gpu::buffer<char> bytes_;
};

class gpu_bench final : public bench {
 public:
  gpu_bench() { check(cudaGetDeviceProperties(&properties_, 0), "asking for the device"); }

  [[nodiscard]] world where() const override { return world::cuda; }
  [[nodiscard]] std::string name() const override { return properties_.name; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
    int driver = 0;
    check(cudaDriverGetVersion(&driver), "asking for the driver");
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
    check(cudaMemGetInfo(&free, &total), "asking for free memory");
    return free;
  }
  [[nodiscard]] std::unique_ptr<device_memory> upload(const void* data, std::size_t bytes) override {
    return std::make_unique<copy>(stream_, data, bytes);
  }
  void begin(std::uint64_t) override { stream_.launches = 0; }
  [[nodiscard]] tally counted() const override { return {stream_.launches, {}, {}, {}}; }

  [[nodiscard]] std::optional<double> seconds(const std::function<void()>& launch) override {
    return seconds_a_call(stream_, launch);
  }

  [[nodiscard]] std::optional<double> seconds_to_read(const void* a, const void* b, std::size_t bytes) override {
    on_gpu::buffer<unsigned> out(stream_, 1);
    double best = std::numeric_limits<double>::infinity();
    for (const dim3 threads : {dim3(256), dim3(512), dim3(1024)}) {
      for (const unsigned waves : {1U, 2U, 8U}) {
        const dim3 blocks(multiprocessors() * (2048 / threads.x) * waves);
        best = std::min(best, *seconds([&] { read_both(stream_, blocks, threads, a, b, bytes, out.data()); }));
      }
    }
    return best;
  }

 private:
  on_gpu::stream stream_;
  cudaDeviceProp properties_{};
};

std::unique_ptr<bench> make(const bench_settings&) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    throw error(errc::no_device, std::string("--device cuda: no GPU is to be had here (") +
                                     (status != cudaSuccess ? cudaGetErrorString(status) : "none is installed") +
                                     "); take --device simt");
  }
  return std::make_unique<gpu_bench>();
}

const enlist_bench here{world::cuda, make};

}  // namespace
}  // namespace exactdot::lab
