// The function of gradient_again.cuh.
#include <cuda/work/gradient_again.cuh>
#include <cuda/work/moments.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The sums of h·x̂ and of h.
struct gradient_total {
  line_sum<float, core::product> along;
  line_sum<float, core::value> h;

  __device__ __forceinline__ void join(const gradient_total& other) { along.join(other.along), h.join(other.h); }
};
__device__ __forceinline__ void copy_sum(const gradient_total& from, gradient_total& to) {
  copy_sum(from.along, to.along), copy_sum(from.h, to.h);
}
template <class Shuffle>
__device__ __forceinline__ gradient_total shuffled(const gradient_total& x, Shuffle shuffle) {
  return {shuffled(x.along, shuffle), shuffled(x.h, shuffle)};
}

constexpr int max_warps = 16;

struct gradient_storage : moment_storage<float> {
  gradient_total sums_of_warp[max_warps];
  float sum_along, sum_h;
  double variance;  ///< or Σx²
  bool has_along, has_h;
};
using block = whole_block<float>;
using line = operands<float, input_layout::any>;

constexpr core::result_rule float_rule{core::finish::round, core::format<float>::number};

__device__ __forceinline__ float weighted(const gradient_rows& in, unsigned row, std::size_t i) {
  const float g = value_at<float>(in.row_of_g(row), in.rows.type, i);
  return in.weight == nullptr ? g : __fmul_rn(g, in.weight[i]);
}

__device__ __forceinline__ const float* normal_of(const gradient_rows& in, unsigned row) {
  return reinterpret_cast<const float*>(in.rows.row_of_out(row));
}

/// What traced sums decide. By all threads; a barrier before.
__device__ void sum_by_traces(const gradient_rows& in, unsigned row, gradient_storage& storage) {
  constexpr int in_flight = 4;
  const std::size_t n = in.rows.n;
  const thread_share share{threadIdx.x, blockDim.x};
  bounded_thread_sum<float, core::product, summation::traced> along;
  bounded_thread_sum<float, core::value, summation::traced> of_h;
  for_each_element<in_flight, float>(
      n, share,
      [&](std::size_t i, float& h, float& normal) { h = weighted(in, row, i), normal = normal_of(in, row)[i]; },
      [&](const auto& h, const auto& normal) { along.add(h, normal), of_h.add(h, h); });
  const unsigned warps = blockDim.x / 32;
  const auto sums = sum_of_block(gradient_total{along.total(), of_h.total()}, storage.sums_of_warp, warps);
  if (threadIdx.x != 0) return;
  const error_bound bound = bound_of_line(n, static_cast<int>(blockDim.x), in_flight, pack<float>::count,
                                          /*are_products_of_doubles=*/false);
  const auto keep = [](const core::decision& found, float& value, bool& is_known) {
    is_known = found.certain;
    if (is_known) value = __uint_as_float(static_cast<unsigned>(found.word));
  };
  keep(decide<float>(sums.along, bound, float_rule, n), storage.sum_along, storage.has_along);
  keep(decide<float>(sums.h, bound, float_rule, n), storage.sum_h, storage.has_h);
}

/// h, or h and x̂, of a row as a line of stretches, each of which lies in a short array while it is added.
struct line_of_h {
  static constexpr bool are_stretches = true;
  const gradient_rows& in;
  unsigned row;
  float (&h)[gradient_memory::h_count];

  template <class Add>
  __device__ void for_each_stretch(Add add) const {
    const auto floats = [](const float* x) -> any_operand {
      return {reinterpret_cast<const char*>(x), sizeof(float), element_type::float32, false};
    };
    for (unsigned first = 0; first < in.rows.n; first += gradient_memory::h_count) {
      line stretch;
      stretch.n = ::min(in.rows.n - first, static_cast<unsigned>(gradient_memory::h_count));
      block::synchronise();
      for (unsigned i = threadIdx.x; i < stretch.n; i += blockDim.x) h[i] = weighted(in, row, first + i);
      block::synchronise();
      stretch.a = floats(h), stretch.b = floats(normal_of(in, row) + first);
      add(stretch);
    }
  }
};

/// *to = the exact sum of a term of h, or of h and x̂, rounded. By all threads.
template <class Term>
__device__ void sum_exactly_to(float* to, const line_of_h& h, gradient_storage& storage) {
  destination result;
  result.value = to, result.rule = float_rule;
  finish_exactly(core::describe_term<Term>(), h, block{}, storage, result);
}

/// k by the exact variance or mean square. In all threads.
__device__ float scale_exactly(const gradient_rows& in, unsigned row, gradient_storage& storage) {
  line x;
  x.a = {in.rows.row_of_x(row), bytes_of(in.rows.type), in.rows.type, false};
  x.b = x.a, x.n = in.rows.n;
  destination to;
  to.value = &storage.variance, to.count = in.rows.n;
  to.rule = {in.rows.is_centred ? core::finish::variance : core::finish::round, core::format<double>::number};
  if (in.rows.is_centred) {
    moments_again<moments_of_line<float>>(x, block{}, storage, to, 0);
    return scale_of(storage.variance, in.rows.epsilon);
  }
  finish_exactly(core::describe_term<core::square>(), x, block{}, storage, to);
  return scale_of(__ddiv_rn(storage.variance, static_cast<double>(in.rows.n)), in.rows.epsilon);
}

__device__ __forceinline__ void store_gradient(const gradient_rows& in, unsigned row, std::size_t i,
                                               unsigned bits) {
  char* const to = in.row_of_out(row);
  if (in.rows.type == element_type::float32) {
    reinterpret_cast<unsigned*>(to)[i] = bits;
  } else {
    reinterpret_cast<std::uint16_t*>(to)[i] = static_cast<std::uint16_t>(bits);
  }
}

}  // namespace

__device__ void gradient_again(const gradient_rows& in, unsigned row, const known_of_row& known, bool has_normal,
                               gradient_memory& memory) {
  static_assert(sizeof(gradient_storage) <= sizeof memory.normalise.bytes);
  if (!has_normal) normalise_again(in.rows, row, known.terms, known.log2_bound, memory.normalise);
  __syncthreads();
  auto& storage = *reinterpret_cast<gradient_storage*>(memory.normalise.bytes);
  sum_by_traces(in, row, storage);
  __syncthreads();
  const bool has_along = storage.has_along, has_h = storage.has_h;
  __syncthreads();
  const line_of_h h{in, row, memory.h};
  if (!has_along) sum_exactly_to<core::product>(&storage.sum_along, h, storage);
  if (!has_h && in.rows.is_centred) sum_exactly_to<core::value>(&storage.sum_h, h, storage);
  const unsigned n = in.rows.n;
  const gradient_terms terms{mean_of(storage.sum_along, n), in.rows.is_centred ? mean_of(storage.sum_h, n) : 0,
                             known.has_scale ? known.scale : scale_exactly(in, row, storage)};
#pragma unroll 4
  for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) {
    const float value = gradient_of(weighted(in, row, i), normal_of(in, row)[i], terms, in.rows.is_centred);
    store_gradient(in, row, i, bits_of(in.rows.type, value));
  }
  __syncthreads();
}

}  // namespace exactdot::inline v0_3::cuda_engine
