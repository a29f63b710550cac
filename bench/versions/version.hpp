// What the comparison of two versions asks of each: one library per version, loaded side by side in one process.
//
// version.cpp is compiled once against each version's headers and libraries, from its public interface alone.
#pragma once

#include <cstddef>

namespace versions {

enum class mode : int { exact, fast, accumulate };

extern "C" {
/// Seconds of `calls` calls on n elements of float (bytes = 4) or double (8) on the CPU.
using seconds_of_calls = double(int bytes, versions::mode what, const void* a, const void* b, std::size_t n,
                                int threads, int calls);
/// A workspace for a stream, and a launch on it; all pointers are the GPU's.
using make_workspace = void*(void* stream);
using enqueue = void(void* workspace, int bytes, versions::mode what, const void* a, const void* b, std::size_t n,
                     void* result);
}

}  // namespace versions
