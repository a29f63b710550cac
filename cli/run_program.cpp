// Sets LD_PRELOAD and the variables of libexactdot_blas (blas/settings.hpp), then execs the program.
//
// The loader ignores LD_PRELOAD without a word for static programs, programs of other processors and those that run
// with rights of others. So the file is read before: ELF (System V ABI, chapters 4 and 5), of scripts that of the
// interpreter, which without a first line "#!" is the shell, as for shells.
#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cli/interruption.hpp>
#include <cli/run_program.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exactdot/error.hpp>
#include <filesystem>
#include <fstream>
#include <io/fault.hpp>
#include <sstream>

namespace exactdot::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& file, const std::string& fault) {
  throw error(errc::file, fmt::format("{}: {}", io::printable(file), fault));
}

fs::path blas_library(const char* name) {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& there : {folder, folder / ".." / EXACTDOT_LIBRARY_FOLDER, folder / ".." / "lib"}) {
    const fs::path library = (there / name).lexically_normal();
    if (!fs::exists(library)) continue;
    if (library.string().find_first_of(" :") == std::string::npos) return library;
    refuse(library, "the loader takes no library from a path with a space or a colon");
  }
  refuse(name, fmt::format("not found beside the program in {} or in ../{}; was exactdot built without it?",
                           folder.string(), EXACTDOT_LIBRARY_FOLDER));
}

/// The file that exec would run.
std::string find_program(const std::string& name) {
  if (name.find('/') != name.npos) {
    if (!fs::exists(name)) refuse(name, "no such program");
    if (fs::is_directory(name)) refuse(name, "is a folder, not a program");
    if (access(name.c_str(), X_OK) != 0) refuse(name, "is not executable");
    return name;
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/bin:/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (fs::is_regular_file(file) && access(file.c_str(), X_OK) == 0) return file;
  }
  refuse(name, "no such program in the folders of PATH");
}

/// Throws for a program that the loader gives no library because it has rights of others.
void check_rights(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) refuse(file, std::strerror(errno));
  const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != getuid();
  const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getgid();
  if (other_user || other_group) refuse(file, "runs with the rights of others (set-uid), so it takes no library");
  if (getxattr(file.c_str(), "security.capability", nullptr, 0) > 0) {
    refuse(file, "has capabilities (setcap), so it takes no library");
  }
}

/// Whether this is the loader, which loads the library into the program that it is given.
bool is_loader(const std::string& file) {
  std::error_code fault;
  const std::string name = fs::canonical(file, fault).filename().string();
  return name.starts_with("ld-") || name.starts_with("ld.so");
}

/// Throws for a program of another processor. Warns of one that is statically linked: it may be there to start
/// another.
void check_elf(const std::string& file, std::ifstream& content) {
  Elf64_Ehdr header{}, here{};
  std::ifstream("/proc/self/exe", std::ios::binary).read(reinterpret_cast<char*>(&here), sizeof here);
  content.read(reinterpret_cast<char*>(&header), sizeof header);
  const bool same = header.e_ident[EI_CLASS] == here.e_ident[EI_CLASS] && header.e_machine == here.e_machine;
  if (!content || !same) refuse(file, "is a program for another processor");
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    content.seekg(static_cast<std::streamoff>(header.e_phoff + i * std::uint64_t{header.e_phentsize}));
    if (!content.read(reinterpret_cast<char*>(&segment), sizeof segment)) break;
    if (segment.p_type == PT_INTERP) return;
  }
  if (is_loader(file)) return;
  std::fputs(fmt::format("exactdot: {}: is statically linked, so it takes no library; its own BLAS calls are not "
                         "replaced, those of programs that it starts are\n",
                         io::printable(file))
                 .c_str(),
             stderr);
}

/// Throws for a program that would run without the library. Of a script the interpreter is checked.
void check_program(const std::string& file, int max_scripts = 4) {
  check_rights(file);
  std::ifstream content(file, std::ios::binary);
  std::array<char, SELFMAG> start{};
  content.read(start.data(), start.size());
  if (!content) return;  // exec says why; a file that cannot be read may be run
  content.seekg(0);
  if (std::memcmp(start.data(), ELFMAG, SELFMAG) == 0) return check_elf(file, content);
  if (start[0] != '#' || start[1] != '!' || max_scripts == 0) return;
  std::string line, interpreter;
  std::getline(content.seekg(2), line);
  std::istringstream(line) >> interpreter;
  if (!interpreter.empty() && fs::exists(interpreter)) check_program(interpreter, max_scripts - 1);
}

void set_variable(const char* name, const std::string& value) {
  if (setenv(name, value.c_str(), 1) != 0)
    throw error(errc::file, fmt::format("{}: {}", name, std::strerror(errno)));
}

}  // namespace

void run_program(const run_arguments& arguments) {
  const std::string library = blas_library(arguments.gemv ? "libexactdot_blas_gemv.so" : "libexactdot_blas.so");
  const std::string file = find_program(arguments.program.front());
  check_program(file);
  const char* const before = std::getenv("LD_PRELOAD");
  set_variable("LD_PRELOAD", before == nullptr || *before == '\0' ? library : library + ":" + before);
  if (arguments.mode) set_variable("EXACTDOT_BLAS_MODE", *arguments.mode);
  if (arguments.threads) set_variable("EXACTDOT_BLAS_THREADS", std::to_string(*arguments.threads));
  const std::string& report = arguments.report;  // the program may change its folder
  if (!report.empty()) set_variable("EXACTDOT_BLAS_REPORT", report == "1" ? report : fs::absolute(report).string());
  std::vector<char*> words;
  for (const std::string& word : arguments.program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  restore_ignored_signals();
  execv(file.c_str(), words.data());
  if (errno == ENOEXEC) {
    std::string shell = "/bin/sh", script = file.front() == '-' ? "./" + file : file;
    words.front() = script.data();
    words.insert(words.begin(), shell.data());
    execv(shell.c_str(), words.data());
  }
  refuse(file, std::strerror(errno));
}

}  // namespace exactdot::cli
