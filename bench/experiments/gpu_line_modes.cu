// Extreme elements of rows and columns in a GPU's memory, beside CUB's segmented reductions and, of the same bytes,
// the fastest kernel that only reads. 2^25 elements in all.
//
// Medians of rounds in which all ways take turns, in a replayed graph. Some results are compared with the vector
// call. Output: one JSON object a line. Usage: gpu_line_modes. bench/python/line_modes.py measures PyTorch on the
// same shapes.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <bench/experiments/fill.cuh>
#include <bench/experiments/way_timing.cuh>
#include <cstdio>
#include <cstring>
#include <cub/device/device_segmented_reduce.cuh>
#include <exactdot/cuda/batches.hpp>
#include <string>
#include <vector>

namespace experiment {
namespace {

using exactdot::reduction;
using exactdot::on_gpu::buffer;
using exactdot::on_gpu::check;
using exactdot::on_gpu::stream;

constexpr std::size_t elements = std::size_t{1} << 25;
constexpr int rounds = 7;

/// What is computed of each line.
struct job {
  const char* name;
  reduction what;
};
constexpr job jobs[] = {{"max", reduction::max}, {"argmax", reduction::argmax}};

struct times_length {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t i) const { return i * length; }
};

template <class T>
class measurement {
 public:
  measurement()
      : a_(gpu_, elements + 64),
        results_(gpu_, elements / 4),
        scratch_(gpu_, std::size_t{256} << 20),
        workspace_(gpu_.handle()) {
    fill<<<1024, 256, 0, gpu_.handle()>>>(a_.data(), elements + 64, std::uint64_t{1} << 40);
    check(cudaGetLastError(), "filling the matrices");
  }

  void run() {
    for (const int log2_length : {3, 5, 7, 9, 11, 13, 15, 18, 21}) {
      for (const job& asked : jobs) {
        measure(asked, std::size_t{1} << log2_length, false);
        measure(asked, std::size_t{1} << log2_length, true);
      }
    }
  }

 private:
  /// Rows of `length` elements, or columns of as many.
  void measure(const job& asked, std::size_t length, bool columns) {
    const std::size_t count = elements / length;
    std::vector<way> ways;
    ways.push_back({"exactdot", [=, this] { enqueue(asked, count, length, columns); }});
    if (!columns) ways.push_back({"cub", [=, this] { cub_segmented(asked.what, count, length); }});
    const std::size_t each = elements * sizeof(T) / 2;
    const auto* const start = reinterpret_cast<const char*>(a_.data());
    for (const bench::reader& kernel : bench::readers(gpu_, each)) {
      ways.push_back({"read", [=, enqueue = kernel.enqueue] { enqueue(start, start + each, each); }});
    }
    const auto found = medians(gpu_, ways, rounds);
    std::printf("{\"what\": \"%s of %s\", \"type\": \"%s\", \"lines\": %zu, \"length\": %zu, \"wrong\": %zu",
                asked.name, columns ? "columns" : "rows", exactdot::name_of(exactdot::type_of<T>).data(), count,
                length, wrong_results(asked, count, length, columns));
    for (const auto& [name, microseconds] : found) std::printf(", \"%s\": %.2f", name.c_str(), microseconds);
    std::printf("}\n");
    std::fflush(stdout);
  }

  void enqueue(const job& asked, std::size_t count, std::size_t length, bool columns) {
    const auto of = [&](const auto& x) {
      if (exactdot::gives_index(asked.what)) {
        exactdot::cuda::reduce(workspace_, asked.what, x, reinterpret_cast<std::int64_t*>(results_.data()));
      } else {
        exactdot::cuda::reduce(workspace_, asked.what, x, reinterpret_cast<T*>(results_.data()));
      }
    };
    if (columns) {
      of(exactdot::columns(a_.data(), length, count));
    } else {
      of(exactdot::rows(a_.data(), count, length));
    }
  }

  void cub_segmented(reduction what, std::size_t count, std::size_t length) {
    const auto offsets = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                         times_length{static_cast<std::int64_t>(length)});
    const auto segments = static_cast<std::int64_t>(count);
    std::size_t bytes = scratch_.size();
    T* const out = reinterpret_cast<T*>(results_.data());
    if (what == reduction::max) {
      check(cub::DeviceSegmentedReduce::Max(scratch_.data(), bytes, a_.data(), out, segments, offsets, offsets + 1,
                                            gpu_.handle()),
            "cub");
    } else {
      auto* const pairs = reinterpret_cast<cub::KeyValuePair<int, T>*>(scratch_.data() + (bytes / 2));
      bytes /= 2;
      check(cub::DeviceSegmentedReduce::ArgMax(scratch_.data(), bytes, a_.data(), pairs, segments, offsets,
                                               offsets + 1, gpu_.handle()),
            "cub");
    }
  }

  /// Of some results, how many differ from the vector call.
  std::size_t wrong_results(const job& asked, std::size_t count, std::size_t length, bool columns) {
    enqueue(asked, count, length, columns);
    const bool index = exactdot::gives_index(asked.what);
    const std::size_t bytes = index ? 8 : sizeof(T);
    std::vector<std::uint64_t> found(elements / 4);
    results_.copy_to(found.data(), found.size());
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < 16; ++k) {
      const std::size_t i = k * (count - 1) / 15;
      const auto line = [&](const T* first) {
        const auto step = static_cast<std::ptrdiff_t>((columns ? count : 1) * sizeof(T));
        return exactdot::any_vector{first + (columns ? i : i * length), length, exactdot::type_of<T>, step};
      };
      const exactdot::element_type type = index ? exactdot::element_type::int64 : exactdot::type_of<T>;
      const std::uint64_t bits = exactdot::cuda::reduce(workspace_, asked.what, line(a_.data()), type).bits;
      wrong += std::memcmp(reinterpret_cast<const char*>(found.data()) + i * bytes, &bits, bytes) != 0 ? 1 : 0;
    }
    return wrong;
  }

  stream gpu_;
  buffer<T> a_;
  buffer<std::uint64_t> results_;
  buffer<char> scratch_;
  exactdot::cuda::workspace workspace_;
};

}  // namespace
}  // namespace experiment

int main() {
  try {
    cudaDeviceProp properties{};
    exactdot::on_gpu::check(cudaGetDeviceProperties(&properties, 0), "querying the device");
    std::printf("{\"gpu\": \"%s\"}\n", properties.name);
    experiment::measurement<float>().run();
    experiment::measurement<double>().run();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "gpu_line_modes: %s\n", failure.what());
    return 1;
  }
}
