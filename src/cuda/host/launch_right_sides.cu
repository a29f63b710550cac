// The kernels of rows times few vectors of one carrier, EXACTDOT_ELEMENT: of float for each floating-point element
// type whose products double holds. One object per carrier.
#include <cuda/core/right_sides.hpp>
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <cuda/shape/anchored_products.cuh>
#include <cuda/shape/tile_products.cuh>
#include <utility>

namespace exactdot::inline v0_3::cuda {
namespace {

using namespace cuda_engine;

[[maybe_unused]] bool is_aligned(const char* first, std::ptrdiff_t next) {
  return reinterpret_cast<std::uintptr_t>(first) % 16 == 0 && next % 16 == 0;
}

template <class Element, int vector_tiles, std::size_t which>
void launch_tiles(const workspace::storage& storage, const rows_and_vectors& in, const tile_call& call,
                  const product_results& out) {
  constexpr tile_config config = tile_configs[vector_tiles - 1][which];
  constexpr std::size_t rows_of_block = config.row_tiles * 8 * (tile_threads / 32 / config.team);
  line_bounds bounds;
  bounds.of_sum = bound_of_tiles(in.n, config, 4 * 16 / sizeof(Element));
  launch_kernel(storage, "launching the kernel of rows and vectors",
                {blocks_for(storage, in.row_count, rows_of_block, 16 * tile_residents), tile_threads},
                &tile_product_kernel<Element, config.row_tiles, vector_tiles, config.team, config.in_flight,
                                     tile_threads, tile_residents>,
                in, call, bounds, out);
}

template <class Element>
[[maybe_unused]] void launch_products(const workspace::storage& storage, const rows_and_vectors& in,
                                      const product_results& out) {
  using launcher = decltype(&launch_tiles<Element, 1, 0>);
  static constexpr auto launchers = []<std::size_t... which>(std::index_sequence<which...>) {
    return std::array<std::array<launcher, sizeof...(which)>, 2>{
        {{&launch_tiles<Element, 1, which>...}, {&launch_tiles<Element, 2, which>...}}};
  }
  (std::make_index_sequence<tile_configs[0].size()>());
  const std::size_t config = tile_config_for(in.n * sizeof(Element));
  tile_call call;
  call.rows_are_aligned = is_aligned(in.rows, in.next_row);
  call.vectors_are_aligned = in.stride == sizeof(Element) && is_aligned(in.vectors, in.next_vector);
  for (; call.first_vector < in.vector_count; call.first_vector += max_right_sides) {
    launchers[in.vector_count - call.first_vector > 8 ? 1 : 0][config](storage, in, call, out);
  }
}

template <int vectors>
void launch_anchored(const workspace::storage& storage, const rows_and_vectors& in, const tile_call& call,
                     const product_results& out) {
  constexpr int threads = 256, resident = vectors > 4 ? 1 : 2;  // as registers allow
  line_bounds bounds;
  bounds.of_sum = {1 + 0x1p-20, static_cast<double>(in.n) * 0x1p-1074, 1 + 0x1p-20};
  launch_kernel(storage, "launching the kernel of rows and vectors",
                {blocks_for(storage, in.row_count, threads / 32 * anchored_rows, 16 * resident), threads},
                &anchored_product_kernel<vectors, threads, resident>, in, call, bounds, out);
}

/// A launch has so many vectors at a time that rows are read as seldom as 8 sums allow, and as few products as can
/// be are computed for nothing.
[[maybe_unused]] void launch_doubles(const workspace::storage& storage, const rows_and_vectors& in,
                                     const product_results& out) {
  const std::size_t launches = (in.vector_count + 7) / 8, of_launch = (in.vector_count + launches - 1) / launches;
  const std::size_t vectors = of_launch <= 2 ? 2 : of_launch <= 4 ? 4 : 8;
  const auto launch = vectors == 2 ? &launch_anchored<2> : vectors == 4 ? &launch_anchored<4> : &launch_anchored<8>;
  tile_call call;
  for (; call.first_vector < in.vector_count; call.first_vector += vectors) launch(storage, in, call, out);
}

}  // namespace

template <class Carrier>
void launch_right_sides(const workspace::storage& storage, const rows_and_vectors& in, const product_results& out) {
  if constexpr (std::is_same_v<Carrier, float>) {
    if (in.type == element_type::float16) return launch_products<float16>(storage, in, out);
    if (in.type == element_type::bfloat16) return launch_products<bfloat16>(storage, in, out);
  }
  if constexpr (std::is_same_v<Carrier, float>) {
    launch_products<float>(storage, in, out);
  } else {
    launch_doubles(storage, in, out);
  }
}

template void launch_right_sides<EXACTDOT_ELEMENT>(const workspace::storage&, const rows_and_vectors&,
                                                   const product_results&);

}  // namespace exactdot::inline v0_3::cuda
