// What a vector that is not packed needs on a GPU: packing, and the result of its pieces.
//
// All of it is enqueued on the stream given, and nothing waits: so a call with `out` may be captured, views too.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace exactdot::python {

/// to[i] = the element at from + i·stride, for n of them; stride in bytes.
template <class T>
void pack(const void* from, std::ptrdiff_t stride, std::size_t n, T* to, cudaStream_t stream);

/// *result = the exact state rounded. Normalises the words in place.
template <class R, class T>
void round_words(std::int64_t* words, R* result, cudaStream_t stream);

/// *result = the root of order v1's tree over these sums of equally many tiles, a power of two (the last of fewer).
template <class R, class T>
void root_of_tree(const T* nodes, std::size_t count, R* result, cudaStream_t stream);

}  // namespace exactdot::python
