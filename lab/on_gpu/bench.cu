// A GPU as a bench. What is timed is replayed from a CUDA graph, many calls in a row, between two events.
//
// So the time is the device's: no launch waits for the host, and a call of some microseconds is not drowned by the
// clock. The vectors stay where the last call left them, so that short ones come from the cache, for every rung
// alike.
#include <algorithm>
#include <exactdot/simt/on_gpu.hpp>
#include <lab/bench.hpp>
#include <lab/on_gpu/read_ceiling.cuh>
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

class event {
 public:
  event() { check(cudaEventCreate(&handle_), "creating an event"); }
  ~event() { cudaEventDestroy(handle_); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  void record(const on_gpu::stream& on) { check(cudaEventRecord(handle_, on.handle()), "recording an event"); }
  [[nodiscard]] double seconds_since(const event& start) const {
    float milliseconds = 0;
    check(cudaEventSynchronize(handle_), "waiting for an event");
    check(cudaEventElapsedTime(&milliseconds, start.handle_, handle_), "reading the clock");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t handle_ = nullptr;
};

/// `calls` calls of launch, captured.
class replay {
 public:
  replay(const on_gpu::stream& on, const std::function<void()>& launch, int calls) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(on.handle(), cudaStreamCaptureModeRelaxed), "starting to capture");
    for (int call = 0; call < calls; ++call) launch();
    check(cudaStreamEndCapture(on.handle(), &graph), "capturing");
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "instantiating a graph");
  }
  ~replay() { cudaGraphExecDestroy(graph_); }
  replay(const replay&) = delete;
  replay& operator=(const replay&) = delete;
  [[nodiscard]] double seconds(const on_gpu::stream& on) const {
    event start, stop;
    start.record(on);
    check(cudaGraphLaunch(graph_, on.handle()), "replaying a graph");
    stop.record(on);
    return stop.seconds_since(start);
  }

 private:
  cudaGraphExec_t graph_ = nullptr;
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
    constexpr double sample_seconds = 1e-3;
    launch();
    const double first = replay(stream_, launch, 1).seconds(stream_);
    const int calls = static_cast<int>(std::clamp(sample_seconds / std::max(first, 1e-6), 1.0, 100.0));
    const replay many(stream_, launch, calls);
    static_cast<void>(many.seconds(stream_));  // warms up
    std::vector<double> samples(first > 0.1 ? 3 : 11);
    for (double& sample : samples) sample = many.seconds(stream_) / calls;
    const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    return *middle;
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
