// The kernels of normalised rows; see shape/normalised_rows.cuh.
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <cuda/shape/normalised_rows.cuh>
#include <utility>

namespace exactdot::inline v0_3::cuda {
namespace {

using namespace cuda_engine;

template <class Element, class Parameter, std::size_t which>
void launch_rows(const workspace::storage& storage, normalised_rows in) {
  static constexpr normalise_config config = normalise_configs[which];
  in.relative_of_sum = relative_of_statistics(in.n, config, 16 / sizeof(Element));
  launch_kernel(
      storage, "launching the kernel of normalised rows",
      {blocks_for(storage, in.count, config.rows_of_block(), config.blocks_per_multiprocessor), config.threads},
      &normalised_row_kernel<row_shape<Element, Parameter, normalise_configs, which>>, in);
}

template <class Element, class Parameter>
void launch_by_length(const workspace::storage& storage, const normalised_rows& in) {
  static constexpr auto launchers = []<std::size_t... which>(std::index_sequence<which...>) {
    return std::array{&launch_rows<Element, Parameter, which>...};
  }
  (std::make_index_sequence<normalise_configs.size()>());
  launchers[config_for(normalise_configs, in.n * sizeof(Element), in.is_aligned)](storage, in);
}

template <class Element>
void launch_elements(const workspace::storage& storage, const normalised_rows& in) {
  if (in.parameter_type == element_type::float32) return launch_by_length<Element, float>(storage, in);
  launch_by_length<Element, Element>(storage, in);
}

}  // namespace

void launch_normalise(const workspace::storage& storage, const normalised_rows& in) {
  if (in.type == element_type::float16) return launch_elements<float16>(storage, in);
  if (in.type == element_type::bfloat16) return launch_elements<bfloat16>(storage, in);
  if (in.type == element_type::float32) return launch_by_length<float, float>(storage, in);
  launch_kernel(storage, "launching the kernel of normalised rows of doubles",
                {blocks_for(storage, in.count, 1, 16), normalise_threads_of_doubles},
                &normalised_double_kernel<normalise_threads_of_doubles>, in);
}

}  // namespace exactdot::inline v0_3::cuda
