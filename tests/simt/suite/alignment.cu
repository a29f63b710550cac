// Addresses that are no multiple of the type's alignment.
#include <exactdot/simt/async.hpp>

#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto odd = fault_kind::misaligned;

template <bool faulty>
__global__ void pair_of_ints(arrays m) {
  const int2 x = *reinterpret_cast<const int2*>(m.in + (faulty ? 1 : 2));  // fault: pair_of_ints
  m.out[0] = x.x + x.y;
}

/// Four words at a multiple of 4 bytes.
template <bool faulty>
__global__ void four_at_4(arrays m) {
  const int4 x = *reinterpret_cast<const int4*>(m.in + (faulty ? 1 : 4));  // fault: four_at_4
  m.out[0] = x.x + x.y + x.z + x.w;
}

/// Four words at a multiple of 8 bytes.
template <bool faulty>
__global__ void four_at_8(arrays m) {
  const int4 x = *reinterpret_cast<const int4*>(m.in + (faulty ? 2 : 4));  // fault: four_at_8
  m.out[0] = x.x + x.y + x.z + x.w;
}

template <bool faulty>
__global__ void store_of_four(arrays m) {
  *reinterpret_cast<int4*>(m.out + (faulty ? 3 : 4)) = make_int4(1, 2, 3, 4);  // fault: store_of_four
  m.out[0] = 1;
}

template <bool faulty>
__global__ void double_at_4(arrays m) {
  *reinterpret_cast<double*>(m.scratch + (faulty ? 1 : 2)) = 1.5;  // fault: double_at_4
  m.out[0] = 1;
}

template <bool faulty>
__global__ void word_in_bytes(arrays m) {
  __shared__ __align__(4) unsigned char bytes[16];
  for (unsigned i = 0; i < 16; ++i) bytes[i] = 1;
  m.out[0] = *reinterpret_cast<const int*>(bytes + (faulty ? 2 : 4));  // fault: word_in_bytes
}

template <bool faulty>
__global__ void half_word(arrays m) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(m.in);
  m.out[0] = *reinterpret_cast<const unsigned short*>(bytes + (faulty ? 5 : 4));  // fault: half_word
}

template <bool faulty>
__global__ void wide_atomic(arrays m) {
  atomicAdd(reinterpret_cast<unsigned long long*>(m.zeros + (faulty ? 1 : 2)), 1ULL);  // fault: wide_atomic
  m.out[0] = 1;
}

template <bool faulty>
__global__ void dynamic_shared(arrays m) {
  auto* const bytes = gpu::dynamic_shared<unsigned char>();
  auto* const words = reinterpret_cast<long long*>(bytes + (faulty ? 4 : 8));
  words[0] = 7;  // fault: dynamic_shared
  m.out[0] = static_cast<int>(words[0]);
}

template <bool faulty>
__global__ void copy_of_16(arrays m) {
  __shared__ __align__(16) int words[8];
  gpu::cp_async<16>(words, m.in + (faulty ? 2 : 4));  // fault: copy_of_16
  gpu::cp_async_wait_all();
  m.out[0] = words[0];
}

template <bool faulty>
__global__ void copy_to_16(arrays m) {
  __shared__ __align__(16) int words[8];
  gpu::cp_async<16>(words + (faulty ? 1 : 4), m.in);  // fault: copy_to_16
  gpu::cp_async_wait_all();
  m.out[0] = words[4];
}

template <bool faulty>
__global__ void bulk_copy(arrays m) {
  __shared__ __align__(16) int words[16];
  __shared__ gpu::mbarrier bar;
  gpu::mbarrier_init(&bar, 1);
  gpu::fence_mbarrier_init();
  gpu::mbarrier_arrive_expect_tx(&bar, 64);
  gpu::cp_async_bulk(words, m.in + (faulty ? 1 : 4), 64, &bar);  // fault: bulk_copy
  while (!gpu::mbarrier_try_wait_parity(&bar, 0)) {
  }
  m.out[0] = words[0];
}

/// Packs between an unaligned head and a ragged tail.
__global__ void head_and_tail(arrays m) {
  const int* const first = m.in + 1;
  const int* const last = m.in + arrays::n;
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const int* const packs = first + (16 - address % 16) % 16 / 4;
  int sum = 0;
  for (const int* i = first; i < packs; ++i) sum += *i;
  const int* i = packs;
  for (; i + 4 <= last; i += 4) {
    const int4 four = *reinterpret_cast<const int4*>(i);
    sum += four.x + four.y + four.z + four.w;
  }
  for (; i < last; ++i) sum += *i;
  m.out[0] = sum;
}

/// Bytes may stand anywhere.
__global__ void bytes_anywhere(arrays m) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(m.in);
  m.out[threadIdx.x] = bytes[threadIdx.x + 4];
}

const family table =
    family("alignment", __FILE__)
        .pair("pair_of_ints", pair_of_ints<true>, pair_of_ints<false>, odd, {.result = 5})
        .pair("four_at_4", four_at_4<true>, four_at_4<false>, odd, {.result = 22})
        .pair("four_at_8", four_at_8<true>, four_at_8<false>, odd, {.result = 22})
        .pair("store_of_four", store_of_four<true>, store_of_four<false>, odd, {.result = 1})
        .pair("double_at_4", double_at_4<true>, double_at_4<false>, odd, {.result = 1})
        .pair("word_in_bytes", word_in_bytes<true>, word_in_bytes<false>, odd, {.result = 0x01010101})
        .pair("half_word", half_word<true>, half_word<false>, odd, {.result = 1})
        .pair("wide_atomic", wide_atomic<true>, wide_atomic<false>, odd, {.result = 1})
        .pair("dynamic_shared", dynamic_shared<true>, dynamic_shared<false>, odd, {.shared = 32, .result = 7})
        .pair("copy_of_16", copy_of_16<true>, copy_of_16<false>, odd, {.result = 4})
        .pair("copy_to_16", copy_to_16<true>, copy_to_16<false>, odd, {.result = 0})
        .pair("bulk_copy", bulk_copy<true>, bulk_copy<false>, odd, {.result = 4})
        .correct("head_and_tail", head_and_tail, {.result = arrays::sum})
        .correct("bytes_anywhere", bytes_anywhere, {.block = 32, .result = 1});

}  // namespace
