// cub_groups: NVIDIA's CUB library: DeviceRadixSort, then DeviceReduce::ReduceByKey.
//
// Before: a sort of one's own.
// Idea: the library's radix sort is stable and among the fastest; ReduceByKey then adds each run of equal keys and
// writes the keys that occur, so that a last kernel has to put the sums in their places.
// Cost: a copy of keys and elements, some passes over both, and temporary storage.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <lab/groups.cuh>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void scatter(const std::uint32_t* keys, const T* found, const int* count, T* sums) {
  for (std::size_t i = thread_in_grid(); i < static_cast<std::size_t>(*count); i += threads_in_grid())
    sums[keys[i]] = found[i];
}

template <class T>
struct cub_groups {
  explicit cub_groups(const input<T>& given) : in(given) {}

  const input<T>& in;
  gpu::buffer<std::uint32_t> sorted_keys{in.stream, in.n}, found_keys{in.stream, in.results};
  gpu::buffer<T> sorted{in.stream, in.n}, found{in.stream, in.results}, sums{in.stream, in.results};
  gpu::buffer<int> count{in.stream, 1};
  std::size_t sort_bytes = 0, reduce_bytes = 0;
  gpu::buffer<char> sort_storage{in.stream, (sort(nullptr), sort_bytes + 1)};
  gpu::buffer<char> reduce_storage{in.stream, (reduce(nullptr), reduce_bytes + 1)};

  void sort(void* storage) {
    int bits = 1;
    while (bits < 32 && in.results > std::size_t{1} << bits) ++bits;
    on_gpu::check(
        cub::DeviceRadixSort::SortPairs(storage, sort_bytes, in.keys, sorted_keys.data(), in.a, sorted.data(),
                                        static_cast<std::int64_t>(in.n), 0, bits, in.stream.handle()),
        "cub::DeviceRadixSort::SortPairs");
  }
  void reduce(void* storage) {
    on_gpu::check(cub::DeviceReduce::ReduceByKey(storage, reduce_bytes, sorted_keys.data(), found_keys.data(),
                                                 sorted.data(), found.data(), count.data(), ::cuda::std::plus<>{},
                                                 static_cast<std::int64_t>(in.n), in.stream.handle()),
                  "cub::DeviceReduce::ReduceByKey");
  }
  void launch() {
    reset<sum>(sums, in.stream);
    if (in.n == 0) return;
    sort(sort_storage.data());
    reduce(reduce_storage.data());
    const auto blocks = static_cast<unsigned>((in.results + 255) / 256);
    gpu::launch(scatter<T>, blocks, 256, 0, in.stream, found_keys.data(), found.data(), count.data(), sums.data());
  }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<cub_groups> registration{
    {.number = 6,
     .name = "cub_groups",
     .file = "cub_groups.cu",
     .summary = "NVIDIA's radix sort and reduction by key",
     .roundings = [](const launch_config& config) -> std::uint64_t { return config.n + 1; },
     .workload = "groups"}};

}  // namespace
}  // namespace exactdot::lab
