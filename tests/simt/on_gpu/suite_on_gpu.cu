// The labelled suite (../suite) on a GPU, a row at a time: scripts/suite_on_gpu runs it under compute-sanitizer.
//
// The program launches kernels with faults, so a process may lose its GPU context or its kernel may never end. Then
// it says so and exits with status 0, so that compute-sanitizer reports no failure of the program.
//
// --list prints FAMILY, NAME, faulty or correct, the kind of fault, the file, the labelled lines, and the models in
// which the row is faulty, with tabs between them. --run prints FAMILY, NAME, faulty or correct, and the outcome:
// "ends", "does not end", "out[0] is A, expected B" or "error: TEXT".
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>

#include "../suite/suite.hpp"

namespace {
using namespace suite;

constexpr const char* usage =
    "usage: simt_suite_on_gpu --list | --toolkit | [--seconds S] --run (FAMILY NAME faulty|correct)...\n"
    "  --list       the rows of the suite\n"
    "  --toolkit    the version of the CUDA compiler\n"
    "  --run        launch these rows once each, in this order\n"
    "  --seconds S  end the process if a row takes longer (default 5)\n";

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "simt_suite_on_gpu: %s\n%s", what.c_str(), usage);
  std::exit(2);
}

std::string plain_name(const row& kernel) { return kernel.name.substr(0, kernel.name.find(" (correct)")); }
const char* word_of(const row& kernel) { return kernel.fault ? "faulty" : "correct"; }
const char* word_of(models some) {
  return some == models::both ? "both" : some == models::lock_step ? "lock_step" : "independent";
}

void print_list() {
  for (const row& kernel : rows()) {
    std::string lines;
    for (const int line : kernel.lines) lines += (lines.empty() ? "" : ",") + std::to_string(line);
    std::printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\n", kernel.family.c_str(), plain_name(kernel).c_str(), word_of(kernel),
                kernel.fault ? exactdot::simt::name_of(*kernel.fault) : "-",
                kernel.file.substr(kernel.file.rfind('/') + 1).c_str(), lines.empty() ? "-" : lines.c_str(),
                word_of(kernel.size.faulty_in));
  }
}

void print_outcome(const row& kernel, const std::string& outcome) {
  std::printf("%s\t%s\t%s\t%s\n", kernel.family.c_str(), plain_name(kernel).c_str(), word_of(kernel),
              outcome.c_str());
  std::fflush(stdout);
}

/// Ends the process when a row takes too long. A thread of its own, because every call of CUDA may wait for the
/// kernel.
class watchdog {
 public:
  explicit watchdog(double seconds) : seconds_(seconds) {
    std::thread([this] { watch(); }).detach();
  }
  void begin(const row& kernel) {
    deadline_ = now() + seconds_;
    current_ = &kernel;
  }
  void end() { current_ = nullptr; }

 private:
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  [[noreturn]] void watch() {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const row* const kernel = current_;
      if (kernel == nullptr || now() < deadline_) continue;
      print_outcome(*kernel, "does not end");
      _exit(0);  // exit handlers of CUDA would wait for the kernel
    }
  }

  double seconds_;
  std::atomic<double> deadline_ = 0;
  std::atomic<const row*> current_ = nullptr;
};

/// The arrays of a row. Those that the suite calls unwritten are not written by any call of CUDA.
struct device_arrays {
  gpu::stream stream;
  gpu::buffer<int> in{stream, arrays::n}, out{stream, 1024}, scratch{stream, 1024}, zeros{stream, 256};
  std::vector<int> host = std::vector<int>(1024);
};

/// Launches the row's kernel and returns the outcome. The arrays are never released: each row has memory that none
/// has used before, and a row that destroyed the context causes no errors of further calls.
std::string run(const row& kernel) {
  std::vector<int> numbers(arrays::n);
  std::iota(numbers.begin(), numbers.end(), 0);
  try {
    auto& [stream, in, out, scratch, zeros, host] = *new device_arrays;
    in.copy_from(numbers.data(), numbers.size());
    zeros.fill_zero();
    gpu::synchronise(stream);
    gpu::launch(kernel.run, kernel.size.grid, kernel.size.block, kernel.size.shared,
                gpu::cluster_dimensions{kernel.size.cluster}, stream,
                arrays{in.data(), out.data(), scratch.data(), zeros.data(), host.data()});
    gpu::synchronise(stream);
    if (!kernel.size.result) return "ends";
    int value = 0;
    out.copy_to(&value, 1);
    if (value == *kernel.size.result) return "ends";
    return "out[0] is " + std::to_string(value) + ", expected " + std::to_string(*kernel.size.result);
  } catch (const exactdot::error& failure) {
    return std::string("error: ") + failure.what();
  }
}

const row& row_of(const std::string& family, const std::string& name, const std::string& word) {
  for (const row& kernel : rows()) {
    if (kernel.family == family && plain_name(kernel) == name && word == word_of(kernel)) return kernel;
  }
  refuse("no row " + family + ", " + name + ", " + word);
}

}  // namespace

int main(int count, char** arguments) {
  double seconds = 5;
  int next = 1;
  const auto is = [&](const char* option) { return next < count && std::strcmp(arguments[next], option) == 0; };
  if (is("--list") && count == 2) return print_list(), 0;
  if (is("--toolkit") && count == 2) {
    std::printf("%d.%d\n", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__);
    return 0;
  }
  if (is("--seconds") && next + 1 < count) {
    seconds = std::atof(arguments[next + 1]);
    if (!(seconds > 0)) refuse(std::string("--seconds ") + arguments[next + 1] + ": expected a positive number");
    next += 2;
  }
  if (!is("--run") || count - next < 4 || (count - next - 1) % 3 != 0) refuse("expected rows to run");
  std::vector<const row*> wanted;
  for (int i = next + 1; i < count; i += 3)
    wanted.push_back(&row_of(arguments[i], arguments[i + 1], arguments[i + 2]));
  cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync);  // a wait must not use a core that other processes need
  if (const cudaError_t status = cudaFree(nullptr); status != cudaSuccess) {
    std::fprintf(stderr, "simt_suite_on_gpu: no CUDA context: %s\n", cudaGetErrorString(status));
    return 3;
  }
  auto& dog = *new watchdog(seconds);  // its thread never ends
  for (const row* const kernel : wanted) {
    dog.begin(*kernel);
    const std::string outcome = run(*kernel);
    dog.end();
    print_outcome(*kernel, outcome);
  }
  return 0;
}
