// Reads the estimate of the kernel; see available_memory.hpp.
#include <unistd.h>

#include <cli/available_memory.hpp>
#include <fstream>
#include <string>

namespace exactdot::cli {

std::size_t available_memory() {
  std::ifstream information{"/proc/meminfo"};
  std::string key, unit;
  std::size_t kibibytes = 0;
  while (information >> key >> kibibytes && std::getline(information, unit)) {
    if (key == "MemAvailable:") return kibibytes * 1024;
  }
  return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace exactdot::cli
