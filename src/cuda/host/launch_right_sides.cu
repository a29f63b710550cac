// The kernels of rows times few vectors of float16, bfloat16 and float32.
#include <cuda/core/right_sides.hpp>
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <cuda/shape/tile_products.cuh>
#include <utility>

namespace exactdot::inline v0_3::cuda {
namespace {

using namespace cuda_engine;

bool is_aligned(const char* first, std::ptrdiff_t next) {
  return reinterpret_cast<std::uintptr_t>(first) % 16 == 0 && next % 16 == 0;
}

template <class Element, int vector_tiles, std::size_t which>
void launch_tiles(const workspace::storage& storage, const rows_and_vectors& in, const tile_call& call,
                  const product_results& out) {
  constexpr tile_config config = tile_configs[vector_tiles - 1][which];
  constexpr std::size_t rows_of_block = config.row_tiles * 8 * (tile_threads / 32 / config.team);
  line_bounds bounds;
  bounds.of_sum = bound_of_tiles(in.n, config, 4 * 16 / sizeof(Element));
  launch_kernel(
      storage, "launching the kernel of rows and vectors",
      {blocks_for(storage, call.tasks(in.row_count, rows_of_block), 1, 16 * tile_residents), tile_threads},
      &tile_product_kernel<Element, config.row_tiles, vector_tiles, config.team, config.in_flight, tile_threads,
                           tile_residents>,
      in, call, bounds, out);
}

template <class Element>
void launch_products(const workspace::storage& storage, const rows_and_vectors& in, const product_results& out) {
  using launcher = decltype(&launch_tiles<Element, 1, 0>);
  static constexpr auto launchers = []<std::size_t... which>(std::index_sequence<which...>) {
    return std::array<std::array<launcher, sizeof...(which)>, 2>{
        {{&launch_tiles<Element, 1, which>...}, {&launch_tiles<Element, 2, which>...}}};
  }
  (std::make_index_sequence<tile_configs[0].size()>());
  tile_call call;
  call.rows_are_aligned = is_aligned(in.rows, in.next_row);
  call.vectors_are_aligned = in.stride == sizeof(Element) && is_aligned(in.vectors, in.next_vector);
  const std::size_t rest = in.vector_count % max_right_sides;
  call.readings = in.vector_count / max_right_sides + (rest > 8 ? 1 : 0);
  const auto launch = [&](std::size_t vector_tiles) {
    const std::size_t config =
        tile_config_for(in.n * sizeof(Element), in.row_count, call.readings, storage.multiprocessors);
    launchers[vector_tiles - 1][config](storage, in, call, out);
  };
  if (call.readings != 0) launch(2);
  if (rest == 0 || rest > 8) return;
  call.first_vector = in.vector_count - rest, call.readings = 1;
  launch(1);
}

}  // namespace

void launch_right_sides(const workspace::storage& storage, const rows_and_vectors& in, const product_results& out) {
  if (in.type == element_type::float16) return launch_products<float16>(storage, in, out);
  if (in.type == element_type::bfloat16) return launch_products<bfloat16>(storage, in, out);
  launch_products<float>(storage, in, out);
}

}  // namespace exactdot::inline v0_3::cuda
