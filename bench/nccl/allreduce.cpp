// The time of exact sums over GPUs beside an allreduce of plain doubles.
//
// One thread and one stream a GPU. For each number of results k, in turns: k doubles by ncclAllReduce; the words of
// k states by ncclAllReduce; the same and rounded on the device (exactdot::cuda::round); rounded only; and both in
// one launch (exactdot::cuda::round_among). Words of sums of float and double in compact form, of dot products in
// full form.
//
//   stream   calls that follow each other: the host, which launches them, counts as much as the GPUs
//   graph    20 of them, captured and replayed: the GPUs' time
//   once     one call, waited for by its host
//
// A time is the median of the rounds, a ratio the median of the rounds' ratios, so that drift cancels. Results are
// compared with the CPU's by bits; a wrong one fails the run. `host_us`: what a call costs its caller, not waited
// for.
//
// usage: bench_nccl_allreduce [--gpus N] [--rounds N] [--peers 0|1] [--json FILE]
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cuda/host/workspace.hpp>
#include <exactdot/cuda/peer_sums.hpp>
#include <exception>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "bench/nccl/sent_states.hpp"
#include "bench/quantile.hpp"

namespace {

using namespace nccl_bench;
using exactdot::element_type;

constexpr std::size_t result_counts[] = {1, 10, 100, 1000, 10'000};
enum class path {
  doubles,           ///< an allreduce of doubles
  words,             ///< of words
  rounded,           ///< of words, then round
  rounded_ordinary,  ///< the same, but round is launched when the allreduce has ended
  rounding,          ///< round alone
  among_peers,       ///< round_among
  by_owners,         ///< the same, but the words go to the owners of rows, however few they are
  to_all,            ///< the same, but the words go to all ranks, as far as there is room
};
struct kind {
  path way;
  sent_format format;
  [[nodiscard]] std::string name() const {
    const std::string words = std::to_string(formats[format].words()) + " words";
    constexpr const char* ends[] = {"",
                                    "",
                                    ", rounded",
                                    ", rounded, ordinary launch",
                                    ", rounding alone",
                                    ", among peers",
                                    ", among peers, by owners",
                                    ", among peers, to all"};
    return way == path::doubles ? "doubles" : words + ends[static_cast<int>(way)];
  }
  [[nodiscard]] bool gives_results() const { return way != path::doubles && way != path::words; }
  [[nodiscard]] bool reduces_words() const {
    return way == path::words || way == path::rounded || way == path::rounded_ordinary;
  }
};
enum launching { stream, graph, once };
constexpr const char* launching_names[] = {"stream", "graph", "once"};

struct settings {
  int gpus = 2, rounds = 15;
  bool peers = true;
  std::string json;
};

/// The first is what the others are compared with.
std::vector<kind> kinds_of(const settings& given) {
  std::vector<kind> all = {{path::doubles, full_double}};
  for (const path way : {path::words, path::rounded, path::among_peers}) {
    if (way == path::among_peers && !given.peers) continue;
    for (int format = 0; format < sent_formats; ++format) all.push_back({way, static_cast<sent_format>(format)});
  }
  for (const path way : {path::rounding, path::rounded_ordinary, path::by_owners, path::to_all}) {
    if (way >= path::by_owners && !given.peers) continue;
    for (const sent_format format : {full_float, full_double}) all.push_back({way, format});
  }
  return all;
}

/// What one GPU measures. Made and used by its thread.
class gpu_bench {
 public:
  gpu_bench(int gpu, ncclComm_t communicator, const exactdot::cuda::peer_sums* peers,
            const std::vector<kind>& kinds)
      : communicator_(communicator), peers_(peers), kinds_(kinds) {
    check(cudaSetDevice(gpu), "choosing a GPU");
    check(cudaStreamCreate(&stream_), "creating a stream");
    check(cudaEventCreate(&begin_), "creating an event"), check(cudaEventCreate(&end_), "creating an event");
    workspace_ = std::make_unique<exactdot::cuda::workspace>(stream_);
    ordinary_ = std::make_unique<exactdot::cuda::workspace>(stream_);
    ordinary_->library_storage().has_capability_9 = false;
    sent_ = std::make_unique<device_array<double>>(max_results);
    received_ = std::make_unique<device_array<double>>(max_results);
    for (const auto& format : formats) states_.push_back(std::make_unique<state_arrays>(format, gpu));
    for (std::size_t i = 0; i < kinds.size(); ++i)
      results_.push_back(std::make_unique<device_array<double>>(max_results));
  }

  void enqueue(std::size_t what, std::size_t k) {
    const auto& [way, number] = kinds_[what];
    if (way == path::doubles) {
      check(ncclAllReduce(sent_->data(), received_->data(), k, ncclDouble, ncclSum, communicator_, stream_),
            "an allreduce of doubles");
      return;
    }
    const exactdot::state_format& format = formats[number];
    const state_arrays& states = *states_[number];
    if (way >= path::among_peers) {
      const exactdot::cuda::state_rows rows{format, states.sent.data(), k};
      double* const results = results_[what]->data();
      if (way == path::among_peers)
        exactdot::cuda::round_among(*workspace_, *peers_, rows, format.what, results);
      else
        exactdot::cuda::detail::round_among(*workspace_, *peers_, rows, format.what, element_type::float64, results,
                                            way == path::to_all ? SIZE_MAX : 0);
      return;
    }
    if (kinds_[what].reduces_words()) {
      check(ncclAllReduce(states.sent.data(), states.received.data(), k * format.words(), ncclInt64, ncclSum,
                          communicator_, stream_),
            "an allreduce of words");
    }
    if (way == path::words) return;
    exactdot::cuda::round(way == path::rounded_ordinary ? *ordinary_ : *workspace_,
                          {format, states.received.data(), k}, format.what, results_[what]->data());
  }

  /// Microseconds of one, over `repeats` of them; `before` waits for the other GPUs' threads.
  double time(std::size_t what, std::size_t k, int repeats, const std::function<void()>& before) {
    check(cudaStreamSynchronize(stream_), "waiting for a stream");
    before();
    check(cudaEventRecord(begin_, stream_), "recording an event");
    for (int i = 0; i < repeats; ++i) enqueue(what, k);
    return elapsed(repeats);
  }
  double time(cudaGraphExec_t captured, int replays, int launches, const std::function<void()>& before) {
    check(cudaStreamSynchronize(stream_), "waiting for a stream");
    before();
    check(cudaEventRecord(begin_, stream_), "recording an event");
    for (int i = 0; i < replays; ++i) check(cudaGraphLaunch(captured, stream_), "replaying a graph");
    return elapsed(replays * launches);
  }
  /// The median of `repeats` calls that are waited for.
  double time_once(std::size_t what, std::size_t k, int repeats, const std::function<void()>& before) {
    std::vector<double> sorted;
    for (int i = 0; i < repeats; ++i) {
      check(cudaStreamSynchronize(stream_), "waiting for a stream");
      before();
      sorted.push_back(host_time([&] {
        enqueue(what, k);
        check(cudaStreamSynchronize(stream_), "waiting for a stream");
      }));
    }
    std::sort(sorted.begin(), sorted.end());
    return bench::quantile(sorted, 0.5);
  }
  /// Microseconds that the caller is busy with one call, over 50 of them that the stream has room for.
  double caller_time(std::size_t what, std::size_t k, const std::function<void()>& before) {
    constexpr int repeats = 50;
    check(cudaStreamSynchronize(stream_), "waiting for a stream");
    before();
    const double found = host_time([&] {
      for (int i = 0; i < repeats; ++i) enqueue(what, k);
    });
    return found / repeats;
  }
  cudaGraphExec_t captured(std::size_t what, std::size_t k, int launches) {
    cudaGraph_t made = nullptr;
    cudaGraphExec_t replay = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capturing a graph");
    for (int i = 0; i < launches; ++i) enqueue(what, k);
    check(cudaStreamEndCapture(stream_, &made), "capturing a graph");
    check(cudaGraphInstantiate(&replay, made, 0), "making a graph");
    check(cudaGraphDestroy(made), "releasing a graph");
    check(cudaGraphUpload(replay, stream_), "sending a graph to the device");
    return replay;
  }

  /// Results of the calls with all results, of every kind, that differ from the CPU's bits.
  std::size_t wrong(const std::vector<std::vector<double>>& expected) {
    workspace_->check(), ordinary_->check();
    check_asynchronous(communicator_);
    std::size_t found = 0;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (kinds_[i].gives_results()) found += wrong_results(results_[i]->data(), expected[kinds_[i].format]);
    }
    return found;
  }

 private:
  template <class Work>
  static double host_time(Work work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  }
  double elapsed(int count) {
    check(cudaEventRecord(end_, stream_), "recording an event");
    check(cudaEventSynchronize(end_), "waiting for an event");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading a time");
    return 1000.0 * static_cast<double>(milliseconds) / count;
  }

  ncclComm_t communicator_;
  const exactdot::cuda::peer_sums* peers_;
  const std::vector<kind>& kinds_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::unique_ptr<exactdot::cuda::workspace> workspace_, ordinary_;
  std::unique_ptr<device_array<double>> sent_, received_;
  std::vector<std::unique_ptr<state_arrays>> states_;
  std::vector<std::unique_ptr<device_array<double>>> results_;  ///< of each kind
};

/// Times of every kind, in microseconds, a sample per round.
struct row {
  launching by;
  std::size_t k;
  std::vector<std::vector<double>> time;

