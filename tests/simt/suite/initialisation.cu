// Reads of shared and global memory that nobody has written.
#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto shared = fault_kind::uninitialised_shared, global = fault_kind::uninitialised_global;

/// Half of the words are stored, all are read.
template <bool faulty>
__global__ void half_of_an_array(arrays m) {
  __shared__ int values[64];
  if (!faulty || threadIdx.x < 32) values[threadIdx.x] = m.in[threadIdx.x];
  __syncthreads();
  m.out[threadIdx.x] = values[63 - threadIdx.x];  // fault: half_of_an_array
}

/// Shared memory is taken for zero.
template <bool faulty>
__global__ void count_from_nothing(arrays m) {
  __shared__ int count;
  if (!faulty && threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);  // fault: count_from_nothing
  __syncthreads();
  if (threadIdx.x == 0) m.out[0] = count;
}

/// The tree adds words of threads that have no element.
template <bool faulty>
__global__ void ragged_tree(arrays m) {
  __shared__ int sums[64];
  const unsigned i = threadIdx.x;
  if (i < 50) {
    sums[i] = m.in[i];
  } else if (!faulty) {
    sums[i] = 0;
  }
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (i < half) sums[i] += sums[i + half];  // fault: ragged_tree
    __syncthreads();
  }
  if (i == 0) m.out[0] = sums[0];
}

/// The halo of a stencil is not filled at one end.
template <bool faulty>
__global__ void halo(arrays m) {
  __shared__ int cells[66];
  const unsigned i = threadIdx.x;
  cells[i + 1] = m.in[i];
  if (i == 0) cells[0] = 0;
  if (i == 63 && !faulty) cells[65] = 0;
  __syncthreads();
  m.out[i] = cells[i] + cells[i + 2];  // fault: halo
}

template <bool faulty>
__global__ void dynamic_memory(arrays m) {
  int* const values = gpu::dynamic_shared<int>();
  if (!faulty) values[threadIdx.x] = 1;
  __syncthreads();
  m.out[threadIdx.x] = values[31 - threadIdx.x];  // fault: dynamic_memory
}

/// The value of the block before it in the same memory is not this block's.
template <bool faulty>
__global__ void value_of_another_block(arrays m) {
  __shared__ int value;
  if (!faulty || blockIdx.x == 0) value = 3;
  m.out[blockIdx.x] = value;  // fault: value_of_another_block
}

