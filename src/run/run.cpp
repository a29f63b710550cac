// The entries of the library behind every face (run.hpp, exactdot/reductions.hpp).
#include <cpu/levels.hpp>
#include <cpu/reduce.hpp>
#include <exactdot/reductions.hpp>
#include <plan/gpu_engine.hpp>
#include <plan/thread_count.hpp>
#include <run/run.hpp>

namespace exactdot {
namespace engine {

std::uint64_t run(const plan& plan) {
  if (plan.on_gpu) return registered_gpu_engine.load(std::memory_order_acquire)->reduce(plan);
  return cpu_engine::reduce(plan, cpu_engine::kernels_for(plan));
}

void add(const plan& plan, std::int64_t* words) {
  if (plan.on_gpu) return registered_gpu_engine.load(std::memory_order_acquire)->add(plan, words);
  cpu_engine::add(plan, cpu_engine::kernels_for(plan), words);
}

plan for_cpu(plan plan) {
  plan.on_gpu = false;
  return plan;
}

}  // namespace engine

namespace detail {
namespace {

constexpr std::size_t dot_term = core::info_of(reduction::dot).term;

[[gnu::noinline]] std::uint64_t dot_by_plan(element_type elements, element_type result, const void* a,
                                            const void* b, std::size_t n, const options& options) {
  const auto stride = static_cast<std::ptrdiff_t>(size_of(elements));
  return engine::run(engine::make_plan(
      {"dot", reduction::dot, {a, n, elements, stride, false}, {b, n, elements, stride, false}, result}, options));
}

}  // namespace

std::uint64_t dot(element_type elements, element_type result, const void* a, const void* b, std::size_t n,
                  const options& options) {
  if (!engine::is_short_call(a, b, n, options)) return dot_by_plan(elements, result, a, b, n, options);
  const auto& kernels = cpu_engine::current_kernels(elements, dot_term);
  if (options.mode == mode::fast) return cpu_engine::converted(elements, result, kernels.fast(a, b, n));
  return cpu_engine::reduce_short(kernels, elements, result, a, b, n);
}

std::uint64_t reduce(reduction what, const any_vector& a, const any_vector& b, element_type result,
                     const options& options) {
  return engine::run(engine::make_plan({name_of(what), what, a, b, result}, options));
}

}  // namespace detail
}  // namespace exactdot
