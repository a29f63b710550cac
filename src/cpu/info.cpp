// Instruction sets, threads and the calling thread's floating-point environment.
#include <cpu/environment.hpp>
#include <cpu/kernels.hpp>
#include <exactdot/info.hpp>
#include <plan/thread_count.hpp>

namespace exactdot::inline v0_3 {

cpu_info cpu() {
  cpu_info info;
  info.instruction_set = cpu_engine::current_instruction_set().name;
  for (const auto* set : cpu_engine::runnable_instruction_sets()) info.instruction_sets.emplace_back(set->name);
  info.threads = engine::available_processors();
  return info;
}

float_environment environment() {
  const cpu_engine::control_word word = cpu_engine::read_control();
  return {cpu_engine::rounding_of(word), cpu_engine::flushes_results(word), cpu_engine::flushes_operands(word),
          cpu_engine::has_traps(word)};
}

void use_instruction_set(const std::string& name) { cpu_engine::choose_instruction_set(name); }

}  // namespace exactdot::inline v0_3
