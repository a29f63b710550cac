// Addresses outside of buffers, shared arrays and local arrays.
#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto outside = fault_kind::out_of_bounds;

__device__ int thread_in_grid() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

/// The last block has more threads than elements are left.
template <bool faulty>
__global__ void ragged_tail(arrays m) {
  const int i = thread_in_grid();
  if (faulty || i < arrays::n) m.out[i] = m.in[i];  // fault: ragged_tail
}

template <bool faulty>
__global__ void before_the_start(arrays m) {
  const int i = thread_in_grid();
  m.out[i] = i > 0 || faulty ? m.in[i] - m.in[i - 1] : 0;  // fault: before_the_start
}

template <bool faulty>
__global__ void one_too_many(arrays m) {
  int sum = 0;
  for (int i = 0; faulty ? i <= arrays::n : i < arrays::n; ++i) sum += m.in[i];  // fault: one_too_many
  m.out[0] = sum;
}

/// Packs of four words over a length that is no multiple of four.
template <bool faulty>
__global__ void last_pack(arrays m) {
  int sum = 0;
  const int packs = faulty ? (arrays::n + 3) / 4 : arrays::n / 4;
  for (int i = thread_in_grid(); i < packs; i += static_cast<int>(blockDim.x)) {
    const int4 pack = reinterpret_cast<const int4*>(m.in)[i];  // fault: last_pack
    sum += pack.x + pack.y + pack.z + pack.w;
  }
  if (!faulty && threadIdx.x == 0) {
    for (int i = arrays::n / 4 * 4; i < arrays::n; ++i) sum += m.in[i];
  }
  atomicAdd(m.zeros, sum);
  __syncthreads();
  if (threadIdx.x == 0) m.out[0] = atomicAdd(m.zeros, 0);
}

/// Rows of 32 words, taken for rows of 64: the last ones are outside.
template <bool faulty>
__global__ void wrong_pitch(arrays m) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x);
  m.scratch[y * (faulty ? 64 : 32) + x] = x;  // fault: wrong_pitch
}

/// An index from the data.
template <bool faulty>
__global__ void scatter(arrays m) {
  const int i = thread_in_grid(), key = m.in[i] * 3;
  m.zeros[faulty ? key : key % 256] = 0;  // fault: scatter
}

template <bool faulty>
__global__ void atomic_outside(arrays m) {
  atomicAdd(&m.zeros[(faulty ? 250 : 200) + static_cast<int>(threadIdx.x)], 1);  // fault: atomic_outside
}

/// Bytes are taken for words: four times as far.
template <bool faulty>
__global__ void bytes_as_words(arrays m) {
  const unsigned count = sizeof(int) * 64 / (faulty ? 1 : sizeof(int));
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) m.zeros[i + 64] = 1;  // fault: bytes_as_words
}

template <bool faulty>
__global__ void null_pointer(arrays m) {
  const int* const x = faulty ? nullptr : m.in;
  m.out[threadIdx.x] = x[threadIdx.x];  // fault: null_pointer
}

/// A pointer to memory of the host.
template <bool faulty>
__global__ void host_pointer(arrays m) {
  const int* const x = faulty ? m.host : m.in;
  m.out[threadIdx.x] = x[threadIdx.x];  // fault: host_pointer
}

/// An offset as large as a whole buffer leads into another one.
template <bool faulty>
__global__ void into_another_buffer(arrays m) {
  if (faulty) {
    m.out[m.scratch - m.out] = 1;  // fault: into_another_buffer
  } else {
    m.out[0] = 1;
  }
}

template <bool faulty>
__global__ void static_shared(arrays m) {
  __shared__ int values[64];
  for (unsigned i = threadIdx.x; i < 64; i += blockDim.x) values[i] = 0;
  __syncthreads();
  values[threadIdx.x + (faulty ? 33 : 32)] = m.in[threadIdx.x];  // fault: static_shared
  __syncthreads();
  m.out[threadIdx.x] = values[32 + threadIdx.x];
}

