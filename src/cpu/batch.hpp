// The CPU engine for calls with many results (plan/batch.hpp).
#pragma once

#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// Computes and stores all results. Throws errc::overflow, before anything is stored, and errc::cancelled, after
/// which the results are unspecified.
void reduce(engine::batch batch);

}  // namespace exactdot::inline v0_3::cpu_engine
