// Reductions on a GPU of what `exactdot bench` does not measure: vectors that are not aligned to 16 bytes, or not
// to each other; 16-bit elements and integers. Beside them cublasDotEx, cub::DeviceReduce and, of the same bytes,
// the fastest kernel that only reads.
//
// Medians of rounds in which all ways take turns, in a replayed graph. Output: one JSON object a line, "row" saying
// what is computed; then a table. Usage: gpu_elements [SHORTEST LONGEST], powers of two, bytes of a vector.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <bench/experiments/fill.cuh>
#include <bench/library.hpp>
#include <bench/on_gpu/timing_modes.cuh>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_reduce.cuh>
#include <exactdot/cuda.hpp>
#include <map>
#include <string>
#include <vector>

namespace experiment {
namespace {

using bench::sampler;
using exactdot::any_vector;
using exactdot::element_type;
using exactdot::mode;
using exactdot::reduction;
using exactdot::on_gpu::buffer;
using exactdot::on_gpu::check;
using exactdot::on_gpu::stream;

constexpr int rounds = 9;
constexpr double sample_seconds = 2e-3;

struct way {
  std::string name;
  std::function<void()> enqueue;
};

class measurement {
 public:
  measurement(int shortest, int longest)
      : shortest_(shortest),
        longest_(longest),
        a_(gpu_, room()),
        b_(gpu_, room()),
        result_(gpu_, 4),
        workspace_(gpu_.handle()),
        scratch_(gpu_, std::size_t{1} << 20) {}

  void run() {
    for (int log2_bytes = shortest_; log2_bytes <= longest_; log2_bytes += 2) {
      bytes_ = std::size_t{1} << log2_bytes;
      shifted<float>(element_type::float32);
      shifted<double>(element_type::float64);
      narrow<__half>(element_type::float16);
      narrow<__nv_bfloat16>(element_type::bfloat16);
      sums<std::int8_t>(element_type::int8);
      sums<std::int16_t>(element_type::int16);
      sums<std::int32_t>(element_type::int32);
      sums<std::int64_t>(element_type::int64);
      extrema<std::int8_t>(element_type::int8);
      extrema<std::int16_t>(element_type::int16);
      extrema<std::int32_t>(element_type::int32);
      extrema<float>(element_type::float32);
      extrema<double>(element_type::float64);
    }
    print_table();
  }

 private:
  [[nodiscard]] std::size_t room() const { return (std::size_t{1} << longest_) + 64; }

  [[nodiscard]] any_vector vector(const buffer<char>& of, element_type type, int shift = 0) const {
    const std::size_t size = exactdot::size_of(type);
    return {of.data() + static_cast<std::size_t>(shift) * size, bytes_ / size, type};
  }

  way dot(const char* name, element_type type, mode computed_in, int shift_a, int shift_b) {
    return {name, [=, this] {
              exactdot::cuda::dot(workspace_, vector(a_, type, shift_a), vector(b_, type, shift_b),
                                  exactdot::default_result_type(reduction::dot, type), result_.data(),
                                  {.mode = computed_in});
            }};
  }
  way reduce(const char* name, reduction what, element_type type, int shift = 0) {
    return {name, [=, this] {
              exactdot::cuda::reduce(workspace_, what, vector(a_, type, shift),
                                     exactdot::default_result_type(what, type), result_.data());
            }};
  }

  template <class T>
  void fill_with() {
    std::uint64_t seed = 1;
    for (buffer<char>* const each : {&a_, &b_}) {
      fill<<<1024, 256, 0, gpu_.handle()>>>(reinterpret_cast<T*>(each->data()), bytes_ / sizeof(T) + 4,
                                            seed++ << 40);
    }
    check(cudaGetLastError(), "filling the vectors");
  }

