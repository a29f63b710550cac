// The functions of normalise_again.cuh for one carrier, EXACTDOT_ELEMENT. One object per carrier.
#include <cuda/work/moments.cuh>
#include <cuda/work/normalise_again.cuh>
#include <exactdot/core/normalisation.hpp>
#include <new>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

template <class T>
struct normalise_storage : moment_storage<T> {
  core::normalisation_scratch<T> exact;
  alignas(8) unsigned char row[sizeof(core::exact_row<T>)];
  alignas(8) unsigned char scale[sizeof(core::row_scale)];
  moment_total<T> of_warp[16];
  unsigned open[16];  ///< elements of each warp
};

/// An element and its parameters, as carriers.
template <class T>
struct row_element {
  T x, w, b;

  __device__ __forceinline__ row_element(const normalised_rows& in, unsigned row, std::size_t i)
      : x(value_at<T>(in.row_of_x(row), in.type, i)),
        w(in.weight == nullptr ? 1 : value_at<T>(in.weight, in.parameter_type, i)),
        b(in.bias == nullptr ? 0 : value_at<T>(in.bias, in.parameter_type, i)) {}

  [[nodiscard]] __device__ __forceinline__ core::decision decide(const core::row_scale& scale,
                                                                 core::result_rule rule) const {
    if (!is_finite(x) || !is_finite(w) || !is_finite(b)) return {0, false};
    return core::decide_value<correctly_rounded>(rule, core::normalised_value<correctly_rounded>(scale, x, w, b));
  }
};

__device__ __forceinline__ void store_element(const normalised_rows& in, unsigned row, std::size_t i,
                                              std::uint64_t word) {
  char* const to = in.row_of_out(row);
  switch (bytes_of(in.out_type)) {
    case 2:
      reinterpret_cast<std::uint16_t*>(to)[i] = static_cast<std::uint16_t>(word);
      return;
    case 4:
      reinterpret_cast<std::uint32_t*>(to)[i] = static_cast<std::uint32_t>(word);
      return;
    default:
      reinterpret_cast<std::uint64_t*>(to)[i] = word;
  }
}

__device__ __forceinline__ core::result_rule rule_of(element_type type) {
  if (type == element_type::float64) return {core::finish::round, core::format<double>::number};
  if (type == element_type::float32) return {core::finish::round, core::format<float>::number};
  if (type == element_type::float16) return {core::finish::round, core::format<float16>::number};
  return {core::finish::round, core::format<bfloat16>::number};
}

/// The terms of a row by traced sums, in all threads. By all of them.
template <class T>
__device__ __forceinline__ core::row_scale scale_of_row(const normalised_rows& in, unsigned row,
                                                        normalise_storage<T>& storage) {
  constexpr int in_flight = 4;
  bounded_thread_sum<T, core::value, summation::traced> values;
  bounded_thread_sum<T, core::square, summation::traced> squares;
  const char* const x = in.row_of_x(row);
  for_each_element<in_flight, T>(
      in.n, thread_share{threadIdx.x, blockDim.x},
      [&](std::size_t i, T& to, T& other) { to = other = value_at<T>(x, in.type, i); },
      [&](const auto& some, const auto& same) { values.add(some, same), squares.add(some, same); });
  const moment_total<T> total =
      sum_of_block(moment_total<T>{values.total(), squares.total()}, storage.of_warp, blockDim.x / 32);
  if (threadIdx.x == 0) {
    const auto bound = [&](bool are_products_of_doubles) {
      return bound_of_line(in.n, static_cast<int>(blockDim.x), in_flight, pack<T>::count, are_products_of_doubles);
    };
    const core::enclosure of_values =
        in.is_centred ? enclosure_of(total.of_values, bound(false)) : core::enclosure{0, 0, 0};
    const core::enclosure of_squares = enclosure_of(total.of_squares, bound(sizeof(T) == sizeof(double)));
    const core::row_scale scale = core::scale_of<correctly_rounded>(in.n, in.epsilon, of_values, of_squares);
    new (storage.scale) core::row_scale(scale);
  }
  __syncthreads();
  return *reinterpret_cast<const core::row_scale*>(storage.scale);
}

/// Prepares storage.row. By all threads; a barrier before and after.
template <class T>
__device__ __forceinline__ void sum_row_exactly(const normalised_rows& in, unsigned row,
                                                normalise_storage<T>& storage) {
  operands<T, input_layout::any> line;
  line.a = {in.row_of_x(row), bytes_of(in.type), in.type, false};
  line.b = line.a, line.n = in.n;
  clear_states(storage, threadIdx.x, blockDim.x);
  const auto add = [&](const core::term_info& term, int which) {
    sum_exactly(term, line, whole_block<T>{}, storage);
    if (threadIdx.x < 32) add_to_state(storage, which);
    __syncthreads();
  };
  if (in.is_centred) add(core::describe_term<core::value>(), 0);
  add(core::describe_term<core::square>(), 1);
  if (threadIdx.x == 0) {
    constexpr core::state_layout layout = core::layout_of<T>();
    core::normalise(layout, storage.state[0]);
    core::normalise(layout, storage.state[1]);
    new (storage.row)
        core::exact_row<T>(storage.state[0], storage.state[1], in.n, in.epsilon, in.is_centred, storage.exact);
  }
  __syncthreads();
}

