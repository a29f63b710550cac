// Launches the kernels of state_kernel.cuh.
#include <algorithm>
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <cuda/words/state_kernel.cuh>

namespace exactdot::inline v0_3::cuda {

using namespace cuda_engine;

namespace {

constexpr int wide_limbs = core::layout_of<double>().limbs, narrow_limbs = core::layout_of<float>().limbs;
constexpr int wide = chunks_of(wide_limbs), narrow = 1;
constexpr int wide_square = chunks_of(2 * wide_limbs + 4), narrow_square = chunks_of(2 * narrow_limbs + 4);

launch_shape shape_of(std::size_t rows) {
  constexpr std::size_t max_blocks = std::size_t{1} << 16;
  const std::size_t blocks = (rows + rows_per_block - 1) / rows_per_block;
  return {static_cast<unsigned>(std::min(blocks, max_blocks)), 32 * rows_per_block};
}

/// Whether all sums of a row fit into one chunk. One of a wide state may do so without the other.
bool is_narrow(const word_rows& rows) {
  const int limbs = std::max(rows.state.of[0].layout.limbs, rows.state.of[1].layout.limbs);
  return chunks_of(limbs) <= narrow;
}

}  // namespace

void round_rows(const workspace::storage& storage, const word_rows& rows, const row_finish& asked,
                const destination& to) {
  const core::finish finish = to.rule.finish();
  const bool varies = finish == core::finish::variance || finish == core::finish::deviation;
  const auto launch = [&](auto kernel) {
    launch_kernel(storage, "launching the rounding of states", shape_of(rows.count), kernel, rows, asked, to);
  };
  if (are_sums_only(rows, to.rule)) {
    const sum_rows sums(rows, asked.sum);
    const auto launch_sums = [&](auto kernel) {
      launch_kernel(storage, "launching the rounding of sums", shape_of(rows.count), kernel, sums, to);
    };
    switch (chunks_of(sums.layout.limbs)) {
      case narrow:
        return launch_sums(round_sums_kernel<narrow>);
      case compact_double_chunks:
        return launch_sums(round_sums_kernel<compact_double_chunks>);
      default:
        return launch_sums(round_sums_kernel<wide>);
    }
  }
  if (varies) {
    return is_narrow(rows) ? launch(variance_rows_kernel<narrow, narrow_square>)
                           : launch(variance_rows_kernel<wide, wide_square>);
  }
  is_narrow(rows) ? launch(round_rows_kernel<narrow>) : launch(round_rows_kernel<wide>);
}

void merge_rows(const workspace::storage& storage, const word_rows& rows, const std::int64_t* others,
                std::size_t other_stride) {
  launch_kernel(storage, "launching the merge of states", shape_of(rows.count),
                is_narrow(rows) ? merge_rows_kernel<narrow> : merge_rows_kernel<wide>, rows, others, other_stride,
                storage.status);
}

void add_count(const workspace::storage& storage, std::int64_t* count, std::int64_t n) {
  launch_kernel(storage, "launching the addition of a count", {1, 1}, add_count_kernel, count, n);
}

}  // namespace exactdot::inline v0_3::cuda
