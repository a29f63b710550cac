// timed_wrong: a kernel timed without waiting for it, in its first launch, and through the copy of its result.
//
// A launch returns before the kernel has run; the first launch of a kernel also loads its code; a copy waits for
// the kernel and takes time of its own. The right time is that between two events around a launch that is not the
// first. The simulator has no clock: it runs the kernel and the report explains.
#include <chrono>
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr unsigned blocks = 32, threads = 256;
constexpr std::size_t n = on_simt ? std::size_t{1} << 14 : std::size_t{1} << 24;

__global__ void add_partials(const float* x, float* partials) {
  float value = 0;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid()) value += x[i];
  partials[thread_in_grid()] = value;
}

struct times {
  double first = 0, without_waiting = 0, with_copy = 0, kernel = 0;  ///< microseconds
};

template <class Function>
double host_microseconds(const Function& function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

/// On the simulator the times are meaningless.
times measure(gpu::stream& stream, const gpu::buffer<float>& x, std::vector<float>& partials) {
  gpu::buffer<float> device_partials(stream, blocks * threads);
  const auto enqueue = [&] {
    gpu::launch(add_partials, blocks, threads, 0, stream, x.data(), device_partials.data());
  };
  gpu::synchronise(stream);
  times found;
  found.first = host_microseconds([&] {
    enqueue();
    gpu::synchronise(stream);
  });
  found.without_waiting = host_microseconds(enqueue);
  gpu::synchronise(stream);
  found.with_copy = host_microseconds([&] {
    enqueue();
    device_partials.copy_to(partials.data(), partials.size());
  });
  found.kernel = microseconds(stream, enqueue);
  return found;
}

hazard_outcome run_timed(const hazard_request& request) {
  seeded_stream stream(request.seed);
  gpu::buffer<float> x(stream, n);
  fill_ones(x);
  std::vector<float> partials(blocks * threads);
  const times found = measure(stream, x, partials);
  double total = 0;
  for (const float partial : partials) total += partial;
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  const bool right = total == static_cast<double>(n) && outcome.detected.empty();
  if (on_simt) {
    outcome.expected = "a right sum; times only on a GPU";
    outcome.observed =
        format_text("the sum is %s; the simulator has no clock: run it on a GPU", right ? "right" : "wrong");
    outcome.as_expected = right;
  } else {
    outcome.expected = "without waiting too short; in the first launch and through the copy too long";
    outcome.observed = format_text(
        "%.3g µs without waiting, %.3g µs in the first launch, %.3g µs through the copy; the "
        "kernel takes %.3g µs",
        found.without_waiting, found.first, found.with_copy, found.kernel);
    outcome.as_expected = right && found.without_waiting < found.kernel && found.first > found.kernel &&
                          found.with_copy > found.kernel;
    outcome.figures = {{"microseconds_without_waiting", found.without_waiting},
                       {"microseconds_of_first_launch", found.first},
                       {"microseconds_with_copy", found.with_copy},
                       {"kernel_microseconds", found.kernel}};
  }
  return outcome;
}

const register_hazard registration{
    {.number = 23,
     .name = "timed_wrong",
     .file = "timed_wrong.cu",
     .effect = "Times one kernel in four ways: by the host's clock without waiting, in its first launch, through "
               "the copy "
               "of the result, and between two events.",
     .cause =
         "A launch only enqueues the kernel, so without waiting the clock measures the call. The first launch also "
         "loads the code and wakes the GPU. A blocking copy waits for the kernel, then adds its own time.",
     .fix =
         "Launch once untimed, then record an event before and after many launches, wait for the second event, and "
         "report the median: lab/on_gpu/replay.cuh. Name copies as copies: exactdot lab prints them apart."},
    run_timed};

}  // namespace
}  // namespace exactdot::lab
