// Segments of vectors in a GPU's memory, and variances of rows, columns and segments: exact, beside CUB's segmented
// sum and, of the same bytes, the fastest kernel that only reads. 2^25 elements, or pairs, in all.
//
// Medians of rounds in which all ways take turns, in a replayed graph. Some results are compared with the vector
// call. Output: one JSON object a line.
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <bench/experiments/fill.cuh>
#include <bench/experiments/way_timing.cuh>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cub/device/device_segmented_reduce.cuh>
#include <exactdot/cuda/batches.hpp>
#include <random>

namespace experiment {
namespace {

using exactdot::reduction;
using exactdot::on_gpu::buffer;
using exactdot::on_gpu::check;
using exactdot::on_gpu::stream;

constexpr std::size_t elements = std::size_t{1} << 25;
constexpr int rounds = 7;

/// Offsets of one kind of segments, and what the kind is called.
struct segmentation {
  std::string name;
  std::vector<int> offsets;
  [[nodiscard]] std::size_t count() const { return offsets.size() - 1; }
};

segmentation equal_segments(std::size_t length) {
  segmentation made{std::to_string(length), {}};
  for (std::size_t i = 0; i <= elements / length; ++i) made.offsets.push_back(static_cast<int>(i * length));
  return made;
}

/// One of 2^24 elements among 2^20 of up to 31.
segmentation one_huge() {
  segmentation made{"1 huge, 2^20 tiny", {0}};
  std::mt19937 random(1);
  const std::size_t tiny = std::size_t{1} << 20;
  for (std::size_t i = 0; i <= tiny; ++i) {
    const int n = i == tiny / 3 ? 1 << 24 : static_cast<int>(random() % 32);
    made.offsets.push_back(std::min(made.offsets.back() + n, static_cast<int>(elements)));
  }
  return made;
}

/// Lengths whose logarithms are uniform, up to 2^18, some of them 0.
segmentation of_all_lengths() {
  segmentation made{"1 to 2^18", {0}};
  std::mt19937 random(2);
  while (made.offsets.back() < static_cast<int>(elements)) {
    const double exponent = 18.0 * static_cast<double>(random()) * 0x1p-32;
    const auto n = static_cast<int>(std::exp2(exponent) - (exponent < 1 ? 1 : 0));
    made.offsets.push_back(std::min(made.offsets.back() + n, static_cast<int>(elements)));
  }
  return made;
}

struct product_of_pair {
  template <class Pair>
  __host__ __device__ auto operator()(const Pair& pair) const {
    return thrust::get<0>(pair) * thrust::get<1>(pair);
  }
};

template <class T>
class measurement {
 public:
  measurement()
      : a_(gpu_, elements + 64),
        b_(gpu_, elements + 64),
        results_(gpu_, elements / 8),
        offsets_(gpu_, elements / 8),
        scratch_(gpu_, std::size_t{64} << 20),
        workspace_(gpu_.handle()) {
    std::uint64_t seed = 1;
    for (buffer<T>* const each : {&a_, &b_}) {
      fill<<<1024, 256, 0, gpu_.handle()>>>(each->data(), elements + 64, seed++ << 40);
    }
    check(cudaGetLastError(), "filling the vectors");
  }

  void run() {
    for (const segmentation& of :
         {equal_segments(32), equal_segments(128), equal_segments(1024), equal_segments(3355),
          equal_segments(1 << 14), equal_segments(1 << 17), one_huge(), of_all_lengths()}) {
      offsets_.copy_from(of.offsets.data(), of.offsets.size());
      for (const reduction what : {reduction::dot, reduction::sum, reduction::variance}) measure_segments(of, what);
    }
    for (const int log2_length : {5, 9, 13, 18, 21}) {
      const std::size_t length = std::size_t{1} << log2_length;
      measure_lines("variance of rows", exactdot::rows<T>(a_.data(), elements / length, length), elements / length,
                    length, reduction::variance);
      measure_lines("variance of columns", exactdot::columns<T>(a_.data(), elements / length, length), length,
                    length, reduction::variance);
    }
    for (const std::size_t columns : {4, 8, 32, 200}) {
      measure_lines("sum of columns", exactdot::columns<T>(a_.data(), elements / columns, columns), columns,
                    columns, reduction::sum);
    }
    for (const std::size_t rows : {2, 3, 16, 100, 300}) {
      measure_lines("sum of rows", exactdot::rows<T>(a_.data(), rows, elements / rows), rows, elements / rows,
                    reduction::sum);
    }
  }

 private:
  static const char* type() { return sizeof(T) == 4 ? "float32" : "float64"; }

  std::vector<way> readers(std::size_t bytes, int vectors) {
    std::vector<way> ways;
    const auto* const start = reinterpret_cast<const char*>(a_.data());
    const std::size_t each = (vectors == 2 ? bytes : bytes / 2) / 512 * 512;
    const void* const second = vectors == 2 ? static_cast<const void*>(b_.data()) : start + each;
    for (const bench::reader& kernel : bench::readers(gpu_, each)) {
      ways.push_back({"read", [=, enqueue = kernel.enqueue] { enqueue(start, second, each); }});
    }
    return ways;
  }

