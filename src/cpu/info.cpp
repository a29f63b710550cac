// Version and instruction sets.
#include <exactdot/info.hpp>

#include <thread>

namespace exactdot {
const char* version() noexcept { return EXACTDOT_VERSION; }
cpu_info cpu() { return {"portable", {"portable"}, static_cast<int>(std::thread::hardware_concurrency())}; }
void use_instruction_set(const std::string&) {}
}  // namespace exactdot
