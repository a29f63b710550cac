// Rows of arrays in a GPU's memory: exact sums, dots, norms and means of the rows of a matrix, sums of its columns,
// and a matrix times a vector, beside CUB's segmented sum, cuBLAS's gemv and, of the same bytes, the fastest kernel
// that only reads. 2^25 elements, or pairs, in all.
//
// Medians of rounds in which all ways take turns, in a replayed graph. Some results are compared with the vector
// call. Output: one JSON object a line; then a table.
#include <cublas_v2.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <bench/experiments/fill.cuh>
#include <bench/experiments/way_timing.cuh>
#include <bench/library.hpp>
#include <cstdio>
#include <cstring>
#include <cub/device/device_segmented_reduce.cuh>
#include <exactdot/cuda/batches.hpp>
#include <memory>
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

enum class job { dot, sum, matvec, mean, norm, columns };

const char* name_of(job what) {
  constexpr const char* names[] = {"dot", "sum", "matvec", "mean", "norm", "columns"};
  return names[static_cast<int>(what)];
}

/// The reduction of a job of one matrix.
reduction reduction_of(job what) {
  if (what == job::mean) return reduction::mean;
  return what == job::norm ? reduction::nrm2 : reduction::sum;
}

/// Numbers of 2^-60 to 2^60, each followed by its negative in the same row, but for one of 1: sums that cancel.
template <class T>
__global__ void make_cancel(T* x, std::size_t n, std::size_t length) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n / 2; i += stride) {
    const int exponent = static_cast<int>(i * 2654435761U >> 7 & 127) - 64;
    const T value = x[2 * i] * static_cast<T>(ldexp(1.0, exponent));
    x[2 * i] = value;
    x[2 * i + 1] = 2 * i % length == 0 ? T(1) - value : -value;
  }
}

/// Multiples of 2^-53 or, for float, of 2^-24: many sums of few of them are ties.
template <class T>
__global__ void make_coarse(T* x, std::size_t n) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    x[i] = static_cast<T>(rint(static_cast<double>(x[i]) / unit) * unit);
  }
}

