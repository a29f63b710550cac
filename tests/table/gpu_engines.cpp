// The GPU engines under test as users call them, on a GPU or on the simulator's: exactdot::cuda on vectors in
// device memory, with and without waiting, and exactdot's functions with device::cuda on vectors in host memory.
// They take the launch configurations of the tuning table. With two GPUs, calls also alternate between them, and
// states pass from one to the other.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exactdot/cuda.hpp>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/exactdot.hpp>
#include <memory>
#include <random>

#include "cuda/on_gpu/workspace_state.hpp"
#include "oracle/generators.hpp"
#include "table/engines.hpp"

namespace table {
namespace {

using exactdot::any_scalar;
using exactdot::any_vector;
using exactdot::reduction;

void expect(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// A copy of a view in device memory, with its stride, between bytes that are NaNs.
class device_copy {
 public:
  device_copy(const any_vector& x, unsigned shift) : view_(x) {
    const std::size_t bytes = exactdot::size_of(x.type);
    const auto step = static_cast<std::size_t>(x.stride < 0 ? -x.stride : x.stride);
    const std::size_t extent = x.n == 0 ? 0 : step * (x.n - 1) + bytes;
    const std::ptrdiff_t lowest = x.stride < 0 && x.n != 0 ? static_cast<std::ptrdiff_t>(x.n - 1) * x.stride : 0;
    const std::size_t gap = shift % 5 * bytes;
    expect(cudaMalloc(&memory_, extent + gap + 16 * bytes));
    expect(cudaMemset(memory_, 0xff, extent + gap + 16 * bytes));
    char* const start = static_cast<char*>(memory_) + gap;
    if (x.n != 0) {
      expect(cudaMemcpy(start, static_cast<const char*>(x.data) + lowest, extent, cudaMemcpyHostToDevice));
    }
    view_.data = start - lowest;
  }
  ~device_copy() { cudaFree(memory_); }
  device_copy(const device_copy&) = delete;
  device_copy& operator=(const device_copy&) = delete;
  [[nodiscard]] const any_vector& view() const { return view_; }

 private:
  any_vector view_;
  void* memory_ = nullptr;
};

/// Whether the device is the simulator's, which takes a thousand times as long.
bool is_simulated() {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return static_cast<void>(cudaGetLastError()), false;
  return std::strstr(properties.name, "simt") != nullptr;
}

/// 0 or 1: the engines use two GPUs at most.
int current_device() {
  int device = 0;
  expect(cudaGetDevice(&device));
  return device;
}

/// Makes a device current while it exists.
class with_device {
 public:
  explicit with_device(int device) : before_(current_device()) { expect(cudaSetDevice(device)); }
  ~with_device() { cudaSetDevice(before_); }
  with_device(const with_device&) = delete;
  with_device& operator=(const with_device&) = delete;

 private:
  int before_;
};

/// The current device's.
exactdot::cuda::workspace& shared_workspace() {
  static std::array<std::unique_ptr<exactdot::cuda::workspace>, 2> of_device;
  auto& workspace = of_device.at(static_cast<std::size_t>(current_device()));
  if (!workspace) workspace = std::make_unique<exactdot::cuda::workspace>();
  return *workspace;
}
void* shared_result() {
  static std::array<void*, 2> of_device{};
  void*& memory = of_device.at(static_cast<std::size_t>(current_device()));
  if (memory == nullptr) expect(cudaMalloc(&memory, 8));
  return memory;
}

/// The result, or nothing for errc::overflow.
template <class Compute>
std::optional<any_scalar> unless_overflow(Compute compute) {
  try {
    return compute();
  } catch (const exactdot::error& refusal) {
    if (refusal.code() != exactdot::errc::overflow) throw;
    return std::nullopt;
  }
}

any_scalar waited_for(const call& asked, const any_vector& a, const any_vector& b) {
  exactdot::cuda::workspace& workspace = shared_workspace();
  const exactdot::options options{.mode = asked.mode};
  if (asked.what == reduction::dot) return exactdot::cuda::dot(workspace, a, b, asked.result, options);
  return exactdot::cuda::reduce(workspace, asked.what, a, asked.result, options, asked.ddof);
}

any_scalar enqueued(const call& asked, const any_vector& a, const any_vector& b) {
  exactdot::cuda::workspace& workspace = shared_workspace();
  const exactdot::options options{.mode = asked.mode};
  void* const result = shared_result();
  if (asked.what == reduction::dot) {
    exactdot::cuda::dot(workspace, a, b, asked.result, result, options);
  } else {
    exactdot::cuda::reduce(workspace, asked.what, a, asked.result, result, options, asked.ddof);
  }
  workspace.check();
  any_scalar found{asked.result, 0};
  expect(cudaMemcpy(&found.bits, result, exactdot::size_of(asked.result), cudaMemcpyDeviceToHost));
  return found;
}

/// Takes the launch configurations of a device with few multiprocessors, in turn; sometimes of one that has
/// launched so often that the launches' numbers wrap around.
void vary_workspace(unsigned variant) {
  exactdot::cuda::workspace& workspace = shared_workspace();
  static const int multiprocessors = workspace.library_storage().multiprocessors;
  workspace.library_storage().multiprocessors =
      variant % 3 == 0 ? multiprocessors : 1 + static_cast<int>(variant / 3 % 19);
  if (variant % 6 == 5) on_gpu::age(workspace);
}

std::optional<any_scalar> in_device_memory(const call& asked) {
  vary_workspace(asked.variant);
  const device_copy a(asked.a, asked.variant), b(asked.b, asked.variant / 3);
  return unless_overflow([&] {
    return asked.variant % 2 == 0 ? waited_for(asked, a.view(), b.view()) : enqueued(asked, a.view(), b.view());
  });
}

/// Whether a GPU reduces such vectors: all but ratios.
bool has_vectors(const row& tested) { return tested.what < reduction::weighted_mean && !tested.is_complex(); }

/// Whether rows of such vectors are computed on a GPU: all but variances of 64-bit integers.
bool has_rows(const row& tested) {
  if (!has_vectors(tested)) return false;
  const bool is_variance = tested.what == reduction::variance || tested.what == reduction::stddev;
  return !is_variance || !exactdot::is_integer(tested.type) || exactdot::size_of(tested.type) < 8;
}

/// In a GPU's memory mode fast sums vectors only.
bool is_exact(const call& asked) {
  return asked.mode == exactdot::mode::exact || exactdot::is_integer(asked.a.type) ||
         exactdot::gives_element(asked.what);
}

/// The vector as every row of a batch; all results have to be equal.
std::optional<any_scalar> as_rows(const call& asked) {
  if (!is_exact(asked)) return in_device_memory(asked);
  const std::size_t count = 1 + asked.variant % 7;
  const device_copy a(asked.a, asked.variant), b(asked.b, asked.variant / 3);
  const std::size_t bytes = exactdot::size_of(asked.result);
  void* results = nullptr;
  expect(cudaMalloc(&results, count * bytes));
  const std::unique_ptr<void, decltype(&cudaFree)> frees(results, &cudaFree);
  expect(cudaMemset(results, 0x5a, count * bytes));
  const exactdot::axis of_rows{count, 0}, of_results{count, static_cast<std::ptrdiff_t>(bytes)};
  const exactdot::axis of_a{asked.a.n, asked.a.stride}, of_b{asked.b.n, asked.b.stride};
  const exactdot::any_grid first{a.view().data, asked.a.type, {&of_rows, 1}, {&of_a, 1}, asked.a.swapped};
  const exactdot::any_grid second{b.view().data, asked.b.type, {&of_rows, 1}, {&of_b, 1}, asked.b.swapped};
  const exactdot::any_results out{results, asked.result, {&of_results, 1}, false};
  const exactdot::options options{.mode = asked.mode};
  const bool is_dot = asked.what == reduction::dot, waits = asked.variant % 2 == 0;
  try {
    if (is_dot && waits) exactdot::dot(first, second, out, options);
    if (!is_dot && waits) exactdot::reduce(asked.what, first, out, options, asked.ddof);
    if (is_dot && !waits) exactdot::cuda::dot(shared_workspace(), first, second, out, options);
    if (!is_dot && !waits) exactdot::cuda::reduce(shared_workspace(), asked.what, first, out, options, asked.ddof);
    shared_workspace().check();
  } catch (const exactdot::error& refusal) {
    if (refusal.code() != exactdot::errc::overflow) throw;
    return std::nullopt;
  }
  std::vector<unsigned char> found(count * bytes);
  expect(cudaMemcpy(found.data(), results, found.size(), cudaMemcpyDeviceToHost));
  any_scalar result{asked.result, 0};
  std::memcpy(&result.bits, found.data(), bytes);
  for (std::size_t i = 1; i < count; ++i) {
    if (std::memcmp(found.data(), found.data() + i * bytes, bytes) != 0)
      throw std::runtime_error("equal rows differ");
  }
  return result;
}

/// Whether a GPU computes groups of such vectors.
bool has_groups(const row& tested) { return has_vectors(tested) && !exactdot::gives_index(tested.what); }

/// Copies of the vector's elements as groups of some more: `order` has a place for each element of each group.
class grouped_copies {
 public:
  grouped_copies(const any_vector& x, const std::vector<std::size_t>& order, unsigned shift)
      : bytes_(gathered(x, order)), copy_(vector_of(x), shift) {}
  [[nodiscard]] const any_vector& view() const { return copy_.view(); }

 private:
  static std::vector<char> gathered(const any_vector& x, const std::vector<std::size_t>& order) {
    const std::size_t size = exactdot::size_of(x.type);
    std::vector<char> bytes(order.size() * size);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto element = static_cast<std::ptrdiff_t>(order[i] % x.n);
      std::memcpy(&bytes[i * size], static_cast<const char*>(x.data) + element * x.stride, size);
    }
    return bytes;
  }
  [[nodiscard]] any_vector vector_of(const any_vector& x) const {
    const std::size_t size = exactdot::size_of(x.type);
    return {bytes_.data(), bytes_.size() / size, x.type, static_cast<std::ptrdiff_t>(size), x.swapped};
  }
  std::vector<char> bytes_;
  device_copy copy_;
};

/// Every group has the vector's elements, in random order; all results have to be equal.
std::optional<any_scalar> as_groups(const call& asked) {
  if (!is_exact(asked) || asked.a.n == 0) return in_device_memory(asked);
  const std::size_t n = asked.a.n, count = n > 1000 ? 1 + asked.variant % 2 : 1 + asked.variant % 7;
  std::vector<std::size_t> order(n * count);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random(asked.variant);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::int64_t> keys(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) keys[i] = static_cast<std::int64_t>(order[i] / n);
  const grouped_copies a(asked.a, order, asked.variant);
  const grouped_copies b(asked.what == reduction::dot ? asked.b : asked.a, order, asked.variant / 3);
  const device_copy of_keys({keys.data(), keys.size(), exactdot::element_type::int64, 8, false}, asked.variant);
  const std::size_t bytes = exactdot::size_of(asked.result);
  void* results = nullptr;
  expect(cudaMalloc(&results, count * bytes));
  const std::unique_ptr<void, decltype(&cudaFree)> frees(results, &cudaFree);
  expect(cudaMemset(results, 0x5a, count * bytes));
  const exactdot::axis places{count, static_cast<std::ptrdiff_t>(bytes)};
  const exactdot::any_results out{results, asked.result, {&places, 1}, false};
  const exactdot::any_keys given{of_keys.view().data, keys.size(), exactdot::element_type::int64, 8, count};
  const auto computed = unless_overflow([&] {
    if (asked.what == reduction::dot) {
      exactdot::dot(a.view(), b.view(), given, out);
    } else {
      exactdot::reduce(asked.what, a.view(), given, out, {}, asked.ddof);
    }
    return any_scalar{};
  });
  if (!computed) return std::nullopt;
  std::vector<unsigned char> found(count * bytes);
  expect(cudaMemcpy(found.data(), results, found.size(), cudaMemcpyDeviceToHost));
  any_scalar result{asked.result, 0};
  std::memcpy(&result.bits, found.data(), bytes);
  for (std::size_t i = 1; i < count; ++i) {
    if (std::memcmp(found.data(), found.data() + i * bytes, bytes) != 0)
      throw std::runtime_error("equal groups differ");
  }
  return result;
}

/// Adds the terms to the words, on the current device, so many times.
void add_terms(const call& asked, std::vector<std::int64_t>& state, int times) {
  const device_copy a(asked.a, asked.variant), b(asked.b, asked.variant / 3);
  const std::size_t bytes = state.size() * sizeof state[0];
  std::int64_t* words = nullptr;
  expect(cudaMalloc(&words, bytes));
  expect(cudaMemcpy(words, state.data(), bytes, cudaMemcpyHostToDevice));
  for (int i = 0; i < times; ++i) {
    if (asked.what == reduction::dot) exactdot::cuda::dot_into(shared_workspace(), a.view(), b.view(), words);
    if (asked.what == reduction::sum) exactdot::cuda::sum_into(shared_workspace(), a.view(), words);
    if (asked.what == reduction::sum_of_squares) {
      exactdot::cuda::sum_of_squares_into(shared_workspace(), a.view(), words);
    }
  }
  expect(cudaMemcpy(state.data(), words, bytes, cudaMemcpyDeviceToHost));
  expect(cudaFree(words));
}

std::vector<std::int64_t> no_words(const call& asked) {
  return std::vector<std::int64_t>(exactdot::with_element(
      asked.a.type, []<class T>(T) { return std::size_t{exactdot::accumulator<T>::word_count}; }));
}

std::vector<std::int64_t> words_in_device_memory(const call& asked) {
  std::vector<std::int64_t> words = no_words(asked);
  add_terms(asked, words, 2);
  return words;
}

/// Every other call on the second GPU.
std::optional<any_scalar> on_either_gpu(const call& asked) {
  const with_device chosen(static_cast<int>(asked.variant / 2 % 2));
  return in_device_memory(asked);
}

/// The second addition on the second GPU.
std::vector<std::int64_t> words_of_two_gpus(const call& asked) {
  std::vector<std::int64_t> words = no_words(asked);
  add_terms(asked, words, 1);
  const with_device second(1);
  add_terms(asked, words, 1);
  return words;
}

std::optional<any_scalar> in_host_memory(const call& asked) {
  const exactdot::options options{.mode = asked.mode, .device = exactdot::device::cuda};
  return unless_overflow([&] {
    if (exactdot::inputs_of(asked.what) == 2) {
      return exactdot::reduce(asked.what, asked.a, asked.b, asked.result, options, asked.ddof);
    }
    return exactdot::reduce(asked.what, asked.a, asked.result, options, asked.ddof);
  });
}

std::vector<std::int64_t> words_in_host_memory(const call& asked) {
  const exactdot::options options{.device = exactdot::device::cuda};
  return exactdot::with_element(asked.a.type, [&]<class T>(T) {
    exactdot::accumulator<T> state;
    for (int i = 0; i < 2; ++i) {
      if (asked.what == reduction::dot) state.add(asked.a, asked.b, options);
      if (asked.what == reduction::sum) state.add(asked.a, options);
      if (asked.what == reduction::sum_of_squares) state.add_squares(asked.a, options);
    }
    const auto words = state.words();
    return std::vector<std::int64_t>(words.begin(), words.end());
  });
}

}  // namespace

suite engines_under_test() {
  static constexpr std::array<std::size_t, 10> lengths = {0, 1, 3, 64, 511, 1000, 2049, 4097, 20000, 70001};
  static constexpr std::array<std::size_t, 4> long_lengths = {140001, 300007, 1050001, 5000011};
  static constexpr std::array<std::size_t, 7> lengths_of_simulator = {0, 1, 3, 64, 511, 1000, 4097};
  suite all;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    static_cast<void>(cudaGetLastError());
    all.unavailable = "no GPU";
  }
  const bool simulated = is_simulated();
  engine device;
  device.name = simulated ? "simulator" : "exactdot::cuda";
  device.reads_misaligned = false;
  device.computes = has_vectors;
  device.run = in_device_memory;
  device.words_of_two_additions = words_in_device_memory;
  device.take_faults = [] { return on_gpu::unreset_state(shared_workspace()); };
  engine host;
  host.name = std::string(simulated ? "simulator" : "device::cuda") + ", host vectors";
  host.reads_misaligned = true;
  host.computes = has_vectors;
  host.run = in_host_memory;
  host.words_of_two_additions = words_in_host_memory;
  all.engines = {device, host};
  if (simulated) {
    for (engine& each : all.engines) each.every_type = 3;
  }
  engine rows = device;
  rows.name = "rows in device memory";
  rows.computes = has_rows;
  rows.run = as_rows;
  all.engines.push_back(rows);
  engine groups = device;
  groups.name = "groups in device memory";
  groups.computes = has_groups;
  groups.run = as_groups;
  all.engines.push_back(groups);
  if (devices >= 2) {
    engine both = device;
    both.name = "two GPUs";
    both.run = on_either_gpu;
    both.words_of_two_additions = words_of_two_gpus;
    all.engines.push_back(both);
  }
  all.lengths = lengths;
  if (simulated) {
    all.lengths = lengths_of_simulator;
    all.every = 3, all.every_of_others = 31, all.longest_of_others = 1000;  // 3: coprime to the number of lengths
  } else {
    all.long_lengths = long_lengths;
  }
  return all;
}

}  // namespace table
