// Reductions over axes that no one stride describes, of arrays in a GPU's memory, beside the fastest kernel that
// only reads as many bytes; and rows whose elements are converted one by one, which the same kernels compute. Some
// 2^25 elements.
//
// Medians of rounds in which all ways take turns, in a replayed graph.
// tests/cuda/on_gpu/element_axes_calls_test.cpp compares the results. Output: one JSON object a line. Usage:
// gpu_axes.
#include <bench/experiments/way_timing.cuh>
#include <cstdio>
#include <exactdot/cuda/batches.hpp>
#include <string>
#include <vector>

namespace experiment {
namespace {

using namespace exactdot;
using on_gpu::buffer;
using on_gpu::check;

/// An array in C order and which of its axes are reduced.
struct shape {
  const char* name;
  std::vector<std::size_t> lengths;
  std::vector<bool> is_reduced;
};
const shape shapes[] = {
    {"axes 0 and 2", {1024, 32, 1024}, {true, false, true}},
    {"axes 0 and 2, short", {32, 32768, 32}, {true, false, true}},
    {"axes 0 and 2, few results", {4096, 3, 2730}, {true, false, true}},
    {"pixels of channels", {64, 160, 56, 58}, {true, false, true, true}},
    {"all but every other row", {4096, 2, 4096}, {true, false, true}},
    {"axes 0 and 2 of 4", {32, 64, 128, 128}, {true, false, true, false}},
    {"rows of one stride", {4096, 8192}, {false, true}},
};

class measurement {
 public:
  measurement() : memory_(gpu_, bytes), results_(gpu_, std::size_t{1} << 24), workspace_(gpu_.handle()) {
    std::vector<std::uint16_t> random(bytes / 2);  // numbers of every type below 2 in magnitude, but float16's
    std::uint64_t state = 1;
    for (std::uint16_t& x : random) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      x = static_cast<std::uint16_t>(state >> 33 & 0xbfff);
    }
    memory_.copy_from(reinterpret_cast<const char*>(random.data()), bytes);
  }

  void measure(const shape& of, element_type type, reduction what, element_type result) {
    std::vector<axis> results, elements, places;
    std::size_t stride = size_of(type), all = 1, count = 1;
    for (std::size_t k = of.lengths.size(); k-- != 0; stride *= of.lengths[k]) {
      const axis each{of.lengths[k], static_cast<std::ptrdiff_t>(stride)};
      auto& to = of.is_reduced[k] ? elements : results;
      to.insert(to.begin(), each);
      all *= of.lengths[k];
    }
    for (std::size_t k = results.size(); k-- != 0; count *= results[k].n) {
      places.insert(places.begin(), {results[k].n, static_cast<std::ptrdiff_t>(count * size_of(result))});
    }
    const any_grid x{memory_.data(), type, results, elements};
    const any_results to{results_.data(), result, places};
    std::vector<way> ways;
    ways.push_back({"exactdot", [&] { cuda::reduce(workspace_, what, x, to, {}); }});
    const std::size_t half = all * size_of(type) / 2;
    for (const bench::reader& kernel : bench::readers(gpu_, half)) {
      ways.push_back(
          {"read", [=, this, enqueue = kernel.enqueue] { enqueue(memory_.data(), memory_.data() + half, half); }});
    }
    std::printf("{\"what\": \"%s\", \"type\": \"%s\", \"axes\": \"%s\", \"results\": %zu", name_of(what),
                name_of(type).data(), of.name, count);
    for (const auto& [name, microseconds] : medians(gpu_, ways, 7)) {
      std::printf(", \"%s\": %.2f", name.c_str(), microseconds);
    }
    std::printf("}\n");
    std::fflush(stdout);
  }

 private:
  static constexpr std::size_t bytes = std::size_t{1} << 28;
  on_gpu::stream gpu_;
  buffer<char> memory_, results_;
  cuda::workspace workspace_;
};

void run() {
  measurement on;
  using enum element_type;
  for (const shape& each : shapes) {
    const bool converts = each.lengths.size() == 2;
    for (const element_type type : {converts ? int32 : float32, float64, bfloat16, int64}) {
      const element_type rounded = is_integer(type) ? float64 : type;
      if (converts && type == float64) continue;
      on.measure(each, type, reduction::sum, rounded);
      on.measure(each, type, reduction::variance, rounded);
      if (converts) continue;
      on.measure(each, type, reduction::max, type);
    }
  }
}

}  // namespace
}  // namespace experiment

int main() {
  try {
    cudaDeviceProp properties{};
    exactdot::on_gpu::check(cudaGetDeviceProperties(&properties, 0), "querying the device");
    std::printf("{\"gpu\": \"%s\"}\n", properties.name);
    experiment::run();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "gpu_axes: %s\n", failure.what());
    return 1;
  }
}