/// More threads than places.
template <bool faulty>
__global__ void too_many_threads(arrays m) {
  __shared__ int values[48];
  if (!faulty && threadIdx.x >= 48) return;
  int* const place = values + threadIdx.x;  // fault: too_many_threads
  *place = m.in[threadIdx.x];               // fault: too_many_threads
  m.out[threadIdx.x] = *place;              // fault: too_many_threads
}

template <bool faulty>
__global__ void dynamic_shared(arrays m) {
  int* const values = gpu::dynamic_shared<int>();
  values[threadIdx.x + (faulty ? 1 : 0)] = m.in[threadIdx.x];                     // fault: dynamic_shared
  m.out[blockIdx.x * 32 + threadIdx.x] = values[threadIdx.x + (faulty ? 1 : 0)];  // fault: dynamic_shared
}

/// Dynamic shared memory in two parts; the first one is overrun.
template <bool faulty>
__global__ void part_of_dynamic_shared(arrays m) {
  int *const first = gpu::dynamic_shared<int>(), *const second = first + 32;
  second[threadIdx.x] = 0;
  __syncthreads();
  first[threadIdx.x + (faulty ? 1 : 0)] = 1;  // fault: part_of_dynamic_shared
  __syncthreads();
  m.out[threadIdx.x] = second[threadIdx.x];
}

/// An index of one row of a shared array that leads into the next row.
template <bool faulty>
__global__ void into_another_array(arrays m) {
  __shared__ int values[2][32];
  values[0][threadIdx.x] = 0, values[1][threadIdx.x] = 0;
  __syncthreads();
  values[faulty ? 0 : 1][threadIdx.x + (faulty ? 1 : 0)] = 1;  // fault: into_another_array
  __syncthreads();
  m.out[threadIdx.x] = values[1][threadIdx.x];
}

template <bool faulty>
__global__ void column_index(arrays m) {
  __shared__ int tile[8][8];
  const unsigned x = threadIdx.x % 8, y = threadIdx.x / 8;
  tile[y][x] = 1;
  __syncthreads();
  if (y == 0) tile[x][faulty ? x + 1 : x] = 2;  // fault: column_index
  __syncthreads();
  m.out[threadIdx.x] = tile[y][x];
}

/// The index of a local array.
template <bool faulty>
__global__ void local_array(arrays m) {
  int kept[4] = {0, 0, 0, 0};
  for (int i = 0; i < 8; ++i) kept[m.in[i] % (faulty ? 5 : 4)] += 1;  // fault: local_array
  m.out[threadIdx.x] = kept[0] + kept[1] + kept[2] + kept[3];
}

/// The element before the first one of a local array.
template <bool faulty>
__global__ void before_a_local_array(arrays m) {
  int kept[4] = {0, 0, 0, 0};
  for (int i = 0; i < 8; ++i) kept[m.in[i] % 4 - (faulty ? 1 : 0)] = 1;  // fault: before_a_local_array
  m.out[threadIdx.x] = kept[0] + kept[1] + kept[2] + kept[3];
}

/// The same by a pointer that the compiler can trace to the array.
template <bool faulty>
__global__ void before_a_known_array(arrays m) {
  int kept[4] = {1, 1, 1, 1};
  const int* const place = kept + m.in[faulty ? 0 : 1];
  m.out[threadIdx.x] = place[-1];  // fault: before_a_known_array
}

// The letter of inline assembly for an address.
#if defined(__CUDACC__) && !defined(__SIMTCC__)
#define ADDRESS_CONSTRAINT "l"
#else
#define ADDRESS_CONSTRAINT "r"
#endif
/// A local array by a pointer, which no index check sees.
template <bool faulty>
__global__ void local_array_by_pointer(arrays m) {
  int kept[4] = {0, 0, 0, 0};
  int* place = kept + m.in[faulty ? 4 : 3];
  asm volatile("" : "+" ADDRESS_CONSTRAINT(place));
  *place = 1;  // fault: local_array_by_pointer
  asm volatile("" : : ADDRESS_CONSTRAINT(&kept[0]) : "memory");
  m.out[threadIdx.x] = kept[3];
}

