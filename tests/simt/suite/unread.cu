// Data that nothing reads: halves of trees, tails of loops and grids. Notes of the simulator, since a kernel may
// mean it; so the correct kernels here are those that leave data unread and are right.
#include "suite.hpp"

namespace {
using namespace suite;
constexpr unsigned all = 0xffffffffU;
constexpr auto shared_data = fault_kind::unread_shared, global_data = fault_kind::unread_global;

__device__ int warp_sum(int x) {
  for (int half = 16; half > 0; half /= 2) x += __shfl_down_sync(all, x, half);
  return x;
}

/// A tree in shared memory that ends at `last` values, of which a warp adds the first 32.
template <int last>
__global__ void tree_to_a_warp(arrays m) {
  __shared__ int partial[128];
  partial[threadIdx.x] = m.in[threadIdx.x];
  __syncthreads();
  for (unsigned stride = 64; stride >= last; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];  // fault: missing_step
    __syncthreads();
  }
  if (threadIdx.x >= 32) return;
  const int sum = warp_sum(partial[threadIdx.x]);
  if (threadIdx.x == 0) m.out[0] = sum;
}

/// A tree of neighbours in dynamic shared memory, without its last step.
template <bool faulty>
__global__ void tree_of_pairs(arrays m) {
  int* const words = gpu::dynamic_shared<int>();
  words[threadIdx.x] = m.in[threadIdx.x];  // fault: missing_pairs
  __syncthreads();
  for (unsigned stride = 1; stride < (faulty ? 32 : 64); stride *= 2) {
    const unsigned i = threadIdx.x * 2 * stride;
    if (i + stride < 64) words[i] += words[i + stride];  // fault: missing_pairs
    __syncthreads();
  }
  if (threadIdx.x == 0) m.out[0] = words[0];
}

/// A tree of 96 values by halving: 3 values become 1, and the last of them is lost.
template <bool faulty>
__global__ void odd_tree(arrays m) {
  __shared__ int partial[96];
  partial[threadIdx.x] = m.in[threadIdx.x];
  __syncthreads();
  for (unsigned count = 96; count > 1;) {
    const unsigned half = faulty ? count / 2 : (count + 1) / 2;
    if (threadIdx.x + half < count && threadIdx.x < half)
      partial[threadIdx.x] += partial[threadIdx.x + half];  // fault: odd_tree
    count = half;
    __syncthreads();
  }
  if (threadIdx.x == 0) m.out[0] = partial[0];
}

/// Two warps load a value each into shared memory; one warp adds.
template <bool faulty>
__global__ void half_of_the_partials(arrays m) {
  __shared__ int partial[64];
  partial[threadIdx.x] = m.in[threadIdx.x];  // fault: half_of_the_partials
  __syncthreads();
  if (threadIdx.x >= 32) return;
  int x = partial[threadIdx.x];
  if (!faulty) x += partial[threadIdx.x + 32];
  x = warp_sum(x);
  if (threadIdx.x == 0) m.out[0] = x;
}

/// The first lanes leave the sums of their warps, of which one is left out.
template <bool faulty>
__global__ void one_warp_short(arrays m) {
  __shared__ int of_warps[4];
  const int x = warp_sum(m.in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = x;  // fault: one_warp_short
  __syncthreads();
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (unsigned i = 0; i < (faulty ? 3 : 4); ++i) sum += of_warps[i];
  m.out[0] = sum;
}

__device__ void add(arrays m, int x) {
  x = warp_sum(x);
  if (threadIdx.x % 32 == 0) atomicAdd(m.zeros, x);
}

/// One element a thread. Launched with n / 128 blocks, it leaves a rest.
__global__ void element_per_thread(arrays m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  add(m, i < arrays::n ? m.in[i] : 0);  // fault: rounded_down_grid
}

/// Packs of four, and nothing for the last n mod 4 elements.
template <bool faulty>
__global__ void packs(arrays m) {
  const auto* const pack = reinterpret_cast<const int4*>(m.in);
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
  int x = 0;
  for (unsigned i = first; i < arrays::n / 4; i += gridDim.x * blockDim.x) {
    const int4 four = pack[i];  // fault: lost_tail
    x += four.x + four.y + four.z + four.w;
  }
  if (!faulty && first < arrays::n % 4) x += m.in[arrays::n - 1 - first];
  add(m, x);
}

/// A loop over the grid whose bound is one too small.
template <bool faulty>
__global__ void grid_stride(arrays m) {
  int x = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < arrays::n - (faulty ? 1 : 0);
       i += gridDim.x * blockDim.x)
    x += m.in[i];  // fault: one_too_few
  add(m, x);
}

/// Each thread adds a stretch of n / threads elements, rounded down.
template <bool faulty>
__global__ void stretches(arrays m) {
  const unsigned threads = gridDim.x * blockDim.x, each = (arrays::n + (faulty ? 0 : threads - 1)) / threads;
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  int x = 0;
  for (unsigned i = first; i < first + each && i < arrays::n; ++i) x += m.in[i];  // fault: short_stretches
  add(m, x);
}

