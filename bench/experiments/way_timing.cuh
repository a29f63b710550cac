// Ways to compute the same, timed in turns: medians of replayed graphs.
#pragma once

#include <algorithm>
#include <bench/on_gpu/timing_modes.cuh>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace experiment {
namespace {

struct way {
  std::string name;
  std::function<void()> enqueue;
};

/// The median of each way, in microseconds; of ways with one name that of the fastest.
inline std::vector<std::pair<std::string, double>> medians(exactdot::on_gpu::stream& gpu,
                                                           const std::vector<way>& ways, int samples_of_each) {
  constexpr double sample_seconds = 1e-3;
  std::vector<bench::sampler> samplers;
  std::vector<std::vector<double>> samples(ways.size());
  for (const way& each : ways) {
    const int calls = bench::calls_per_sample(sample_seconds, bench::estimate_seconds(gpu, each.enqueue), 50);
    samplers.push_back(bench::in_warm_graph(gpu, each.enqueue, calls));
  }
  for (int round = 0; round < samples_of_each; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) samples[i].push_back(samplers[i]());
  }
  std::vector<std::pair<std::string, double>> found;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    std::sort(samples[i].begin(), samples[i].end());
    const double median = 1e6 * samples[i][samples[i].size() / 2];
    const auto same =
        std::find_if(found.begin(), found.end(), [&](const auto& x) { return x.first == ways[i].name; });
    if (same == found.end()) {
      found.emplace_back(ways[i].name, median);
    } else {
      same->second = std::min(same->second, median);
    }
  }
  return found;
}

}  // namespace
}  // namespace experiment
