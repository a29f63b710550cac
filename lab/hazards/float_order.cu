// float_order: the same million floats added forwards, backwards, by a tree and by atomics.
//
// Every addition rounds, so the order shows in the last bits, and atomics have a new order every run. None of the
// sums is wrong by its own bound, and none can be repeated elsewhere. An exact sum, rounded once, has no order.
#include <algorithm>
#include <bit>
#include <lab/hazard_data.hpp>
#include <lab/hazard_kernel.hpp>
#include <set>

namespace exactdot::lab {
namespace {

constexpr int threads = 256;

__global__ void add_by_atomics(const float* x, std::size_t n, float* sum) {
  const std::size_t i = thread_in_grid();
  if (i < n) atomicAdd(sum, x[i]);
}

/// One level of the tree: x[i] += x[i + half]. A launch a level orders them.
__global__ void add_halves(float* x, std::size_t half) {
  const std::size_t i = thread_in_grid();
  if (i < half) x[i] += x[i + half];
}

float sum_by_atomics(gpu::stream& stream, const gpu::buffer<float>& x) {
  gpu::buffer<float> sum(stream, 1);
  sum.fill_zero();
  gpu::launch(add_by_atomics, static_cast<unsigned>(x.size() / threads), threads, 0, stream, x.data(), x.size(),
              sum.data());
  return only_value(sum);
}

float sum_by_tree(gpu::stream& stream, gpu::buffer<float>& x) {
  for (std::size_t half = x.size() / 2; half > 0; half /= 2) {
    const auto blocks = static_cast<unsigned>((half + threads - 1) / threads);
    gpu::launch(add_halves, blocks, threads, 0, stream, x.data(), half);
  }
  float sum = 0;
  x.copy_to(&sum, 1);
  return sum;
}

hazard_outcome run_orders(const hazard_request& request) {
  seeded_stream stream(request.seed);
  std::vector<float> values = uniform_floats(std::size_t{1} << 20);
  gpu::buffer<float> x(stream, values.size());
  x.copy_from(values.data(), values.size());
  std::vector<std::pair<std::string, float>> sums;
  sums.emplace_back("forwards", loop_sum(values));
  sums.emplace_back("by atomics", sum_by_atomics(stream, x));
  sums.emplace_back("by atomics again", sum_by_atomics(stream, x));
  sums.emplace_back("by a tree", sum_by_tree(stream, x));
  const float exact = exact_sum(values), exact_halved = exact_sum_of_halves(values);
  std::reverse(values.begin(), values.end());
  sums.emplace_back("backwards", loop_sum(values));
  const float exact_backwards = exact_sum(values);

  hazard_outcome seen;
  std::set<std::uint32_t> bits;
  seen.table.emplace_back("order             sum           bits");
  const auto row = [&](const std::string& order, float sum) {
    const auto word = std::bit_cast<std::uint32_t>(sum);
    seen.table.push_back(text_of("%-18s%-14.9g%08x", order.c_str(), sum, word));
  };
  for (const auto& [order, sum] : sums) {
    row(order, sum);
    bits.insert(std::bit_cast<std::uint32_t>(sum));
    seen.figures.push_back({order, static_cast<double>(sum)});
  }
  row("exact, each order", exact);
  const bool one_answer = exact == exact_backwards && exact == exact_halved;
  seen.detected = take_findings(stream);
  seen.expected = "different bits for different orders; one answer from exact";
  seen.observed = text_of("%zu different results of %zu; %s from exact", bits.size(), sums.size(),
                          one_answer ? "one answer" : "different answers");
  seen.as_expected = bits.size() >= 4 && one_answer && seen.detected.empty();
  seen.figures.push_back({"distinct", static_cast<double>(bits.size())});
  seen.figures.push_back({"exact", static_cast<double>(exact)});
  return seen;
}

const enlist_hazard here{
    {.number = 12,
     .name = "float_order",
     .file = "float_order.cu",
     .does = "Adds the same 2^20 floats, uniform in (-1, 1), forwards, backwards, by a tree and by atomics.",
     .why = "Floating-point addition rounds each time and is not associative: another order, other roundings. "
            "Atomics take whoever comes first, so they differ from run to run.",
     .cure = "A fixed order gives the same bits every run (two_phase, single_pass, fast); the exact sum, rounded "
             "once, gives the same bits for every order: the rung exact."},
    run_orders};

}  // namespace
}  // namespace exactdot::lab
