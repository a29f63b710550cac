// Support for rung files: CUDA on both backends, the input of a rung, and its registration.
//
// A rung is a struct template with `launch()`, and `result()` or `results()`. `register_rung` adds it to the
// registry for each type and operation. The namespace is unnamed because a rung is compiled twice, by the host
// compiler for the simulator and by nvcc for a GPU, and both objects are linked into one program.
#pragma once

#include <chrono>
#include <exactdot/simt/cuda.hpp>
#include <lab/operators.hpp>
#include <lab/registry.hpp>
#include <memory>
#include <vector>

namespace exactdot::lab {
namespace {

#if defined(__CUDACC__)
constexpr backend this_backend = backend::cuda;
#else
constexpr backend this_backend = backend::simt;
#endif

/// The vectors, in device memory of this backend, and the launch configuration.
template <class T>
struct input {
  gpu::stream& stream;
  const T *a, *b;
  std::size_t n;
  unsigned grid, block;
  division parts;
  std::size_t results;
  const std::uint32_t* keys;  ///< workload groups
};

__device__ __forceinline__ std::size_t thread_in_grid() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ std::size_t threads_in_grid() { return std::size_t{gridDim.x} * blockDim.x; }

template <class T>
__global__ void store(T* out, T value) {
  *out = value;
}

/// Enqueues *out = identity; an identity of zero needs no kernel.
template <class Op, class T>
void reset(gpu::buffer<T>& out, gpu::stream& stream) {
  if constexpr (Op::template identity<T> == T{0}) {
    out.fill_zero();
  } else {
    gpu::launch(store<T>, 1, 1, 0, stream, out.data(), Op::template identity<T>);
  }
}

/// Waits and copies a single value to the host.
template <class T>
T only_value(const gpu::buffer<T>& out) {
  T value;
  out.copy_to(&value, 1);
  return value;
}

/// Waits and copies all values to the host.
template <class T>
std::vector<T> all_values(const gpu::buffer<T>& out) {
  std::vector<T> values(out.size());
  out.copy_to(values.data(), values.size());
  return values;
}

/// Waits, copies all partial results to the host and combines them there from first to last. Sets `times`, whose
/// copy includes the wait.
template <class Op, class T>
T combined_on_host(const gpu::buffer<T>& partials, finish_times& times) {
  using clock = std::chrono::steady_clock;
  const std::unique_ptr<T[]> copy(new T[partials.size()]);
  const auto start = clock::now();
  partials.copy_to(copy.get(), partials.size());
  const auto copied = clock::now();
  T total = Op::template identity<T>;
  for (std::size_t i = 0; i < partials.size(); ++i) total = Op::combine(total, copy[i]);
  const auto seconds = [](clock::duration time) { return std::chrono::duration<double>(time).count(); };
  times = {seconds(copied - start), seconds(clock::now() - copied)};
  return total;
}

template <class T, class Rung>
class prepared_gpu_rung final : public prepared_rung<T> {
 public:
  explicit prepared_gpu_rung(const rung_input<T>& given)
      : input_{*static_cast<gpu::stream*>(given.stream),
               given.a,
               given.b,
               given.config.n,
               given.config.grid,
               given.config.block,
               given.config.parts,
               given.results,
               given.keys},
        rung_{input_} {}
  void launch() override { rung_.launch(); }
  T result() override {
    if constexpr (requires { rung_.result(); }) {
      return rung_.result();
    } else {
      const std::vector<T> all = rung_.results();
      return all.empty() ? T{0} : all.front();
    }
  }
  std::vector<T> results() override {
    if constexpr (requires { rung_.results(); }) {
      return rung_.results();
    } else {
      return {rung_.result()};
    }
  }
  [[nodiscard]] finish_times last_finish() const override {
    if constexpr (requires { rung_.finish; }) return rung_.finish;
    return {};
  }

 private:
  input<T> input_;
  Rung rung_;
};

template <class T, class Rung>
std::unique_ptr<prepared_rung<T>> prepare(const rung_input<T>& given) {
  return std::make_unique<prepared_gpu_rung<T, Rung>>(given);
}

/// Registers a rung that supports only sum: Rung<T>. It has result() or, for a workload of several results,
/// results().
template <template <class> class Rung>
struct register_sum_rung {
  explicit register_sum_rung(const rung_info& info) {
    add_rung({info, this_backend, &prepare<float, Rung<float>>, &prepare<double, Rung<double>>});
  }
};

/// Registers a rung that supports every operation: Rung<T, Op>.
template <template <class, class> class Rung>
struct register_rung {
  explicit register_rung(const rung_info& info) {
    rung added{info, this_backend, &prepare_operation<float>, &prepare_operation<double>};
    added.info.any_operation = true;
    add_rung(added);
  }

 private:
  template <class T>
  static std::unique_ptr<prepared_rung<T>> prepare_operation(const rung_input<T>& given) {
    switch (given.op) {
      case operation::sum:
        return prepare<T, Rung<T, sum>>(given);
      case operation::min:
        return prepare<T, Rung<T, smallest>>(given);
      case operation::max:
        return prepare<T, Rung<T, largest>>(given);
      case operation::absmax:
        return prepare<T, Rung<T, largest_magnitude>>(given);
      case operation::product:
        return prepare<T, Rung<T, product>>(given);
    }
    return nullptr;
  }
};

}  // namespace
}  // namespace exactdot::lab
