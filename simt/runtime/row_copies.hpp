// A copy of rows of texels or numbers, which have no padding, for a call of the runtime: it is named if it reads
// what nothing has written.
#pragma once

#include <exactdot/simt/runtime/memory.hpp>

namespace exactdot::simt {

cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind, const char* action,
                      const void* caller);
/// The same as a piece of the work of the current stream, under the lock of the runtime.
cudaError_t copy_rows_in_order(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                               std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind, const char* action,
                               const void* caller);

}  // namespace exactdot::simt