__constant__ int coefficients[4] = {1, 2, 3, 4};
/// An index of constant memory.
template <bool faulty>
__global__ void constant_index(arrays m) {
  m.out[threadIdx.x] = coefficients[threadIdx.x % (faulty ? 5 : 4)];  // fault: constant_index
}

__constant__ int offset_of_all = 3;
/// A kernel that writes constant memory; by a pointer, because nvcc refuses an assignment.
template <bool faulty>
__global__ void constant_write(arrays m) {
  if (faulty) *const_cast<int*>(&offset_of_all) = 3;  // fault: constant_write
  m.out[0] = m.in[0] + offset_of_all;
}

/// Exactly the bytes that there are: the first and the last of each buffer.
__global__ void first_and_last(arrays m) {
  int* const shared = gpu::dynamic_shared<int>();
  shared[0] = m.in[0], shared[31] = m.in[arrays::n - 1];
  m.out[1023] = shared[31];
  m.zeros[255] = 1;
  m.scratch[1023] = 1;
  reinterpret_cast<int4*>(m.out)[0] = {shared[31], 0, 0, 0};
}

const family table =
    family("bounds", __FILE__)
        .pair("ragged_tail", ragged_tail<true>, ragged_tail<false>, outside, {.grid = 16, .block = 64, .result = 0})
        .pair("before_the_start", before_the_start<true>, before_the_start<false>, outside,
              {.grid = 2, .block = 32, .result = 0})
        .pair("one_too_many", one_too_many<true>, one_too_many<false>, outside, {.result = arrays::sum})
        .pair("last_pack", last_pack<true>, last_pack<false>, outside, {.block = 64, .result = arrays::sum})
        .pair("wrong_pitch", wrong_pitch<true>, wrong_pitch<false>, outside, {.grid = 20, .block = 32})
        .pair("scatter", scatter<true>, scatter<false>, outside, {.grid = 3, .block = 32})
        .pair("atomic_outside", atomic_outside<true>, atomic_outside<false>, outside, {.block = 32})
        .pair("bytes_as_words", bytes_as_words<true>, bytes_as_words<false>, outside, {.block = 64})
        .pair("null_pointer", null_pointer<true>, null_pointer<false>, outside, {.block = 32, .result = 0})
        .pair("host_pointer", host_pointer<true>, host_pointer<false>, outside, {.block = 32, .result = 0})
        .pair("into_another_buffer", into_another_buffer<true>, into_another_buffer<false>, outside, {.result = 1})
        .pair("static_shared", static_shared<true>, static_shared<false>, outside, {.block = 32, .result = 0})
        .pair("too_many_threads", too_many_threads<true>, too_many_threads<false>, outside,
              {.block = 64, .result = 0})
        .pair("dynamic_shared", dynamic_shared<true>, dynamic_shared<false>, outside,
              {.grid = 2, .block = 32, .shared = 128, .result = 0})
        .pair("part_of_dynamic_shared", part_of_dynamic_shared<true>, part_of_dynamic_shared<false>, outside,
              {.block = 32, .shared = 256, .result = 0})
        .pair("into_another_array", into_another_array<true>, into_another_array<false>, outside,
              {.block = 32, .result = 1})
        .pair("column_index", column_index<true>, column_index<false>, outside, {.block = 64, .result = 2})
        .pair("local_array", local_array<true>, local_array<false>, outside, {.block = 32, .result = 8})
        .pair("before_a_local_array", before_a_local_array<true>, before_a_local_array<false>, outside,
              {.block = 32, .result = 4})
        .pair("before_a_known_array", before_a_known_array<true>, before_a_known_array<false>, outside,
              {.result = 1})
        .pair("local_array_by_pointer", local_array_by_pointer<true>, local_array_by_pointer<false>, outside,
              {.result = 1})
        .pair("constant_index", constant_index<true>, constant_index<false>, outside, {.block = 32, .result = 1})
        .pair("constant_write", constant_write<true>, constant_write<false>, fault_kind::constant_write,
              {.result = 3})
        .correct("first_and_last", first_and_last, {.shared = 128, .result = arrays::n - 1});

}  // namespace
