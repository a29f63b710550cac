// The time of an exact allreduce beside one of plain doubles: words by ncclAllReduce, then exactdot::cuda::round.
//
// One thread and one stream a GPU. For each number of results k, in turns: k doubles; k states of float (24 words)
// and of double (138), summed; the same and rounded on the device. Streams: launches that follow each other;
// graphs: 20 of them, replayed. A time is the median of the rounds, a ratio the median of the rounds' ratios, so
// that drift cancels. Results are compared with the CPU's by bits; a wrong one fails the run.
//
// usage: bench_nccl_allreduce [--gpus N] [--rounds N] [--json FILE]
#include <algorithm>
#include <barrier>
#include <cstdio>
#include <cstring>
#include <exactdot/accumulator.hpp>
#include <exactdot/cuda/states.hpp>
#include <exception>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>

#include "bench/quantile.hpp"
#include "examples/nccl/nccl_errors.hpp"

namespace {

using exactdot::accumulator;
using exactdot::element_type;

constexpr std::size_t result_counts[] = {1, 10, 100, 1000, 10'000};
constexpr std::size_t max_results = 10'000;
enum kind { doubles, words_of_float, words_of_double, rounded_float, rounded_double };
constexpr const char* kind_names[] = {"doubles", "24 words", "138 words", "24 words, rounded",
                                      "138 words, rounded"};
constexpr int kinds = 5;

struct settings {
  int gpus = 2, rounds = 15;
  std::string json;
};

template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, n * sizeof(T)), "allocating device memory");
    data_ = static_cast<T*>(memory);
    check(cudaMemset(data_, 0, n * sizeof(T)), "clearing device memory");
  }
  explicit device_array(const std::vector<T>& from) : device_array(from.size()) {
    check(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "copying to the device");
  }
  ~device_array() { cudaFree(data_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// The words of one GPU's states, one for each result, of four numbers each; the same on every run.
template <class T>
std::vector<std::int64_t> words_of(int gpu) {
  std::mt19937_64 random(static_cast<unsigned>(gpu) + 7);
  std::uniform_real_distribution<double> values(-1, 1);
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < max_results; ++i) {
    accumulator<T> sum;
    for (int k = 0; k < 4; ++k) sum.add(static_cast<T>(values(random)), static_cast<T>(values(random)));
    const auto words = sum.words();
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

/// The rounded sums of all GPUs' states, by the CPU.
template <class T>
std::vector<T> expected_of(int gpus) {
  std::vector<std::int64_t> sum = words_of<T>(0);
  for (int gpu = 1; gpu < gpus; ++gpu) {
    const auto added = words_of<T>(gpu);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += added[i];
  }
  std::vector<T> found;
  constexpr std::size_t count = accumulator<T>::word_count;
  for (std::size_t i = 0; i < max_results; ++i) {
    found.push_back(accumulator<T>(std::span<const std::int64_t>(&sum[i * count], count)).template round<T>());
  }
  return found;
}

/// States of a type on one GPU: sent, received, rounded.
template <class T>
struct state_arrays {
  device_array<std::int64_t> sent, received;
  device_array<T> results;
  explicit state_arrays(int gpu)
      : sent(words_of<T>(gpu)), received(max_results * accumulator<T>::word_count), results(max_results) {}
};

/// What one GPU measures. Made and used by its thread.
class gpu_bench {
 public:
  gpu_bench(int gpu, ncclComm_t communicator) : communicator_(communicator) {
    check(cudaSetDevice(gpu), "choosing a GPU");
    check(cudaStreamCreate(&stream_), "creating a stream");
    check(cudaEventCreate(&begin_), "creating an event"), check(cudaEventCreate(&end_), "creating an event");
    workspace_ = std::make_unique<exactdot::cuda::workspace>(stream_);
    sent_ = std::make_unique<device_array<double>>(max_results);
    received_ = std::make_unique<device_array<double>>(max_results);
    floats_ = std::make_unique<state_arrays<float>>(gpu), doubles_ = std::make_unique<state_arrays<double>>(gpu);
  }

  void enqueue(kind what, std::size_t k) {
    switch (what) {
      case doubles:
        check(ncclAllReduce(sent_->data(), received_->data(), k, ncclDouble, ncclSum, communicator_, stream_),
              "an allreduce of doubles");
        return;
      case words_of_float:
      case rounded_float:
        return enqueue_words(*floats_, what == rounded_float, k);
      default:
        return enqueue_words(*doubles_, what == rounded_double, k);
    }
  }

  /// Microseconds of one, over `repeats` of them; `before` waits for the other GPUs' threads.
  double time(kind what, std::size_t k, int repeats, const std::function<void()>& before) {
    check(cudaStreamSynchronize(stream_), "waiting for a stream");
    before();
    check(cudaEventRecord(begin_, stream_), "recording an event");
    for (int i = 0; i < repeats; ++i) enqueue(what, k);
    return elapsed(repeats);
  }
  double time(cudaGraphExec_t graph, int replays, int launches, const std::function<void()>& before) {
    check(cudaStreamSynchronize(stream_), "waiting for a stream");
    before();
    check(cudaEventRecord(begin_, stream_), "recording an event");
    for (int i = 0; i < replays; ++i) check(cudaGraphLaunch(graph, stream_), "replaying a graph");
    return elapsed(replays * launches);
  }
  cudaGraphExec_t captured(kind what, std::size_t k, int launches) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capturing a graph");
    for (int i = 0; i < launches; ++i) enqueue(what, k);
    check(cudaStreamEndCapture(stream_, &graph), "capturing a graph");
    check(cudaGraphInstantiate(&replay, graph, 0), "making a graph");
    check(cudaGraphDestroy(graph), "releasing a graph");
    return replay;
  }

  /// Results that differ from the CPU's bits, of the rounded kind last enqueued with all results.
  template <class T>
  std::size_t wrong_results(const std::vector<T>& expected) {
    workspace_->check();
    check_asynchronous(communicator_);
    std::vector<T> found(max_results);
    const T* from = nullptr;
    if constexpr (sizeof(T) == 4)
      from = floats_->results.data();
    else
      from = doubles_->results.data();
    check(cudaMemcpy(found.data(), from, found.size() * sizeof(T), cudaMemcpyDeviceToHost), "copying results");
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i) wrong += std::memcmp(&found[i], &expected[i], sizeof(T)) != 0;
    return wrong;
  }

 private:
  template <class T>
  void enqueue_words(const state_arrays<T>& states, bool round, std::size_t k) {
    check(ncclAllReduce(states.sent.data(), states.received.data(), k * accumulator<T>::word_count, ncclInt64,
                        ncclSum, communicator_, stream_),
          "an allreduce of words");
    if (!round) return;
    exactdot::cuda::round(*workspace_,
                          {{exactdot::reduction::dot, exactdot::type_of<T>}, states.received.data(), k},
                          exactdot::reduction::dot, states.results.data());
  }
  double elapsed(int count) {
    check(cudaEventRecord(end_, stream_), "recording an event");
    check(cudaEventSynchronize(end_), "waiting for an event");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading a time");
    return 1000.0 * static_cast<double>(milliseconds) / count;
  }

  ncclComm_t communicator_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::unique_ptr<exactdot::cuda::workspace> workspace_;
  std::unique_ptr<device_array<double>> sent_, received_;
  std::unique_ptr<state_arrays<float>> floats_;
  std::unique_ptr<state_arrays<double>> doubles_;
};

/// Times of every kind, in microseconds, a sample per round.
struct row {
  bool graph = false;
  std::size_t k = 0;
  std::vector<double> time[kinds];

  [[nodiscard]] double median(int what) const {
    std::vector<double> sorted = time[what];
    std::sort(sorted.begin(), sorted.end());
    return bench::quantile(sorted, 0.5);
  }
  /// Of a kind to doubles.
  [[nodiscard]] double ratio(int what) const {
    std::vector<double> sorted;
    for (std::size_t i = 0; i < time[what].size(); ++i) sorted.push_back(time[what][i] / time[doubles][i]);
    std::sort(sorted.begin(), sorted.end());
    return bench::quantile(sorted, 0.5);
  }
};

row measure(gpu_bench& gpu, std::size_t k, bool graph, int rounds, const std::function<void()>& wait) {
  constexpr int launches = 20, replays = 10, repeats = 200;
  row found{graph, k, {}};
  cudaGraphExec_t graphs[kinds]{};
  for (int what = 0; graph && what < kinds; ++what) {
    wait();
    graphs[what] = gpu.captured(static_cast<kind>(what), k, launches);
  }
  for (int round = -1; round < rounds; ++round) {  // the first warms up
    for (int what = 0; what < kinds; ++what) {
      const double time = graph ? gpu.time(graphs[what], replays, launches, wait)
                                : gpu.time(static_cast<kind>(what), k, repeats, wait);
      if (round >= 0) found.time[what].push_back(time);
    }
  }
  for (cudaGraphExec_t each : graphs) {
    if (each != nullptr) check(cudaGraphExecDestroy(each), "releasing a graph");
  }
  return found;
}

/// What the thread of a GPU does; the rows of GPU 0 count.
void work(int number, const communicators& communicator, const settings& given, std::barrier<>& together,
          std::vector<row>& rows, std::size_t& wrong) {
  gpu_bench gpu(number, communicator[number]);
  const auto wait = [&] { together.arrive_and_wait(); };
  for (const bool graph : {false, true}) {
    for (const std::size_t k : result_counts) {
      row found = measure(gpu, k, graph, given.rounds, wait);
      if (number == 0) rows.push_back(std::move(found));
    }
    wrong += gpu.wrong_results(expected_of<float>(given.gpus)) + gpu.wrong_results(expected_of<double>(given.gpus));
  }
}

void print(const std::vector<row>& rows) {
  std::printf("%-8s %8s", "launched", "results");
  for (const char* name : kind_names) std::printf(" %20s", name);
  std::printf("   (µs; ratio to doubles)\n");
  for (const row& each : rows) {
    std::printf("%-8s %8zu", each.graph ? "graph" : "stream", each.k);
    for (int what = 0; what < kinds; ++what)
      std::printf("       %6.2f (%5.3f)", each.median(what), each.ratio(what));
    std::printf("\n");
  }
}

void write_json(const settings& given, const std::vector<row>& rows, std::size_t wrong) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "asking for the device's name");
  int version = 0;
  check(ncclGetVersion(&version), "asking for NCCL's version");
  std::ofstream out(given.json);
  out << "{\"gpu\": \"" << properties.name << "\", \"gpus\": " << given.gpus << ", \"nccl\": " << version
      << ", \"rounds\": " << given.rounds << ", \"wrong\": " << wrong << ", \"rows\": [";
  const char* between = "\n";
  for (const row& each : rows) {
    out << between << "  {\"launched\": \"" << (each.graph ? "graph" : "stream") << "\", \"results\": " << each.k;
    for (int what = 0; what < kinds; ++what) {
      out << ", \"" << kind_names[what] << "\": {\"us\": " << each.median(what)
          << ", \"ratio\": " << each.ratio(what) << "}";
    }
    out << "}";
    between = ",\n";
  }
  out << "\n]}\n";
  if (!out.flush()) throw std::runtime_error(given.json + " was not written");
}

