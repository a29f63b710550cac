// Dot products of vectors in a GPU's memory. A build without the CUDA engine has the same functions; they throw.
//
// All take and return the GIL; while a GPU is fed or waited for it is free. Calls of two threads on one stream
// take turns, for they share a workspace: what is said below to wait for nothing may wait for another thread's
// call.
#pragma once

#include <exactdot/options.hpp>
#include <python/src/operand.hpp>
#include <python/src/stream.hpp>
#include <vector>

namespace exactdot::python {

/// {"built": bool, "toolkit": version, "devices": [names], "note": why there are none}
nb::dict gpu_info();

/// Throws errc::no_device in a build without the CUDA engine; `asked` says what needs one.
void require_gpu_engine(const std::string& asked);

/// Completes what only CUDA knows: the device of an operand that came by __cuda_array_interface__.
void find_device(operand& vector, const char* what);

/// Everything that `vector`'s producer has put into the stream it named comes before what `stream` runs from here
/// on.
void order_after_producer(const operand& vector, std::intptr_t stream);

/// a·b, waited for, with the GIL released. The result arrives in mapped host memory, without a copy.
double gpu_dot(const operand& a, const operand& b, element_type result, mode mode, const stream_choice& stream);

/// *out = a·b when the stream comes to it. Nothing waits. Operands that are not of the framework whose stream it is
/// are kept alive until the stream has passed.
void gpu_dot_to(const operand& a, const operand& b, const operand& out, mode mode, const stream_choice& stream);

/// The words of the exact state of a·b, waited for; they are copied to the host, not the vectors.
std::vector<std::int64_t> gpu_words(const operand& a, const operand& b, const stream_choice& stream);

}  // namespace exactdot::python