  template <class T>
  void shifted(element_type type) {
    fill_with<T>();
    for (const mode computed_in : {mode::exact, mode::fast}) {
      const std::string row = computed_in == mode::exact ? "dot" : "dot, fast";
      take_turns(row, type,
                 {dot("aligned", type, computed_in, 0, 0), dot("both by 1", type, computed_in, 1, 1),
                  dot("b by 1", type, computed_in, 0, 1), dot("a by 1", type, computed_in, 1, 0),
                  dot("a by 1, b by 2", type, computed_in, 1, 2)});
    }
    take_turns("sum", type, {reduce("aligned", reduction::sum, type), reduce("by 1", reduction::sum, type, 1)});
  }

  template <class T>
  void narrow(element_type type) {
    fill_with<T>();
    std::vector<way> ways = {dot("exact", type, mode::exact, 0, 0), dot("fast", type, mode::fast, 0, 0)};
    if (bytes_ <= std::size_t{1} << 32) ways.push_back(cublas_dot(type));
    with_readers(ways, 2);
    take_turns("dot", type, ways);
    ways = {reduce("exact", reduction::sum, type), reduce("max", reduction::max, type)};
    with_readers(ways, 1);
    take_turns("sum and max", type, ways);
  }

  way cublas_dot(element_type type) {
    static const bench::library file("libcublas.so.13");
    static cublasHandle_t handle = nullptr;
    if (handle == nullptr) {
      file.find<decltype(cublasCreate_v2)>("cublasCreate_v2")(&handle);
      file.find<decltype(cublasSetStream_v2)>("cublasSetStream_v2")(handle, gpu_.handle());
      file.find<decltype(cublasSetPointerMode_v2)>("cublasSetPointerMode_v2")(handle, CUBLAS_POINTER_MODE_DEVICE);
      file.find<decltype(cublasSetWorkspace_v2)>("cublasSetWorkspace_v2")(handle, scratch_.data(), scratch_.size());
    }
    auto* const function = file.find<decltype(cublasDotEx_64)>("cublasDotEx_64");
    const cudaDataType_t data = type == element_type::float16 ? CUDA_R_16F : CUDA_R_16BF;
    const auto n = static_cast<std::int64_t>(bytes_ / 2);
    return {"cublasDotEx", [=, this] {
              const cublasStatus_t status =
                  function(handle, n, a_.data(), data, 1, b_.data(), data, 1, result_.data(), data, CUDA_R_32F);
              if (status != CUBLAS_STATUS_SUCCESS) std::fprintf(stderr, "cublasDotEx: status %d\n", status);
            }};
  }

  template <class T>
  void sums(element_type type) {
    fill_with<T>();
    std::vector<way> ways = {reduce("exact", reduction::sum, type),
                             cub_way<std::int64_t>([](auto... all) { return cub::DeviceReduce::Sum(all...); },
                                                   static_cast<const T*>(nullptr))};
    with_readers(ways, 1);
    take_turns("sum", type, ways);
  }

  template <class T>
  void extrema(element_type type) {
    fill_with<T>();
    std::vector<way> ways = {
        reduce("exact", reduction::max, type),
        cub_way<T>([](auto... all) { return cub::DeviceReduce::Max(all...); }, static_cast<const T*>(nullptr))};
    with_readers(ways, 1);
    take_turns("max", type, ways);
    ways = {reduce("exact", reduction::argmax, type), cub_arg_max<T>()};
    with_readers(ways, 1);
    take_turns("argmax", type, ways);
  }

  template <class Result, class Function, class T>
  way cub_way(Function function, const T*) {
    const auto n = static_cast<std::int64_t>(bytes_ / sizeof(T));
    return {"cub", [=, this] {
              std::size_t size = scratch_.size();
              check(function(static_cast<void*>(scratch_.data()), size, reinterpret_cast<const T*>(a_.data()),
                             reinterpret_cast<Result*>(result_.data()), n, gpu_.handle()),
                    "cub");
            }};
  }
  template <class T>
  way cub_arg_max() {
    const auto n = static_cast<std::int64_t>(bytes_ / sizeof(T));
    return {"cub", [=, this] {
              std::size_t size = scratch_.size();
              check(cub::DeviceReduce::ArgMax(scratch_.data(), size, reinterpret_cast<const T*>(a_.data()),
                                              reinterpret_cast<T*>(result_.data() + 2),
                                              reinterpret_cast<std::int64_t*>(result_.data()), n, gpu_.handle()),
                    "cub");
            }};
  }

