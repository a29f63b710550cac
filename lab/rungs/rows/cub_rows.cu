// cub_rows: NVIDIA's CUB library, cub::DeviceSegmentedReduce.
//
// Before: every rung implements its own reduction.
// Idea: the library takes the ends of any segments from iterators; here they are computed, not read.
// Cost: a block a segment, whatever its length.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_segmented_reduce.cuh>
#include <lab/rows.cuh>

namespace exactdot::lab {
namespace {

struct row_start {
  std::int64_t row_length, n;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const {
    return row * row_length < n ? row * row_length : n;
  }
};

template <class T>
struct cub_rows {
  explicit cub_rows(const input<T>& given) : in(given) {}

  std::size_t bytes() {
    std::size_t needed = 0;
    reduce(nullptr, needed);
    return needed;
  }
  void reduce(void* storage, std::size_t& size) {
    const row_start start{static_cast<std::int64_t>(in.parts.row_length), static_cast<std::int64_t>(in.n)};
    const auto starts = thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), start);
    on_gpu::check(
        cub::DeviceSegmentedReduce::Sum(storage, size, in.a, sums.data(), static_cast<std::int64_t>(in.results),
                                        starts, starts + 1, in.stream.handle()),
        "cub::DeviceSegmentedReduce::Sum");
  }

  const input<T>& in;
  gpu::buffer<T> sums{in.stream, in.results};
  gpu::buffer<char> storage{in.stream, bytes() + 1};

  void launch() {
    if (in.results == 0) return;
    std::size_t size = storage.size();
    reduce(storage.data(), size);
  }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<cub_rows> registration{
    {.number = 6,
     .name = "cub_rows",
     .file = "cub_rows.cu",
     .summary = "NVIDIA's segmented reduction",
     .same_bits = determinism::fixed_grid,
     .roundings = [](const launch_config& config) -> std::uint64_t { return config.parts.row_length + 1; },
     .workload = "rows"}};

}  // namespace
}  // namespace exactdot::lab