/// Only one warp's sum is stored; the first warp adds those of all.
template <bool faulty>
__global__ void sums_of_warps(arrays m) {
  __shared__ int sums[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const auto sum = static_cast<int>(__reduce_add_sync(0xffffffffU, threadIdx.x));
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  const int mine = faulty || lane < blockDim.x / 32 ? sums[lane] : 0;  // fault: sums_of_warps
  const int total = __reduce_add_sync(0xffffffffU, mine);
  if (lane == 0) m.out[0] = total;
}

/// An accumulator in global memory that the host has not set to zero.
template <bool faulty>
__global__ void accumulator(arrays m) {
  atomicAdd(faulty ? m.scratch : m.zeros, m.in[threadIdx.x]);  // fault: accumulator
}

/// Partial sums of blocks that have none.
template <bool faulty>
__global__ void partial_sums(arrays m) {
  if (blockIdx.x < 2 || !faulty) m.scratch[blockIdx.x * 32 + threadIdx.x] = 1;
  __syncthreads();
  m.out[blockIdx.x * 32 + threadIdx.x] = m.scratch[blockIdx.x * 32 + 31 - threadIdx.x];  // fault: partial_sums
}

/// The element after the last one that is stored.
template <bool faulty>
__global__ void one_past_the_stored(arrays m) {
  for (int i = 0; i < 20; ++i) m.scratch[i] = m.in[i];
  int sum = 0;
  for (int i = 0; i < (faulty ? 21 : 20); ++i) sum += m.scratch[i];  // fault: one_past_the_stored
  m.out[0] = sum;
}

struct record {
  int key;
  int value;
};
/// A member that nobody stores.
template <bool faulty>
__global__ void member(arrays m) {
  auto* const records = reinterpret_cast<record*>(m.scratch);
  records[threadIdx.x].key = m.in[threadIdx.x];
  if (!faulty) records[threadIdx.x].value = 1;
  m.out[threadIdx.x] = records[threadIdx.x].key + records[threadIdx.x].value;  // fault: member
}

/// A vector of four words of which three are stored.
template <bool faulty>
__global__ void last_of_four(arrays m) {
  for (int i = 0; i < (faulty ? 3 : 4); ++i) m.scratch[i] = i;
  const int4 four = *reinterpret_cast<const int4*>(m.scratch);  // fault: last_of_four
  m.out[0] = four.x + four.y + four.z + four.w;
}

/// One byte of a word.
template <bool faulty>
__global__ void bytes(arrays m) {
  __shared__ __align__(4) unsigned char text[4];
  for (int i = 0; i < (faulty ? 3 : 4); ++i) text[i] = 1;
  m.out[0] = *reinterpret_cast<const int*>(text);  // fault: bytes
}

struct padded {
  char letter;
  int number;
};
/// A struct with padding, whose members are all stored, is copied as a whole.
__global__ void padding(arrays m) {
  auto* const structs = reinterpret_cast<padded*>(m.scratch);
  structs[0].letter = 'a', structs[0].number = 3;
  structs[1] = structs[0];
  m.out[0] = structs[1].number;
}

/// The same in shared memory, by another thread than the one that has stored the members; and padding at the end.
__global__ void padding_in_shared(arrays m) {
  struct measurement {
    double value;
    int count;
    char unit;
  };
  __shared__ measurement all[64], reversed[64];
  all[threadIdx.x].value = 1.5, all[threadIdx.x].count = 2, all[threadIdx.x].unit = 'm';
  __syncthreads();
  reversed[63 - threadIdx.x] = all[threadIdx.x];
  __syncthreads();
  m.out[threadIdx.x] = reversed[threadIdx.x].count;
}

/// A list of which two places are used is copied as a whole, and its copy again.
__global__ void short_list(arrays m) {
  struct list {
    int size;
    int elements[11];
  };
  __shared__ list lists[3];
  lists[0].size = 2, lists[0].elements[0] = 4, lists[0].elements[1] = 5;
  lists[1] = lists[0];
  lists[2] = lists[1];
  int sum = 0;
  for (int i = 0; i < lists[2].size; ++i) sum += lists[2].elements[i];
  m.out[0] = sum;
}

/// A member that nobody has stored is used in the copy.
template <bool faulty>
__global__ void copied_member(arrays m) {
  auto* const records = reinterpret_cast<record*>(m.scratch);
  records[0].key = 1;
  if (!faulty) records[0].value = 2;
  records[1] = records[0];
  m.out[0] = records[1].key + records[1].value;  // fault: copied_member
}

/// A struct of which nothing is stored is copied.
template <bool faulty>
__global__ void copied_nothing(arrays m) {
  auto* const structs = reinterpret_cast<padded*>(m.scratch);
  structs[0].letter = 'a', structs[0].number = 3;
  structs[2] = structs[faulty ? 1 : 0];  // fault: copied_nothing
  m.out[0] = 1;
}

/// What is overwritten by an exchange need not be initialised.
__global__ void exchange(arrays m) {
  atomicExch(&m.scratch[threadIdx.x], 5);
  m.out[threadIdx.x] = atomicAdd(&m.scratch[threadIdx.x], 0);
}

/// Shared memory is written by another warp than the one that reads it, in parts.
__global__ void filled_in_parts(arrays m) {
  __shared__ int values[100];
  for (unsigned i = threadIdx.x; i < 100; i += blockDim.x) values[i] = m.in[i];
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 100; i += blockDim.x) m.out[i] = values[99 - i];
}

const family table =
    family("initialisation", __FILE__)
        .pair("half_of_an_array", half_of_an_array<true>, half_of_an_array<false>, shared,
              {.block = 64, .result = 63})
        .pair("count_from_nothing", count_from_nothing<true>, count_from_nothing<false>, shared,
              {.block = 40, .result = 40})
        .pair("ragged_tree", ragged_tree<true>, ragged_tree<false>, shared, {.block = 64, .result = 1225})
        .pair("halo", halo<true>, halo<false>, shared, {.block = 64, .result = 1})
        .pair("dynamic_memory", dynamic_memory<true>, dynamic_memory<false>, shared,
              {.block = 32, .shared = 128, .result = 1})
        .pair("value_of_another_block", value_of_another_block<true>, value_of_another_block<false>, shared,
              {.grid = 12, .result = 3})
        .pair("sums_of_warps", sums_of_warps<true>, sums_of_warps<false>, shared, {.block = 96, .result = 4560})
        .pair("accumulator", accumulator<true>, accumulator<false>, global, {.block = 32})
        .pair("partial_sums", partial_sums<true>, partial_sums<false>, global,
              {.grid = 3, .block = 32, .result = 1})
        .pair("one_past_the_stored", one_past_the_stored<true>, one_past_the_stored<false>, global, {.result = 190})
        .pair("member", member<true>, member<false>, global, {.block = 32, .result = 1})
        .pair("last_of_four", last_of_four<true>, last_of_four<false>, global, {.result = 6})
        .pair("bytes", bytes<true>, bytes<false>, shared, {.result = 0x01010101})
        .correct("padding", padding, {.result = 3})
        .correct("padding_in_shared", padding_in_shared, {.block = 64, .result = 2})
        .correct("short_list", short_list, {.result = 9})
        .pair("copied_member", copied_member<true>, copied_member<false>, global, {.result = 3})
        .pair("copied_nothing", copied_nothing<true>, copied_nothing<false>, global, {.result = 1})
        .correct("exchange", exchange, {.block = 32, .result = 5})
        .correct("filled_in_parts", filled_in_parts, {.block = 64, .result = 99});

}  // namespace
