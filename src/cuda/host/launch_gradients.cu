// The kernels of gradients of normalised rows; see shape/normalised_gradient.cuh.
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <cuda/shape/normalised_gradient.cuh>
#include <utility>

namespace exactdot::inline v0_3::cuda {
namespace {

using namespace cuda_engine;

template <class Element, std::size_t which>
void launch_rows(const workspace::storage& storage, gradient_rows in) {
  static constexpr normalise_config config = gradient_configs[which];
  constexpr std::size_t width = 16 / sizeof(Element);
  in.rows.relative_of_sum = relative_of_statistics(in.rows.n, config, width);
  in.relative_of_sums = relative_of_plain_sum(in.rows.n, config, width, width);
  launch_kernel(storage, "launching the kernel of gradients of normalised rows",
                {blocks_for(storage, in.rows.count, config.rows_of_block(), config.blocks_per_multiprocessor),
                 config.threads},
                &normalised_gradient_kernel<row_shape<Element, float, gradient_configs, which>>, in);
}

template <class Element>
void launch_by_length(const workspace::storage& storage, const gradient_rows& in) {
  static constexpr auto launchers = []<std::size_t... which>(std::index_sequence<which...>) {
    return std::array{&launch_rows<Element, which>...};
  }
  (std::make_index_sequence<gradient_configs.size()>());
  launchers[config_for(gradient_configs, in.rows.n * sizeof(Element), in.rows.is_aligned)](storage, in);
}

}  // namespace

void launch_gradients(const workspace::storage& storage, const gradient_rows& in) {
  if (in.rows.type == element_type::float16) return launch_by_length<float16>(storage, in);
  if (in.rows.type == element_type::bfloat16) return launch_by_length<bfloat16>(storage, in);
  launch_by_length<float>(storage, in);
}

}  // namespace exactdot::inline v0_3::cuda