  way cub_segmented(std::size_t count, bool two) {
    const auto reduce = [=, this](auto x) {
      std::size_t bytes = scratch_.size();
      check(cub::DeviceSegmentedReduce::Sum(scratch_.data(), bytes, x, results_.data(),
                                            static_cast<std::int64_t>(count), offsets_.data(), offsets_.data() + 1,
                                            gpu_.handle()),
            "cub");
    };
    const T *const a = a_.data(), *const b = b_.data();
    if (!two) return {"cub", [=] { reduce(a); }};
    return {"cub",
            [=] { reduce(thrust::make_transform_iterator(thrust::make_zip_iterator(a, b), product_of_pair{})); }};
  }

  void measure_segments(const segmentation& of, reduction what) {
    const std::span<const T> x(a_.data(), elements), y(b_.data(), elements);
    const std::span<const int> offsets(offsets_.data(), of.offsets.size());
    const exactdot::segments<std::span<const T>, int> given{x, offsets};
    const bool two = what == reduction::dot;
    std::vector<way> ways = {{"exact", [=, this] {
                                if (two) return exactdot::cuda::dot(workspace_, given, y, results_.data());
                                exactdot::cuda::reduce(workspace_, what, given, results_.data());
                              }}};
    if (what != reduction::variance) ways.push_back(cub_segmented(of.count(), two));
    const auto read = static_cast<std::size_t>(of.offsets.back()) * sizeof(T);
    for (way& each : readers(read, two ? 2 : 1)) ways.push_back(std::move(each));
    ways.front().enqueue();
    std::vector<T> found(of.count());
    results_.copy_to(found.data(), found.size());
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < 64; ++k) {
      const std::size_t i = k == 0 ? of.count() / 3 : k * (of.count() - 1) / 63;
      const auto begin = static_cast<std::size_t>(of.offsets[i]);
      const auto n = static_cast<std::size_t>(of.offsets[i + 1]) - begin;
      wrong +=
          differs(found[i], what, exactdot::to_any(a_.data() + begin, n), exactdot::to_any(b_.data() + begin, n));
    }
    print(std::string(exactdot::name_of(what)) + " of segments", of.name, of.count(), read * (two ? 2 : 1), wrong,
          ways);
  }

  template <class View>
  void measure_lines(const char* name, const View& lines, std::size_t count, std::size_t length, reduction what) {
    std::vector<way> ways = {
        {"exact", [=, this] { exactdot::cuda::reduce(workspace_, what, lines, results_.data()); }}};
    const std::size_t all = lines.m * lines.n;
    for (way& each : readers(all * sizeof(T), 1)) ways.push_back(std::move(each));
    ways.front().enqueue();
    std::vector<T> found(count);
    results_.copy_to(found.data(), found.size());
    std::size_t wrong = 0;
    const exactdot::detail::line_grid grid = exactdot::detail::to_lines(lines);
    for (std::size_t k = 0; k < 16; ++k) {
      const std::size_t i = k * (count - 1) / 15;
      const char* const first =
          static_cast<const char*>(grid.data) + static_cast<std::ptrdiff_t>(i) * grid.results.stride;
      const exactdot::any_vector x{first, grid.elements.n, exactdot::type_of<T>, grid.elements.stride};
      wrong += differs(found[i], what, x, x);
    }
    print(name, std::to_string(length), lines.m, all * sizeof(T), wrong, ways);
  }

  bool differs(T found, reduction what, const exactdot::any_vector& a, const exactdot::any_vector& b) {
    const exactdot::any_scalar alone = what == reduction::dot
                                           ? exactdot::cuda::dot(workspace_, a, b, exactdot::type_of<T>)
                                           : exactdot::cuda::reduce(workspace_, what, a, exactdot::type_of<T>);
    return std::memcmp(&alone.bits, &found, sizeof found) != 0;
  }

  void print(const std::string& name, const std::string& length, std::size_t count, std::size_t bytes,
             std::size_t wrong, const std::vector<way>& ways) {
    const auto found = medians(gpu_, ways, rounds);
    std::printf(
        "{\"row\": \"%s\", \"type\": \"%s\", \"rows\": %zu, \"length\": \"%s\", \"wrong\": %zu, \"gbps\": %.0f",
        name.c_str(), type(), count, length.c_str(), wrong,
        1e-3 * static_cast<double>(bytes) / found.front().second);
    for (const auto& [way, microseconds] : found) std::printf(", \"%s\": %.2f", way.c_str(), microseconds);
    std::printf("}\n");
    std::fflush(stdout);
  }

  stream gpu_;
  buffer<T> a_, b_, results_;
  buffer<int> offsets_;
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
    std::fprintf(stderr, "gpu_segments: %s\n", failure.what());
    return 1;
  }
}
