// SPDX-License-Identifier: Apache-2.0
// cuda::reduce(workspace, x, n, result, op, identity): any associative and commutative device callable on a GPU.
//
// For CUDA sources, compiled by nvcc, of programs that link exactdot::cuda. The order is order v1
// (exactdot/order_v1.hpp), so the result has the bits of exactdot::reduce on the CPU if op has; compile with
// --fmad=false if op multiplies and adds.
#pragma once

#include <exactdot/cuda.hpp>
#include <exactdot/cuda/reduce_kernels.cuh>
#include <exactdot/reduce.hpp>

namespace exactdot::inline v0_3::cuda {

/// *result = x[0] op x[1] op …, each element converted to V, when the stream reaches it.
///
/// x, result: memory that the workspace's device can access, aligned to their types. op: callable on the device;
/// op(identity, v) is v. V: trivially copyable, at most 16 bytes. n = 0 gives the identity. Errors: as of
/// cuda::reduce of a known reduction. Cost: two launches that read x once; no device memory is allocated, so a
/// stream can be captured.
template <element T, class V, class Op>
requires reduction_of<V, Op> && std::constructible_from<V, T>
void reduce(workspace& on, const T* x, std::size_t n, V* result, const Op& op, const V& identity) {
  const detail::callable_call call(on, to_any(x, n), result, sizeof(V), alignof(V));
  static_assert(detail::max_reduce_blocks * sizeof(V) <= detail::callable_call::partial_bytes);
  V* const node = static_cast<V*>(call.partials());
  const auto [tiles_per_block, blocks] = detail::reduce_grid_for<V>(n);
  if (blocks != 0) {
    detail::combine_tiles<V, T, Op>
        <<<blocks, order_v1<V>::lanes, 0, on.stream()>>>(x, n, tiles_per_block, op, identity, node);
    call.check_launch();
  }
  detail::combine_nodes<V, Op><<<1, 256, 0, on.stream()>>>(node, blocks, op, identity, result);
  call.check_launch();
}

}  // namespace exactdot::inline v0_3::cuda
