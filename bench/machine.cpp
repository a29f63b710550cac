// Description of the machine from /proc and /sys; see machine.hpp.
//
// Entries that do not exist, as in some containers, are empty or "unknown".
#include "machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <exactdot/info.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace bench {
namespace {

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  std::string vendor_family;
  for (std::string line; std::getline(file, line);) {
    const auto value = line.substr(std::min(line.size(), line.find(':') + 2));
    if (line.starts_with("model name")) return fmt::format("{} ({})", value, vendor_family);
    // a virtual machine may report a generic model name; family and model number identify the CPU
    if (line.starts_with("cpu family")) vendor_family = "family " + value;
    if (line.starts_with("model\t")) vendor_family += " model " + value;
  }
  return "unknown";
}

/// Converts "2048K" to "2 MiB".
std::string readable(const std::string& size) {
  const unsigned long kibibytes = std::strtoul(size.c_str(), nullptr, 10);
  return kibibytes % 1024 == 0 ? fmt::format("{} MiB", kibibytes / 1024) : fmt::format("{} KiB", kibibytes);
}

std::string caches() {
  std::string text;
  for (int index = 0;; ++index) {
    const std::filesystem::path folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}", index);
    if (!std::filesystem::exists(folder)) return text;
    if (first_line(folder / "type") == "Instruction") continue;
    text += fmt::format("{}L{} {}", text.empty() ? "" : ", ", first_line(folder / "level"),
                        readable(first_line(folder / "size")));
  }
}

}  // namespace

nlohmann::ordered_json describe_machine() {
  utsname system{};
  uname(&system);
  const std::string release = system.release;
  const auto cpu = exactdot::cpu();
  return {{"cpu", cpu_model()},
          {"hardware_threads", std::thread::hardware_concurrency()},
          {"caches", caches()},
          {"instruction_set", cpu.instruction_set},
          {"huge_pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled")},
          {"system", fmt::format("{} {}", system.sysname, release.substr(0, release.find('-')))},
          {"compiler", fmt::format("{} {}", COMPILER, COMPILER_FLAGS)},
          {"exactdot", exactdot::version()},
          {"date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)))}};
}

}  // namespace bench
