// Looks for simtcc beside this program, as it is installed, then in the build folder, then in PATH. It is told by
// its first argument that it is called as exactdot, for its messages.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cli/exercise.hpp>
#include <cli/interruption.hpp>
#include <cstdlib>
#include <cstring>
#include <exactdot/error.hpp>
#include <filesystem>
#include <io/fault.hpp>
#include <sstream>

namespace exactdot::cli {
namespace {

namespace fs = std::filesystem;

std::string find_simtcc() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  std::vector<fs::path> folders = {folder, folder / "../simt/cc"};  // installed; of a build
  const char* const path = std::getenv("PATH");
  std::istringstream searched(path == nullptr ? "" : path);
  for (std::string each; std::getline(searched, each, ':');) folders.emplace_back(each.empty() ? "." : each);
  for (const fs::path& each : folders) {
    const fs::path file = (each / "simtcc").lexically_normal();
    std::error_code ignored;  // a folder that cannot be searched has no simtcc
    if (fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0) return file;
  }
  throw error(errc::file,
              fmt::format("exercise: simtcc is neither beside this program in {} nor in the folders of PATH; pip "
                          "install simtcc, or build it (docs/simtcc.md)",
                          io::printable(folder.string())));
}

}  // namespace

void run_exercise(const std::vector<std::string>& words) {
  const std::string file = find_simtcc();
  std::vector<std::string> all = {"exactdot", "exercise"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  restore_ignored_signals();
  execv(file.c_str(), arguments.data());
  throw error(errc::file, fmt::format("{}: {}", io::printable(file), std::strerror(errno)));
}

}  // namespace exactdot::cli