settings read_arguments(int count, char** arguments) {
  settings given;
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    if (i + 1 == count) throw std::runtime_error(name + " needs a value");
    const std::string value = arguments[i + 1];
    if (name == "--json")
      given.json = value;
    else if (name == "--gpus")
      given.gpus = std::stoi(value);
    else if (name == "--rounds")
      given.rounds = std::stoi(value);
    else
      throw std::runtime_error(name + " is no option; use --gpus, --rounds or --json");
  }
  if (given.gpus < 1 || given.rounds < 1) throw std::runtime_error("--gpus and --rounds are 1 or more");
  return given;
}

}  // namespace

int main(int count, char** arguments) {
  constexpr int skipped = 77;
  try {
    const settings given = read_arguments(count, arguments);
    if (visible_gpus() < given.gpus) {
      std::printf("this machine has %d GPUs, not %d\n", visible_gpus(), given.gpus);
      return skipped;
    }
    const communicators communicator(given.gpus);
    std::barrier<> together(given.gpus);
    std::vector<row> rows;
    std::vector<std::size_t> wrong(static_cast<std::size_t>(given.gpus), 0);
    std::vector<std::jthread> threads;
    for (int gpu = 0; gpu < given.gpus; ++gpu) {
      threads.emplace_back([&, gpu] {
        try {
          work(gpu, communicator, given, together, rows, wrong[static_cast<std::size_t>(gpu)]);
        } catch (const std::exception& failure) {  // the others wait for this thread
          std::printf("GPU %d failed: %s\n", gpu, failure.what());
          std::fflush(nullptr);
          std::_Exit(1);
        }
      });
    }
    threads.clear();
    std::size_t all_wrong = 0;
    for (const std::size_t each : wrong) all_wrong += each;
    print(rows);
    std::printf("%zu results differ from the CPU's\n", all_wrong);
    if (!given.json.empty()) write_json(given, rows, all_wrong);
    return all_wrong == 0 ? 0 : 1;
  } catch (const std::exception& failure) {
    std::printf("failed: %s\n", failure.what());
    return 1;
  }
}
