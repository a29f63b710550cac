// Version and instruction sets.
#include <cpu/kernels.hpp>
#include <exactdot/info.hpp>
#include <plan/thread_count.hpp>

namespace exactdot::inline v0_3 {

const char* version() noexcept { return EXACTDOT_VERSION; }

cpu_info cpu() {
  cpu_info info;
  info.instruction_set = cpu_engine::current_instruction_set().name;
  for (const auto* set : cpu_engine::runnable_instruction_sets()) info.instruction_sets.emplace_back(set->name);
  info.threads = engine::available_processors();
  return info;
}

void use_instruction_set(const std::string& name) { cpu_engine::choose_instruction_set(name); }

}  // namespace exactdot::inline v0_3