  void with_readers(std::vector<way>& ways, int vectors) {
    const void* const a = a_.data();
    const void* const b = vectors == 2 ? b_.data() : a_.data() + bytes_ / 2;
    const std::size_t each = vectors == 2 ? bytes_ : bytes_ / 2;
    for (const bench::reader& kernel : bench::readers(gpu_, each)) {
      ways.push_back({"read", [=, enqueue = kernel.enqueue] { enqueue(a, b, each); }});
    }
  }

  struct line {
    std::string row, type;
    std::size_t bytes;
    std::vector<std::pair<std::string, double>> microseconds;
  };

  void take_turns(const std::string& row, element_type type, const std::vector<way>& ways) {
    std::vector<sampler> samplers;
    std::vector<std::vector<double>> samples(ways.size());
    for (const way& each : ways) {
      const int calls = bench::calls_per_sample(sample_seconds, bench::estimate_seconds(gpu_, each.enqueue), 400);
      samplers.push_back(bench::in_warm_graph(gpu_, each.enqueue, calls));
    }
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < ways.size(); ++i) samples[i].push_back(samplers[i]());
    }
    line found{row, std::string(exactdot::name_of(type)), bytes_, {}};
    std::map<std::string, double> best;
    double spread = 0;  // the largest of all ways
    for (std::size_t i = 0; i < ways.size(); ++i) {
      std::sort(samples[i].begin(), samples[i].end());
      const double median = 1e6 * samples[i][rounds / 2];
      const auto [at, is_new] = best.emplace(ways[i].name, median);
      at->second = std::min(at->second, median);
      spread = std::max(spread, 1e6 * (samples[i][rounds * 3 / 4] - samples[i][rounds / 4]) / median);
      if (is_new) found.microseconds.emplace_back(ways[i].name, 0);
    }
    std::printf("{\"row\": \"%s\", \"type\": \"%s\", \"bytes\": %zu, \"spread\": %.3f", row.c_str(),
                found.type.c_str(), bytes_, spread);
    for (auto& [name, value] : found.microseconds) {
      value = best[name];
      std::printf(", \"%s\": %.3f", name.c_str(), value);
    }
    std::printf("}\n");
    std::fflush(stdout);
    lines_.push_back(std::move(found));
  }

  void print_table() const {
    for (const line& each : lines_) {
      std::printf("%-12s %-9s 2^%-3d", each.row.c_str(), each.type.c_str(),
                  static_cast<int>(std::bit_width(each.bytes)) - 1);
      for (const auto& [name, value] : each.microseconds) std::printf("  %s %.2f", name.c_str(), value);
      std::printf("\n");
    }
  }

  stream gpu_;
  int shortest_, longest_;
  buffer<char> a_, b_;
  buffer<std::uint64_t> result_;
  exactdot::cuda::workspace workspace_;
  buffer<char> scratch_;
  std::size_t bytes_ = 0;
  std::vector<line> lines_;
};

}  // namespace
}  // namespace experiment

int main(int arguments, char** argument) {
  try {
    cudaDeviceProp properties{};
    exactdot::on_gpu::check(cudaGetDeviceProperties(&properties, 0), "querying the device");
    std::printf("{\"gpu\": \"%s\"}\n", properties.name);
    const bool given = arguments > 2;
    experiment::measurement(given ? std::atoi(argument[1]) : 14, given ? std::atoi(argument[2]) : 30).run();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "gpu_elements: %s\n", failure.what());
    return 1;
  }
}