  [[nodiscard]] double median(std::size_t what) const {
    std::vector<double> sorted = time[what];
    std::sort(sorted.begin(), sorted.end());
    return bench::quantile(sorted, 0.5);
  }
  /// Of a kind to doubles.
  [[nodiscard]] double ratio(std::size_t what) const {
    std::vector<double> sorted;
    for (std::size_t i = 0; i < time[what].size(); ++i) sorted.push_back(time[what][i] / time[0][i]);
    std::sort(sorted.begin(), sorted.end());
    return bench::quantile(sorted, 0.5);
  }
};

row measure(gpu_bench& gpu, std::size_t kinds, std::size_t k, launching by, int rounds,
            const std::function<void()>& wait) {
  constexpr int launches = 20, replays = 10, repeats = 200, waited_for = 11;
  row found{by, k, std::vector<std::vector<double>>(kinds)};
  std::vector<cudaGraphExec_t> graphs(kinds, nullptr);
  for (std::size_t what = 0; by == graph && what < kinds; ++what) {
    wait();
    graphs[what] = gpu.captured(what, k, launches);
  }
  for (int round = -1; round < rounds; ++round) {  // the first warms up
    for (std::size_t what = 0; what < kinds; ++what) {
      const double time = by == graph    ? gpu.time(graphs[what], replays, launches, wait)
                          : by == stream ? gpu.time(what, k, repeats, wait)
                                         : gpu.time_once(what, k, waited_for, wait);
      if (round >= 0) found.time[what].push_back(time);
    }
  }
  for (cudaGraphExec_t each : graphs) {
    if (each != nullptr) check(cudaGraphExecDestroy(each), "releasing a graph");
  }
  return found;
}

/// What is found out; by GPU 0.
struct report {
  std::vector<row> rows;
  std::vector<double> caller;  ///< caller_time of each kind, one result
};

/// What the thread of a GPU does.
void work(int number, const communicators& communicator, const settings& given, const std::vector<kind>& kinds,
          const exactdot::cuda::peer_sums* peers, std::barrier<>& together, report& all, std::size_t& wrong) {
  gpu_bench gpu(number, communicator[number], peers, kinds);
  const auto wait = [&] { together.arrive_and_wait(); };
  std::vector<std::vector<double>> expected;
  for (const auto& format : formats) expected.push_back(expected_of(format, given.gpus));
  for (const launching by : {stream, graph, once}) {
    for (const std::size_t k : result_counts) {
      row found = measure(gpu, kinds.size(), k, by, given.rounds, wait);
      if (number == 0) all.rows.push_back(std::move(found));
    }
    wrong += gpu.wrong(expected);
  }
  for (std::size_t what = 0; what < kinds.size(); ++what) {
    std::vector<double> sorted;
    for (int i = 0; i < given.rounds; ++i) sorted.push_back(gpu.caller_time(what, 1, wait));
    std::sort(sorted.begin(), sorted.end());
    if (number == 0) all.caller.push_back(bench::quantile(sorted, 0.5));
  }
}

void print(const std::vector<kind>& kinds, const report& all) {
  for (std::size_t what = 0; what < kinds.size(); ++what) {
    std::printf("%s (the caller is busy for %.2f µs)\n", kinds[what].name().c_str(), all.caller[what]);
    for (const char* const name : launching_names) {
      std::printf("  %-7s", name);
      for (const row& each : all.rows) {
        if (launching_names[each.by] == name)
          std::printf(" %7zu: %6.2f (%5.3f)", each.k, each.median(what), each.ratio(what));
      }
      std::printf("\n");
    }
  }
}

void write_json(const settings& given, const std::vector<kind>& kinds, const report& all, std::size_t wrong) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "asking for the device's name");
  int version = 0;
  check(ncclGetVersion(&version), "asking for NCCL's version");
  std::ofstream out(given.json);
  out << "{\"gpu\": \"" << properties.name << "\", \"gpus\": " << given.gpus << ", \"nccl\": " << version
      << ", \"rounds\": " << given.rounds << ", \"wrong\": " << wrong << ",\n \"host_us\": {";
  for (std::size_t what = 0; what < kinds.size(); ++what) {
    out << (what == 0 ? "" : ", ") << "\"" << kinds[what].name() << "\": " << all.caller[what];
  }
  out << "},\n \"rows\": [";
  const char* between = "\n";
  for (const row& each : all.rows) {
    out << between << "  {\"launched\": \"" << launching_names[each.by] << "\", \"results\": " << each.k;
    for (std::size_t what = 0; what < kinds.size(); ++what) {
      out << ", \"" << kinds[what].name() << "\": {\"us\": " << each.median(what)
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
    else if (name == "--peers")
      given.peers = std::stoi(value) != 0;
    else
      throw std::runtime_error(name + " is no option; use --gpus, --rounds, --peers or --json");
  }
  if (given.gpus < 1 || given.rounds < 1) throw std::runtime_error("--gpus and --rounds are 1 or more");
  return given;
}

std::vector<exactdot::cuda::peer_sums> peers_of(const settings& given) {
  if (!given.peers) return {};
  std::vector<int> devices;
  for (int gpu = 0; gpu < given.gpus; ++gpu) devices.push_back(gpu);
  return exactdot::cuda::connect_peers(devices, max_results, formats[full_double].words());
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
    const auto peers = peers_of(given);
    const std::vector<kind> kinds = kinds_of(given);
    std::barrier<> together(given.gpus);
    report all;
    std::vector<std::size_t> wrong(static_cast<std::size_t>(given.gpus), 0);
    std::vector<std::jthread> threads;
    for (int gpu = 0; gpu < given.gpus; ++gpu) {
      threads.emplace_back([&, gpu] {
        const auto number = static_cast<std::size_t>(gpu);
        try {
          work(gpu, communicator, given, kinds, peers.empty() ? nullptr : &peers[number], together, all,
               wrong[number]);
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
    print(kinds, all);
    std::printf("%zu results differ from the CPU's\n", all_wrong);
    if (!given.json.empty()) write_json(given, kinds, all, all_wrong);
    return all_wrong == 0 ? 0 : 1;
  } catch (const std::exception& failure) {
    std::printf("failed: %s\n", failure.what());
    return 1;
  }
}