/// Stores the elements that `scale` leaves open. By all threads. Not inlined: the loops of rows of doubles would
/// spill.
template <class T>
[[gnu::noinline]] __device__ void store_open_elements(const normalised_rows& in, unsigned row,
                                                      const core::row_scale& scale, core::result_rule rule,
                                                      normalise_storage<T>& storage) {
  sum_row_exactly(in, row, storage);
  const auto& exact = *reinterpret_cast<const core::exact_row<T>*>(storage.row);
  if (exact.is_nan()) {
    for (std::size_t i = threadIdx.x; i < in.n; i += blockDim.x) {
      store_element(in, row, i, core::nan_word(rule.format()));
    }
    return;
  }
  for (std::size_t first = 0; first < in.n; first += blockDim.x) {
    const std::size_t i = first + threadIdx.x;
    const bool is_open = i < in.n && !row_element<T>(in, row, i).decide(scale, rule).certain;
    const unsigned open = __ballot_sync(all_lanes, is_open);
    if (threadIdx.x % 32 == 0) storage.open[threadIdx.x / 32] = open;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) {
        for (unsigned left = storage.open[warp]; left != 0; left &= left - 1) {
          const std::size_t at = first + 32 * warp + static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1);
          const row_element<T> one(in, row, at);
          store_element(in, row, at, exact.element(rule.format(), one.x, one.w, one.b));
        }
      }
    }
    __syncthreads();
  }
}

/// (x − m)·scale·w + b, if its bound decides it.
template <class T>
__device__ __forceinline__ core::decision decide_by(const row_terms& terms, double bound_unit,
                                                    const row_element<T>& of, core::result_rule rule) {
  const double x = of.x, w = of.w, b = of.b, difference = x - terms.mean;
  if (w == 0 || (difference == 0 && terms.mean_error == 0)) {
    return core::decide_value<correctly_rounded>(rule, {b, 0, 0});
  }
  const double factor = terms.shifted_scale * (1 / unshifted) * w, value = __fma_rn(difference, factor, b);
  const double bound = fabs(factor) * __fma_rn(fabs(difference), terms.relative, terms.mean_error) * bound_unit;
  return core::decide_value<correctly_rounded>(rule, {value, 0, bound * 1.0625 + 0x1p-52 * fabs(value)});
}

/// 2^-log2_bound.
__device__ __forceinline__ double unit_of_bounds(int log2_bound) {
  return core::bit_cast<double>(static_cast<std::uint64_t>(1023 - log2_bound) << 52);
}

}  // namespace

template <class T>
__device__ void normalise_again(const normalised_rows& in, unsigned row, row_terms terms, int log2_bound,
                                normalise_memory<T>& memory) {
  static_assert(sizeof(normalise_storage<T>) <= sizeof memory.bytes && sizeof memory.bytes % 16 == 0);
  auto& storage = *reinterpret_cast<normalise_storage<T>*>(memory.bytes);
  __syncthreads();  // nothing of the last row is read any more
  const core::result_rule rule = rule_of(in.out_type);
  const core::row_scale scale = scale_of_row(in, row, storage);
  const double bound_unit = unit_of_bounds(log2_bound);
  bool is_open = false;
#pragma unroll 4
  for (std::size_t i = threadIdx.x; i < in.n; i += blockDim.x) {
    const row_element<T> element(in, row, i);
    core::decision found{0, false};
    if (terms.is_known()) found = decide_by(terms, bound_unit, element, rule);
    if (!found.certain) found = element.decide(scale, rule);
    if (found.certain) store_element(in, row, i, found.word);
    is_open |= !found.certain;
  }
  if (__syncthreads_or(is_open) != 0) store_open_elements(in, row, scale, rule, storage);
  __syncthreads();
}

template <class T>
__device__ bool look_closer(const normalised_rows& in, unsigned row, row_terms terms, int log2_bound, unsigned at,
                            unsigned count) {
  const core::result_rule rule = rule_of(in.out_type);
  const double bound_unit = unit_of_bounds(log2_bound);
  const unsigned left = in.n - at, end = at + (left < count ? left : count);
  bool is_open = false;
  for (unsigned i = at; i < end; ++i) {
    const core::decision found = decide_by(terms, bound_unit, row_element<T>(in, row, i), rule);
    if (found.certain) store_element(in, row, i, found.word);
    is_open |= !found.certain;
  }
  return is_open;
}

template __device__ bool look_closer<EXACTDOT_ELEMENT>(const normalised_rows&, unsigned, row_terms, int, unsigned,
                                                       unsigned);
template __device__ void normalise_again(const normalised_rows&, unsigned, row_terms, int,
                                         normalise_memory<EXACTDOT_ELEMENT>&);

}  // namespace exactdot::inline v0_3::cuda_engine