struct times_length {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t i) const { return i * length; }
};
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
        results_(gpu_, elements / 16),
        scratch_(gpu_, std::size_t{64} << 20),
        workspace_(gpu_.handle()) {
    fill_uniform();
  }

  void run() {
    for (const int log2_length : {5, 7, 9, 11, 13, 15, 18, 21}) {
      length_ = std::size_t{1} << log2_length;
      rows_ = elements / length_;
      for (const job what : {job::dot, job::sum, job::matvec, job::columns, job::norm, job::mean}) measure(what);
    }
    for (const int log2_length : {5, 9, 13, 18}) {
      length_ = std::size_t{1} << log2_length;
      rows_ = elements / length_;
      make_coarse<<<1024, 256, 0, gpu_.handle()>>>(a_.data(), elements);
      time(job::sum, ", coarse numbers", {exact(job::sum)});
      time(job::mean, ", coarse numbers", {exact(job::mean)});
      make_cancel<<<1024, 256, 0, gpu_.handle()>>>(a_.data(), elements, length_);
      time(job::sum, ", cancels", {exact(job::sum)});
      fill_uniform();
    }
  }
  void print_table() const {
    for (const std::string& line : lines_) std::printf("%s\n", line.c_str());
  }

 private:
  void fill_uniform() {
    std::uint64_t seed = 1;
    for (buffer<T>* const each : {&a_, &b_}) {
      fill<<<1024, 256, 0, gpu_.handle()>>>(each->data(), elements + 64, seed++ << 40);
    }
    check(cudaGetLastError(), "filling the matrices");
  }

  way exact(job what) {
    return {"exact", [=, this] {
              const exactdot::rows a(a_.data(), rows_, length_), b(b_.data(), rows_, length_);
              T* const out = results_.data();
              switch (what) {
                case job::dot:
                  return exactdot::cuda::dot(workspace_, a, b, out);
                case job::matvec:
                  return exactdot::cuda::dot(workspace_, a, exactdot::repeated<T>{b_.data(), length_}, out);
                case job::columns:
                  return exactdot::cuda::reduce(workspace_, reduction::sum,
                                                exactdot::columns(a_.data(), rows_, length_), out);
                default:
                  exactdot::cuda::reduce(workspace_, reduction_of(what), a, out);
              }
            }};
  }

  /// One vector call for each row.
  way vectors(job what) {
    const bool two = what != job::sum, repeats_b = what == job::matvec;
    return {"vectors", [=, this] {
              for (std::size_t i = 0; i < rows_; ++i) {
                const T* const a = a_.data() + i * length_;
                if (two) {
                  exactdot::cuda::dot(workspace_, a, b_.data() + (repeats_b ? 0 : i * length_), length_,
                                      results_.data() + i);
                } else {
                  exactdot::cuda::reduce(workspace_, reduction::sum, exactdot::to_any(a, length_),
                                         exactdot::type_of<T>, results_.data() + i);
                }
              }
            }};
  }

  way cub_segmented(bool two) {
    const auto offsets = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                         times_length{static_cast<std::int64_t>(length_)});
    const auto reduce = [=, this](auto x) {
      std::size_t bytes = scratch_.size();
      check(cub::DeviceSegmentedReduce::Sum(scratch_.data(), bytes, x, results_.data(),
                                            static_cast<std::int64_t>(rows_), offsets, offsets + 1, gpu_.handle()),
            "cub");
    };
    const T *const a = a_.data(), *const b = b_.data();
    if (!two) return {"cub", [=] { reduce(a); }};
    return {"cub",
            [=] { reduce(thrust::make_transform_iterator(thrust::make_zip_iterator(a, b), product_of_pair{})); }};
  }

  way cublas_gemv() {
    static const bench::library file("libcublas.so.13");
    static cublasHandle_t handle = nullptr;
    if (handle == nullptr) {
      file.find<decltype(cublasCreate_v2)>("cublasCreate_v2")(&handle);
      file.find<decltype(cublasSetStream_v2)>("cublasSetStream_v2")(handle, gpu_.handle());
      file.find<decltype(cublasSetWorkspace_v2)>("cublasSetWorkspace_v2")(handle, scratch_.data(), scratch_.size());
    }
    using gemv = cublasStatus_t(cublasHandle_t, cublasOperation_t, std::int64_t, std::int64_t, const T*, const T*,
                                std::int64_t, const T*, std::int64_t, const T*, T*, std::int64_t);
    auto* const function = file.find<gemv>(sizeof(T) == 4 ? "cublasSgemv_v2_64" : "cublasDgemv_v2_64");
    const auto n = static_cast<std::int64_t>(length_), m = static_cast<std::int64_t>(rows_);
    return {"gemv", [=, this] {
              const T one = 1, zero = 0;
              const cublasStatus_t status =
                  function(handle, CUBLAS_OP_T, n, m, &one, a_.data(), n, b_.data(), 1, &zero, results_.data(), 1);
              if (status != CUBLAS_STATUS_SUCCESS) std::fprintf(stderr, "gemv: status %d\n", status);
            }};
  }

  void measure(job what) {
    const int matrices = what == job::dot ? 2 : 1;
    std::vector<way> ways = {exact(what)};
    if (rows_ <= 256 && (what == job::dot || what == job::sum || what == job::matvec))
      ways.push_back(vectors(what));
    if (what == job::matvec) ways.push_back(cublas_gemv());
    if (what == job::dot || what == job::sum) ways.push_back(cub_segmented(what == job::dot));
    const std::size_t bytes = elements * sizeof(T);
    const auto* const start = reinterpret_cast<const char*>(a_.data());
    const void* const second = matrices == 2 ? static_cast<const void*>(b_.data()) : start + bytes / 2;
    const std::size_t each = matrices == 2 ? bytes : bytes / 2;
    for (const bench::reader& kernel : bench::readers(gpu_, each)) {
      ways.push_back({"read", [=, enqueue = kernel.enqueue] { enqueue(start, second, each); }});
    }
    time(what, "", ways);
  }

  void time(job computed, const char* data, const std::vector<way>& ways) {
    const std::string what = std::string(name_of(computed)) + data;
    const int matrices = computed == job::dot ? 2 : 1;
    const auto found = medians(gpu_, ways, rounds);
    const std::size_t wrong = wrong_results(ways.front(), computed);
    const double gigabytes = 1e-9 * static_cast<double>(elements * sizeof(T)) * matrices;
    const char* const type = sizeof(T) == 4 ? "float32" : "float64";
    std::printf(
        "{\"row\": \"%s\", \"type\": \"%s\", \"rows\": %zu, \"length\": %zu, \"wrong\": %zu, \"gbps\": %.0f",
        what.c_str(), type, rows_, length_, wrong, 1e6 * gigabytes / found.front().second);
    char text[160];
    std::snprintf(text, sizeof text, "%-22s %s %8zu x %-8zu", what.c_str(), type, rows_, length_);
    std::string line = text;
    for (const auto& [name, microseconds] : found) {
      std::printf(", \"%s\": %.2f", name.c_str(), microseconds);
      std::snprintf(text, sizeof text, "  %s %.1f", name.c_str(), microseconds);
      line += text;
    }
    std::printf("}\n");
    std::fflush(stdout);
    if (wrong != 0) line += "  WRONG";
    lines_.push_back(line);
  }

  /// Of some results, how many differ from the vector call.
  std::size_t wrong_results(const way& computes, job what) {
    const std::size_t count = what == job::columns ? length_ : rows_;
    computes.enqueue();
    std::vector<T> found(count);
    results_.copy_to(found.data(), count);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < 16; ++k) {
      const std::size_t i = k * (count - 1) / 15;
      const T alone = vector_call(what, i);
      wrong += std::memcmp(&alone, &found[i], sizeof alone) != 0 ? 1 : 0;
    }
    return wrong;
  }
  T vector_call(job what, std::size_t i) {
    const T* const a = a_.data() + i * length_;
    if (what == job::dot) return exactdot::cuda::dot<T>(workspace_, a, b_.data() + i * length_, length_);
    if (what == job::matvec) return exactdot::cuda::dot<T>(workspace_, a, b_.data(), length_);
    exactdot::any_vector x = exactdot::to_any(a, length_);
    if (what == job::columns) {
      x = {a_.data() + i, rows_, exactdot::type_of<T>, static_cast<std::ptrdiff_t>(length_ * sizeof(T))};
    }
    const std::uint64_t bits = exactdot::cuda::reduce(workspace_, reduction_of(what), x, exactdot::type_of<T>).bits;
    T value{};
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  stream gpu_;
  buffer<T> a_, b_, results_;
  buffer<char> scratch_;
  exactdot::cuda::workspace workspace_;
  std::size_t rows_ = 0, length_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace
}  // namespace experiment

int main() {
  try {
    cudaDeviceProp properties{};
    exactdot::on_gpu::check(cudaGetDeviceProperties(&properties, 0), "querying the device");
    std::printf("{\"gpu\": \"%s\"}\n", properties.name);
    experiment::measurement<float> of_float;
    of_float.run();
    experiment::measurement<double> of_double;
    of_double.run();
    of_float.print_table();
    of_double.print_table();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "gpu_rows: %s\n", failure.what());
    return 1;
  }
}
