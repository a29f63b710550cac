// The checks of a call with many results. Each throws exactdot::error, whose sentence begins with the caller's
// name.
#pragma once

#include <plan/batch.hpp>

namespace exactdot::inline v0_3::engine {

/// Throws errc::size_mismatch unless both lists of axes have the same lengths. `names`: of what differs.
void require_equal_axes(const batch_request& asked, std::span<const axis> a, std::span<const axis> b,
                        const char* names);

/// The positions along the axes. `what` they are: for the sentence if there are too many.
[[nodiscard]] std::size_t count_or_refuse(const batch_request& asked, std::span<const axis> axes, const char* what);

/// What a call on one of the vectors would check; a and b have its length.
void check_each(const batch_request& asked, const any_vector& a, const any_vector& b, std::size_t results,
                mode mode);

/// Throws for results that are to be added to, of a shape that has them overwritten only.
void refuse_adding(const batch_request& asked);
/// Throws unless what is added to results is a sum.
void check_adding(const batch_request& asked);

/// Throws for results that lie nowhere, or on each other.
void check_results(const batch_request& asked, std::size_t count);

/// Throws for an input that lies nowhere, exceeds the address space or shares memory with results.
void check_input(const batch_request& asked, const char* name, const any_grid& x, std::size_t results,
                 std::size_t n);
/// The same for one vector that all results are made of.
void check_vector(const batch_request& asked, const char* name, const any_vector& x, std::size_t results);

/// Throws for offsets of another type, in a GPU's memory also for narrow ones, into a vector of n elements, and as
/// check_input. Offsets `on_gpu` are not read.
void check_offsets(const batch_request& asked, const any_offsets& offsets, std::size_t n, bool on_gpu);

/// Throws for offset i, which decreases or passes the end of n elements. `before`: the one before it.
[[noreturn]] void refuse_offset(const char* caller, element_type type, std::size_t i, std::uint64_t offset,
                                std::uint64_t before, std::size_t n);

/// Throws for keys or offsets that a GPU would have to swap.
void check_byte_order(const batch_request& asked, const char* name, bool swapped);

/// Throws for keys of another type or length than a vector of n elements has, and as check_vector.
void check_keys(const batch_request& asked, const any_keys& keys, std::size_t results, std::size_t n);

void check_options(const batch_request& asked, const options& options);

/// Lets the GPU engine decide where the batch is computed, if there is one to ask. Throws for memory that no engine
/// reads.
void choose_engine(const batch_request& asked, batch& made, const options& options);
/// Throws for two inputs that a GPU's memory holds, or a GPU that was demanded: `what` is for arrays in host memory.
void keep_on_host(const batch_request& asked, const any_grid& a, const any_grid& b, const options& options,
                  const char* what);
/// The same for offsets alone, before they are read: whether a GPU reads them.
[[nodiscard]] bool are_on_gpu(const batch_request& asked, const any_offsets& offsets, const options& options);

}  // namespace exactdot::inline v0_3::engine
