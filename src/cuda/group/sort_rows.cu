// Sorts rows by their keys: the radix sort of CUB, which is part of CUDA's toolkit (A. Adinets, D. Merrill,
// "Onesweep", 2022), on a workspace's stream; on the simulator a thread. Stable, though no result depends on it.
// Only the bits that keys have: 8 a pass, each of which reads and writes 8 bytes a row.
#include <cuda/group/row_keys.cuh>
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>

#if defined(__CUDACC__) && !defined(__SIMTCC__)
#include <cub/device/device_radix_sort.cuh>
#else
#include <algorithm>
#include <bit>
#endif

namespace exactdot::inline v0_3::cuda {

using namespace cuda_engine;

namespace {

#if defined(__CUDACC__) && !defined(__SIMTCC__)

int bits_of_keys(const group_input& in) {
  const unsigned greatest = key_of_outside(in);
  int bits = 1;
  while (bits < 32 && greatest >> bits != 0) ++bits;
  return bits;
}

#else

/// By one thread: pairs of sorted stretches of `width` are merged, from one buffer to the other and back, as often
/// as n - 1 has bits. In device memory alone, as the simulator asks for.
__global__ void sort_kernel(const __grid_constant__ row_memory to, std::size_t n) {
  int from = 0;
  for (std::size_t width = 1; width < n; width *= 2, from = 1 - from) {
    const unsigned *const keys = to.keys[from], *const rows = to.rows[from];
    for (std::size_t begin = 0; begin < n; begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, n), end = std::min(begin + 2 * width, n);
      std::size_t first = begin, second = middle;
      for (std::size_t i = begin; i < end; ++i) {
        const bool takes_first = second == end || (first < middle && keys[first] <= keys[second]);
        const std::size_t next = takes_first ? first++ : second++;
        to.keys[1 - from][i] = keys[next], to.rows[1 - from][i] = rows[next];
      }
    }
  }
}

#endif

}  // namespace

std::size_t bytes_to_sort_rows(const group_input& in) {
#if defined(__CUDACC__) && !defined(__SIMTCC__)
  std::size_t bytes = 0;
  cub::DoubleBuffer<unsigned> keys, rows;
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, rows, static_cast<int>(in.n), 0, bits_of_keys(in)),
        "asking for the memory of a sort");
  return bytes;
#else
  static_cast<void>(in);
  return 0;
#endif
}

void launch_row_sort(const workspace::storage& storage, const group_input& in, row_memory& to, std::size_t bytes) {
  const auto n = static_cast<unsigned>(in.n);
  const auto launch = [&](const char* what, auto kernel, std::size_t threads, const auto&... arguments) {
    launch_kernel(storage, what, {std::max(blocks_for(storage, threads, 256, 32), 1U), 256}, kernel, arguments...);
  };
  if (n != 0) {
    launch("launching the kernel of rows' keys", row_key_kernel, (in.n + group_pack - 1) / group_pack, in, to);
#if defined(__CUDACC__) && !defined(__SIMTCC__)
    cub::DoubleBuffer<unsigned> keys(to.keys[0], to.keys[1]), rows(to.rows[0], to.rows[1]);
    check(cub::DeviceRadixSort::SortPairs(to.of_sort, bytes, keys, rows, static_cast<int>(n), 0, bits_of_keys(in),
                                          storage.stream),
          "sorting rows by their keys");
    const int last = keys.selector;
#else
    static_cast<void>(bytes);
    launch_kernel(storage, "sorting rows by their keys", {1, 1}, sort_kernel, to, in.n);
    const int last = std::bit_width(in.n - 1) % 2;
#endif
    if (last == 1) std::swap(to.keys[0], to.keys[1]), std::swap(to.rows[0], to.rows[1]);
  }
  launch("launching the kernel of groups' first rows", first_row_kernel, in.n + 1, to.keys[0], n, in.groups, to,
         storage.group_errors);
}

}  // namespace exactdot::inline v0_3::cuda
