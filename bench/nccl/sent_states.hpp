// What bench_nccl_allreduce sends: states of each format, their memory on a GPU, and the results that the CPU gets.
#pragma once

#include <cuda_runtime.h>

#include <cstring>
#include <exactdot/accumulator.hpp>
#include <exactdot/states.hpp>
#include <random>
#include <vector>

#include "examples/nccl/nccl_errors.hpp"

namespace nccl_bench {

inline constexpr std::size_t max_results = 10'000;

/// The formats: compact ones hold sums of elements, full ones dot products too.
enum sent_format { compact_float, full_float, compact_double, full_double };
inline constexpr int sent_formats = 4;
inline constexpr exactdot::state_format formats[sent_formats] = {
    {exactdot::reduction::sum, exactdot::element_type::float32, exactdot::state_form::compact},
    {exactdot::reduction::dot, exactdot::element_type::float32, exactdot::state_form::full},
    {exactdot::reduction::sum, exactdot::element_type::float64, exactdot::state_form::compact},
    {exactdot::reduction::dot, exactdot::element_type::float64, exactdot::state_form::full}};

template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, n * sizeof(T)), "allocating device memory");
    data_ = static_cast<T*>(memory);
    check(cudaMemset(data_, 0, n * sizeof(T)), "clearing device memory");
  }
  explicit device_array(const std::vector<T>& from) : device_array(from.size()) {
    check(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "copying to the device");
  }
  ~device_array() { cudaFree(data_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// The words of one GPU's states, one for each result, of four numbers each; the same on every run.
template <class T>
std::vector<std::int64_t> words_of(const exactdot::state_format& format, int gpu) {
  std::mt19937_64 random(static_cast<unsigned>(gpu) + 7);
  std::uniform_real_distribution<double> values(-1, 1);
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < max_results; ++i) {
    exactdot::accumulator<T> sum;
    for (int k = 0; k < 4; ++k) {
      const T a = static_cast<T>(values(random)), b = static_cast<T>(values(random));
      format.what == exactdot::reduction::dot ? sum.add(a, b) : sum.add(a);
    }
    const auto words = sum.words();
    all.insert(all.end(), words.begin(), words.end());
  }
  if (format.form == exactdot::state_form::full) return all;
  std::vector<std::int64_t> compact(max_results * format.words());
  exactdot::convert_states({format.what, format.type}, all, format.form, compact);
  return compact;
}
inline std::vector<std::int64_t> words_of(const exactdot::state_format& format, int gpu) {
  return format.type == exactdot::element_type::float32 ? words_of<float>(format, gpu)
                                                        : words_of<double>(format, gpu);
}

/// The rounded sums of all GPUs' states, by the CPU: doubles, of states of float as well.
inline std::vector<double> expected_of(const exactdot::state_format& format, int gpus) {
  std::vector<std::int64_t> sum = words_of(format, 0);
  for (int gpu = 1; gpu < gpus; ++gpu) {
    const auto added = words_of(format, gpu);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += added[i];
  }
  std::vector<double> found(max_results);
  exactdot::round_states(format, sum, found);
  return found;
}

/// States of a format on one GPU: sent, received.
struct state_arrays {
  device_array<std::int64_t> sent, received;
  state_arrays(const exactdot::state_format& format, int gpu)
      : sent(words_of(format, gpu)), received(max_results * format.words()) {}
};

/// Results in device memory that differ from the expected bits.
inline std::size_t wrong_results(const double* results, const std::vector<double>& expected) {
  std::vector<double> found(expected.size());
  check(cudaMemcpy(found.data(), results, found.size() * sizeof(double), cudaMemcpyDeviceToHost),
        "copying results");
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i) wrong += std::memcmp(&found[i], &expected[i], sizeof(double)) != 0;
  return wrong;
}

}  // namespace nccl_bench
