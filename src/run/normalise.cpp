// Runs calls of rms_norm and layer_norm (exactdot/normalise.hpp), on a GPU or on the CPU.
#include <cpu/environment.hpp>
#include <cpu/normalised_rows.hpp>
#include <exactdot/normalise.hpp>
#include <plan/gpu_engine.hpp>
#include <plan/thread_count.hpp>
#include <string>

namespace exactdot::inline v0_3::detail {

std::array<axis, 2> axes_of_results(const char* caller, std::size_t m, std::size_t n, element_type type,
                                    std::size_t results) {
  std::size_t wanted = 0;
  if (__builtin_mul_overflow(m, n, &wanted) || wanted != results) {
    engine::throw_error(errc::size_mismatch, caller,
                        std::to_string(results) + " results for " + std::to_string(m) + " rows of " +
                            std::to_string(n) + " elements");
  }
  const auto size = static_cast<std::ptrdiff_t>(size_of(type));
  return {axis{m, static_cast<std::ptrdiff_t>(n) * size}, axis{n, size}};
}

void normalise(const normalisation& how, const any_grid& x, const any_results& out, const options& options) {
  const engine::normalise_request asked = engine::make_normalise_request(how, x, out, options);
  constexpr std::size_t always = ~std::size_t{0};  // the results may lie anywhere
  const engine::gpu_engine* const gpu = engine::gpu_engine_to_ask(how.caller, options, always);
  if (asked.rows == 0 || asked.length == 0) return;
  const cpu_engine::standard_arithmetic environment;
  if (gpu != nullptr && gpu->normalise != nullptr && gpu->normalise(asked, options)) return;
  if (options.device == device::cuda) {
    engine::throw_error(errc::bad_option, how.caller, "the arrays are not in a GPU's memory; use the device cpu");
  }
  const int threads = engine::threads_for(asked.rows * asked.length, options.threads);
  cpu_engine::normalise(asked, threads, options.monitor);
}

}  // namespace exactdot::inline v0_3::detail
