// From CUDA C++ to the host compiler's C++: what simtcc does to a preprocessed file.
//
//   __global__ f(…) { body }          f's body becomes a lambda that every thread runs (launch.hpp)
//   kernel<<<grid, block>>>(x)        (configure(grid, block), kernel(x))
//   extern __shared__ T s[];          in a function a reference to dynamic shared memory, else its symbol
//   __shared__ T s[n];                a thread-local variable, which the simulator swaps per block
//   cudaLaunchKernel((void*)k, …)     the cast is dropped, so that the parameters are known
//   memset(p, 0, n)                   in a kernel the simulator's function, which reports the access
//   asm("mov.u32 %0, %%laneid;" …)    a call; other PTX, and what is not modelled, is a problem with its line
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "declarations.hpp"
#include "source_edits.hpp"

namespace exactdot::simtcc {

enum class host_compiler { gnu, clang };  // they differ in attributes of lambdas and in shared variables

struct rewriting {
  host_compiler compiler = host_compiler::gnu;
  bool relocatable = false;  // nvcc's -rdc=true
};
struct rewritten {
  std::string text;
  std::vector<problem> problems;   // sorted as in the text
  std::vector<std::string> notes;  // for the user, of a text without problems
  std::vector<std::string> files;  // that the text comes from, but those of the system
};

rewritten rewrite(std::string_view preprocessed, const std::string& file, const rewriting& how);

/// Names of empty files that stand for headers of libraries: what a program uses of them is refused, not their
/// inclusion.
std::vector<std::string> headers_refused_at_use();

/// What a header of CUDA that simtcc does not supply belongs to; "" if it is none.
std::string_view library_of_header(std::string_view name);

/// Where a token is: innermost enclosing braces.
enum class scope_kind { name_space, kernel, device_function, other };

// Parts of rewrite(), each for the token at i.
/// `is_local` says whether a name may be that of a variable or member there.
void rewrite_launch(source_edits& source, std::size_t i, scope_kind inside, const declarations& names,
                    const std::function<bool(std::string_view)>& is_local);
void rewrite_launch_call(source_edits& source, std::size_t i);
/// Returns the argument of kernel_body() that names the parameters of the kernel whose body begins at `brace`; ""
/// if none has a name.
std::string pointers_of_kernel(const source_edits& source, std::size_t brace);
/// Replaces a keyword by specifiers, which C++ wants behind an alignas(…) and [[…]] that follow it.
void specify(source_edits& source, std::size_t keyword, const std::string& specifiers);
/// Returns the names of the variables, if their size counts: an array of dynamic shared memory has none.
std::vector<std::string> rewrite_shared(source_edits& source, std::size_t i, std::size_t statement,
                                        bool in_parentheses, scope_kind inside, host_compiler compiler);
/// After the declaration at `i`, requires that all these variables fit into a block's static shared memory.
void limit_shared(source_edits& source, std::size_t i, const std::vector<std::string>& names);
void rewrite_constant(source_edits& source, std::size_t i, std::size_t statement, const std::string& linkage);
void rewrite_assembly(source_edits& source, std::size_t i);
/// Whether the tokens from `first` to `end` may declare a parameter or variable of this name.
bool may_declare(const source_edits& source, std::string_view name, std::size_t first, std::size_t end);
/// Lists the variables of namespaces for the program.
void register_variables(source_edits& source, const declarations& names);
/// Refuses what the user's files use of libraries whose headers are empty.
void refuse_libraries(source_edits& source, const declarations& names);
/// Refuses headers of CUDA's libraries that were found on this machine.
void refuse_headers(source_edits& source);
/// Returns the name at i, with std::, if it is one of the standard library that device code cannot use; else "".
std::string name_of_host_library(const source_edits& source, std::size_t i);
/// memcpy, memmove and memset become the simulator's: compilers replace a call of the C library's by accesses that
/// are not instrumented.
bool is_memory_function(const source_edits& source, std::size_t i);
void rewrite_memory_function(source_edits& source, std::size_t i);
void refuse_unsupported(source_edits& source, std::size_t i, scope_kind inside, const declarations& names);
/// The notes about what the user's files use: functions of earlier toolkits, stand-ins for headers.
std::vector<std::string> notes_of(const source_edits& source, const declarations& names);

}  // namespace exactdot::simtcc
