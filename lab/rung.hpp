// What a rung's file needs: CUDA for both worlds, the vectors it is given, and a line to enlist with.
//
// A rung is a struct template with `launch()` and `result()`; `enlist` wraps it for the registry, once for each
// type and operation. Everything is in an unnamed namespace, for the file is compiled twice: by the host compiler
// against the simulator and by nvcc for a GPU, and both end up in one program.
#pragma once

#include <exactdot/simt/cuda.hpp>
#include <lab/operators.hpp>
#include <lab/registry.hpp>
#include <memory>

namespace exactdot::lab {
namespace {

#if defined(__CUDACC__)
constexpr world this_world = world::cuda;
#else
constexpr world this_world = world::simt;
#endif

/// The vectors, on the device of this world, and the launch that was chosen.
template <class T>
struct input {
  gpu::stream& stream;
  const T *a, *b;
  std::size_t n;
  unsigned grid, block;
};

__device__ __forceinline__ std::size_t thread_in_grid() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ std::size_t threads_in_grid() { return std::size_t{gridDim.x} * blockDim.x; }

template <class T>
__global__ void store(T* out, T value) {
  *out = value;
}

/// Enqueues *out = identity. Zero needs no kernel.
template <class Op, class T>
void reset(gpu::buffer<T>& out, gpu::stream& stream) {
  if constexpr (Op::template identity<T> == T{0}) {
    out.fill_zero();
  } else {
    gpu::launch(store<T>, 1, 1, 0, stream, out.data(), Op::template identity<T>);
  }
}

/// Waits, and brings the one value to the host.
template <class T>
T only_value(const gpu::buffer<T>& out) {
  T value;
  out.copy_to(&value, 1);
  return value;
}

/// Waits, brings all partial results to the host and combines them there, first to last.
template <class Op, class T>
T combined_on_host(const gpu::buffer<T>& partials) {
  const std::unique_ptr<T[]> copy(new T[partials.size()]);
  partials.copy_to(copy.get(), partials.size());
  T total = Op::template identity<T>;
  for (std::size_t i = 0; i < partials.size(); ++i) total = Op::combine(total, copy[i]);
  return total;
}

template <class T, class Rung>
class attempt_of final : public attempt<T> {
 public:
  explicit attempt_of(const task<T>& what)
      : input_{*static_cast<gpu::stream*>(what.stream),
               what.a,
               what.b,
               what.size.n,
               what.size.grid,
               what.size.block},
        rung_{input_} {}
  void launch() override { rung_.launch(); }
  T result() override { return rung_.result(); }

 private:
  input<T> input_;
  Rung rung_;
};

template <class T, class Rung>
std::unique_ptr<attempt<T>> start(const task<T>& what) {
  return std::make_unique<attempt_of<T, Rung>>(what);
}

/// Enlists a rung that adds: Rung<T>.
template <template <class> class Rung>
struct enlist_sum {
  explicit enlist_sum(const rung_info& info) {
    add_rung({info, this_world, &start<float, Rung<float>>, &start<double, Rung<double>>});
  }
};

/// Enlists a rung that takes every operation: Rung<T, Op>.
template <template <class, class> class Rung>
struct enlist {
  explicit enlist(const rung_info& info) {
    rung one{info, this_world, &of_operation<float>, &of_operation<double>};
    one.info.any_operation = true;
    add_rung(one);
  }

 private:
  template <class T>
  static std::unique_ptr<attempt<T>> of_operation(const task<T>& what) {
    switch (what.op) {
      case operation::sum:
        return start<T, Rung<T, sum>>(what);
      case operation::min:
        return start<T, Rung<T, smallest>>(what);
      case operation::max:
        return start<T, Rung<T, largest>>(what);
      case operation::absmax:
        return start<T, Rung<T, largest_magnitude>>(what);
      case operation::product:
        return start<T, Rung<T, product>>(what);
    }
    return nullptr;
  }
};

}  // namespace
}  // namespace exactdot::lab
