// Wrong kernels, each with one common fault, and a correct one beside them. CUDA C++, compiled for the simulator
// like the rungs.
#include <lab/rung.hpp>
#include <stdexcept>
#include <string_view>

#include "lab/wrong_kernels.hpp"

namespace exactdot::lab {
namespace {

constexpr unsigned threads = 64;

enum class flaw { none, race, no_barrier, never_zeroed, zeroed_once, tail, past_the_end, other_bits };

/// Reduces in shared memory, with one atomic per block and the selected flaw.
template <flaw wrong, class T>
__global__ void add(const T* a, const T* b, std::size_t n, T* out) {
  __shared__ T partial[threads];
  T value = 0;
  const std::size_t end = wrong == flaw::tail ? n / threads * threads : wrong == flaw::past_the_end ? n + 1 : n;
  for (std::size_t i = thread_in_grid(); i < end; i += threads_in_grid()) value += a[i] * b[i];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    if (wrong != flaw::no_barrier) __syncthreads();
  }
  if (threadIdx.x != 0) return;
  if (wrong == flaw::race) {
    *out += partial[0];
  } else {
    atomicAdd(out, partial[0]);
  }
}

template <flaw wrong>
struct with {
  template <class T>
  struct rung_of {
    const input<T>& in;
    gpu::buffer<T> out{in.stream, 1};
    bool zeroed = wrong == flaw::never_zeroed;

    void launch() {
      if (!zeroed) out.fill_zero();
      zeroed = wrong == flaw::never_zeroed || wrong == flaw::zeroed_once;
      gpu::launch(add<wrong, T>, in.grid, threads, 0, in.stream, in.a, in.b, in.n, out.data());
    }
    T result() { return only_value(out); }
  };
};

template <flaw wrong>
rung make_rung(const char* name) {
  const rung_info info{.name = name,
                       .blocks = block_rule::tree,
                       .block = threads,
                       .grid = grid_rule::many,
                       .same_bits = wrong == flaw::other_bits ? determinism::fixed_grid : determinism::none,
                       .roundings = [](const launch_config& config) {
                         return chain_length(config) + tree_depth(config.block) + config.grid + 1;
                       }};
  using flawed = with<wrong>;
  return {info, this_backend, &prepare<float, typename flawed::template rung_of<float>>,
          &prepare<double, typename flawed::template rung_of<double>>};
}

}  // namespace
}  // namespace exactdot::lab

exactdot::lab::rung lab_test::wrong_kernel(std::string_view name) {
  using namespace exactdot::lab;
  for (const rung& candidate :
       {make_rung<flaw::none>("none"), make_rung<flaw::race>("race"), make_rung<flaw::no_barrier>("no_barrier"),
        make_rung<flaw::never_zeroed>("never_zeroed"), make_rung<flaw::zeroed_once>("zeroed_once"),
        make_rung<flaw::tail>("tail"), make_rung<flaw::past_the_end>("past_the_end"),
        make_rung<flaw::other_bits>("other_bits")}) {
    if (candidate.info.name == name) return candidate;
  }
  throw std::out_of_range("no such kernel");
}
