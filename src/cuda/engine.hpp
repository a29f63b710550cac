// Reductions through a staging pipeline: what the GPU engine does with host vectors, and tests with small chunks.
#pragma once

#include <cuda/staging_pipeline.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// The bits of the result. The plan's GPU is current.
[[nodiscard]] std::uint64_t reduce_staged(const engine::plan& plan, staging_pipeline& pipeline);

/// words += the exact state; normalised on entry and on return.
void add_staged(const engine::plan& plan, staging_pipeline& pipeline, std::int64_t* words);

}  // namespace exactdot::inline v0_3::cuda_engine
