// Launch configurations for elements that are converted, extrema and variances on a GPU: the program behind their
// rows of src/cuda/tuning.hpp (gpu_variants has those of the other reductions).
//
// For each kind, element type and length in bytes, every configuration is measured in a replayed graph, beside the
// library's choice; the best six again, in rounds. All must give the bits of the library's choice (variances that
// bounds leave undecided are left out). Output: one JSON object for each of these, with threads, loads in flight
// and blocks per multiprocessor of the launch, then a table. Usage: element_variants
// converted|extrema|variances|all [SHORTEST LONGEST], powers of two, bytes of a vector.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <bench/experiments/element_variants.hpp>
#include <bench/experiments/fill.cuh>
#include <bench/on_gpu/timing_modes.cuh>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exactdot/core/term.hpp>
#include <exactdot/cuda.hpp>
#include <optional>
#include <stdexcept>

namespace experiment {
namespace {

namespace core = exactdot::core;
using exactdot::any_vector;
using exactdot::element_type;
using exactdot::reduction;
using exactdot::cuda_engine::summation;
using exactdot::on_gpu::buffer;
using exactdot::on_gpu::check;
using exactdot::on_gpu::stream;

constexpr int rounds = 9;
constexpr std::size_t kept = 6;
constexpr double sample_seconds = 1e-3;

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

struct request {
  std::string kinds;
  int shortest, longest;
};

class measurement {
 public:
  explicit measurement(request asked)
      : asked_(std::move(asked)),
        a_(gpu_, (std::size_t{1} << asked_.longest) + 64),
        b_(gpu_, a_.size()),
        result_(gpu_, 4),
        workspace_(gpu_.handle()) {}

  void run() {
    for (int log2_bytes = asked_.shortest; log2_bytes <= asked_.longest; ++log2_bytes) {
      log2_bytes_ = log2_bytes;
      if (wanted("converted")) {
        converted<float, __half>(element_type::float16);
        converted<float, __nv_bfloat16>(element_type::bfloat16);
        converted_sum<float, std::int8_t>(element_type::int8);
        converted_sum<float, std::int16_t>(element_type::int16);
        converted_sum<double, std::int32_t>(element_type::int32);
        converted_sum<double, std::int64_t>(element_type::int64);
      }
      if (wanted("extrema")) {
        extrema<std::int8_t>(element_type::int8);
        extrema<std::int16_t>(element_type::int16);
        extrema<float>(element_type::float32);
        extrema<double>(element_type::float64);
      }
      if (wanted("variances")) {
        variances<float>(element_type::float32, {summation::plain, summation::grouped});
        variances<double>(element_type::float64, {summation::compensated});
      }
    }
    std::printf("\n%s", table_.c_str());
  }

 private:
  [[nodiscard]] bool wanted(const char* kind) const { return asked_.kinds == "all" || asked_.kinds == kind; }
  [[nodiscard]] const environment& where() { return workspace_.library_storage(); }

  [[nodiscard]] any_vector vector(const buffer<char>& of, element_type type) const {
    return {of.data(), (std::size_t{1} << log2_bytes_) / exactdot::size_of(type), type};
  }

  template <class T>
  void fill_with() {
    std::uint64_t seed = 1;
    for (buffer<char>* const each : {&a_, &b_}) {
      fill<<<1024, 256, 0, gpu_.handle()>>>(reinterpret_cast<T*>(each->data()),
                                            (std::size_t{1} << log2_bytes_) / sizeof(T), seed++ << 40);
    }
    check(cudaGetLastError(), "filling the vectors");
  }

