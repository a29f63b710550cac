// What the checks of exercises use, and their main. A check comes after it, the learner's file before.
//
// The program appends to the file that its argument names, a line an event: "run", "case", "found" (the simulator has its
// first finding), "error", "wrong", "exception", "done", with fields behind tabs. It stops at the first wrong result, so the last case is the one that fails.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

// of simtcc's programs only (simt/runtime/report.cpp)
extern "C" __attribute__((weak)) unsigned long simtcc_finding_count();
extern "C" __attribute__((weak)) const char* simtcc_failed_call();

namespace exercise {

/// Defined by each exercise.
void check();

inline std::FILE*& log_file() {
  static std::FILE* file = nullptr;
  return file;
}

inline void log(const std::string& line) {
  std::fwrite((line + "\n").data(), 1, line.size() + 1, log_file());
  std::fflush(log_file());
}

inline void log_finding();

[[noreturn]] inline void stop(const std::string& line) {
  log_finding();
  log(line);
  std::exit(0);
}

/// The first time that the simulator has found something, which is in the last case.
inline void log_finding() {
  static bool is_logged = false;
  if (is_logged || simtcc_finding_count == nullptr || simtcc_finding_count() == 0) return;
  is_logged = true;
  log("found");
}

/// Ends the check by an exception of the learner's code.
[[noreturn]] inline void stop_by_exception(const std::type_info* type, std::string what) {
  for (char& c : what) c = c == '\n' || c == '\t' ? ' ' : c;
  int status = 0;
  char* const name = type == nullptr ? nullptr : abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  stop("exception\t" + std::string(name == nullptr ? "an unknown type" : name) + (what.empty() ? "" : ": " + what));
}

/// Names what is tried next, such as "n = 33".
inline void begin_case(const std::string& name) {
  log_finding();
  log("case\t" + name);
}
inline void begin_case(int n) { begin_case("n = " + std::to_string(n)); }

/// Waits for the learner's kernels, whose errors end the check.
inline void wait() {
  const std::string failed = simtcc_failed_call == nullptr ? "" : simtcc_failed_call();
  for (const cudaError_t status : {cudaGetLastError(), cudaDeviceSynchronize()}) {
    if (status != cudaSuccess) stop(std::string("error\t") + cudaGetErrorString(status) + (failed.empty() ? "" : "\t" + failed));
  }
}

template <class T>
std::string to_text(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", std::numeric_limits<T>::max_digits10, static_cast<double>(value));
    return text;
  } else {
    return std::to_string(value);
  }
}

constexpr unsigned char unwritten = 0x7b;

template <class T>
bool is_unwritten(T value) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  for (const unsigned char byte : bytes) {
    if (byte != unwritten) return false;
  }
  return true;
}

template <class T>
[[noreturn]] void wrong(const std::string& name, T found, T expected) {
  stop("wrong\t" + name + "\t" + to_text(expected) + "\t" +
       (is_unwritten(found) ? "no value: no thread has written it" : to_text(found)));
}

template <class T>
void expect_equal(const std::string& name, T found, T expected) {
  if (!(found == expected)) wrong(name, found, expected);
}

template <class T>
void expect_equal(const std::string& name, const std::vector<T>& found, const std::vector<T>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    expect_equal(name + "[" + std::to_string(i) + "]", found[i], expected[i]);
}

/// Memory of the device: a copy of values, or `size` elements of which a result says if no thread has written them.
template <class T>
class device_array {
 public:
  explicit device_array(const std::vector<T>& values) : device_array(values.size()) {
    if (size_ != 0) cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  explicit device_array(std::size_t size, bool fill = true) : size_(size) {
    cudaMalloc(&data_, (size == 0 ? 1 : size) * sizeof(T));
    if (fill) cudaMemset(data_, unwritten, (size == 0 ? 1 : size) * sizeof(T));
  }
  ~device_array() { cudaFree(data_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;

  operator T*() const { return data_; }

  /// After all kernels.
  std::vector<T> values() const {
    wait();
    std::vector<T> copy(size_);
    if (size_ != 0) cudaMemcpy(copy.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
    return copy;
  }
  T value() const { return values()[0]; }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

/// Integers from 1 to `largest`, the same in every run.
template <class T = int>
std::vector<T> some_numbers(int n, int largest = 9) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<T> numbers(static_cast<std::size_t>(n));
  for (T& number : numbers) number = static_cast<T>(1 + random() % static_cast<unsigned>(largest));
  return numbers;
}

template <class T>
T sum_of(const std::vector<T>& numbers) {
  T sum = 0;
  for (const T number : numbers) sum += number;
  return sum;
}

}  // namespace exercise

[[maybe_unused]] static auto& main_of_the_exercise = exercise_main;

int main(int count, char** values) {
  exercise::log_file() = count == 2 ? std::fopen(values[1], "a") : nullptr;
  if (exercise::log_file() == nullptr) return 2;
  exercise::log("run");
  try {
    exercise::check();
  } catch (const std::exception& thrown) {
    exercise::stop_by_exception(&typeid(thrown), thrown.what());
  } catch (...) {
    exercise::stop_by_exception(abi::__cxa_current_exception_type(), "");
  }
  exercise::wait();
  exercise::log_finding();
  exercise::log("done");
  return 0;
}
