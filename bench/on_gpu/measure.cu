// Types and lengths one after the other, on one stream; see gpu.hpp.
#include <bench/gpu.hpp>
#include <bench/on_gpu/bout.cuh>
#include <bench/on_gpu/facts.hpp>
#include <bench/on_gpu/peer.cuh>
#include <cuda/workspace.hpp>

namespace bench {
namespace {

bool fits(std::size_t bytes, gpu_facts& facts, std::size_t n) {
  constexpr std::size_t besides = std::size_t{256} << 20;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  if (bytes + besides <= free) return true;
  facts.missing.push_back("n = " + std::to_string(n) + ": too long for the free memory of the GPU");
  return false;
}

template <class T>
void measure_length(stream& on, cold_copies& copies, const std::vector<gpu_peer<T>>& peers,
                    const gpu_request& request, std::size_t n, std::vector<std::string>& hostile,
                    gpu_facts& facts) {
  if (n > longest_hostile) hostile.clear();
  if (!fits((1 + hostile.size()) * 2 * n * sizeof(T), facts, n)) return;
  std::vector<std::unique_ptr<problem<T>>> problems;
  problems.push_back(std::make_unique<problem<T>>(on, "uniform", n));
  bout<T> all(on, copies, request, n);
  all.enter_all(peers, *problems.front());
  std::erase_if(hostile, [&](const std::string& data) {
    problems.push_back(std::make_unique<problem<T>>(on, data, n));
    return all.enter_graph(peers.front(), *problems.back()) > slow_seconds;
  });
  request.measured(all.run());
}

template <class T>
void measure_type(stream& on, cold_copies& copies, const gpu_request& request, gpu_facts& facts) {
  peer_remarks remarks;
  std::vector<gpu_peer<T>> peers;
  add_our_peers(peers, on, remarks);
  add_cublas(peers, on, remarks);
  add_cub(peers, on, remarks);
  add_floors(peers, on, remarks);
  if (facts.peers.empty()) {
    facts.peers = remarks.how;
    facts.peers.emplace_back("read",
                             "the read ceiling: the best of up to 18 kernels (blocks, threads, loads at a "
                             "time) that only read both vectors");
    facts.missing = remarks.missing;
  }
  std::vector<std::string> hostile = request.hostile;
  std::vector<std::size_t> sizes = request.sizes;
  std::sort(sizes.begin(), sizes.end());
  for (const std::size_t n : sizes) {
    request.say(std::string(sizeof(T) == 4 ? "float32" : "float64") + ", n = " + std::to_string(n));
    measure_length(on, copies, peers, request, n, hostile, facts);
  }
}

}  // namespace

gpu_facts measure_gpu(const gpu_request& request) {
  require_gpu();
  gpu_facts facts;
  facts.machine = describe_gpu();
  facts.workspace_bytes = sizeof(exactdot::cuda::device_state);
  stream on;
  cold_copies copies(on);
  for (const std::string& type : request.types) {
    (type == "float32" ? measure_type<float> : measure_type<double>)(on, copies, request, facts);
  }
  return facts;
}

}  // namespace bench