  template <class Carrier, class Term>
  candidates all_converted() {
    candidates all = converted_candidates<Carrier, Term, 128>(where());
    for (candidates& more : std::array{converted_candidates<Carrier, Term, 256>(where()),
                                       converted_candidates<Carrier, Term, 512>(where()),
                                       converted_candidates<Carrier, Term, 1024>(where())}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

  template <class Carrier, class T>
  void converted(element_type type) {
    fill_with<T>();
    measure(reduction::dot, "", type, all_converted<Carrier, core::product>());
    measure(reduction::sum, "", type, all_converted<Carrier, core::value>());
  }
  template <class Carrier, class T>
  void converted_sum(element_type type) {
    fill_with<T>();
    measure(reduction::sum, "", type, all_converted<Carrier, core::value>());
  }
  template <class T>
  void extrema(element_type type) {
    fill_with<T>();
    measure(reduction::max, "", type, extremum_candidates(where(), type, false));
    measure(reduction::argmax, "", type, extremum_candidates(where(), type, true));
  }
  template <class T>
  void variances(element_type type, std::initializer_list<summation> all_sums) {
    fill_with<T>();
    for (const summation sums : all_sums) {
      const char* const name = sums == summation::plain     ? "plain"
                               : sums == summation::grouped ? "grouped"
                                                            : "compensated";
      measure(reduction::variance, name, type, moments_candidates<T>(where(), sums));
    }
  }

  void enqueue_library(reduction what, const any_vector& a, const any_vector& b) {
    const element_type to = exactdot::default_result_type(what, a.type);
    if (what == reduction::dot) return exactdot::cuda::dot(workspace_, a, b, to, result_.data());
    exactdot::cuda::reduce(workspace_, what, a, to, result_.data());
  }

  template <class Enqueue>
  std::uint64_t bits_of(const Enqueue& enqueue) {
    std::uint64_t found[4] = {};
    result_.fill_zero();
    enqueue();
    result_.copy_to(found, 4);
    return found[0];
  }

  struct series {
    std::string name;
    bench::sampler sample;
    double first;
    std::vector<double> samples = {};
  };

  template <class Enqueue>
  series prepared(std::string name, const Enqueue& enqueue) {
    const int calls = bench::calls_per_sample(sample_seconds, bench::estimate_seconds(gpu_, enqueue), 200);
    bench::sampler sample = bench::in_warm_graph(gpu_, enqueue, calls);
    sample();
    return {std::move(name), sample, median({sample(), sample(), sample()})};
  }

  void measure(reduction what, const char* sums, element_type type, const candidates& all) {
    const any_vector a = vector(a_, type), b = vector(b_, type);
    const auto of_library = [=, this] { enqueue_library(what, a, b); };
    const std::uint64_t expected = bits_of(of_library);
    std::vector<series> kept_ones;
    for (const candidate& each : all) {
      const auto enqueue = [=, this] { each.enqueue(a, b, result_.data()); };
      const std::uint64_t found = bits_of(enqueue);
      if (found == 0 && what == reduction::variance) continue;  // bounds that do not decide
      if (found != expected) {
        throw std::runtime_error(std::string(exactdot::name_of(what)) + " of " +
                                 std::string(exactdot::name_of(type)) + ", 2^" + std::to_string(log2_bytes_) +
                                 " bytes, launch " + each.launch_config + ": other bits than the library's");
      }
      kept_ones.push_back(prepared(each.launch_config, enqueue));
    }
    std::sort(kept_ones.begin(), kept_ones.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    report_first(what, sums, type, kept_ones);
    if (kept_ones.size() > kept) kept_ones.erase(kept_ones.begin() + kept, kept_ones.end());
    kept_ones.push_back(prepared("library", of_library));
    for (int round = 0; round < rounds; ++round) {
      for (series& each : kept_ones) each.samples.push_back(each.sample());
    }
    for (series& each : kept_ones) each.first = median(each.samples);
    const series library = kept_ones.back();
    std::sort(kept_ones.begin(), kept_ones.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    char line[160];
    std::snprintf(line, sizeof line, "%-9s %-11s %-9s 2^%-3d library %8.3f  best %8.3f  %s\n",
                  std::string(exactdot::name_of(what)).c_str(), sums, std::string(exactdot::name_of(type)).c_str(),
                  log2_bytes_, 1e6 * library.first, 1e6 * kept_ones[0].first, kept_ones[0].name.c_str());
    table_ += line;
  }

  /// The first samples of every configuration.
  void report_first(reduction what, const char* sums, element_type type, const std::vector<series>& all) const {
    for (const series& each : all) {
      std::printf(
          "{\"reduction\": \"%s\", \"sums\": \"%s\", \"type\": \"%s\", \"log2_bytes\": %d, \"launch\": \"%s\", "
          "\"microseconds\": %.3f}\n",
          std::string(exactdot::name_of(what)).c_str(), sums, std::string(exactdot::name_of(type)).c_str(),
          log2_bytes_, each.name.c_str(), 1e6 * each.first);
    }
    std::fflush(stdout);
  }

  stream gpu_;
  request asked_;
  buffer<char> a_, b_;
  buffer<std::uint64_t> result_;
  exactdot::cuda::workspace workspace_;
  int log2_bytes_ = 0;
  std::string table_;
};

/// What the command line asks for, or nothing if it is wrong.
std::optional<request> request_of(int arguments, char** argument) {
  request asked{arguments > 1 ? argument[1] : "all", 12, 30};
  const auto is_kind = [&](const char* kind) { return asked.kinds == kind; };
  if (!is_kind("all") && !is_kind("converted") && !is_kind("extrema") && !is_kind("variances")) return {};
  if (arguments != 1 && arguments != 2 && arguments != 4) return {};
  if (arguments == 4) asked.shortest = std::atoi(argument[2]), asked.longest = std::atoi(argument[3]);
  if (asked.shortest < 4 || asked.longest > 34 || asked.shortest > asked.longest) return {};
  return asked;
}

}  // namespace
}  // namespace experiment

int main(int arguments, char** argument) {
  const auto asked = experiment::request_of(arguments, argument);
  if (!asked) {
    std::fprintf(stderr,
                 "usage: element_variants converted|extrema|variances|all [SHORTEST LONGEST]\n"
                 "  powers of two, bytes of a vector, from 4 to 34\n");
    return 2;
  }
  try {
    cudaDeviceProp properties{};
    exactdot::on_gpu::check(cudaGetDeviceProperties(&properties, 0), "querying the device");
    std::printf("{\"gpu\": \"%s\"}\n", properties.name);
    experiment::measurement(*asked).run();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "element_variants: %s\n", failure.what());
    return 1;
  }
}
