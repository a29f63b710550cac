// Instruction sets, threads and the calling thread's floating-point environment.
#include <cfenv>
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
  float_environment found;
#if defined(__x86_64__) || defined(__aarch64__)
  const cpu_engine::control_word word = cpu_engine::read_control();
  found.rounding = cpu_engine::rounding_of(word);
  found.flush_to_zero = (word & cpu_engine::flush_bit) != 0;
  found.denormals_are_zero = (word & cpu_engine::denormals_are_zero_bit) != 0;
  found.traps = cpu_engine::has_traps(word);
#else
  const int mode = std::fegetround();
  found.rounding = mode == FE_TONEAREST ? "to_nearest" : mode == FE_UPWARD ? "upward" : "other";
#endif
  return found;
}

void use_instruction_set(const std::string& name) { cpu_engine::choose_instruction_set(name); }

}  // namespace exactdot::inline v0_3