/// Right: in lock step all lanes take all steps, so the last results of 31 of them are unread.
__global__ void unrolled_warp(arrays m) {
  __shared__ volatile int partial[64];
  partial[threadIdx.x] = m.in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= 32) return;
  for (unsigned half = 32; half > 0; half /= 2) {
    const int x = partial[threadIdx.x] + partial[threadIdx.x + half];
    __syncwarp();
    partial[threadIdx.x] = x;
    __syncwarp();
  }
  if (threadIdx.x == 0) m.out[0] = partial[0];
}

/// Right: the same with plain accesses; reads beyond the 32 values are those of lanes whose result is unread.
__global__ void unrolled_plain(arrays m) {
  __shared__ int partial[64];
  partial[threadIdx.x] = m.in[threadIdx.x];
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    int x = 0;
    if (threadIdx.x < 32) x = partial[threadIdx.x] + partial[threadIdx.x + half];
    __syncthreads();
    if (threadIdx.x < 32) partial[threadIdx.x] = x;
    __syncthreads();
  }
  if (threadIdx.x == 0) m.out[0] = partial[0];
}

/// Right: of a tile with its border, a stencil without diagonals does not read the corners.
__global__ void corners(arrays m) {
  __shared__ int tile[10][10];
  for (unsigned i = threadIdx.x; i < 100; i += blockDim.x) tile[i / 10][i % 10] = m.in[i];
  __syncthreads();
  const unsigned x = threadIdx.x % 8 + 1, y = threadIdx.x / 8 + 1;
  m.out[threadIdx.x] = tile[y][x - 1] + tile[y][x + 1] + tile[y - 1][x] + tile[y + 1][x];
}

/// Right: a stack of each thread in shared memory, of which few leave a result.
__global__ void stacks(arrays m) {
  __shared__ int stack[64][4];
  int* const top = stack[threadIdx.x];
  for (int i = 0; i < 4; ++i) top[i] = m.in[threadIdx.x * 4 + i];
  __syncthreads();
  int most = 0;
  for (int i = 3; i >= 0; --i) most = max(most, top[i]);
  if (most % 50 == 49) m.out[most / 50] = most;
}

/// Right: zeros beyond the warps' sums, which the last warp reads in part.
__global__ void zeroed_slots(arrays m) {
  __shared__ int slots[32];
  if (threadIdx.x < 32) slots[threadIdx.x] = 0;
  __syncthreads();
  const int x = warp_sum(m.in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = x;
  __syncthreads();
  int sum = 0;
  for (unsigned i = 0; threadIdx.x == 0 && i < blockDim.x / 32; ++i) sum += slots[i];
  if (threadIdx.x == 0) m.out[0] = sum;
}

/// Right: a chain of blocks, whose last word has no reader.
__global__ void chain(arrays m) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x != 0) {
    while ((before = atomicAdd(&m.zeros[blockIdx.x], 0)) == 0) {
    }
  }
  atomicExch(&m.zeros[blockIdx.x + 1], before + 1);
  if (blockIdx.x == gridDim.x - 1) m.out[0] = before + 1;
}

/// Right: a table of which the data need the first entries only.
__global__ void table_of_data(arrays m) { add(m, m.in[threadIdx.x * threadIdx.x * 7 % 997]); }

const family table =
    family("unread data", __FILE__)
        .pair("missing_step", tree_to_a_warp<64>, tree_to_a_warp<32>, shared_data, {.block = 128, .result = 8128})
        .pair("missing_pairs", tree_of_pairs<true>, tree_of_pairs<false>, shared_data,
              {.block = 64, .shared = 256, .result = 2016})
        .pair("odd_tree", odd_tree<true>, odd_tree<false>, shared_data, {.block = 96, .result = 4560})
        .pair("half_of_the_partials", half_of_the_partials<true>, half_of_the_partials<false>, shared_data,
              {.block = 64, .result = 2016})
        .pair("one_warp_short", one_warp_short<true>, one_warp_short<false>, shared_data,
              {.block = 128, .result = 8128})
        .faulty("rounded_down_grid", element_per_thread, global_data, {.grid = arrays::n / 128, .block = 128})
        .correct("rounded_down_grid", element_per_thread, {.grid = (arrays::n + 127) / 128, .block = 128})
        .pair("lost_tail", packs<true>, packs<false>, global_data, {.grid = 2, .block = 64})
        .pair("one_too_few", grid_stride<true>, grid_stride<false>, global_data, {.grid = 3, .block = 64})
        .pair("short_stretches", stretches<true>, stretches<false>, global_data, {.grid = 2, .block = 64})
        .correct("unrolled_warp", unrolled_warp, {.block = 64, .result = 2016})
        .correct("unrolled_plain", unrolled_plain, {.block = 64, .result = 2016})
        .correct("corners", corners, {.block = 64, .result = 44})
        .correct("stacks", stacks, {.block = 64})
        .correct("zeroed_slots", zeroed_slots, {.block = 128, .result = 8128})
        .correct("chain", chain, {.grid = 6, .block = 32, .result = 6})
        .correct("table_of_data", table_of_data, {.grid = 1, .block = 64});

}  // namespace
