// GPU benchmark: measures types and lengths in sequence on one stream; see gpu.hpp.
#include <bench/gpu.hpp>
#include <bench/on_gpu/comparison.cuh>
#include <bench/on_gpu/facts.hpp>
#include <bench/on_gpu/peer.cuh>
#include <cuda/host/workspace.hpp>
#include <exactdot/element.hpp>

namespace bench {
namespace {

bool fits(std::size_t bytes, gpu_facts& facts, std::size_t n) {
  constexpr std::size_t reserve = std::size_t{256} << 20;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "querying the free memory");
  if (bytes + reserve <= free) return true;
  facts.missing.push_back("n = " + std::to_string(n) + ": exceeds the free memory of the GPU");
  return false;
}

template <class T>
void measure_length(stream& gpu_stream, cold_copies& copies, const std::vector<gpu_peer<T>>& peers,
                    const gpu_request& request, std::size_t n, std::vector<std::string>& hostile,
                    gpu_facts& facts) {
  if (n > max_hostile_length) hostile.clear();
  if (!fits((1 + hostile.size()) * exactdot::inputs_of(request.what) * n * sizeof(T), facts, n)) return;
  std::vector<std::unique_ptr<problem<T>>> problems;
  problems.push_back(std::make_unique<problem<T>>(request.what, gpu_stream, "uniform", n));
  comparison<T> all(gpu_stream, copies, request, n);
  all.add_all(peers, *problems.front());
  std::erase_if(hostile, [&](const std::string& data) {
    problems.push_back(std::make_unique<problem<T>>(request.what, gpu_stream, data, n));
    return all.add_graph(peers.front(), *problems.back()) > slow_seconds;
  });
  request.on_measured(all.run());
}

template <class T>
void measure_type(stream& gpu_stream, cold_copies& copies, const gpu_request& request, gpu_facts& facts) {
  peer_remarks remarks;
  std::vector<gpu_peer<T>> peers;
  add_exactdot(request.what, peers, gpu_stream, remarks);
  add_cublas(request.what, peers, gpu_stream, remarks);
  add_cub(request.what, peers, gpu_stream, remarks);
  add_floors(request.what, peers, gpu_stream, remarks);
  if (facts.peers.empty()) {
    facts.peers = remarks.descriptions;
    facts.peers.emplace_back(
        "read", std::string("the read ceiling: the best of up to 18 kernels (blocks, threads, loads at a "
                            "time) and 8 with bulk copies that only read ") +
                    (exactdot::inputs_of(request.what) == 2 ? "both vectors" : "the vector's halves"));
    facts.missing = remarks.missing;
  }
  std::vector<std::string> hostile = request.hostile;
  std::vector<std::size_t> sizes = request.sizes;
  std::sort(sizes.begin(), sizes.end());
  for (const std::size_t n : sizes) {
    request.on_progress(std::string(exactdot::name_of(exactdot::type_of<T>)) + ", n = " + std::to_string(n));
    measure_length(gpu_stream, copies, peers, request, n, hostile, facts);
  }
}

}  // namespace

gpu_facts measure_gpu(const gpu_request& request) {
  require_gpu();
  gpu_facts facts;
  facts.machine = describe_gpu();
  using namespace exactdot::cuda_engine;  // what takes the most of it
  facts.workspace_bytes =
      sizeof(device_state) + sizeof(line_state) + sizeof(extremum_state) + sizeof(moments_state);
  stream gpu_stream;
  cold_copies copies(gpu_stream);
  for (const std::string& type : request.types) {
    (type == "float32" ? measure_type<float> : measure_type<double>)(gpu_stream, copies, request, facts);
  }
  return facts;
}

}  // namespace bench
