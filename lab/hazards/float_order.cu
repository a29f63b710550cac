// float_order: the same 2^20 floats added forwards, backwards, by a tree and by atomics.
//
// Every addition rounds, so the order changes the last bits, and atomics have a new order in every run. Each sum is
// within its error bound, but none is reproducible elsewhere. An exact sum, rounded once, does not depend on order.
#include <algorithm>
#include <bit>
#include <lab/hazard_data.hpp>
#include <lab/hazard_kernel.hpp>
#include <set>

namespace exactdot::lab {
namespace {

constexpr std::size_t length = std::size_t{1} << 20;

unsigned block_for(std::size_t n) { return static_cast<unsigned>(std::min<std::size_t>(256, n)); }

__global__ void add_by_atomics(const float* x, std::size_t n, float* sum) {
  const std::size_t i = thread_in_grid();
  if (i < n) atomicAdd(sum, x[i]);
}

/// Computes one level of the tree: x[i] += x[i + half]. One launch per level orders the levels.
__global__ void add_halves(float* x, std::size_t half) {
  const std::size_t i = thread_in_grid();
  if (i < half) x[i] += x[i + half];
}

float sum_by_atomics(const hazard_request& request, gpu::stream& stream, const gpu::buffer<float>& x) {
  gpu::buffer<float> sum(stream, 1);
  sum.fill_zero();
  const unsigned threads = block_for(x.size());
  gpu::launch(add_by_atomics, static_cast<unsigned>(x.size() / threads), threads, 0, stream, x.data(), x.size(),
              sum.data());
  const float value = only_value(sum);
  request.add_progress(x.size());
  return value;
}

float sum_by_tree(const hazard_request& request, gpu::stream& stream, gpu::buffer<float>& x) {
  for (std::size_t half = x.size() / 2; half > 0; half /= 2) {
    const unsigned threads = block_for(half);
    const auto blocks = static_cast<unsigned>((half + threads - 1) / threads);
    gpu::launch(add_halves, blocks, threads, 0, stream, x.data(), half);
    request.add_progress(half);
  }
  float sum = 0;
  x.copy_to(&sum, 1);
  request.add_progress(1);
  return sum;
}

hazard_outcome run_orders(const hazard_request& request) {
  seeded_stream stream(request.seed);
  std::vector<float> values = uniform_floats(request.small ? 8 : length);
  gpu::buffer<float> x(stream, values.size());
  x.copy_from(values.data(), values.size());
  std::vector<std::pair<std::string, float>> sums;
  sums.emplace_back("forwards", loop_sum(values));
  sums.emplace_back("by atomics", sum_by_atomics(request, stream, x));
  sums.emplace_back("by atomics again", sum_by_atomics(request, stream, x));
  sums.emplace_back("by a tree", sum_by_tree(request, stream, x));
  const float exact = exact_sum(values), exact_halved = exact_sum_of_halves(values);
  std::reverse(values.begin(), values.end());
  sums.emplace_back("backwards", loop_sum(values));
  const float exact_backwards = exact_sum(values);

  hazard_outcome outcome;
  std::set<std::uint32_t> bits;
  outcome.table.emplace_back("order             sum           bits");
  const auto add_line = [&](const std::string& order, float sum) {
    const auto word = std::bit_cast<std::uint32_t>(sum);
    outcome.table.push_back(format_text("%-18s%-14.9g%08x", order.c_str(), sum, word));
  };
  for (const auto& [order, sum] : sums) {
    add_line(order, sum);
    bits.insert(std::bit_cast<std::uint32_t>(sum));
    outcome.figures.push_back({order, static_cast<double>(sum)});
  }
  add_line("exact, each order", exact);
  const bool one_answer = exact == exact_backwards && exact == exact_halved;
  outcome.detected = take_findings(stream);
  outcome.expected = "different bits for different orders; one answer from exact";
  outcome.observed = format_text("%zu different results of %zu; %s from exact", bits.size(), sums.size(),
                                 one_answer ? "one answer" : "different answers");
  outcome.as_expected = bits.size() >= 4 && one_answer && outcome.detected.empty();
  outcome.figures.push_back({"distinct", static_cast<double>(bits.size())});
  outcome.figures.push_back({"exact", static_cast<double>(exact)});
  return outcome;
}

const register_hazard registration{
    {.number = 12,
     .name = "float_order",
     .file = "float_order.cu",
     .work = 3 * length,  // elements: by atomics, again, and by a tree
     .mistake = false,
     .effect = "Adds the same 2^20 floats, uniform in (-1, 1), forwards, backwards, by a tree and by atomics.",
     .cause = "Floating-point addition rounds each time and is not associative: a different order gives different "
              "roundings. Atomics execute in the order of arrival, which differs between runs.",
     .fix =
         "A fixed order gives the same bits every run (rungs two_phase, single_pass, fast). The exact sum, rounded "
         "once, gives the same bits for every order (rung exact)."},
    run_orders};

}  // namespace
}  // namespace exactdot::lab
