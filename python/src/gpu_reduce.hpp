// Reductions of vectors in GPU memory. In a build without the CUDA engine (no_gpu.cpp) these functions throw.
//
// The GIL is held on entry and on return, and released while the call launches work or waits. Calls of several
// threads on one stream share a workspace, so one may wait for another.
#pragma once

#include <exactdot/options.hpp>
#include <exactdot/reductions.hpp>
#include <python/src/imported_array.hpp>
#include <python/src/stream.hpp>
#include <vector>

namespace exactdot::python {

/// {"built": bool, "toolkit": version, "devices": [names], "note": reason for having no devices}
nb::dict gpu_info();

/// Throws errc::no_device in a build without the CUDA engine; `asked` names the argument that needs it.
void require_gpu_engine(const std::string& asked);

/// Sets the device of an array that was imported by __cuda_array_interface__, which does not name it.
void find_device(imported_array& vector, const char* caller);

/// Orders the work that is queued in the stream named by the vector's producer before later work on `stream`.
void order_after_producer(const imported_array& vector, std::intptr_t stream);

/// A reduction of vectors in the memory of one GPU.
struct gpu_reduction {
  reduction what;
  const imported_array& first;
  const imported_array* second;  // null for one vector
  exactdot::mode mode = exactdot::mode::exact;
  std::int64_t ddof = 0;
};

/// The result. Waits for it; it arrives in mapped host memory without a copy.
any_scalar gpu_reduce(const gpu_reduction& asked, element_type result, const stream_choice& stream);

/// *out = the result, ordered by the stream; does not wait. Keeps the arrays alive as keep_alive_until_done does.
/// An integer result that does not fit is stored as 0.
void gpu_reduce_to(const gpu_reduction& asked, const imported_array& out, const stream_choice& stream);

/// The words of the exact state of a dot, a sum or a sum of squares. Waits for them; copies the words to the host,
/// not the vectors.
std::vector<std::int64_t> gpu_words(const gpu_reduction& asked, const stream_choice& stream);

}  // namespace exactdot::python
