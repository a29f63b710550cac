// The calls of exactdot/cuda/peer_sums.hpp: memory of the ranks, checks, launches.
#include <algorithm>
#include <cuda/host/launch.hpp>
#include <exactdot/cuda/peer_sums.hpp>
#include <string>

namespace exactdot::inline v0_3::cuda {
namespace {

constexpr const char* caller_of_peers = "cuda";

static_assert(peer_sums::max_ranks == cuda_engine::max_peers);

[[noreturn]] void refuse(const std::string& sentence) {
  engine::throw_error(errc::bad_option, caller_of_peers, sentence);
}

cuda_engine::peer_layout layout_of(std::size_t ranks, std::size_t max_rows, std::size_t max_words) {
  if (ranks == 0 || ranks > static_cast<std::size_t>(peer_sums::max_ranks)) {
    refuse("there are " + std::to_string(ranks) + " ranks; use 1 to " + std::to_string(peer_sums::max_ranks));
  }
  if (max_rows == 0 || max_words == 0) refuse("room for 0 rows or words; use 1 or more");
  constexpr std::size_t max = static_cast<std::size_t>(PTRDIFF_MAX) / 64;
  if (max_words > max / (max_rows + ranks) / ranks) refuse("so many rows of words exceed the address space");
  const std::size_t to_all = std::min(max_rows, cuda_engine::max_rows_to_all);
  return {ranks, std::max((max_rows + ranks - 1) / ranks, to_all), max_words};
}

/// Makes a device current, and the one before again at its end.
class current_device {
 public:
  current_device() { check(cudaGetDevice(&before_), "asking for the current device"); }
  ~current_device() { static_cast<void>(cudaSetDevice(before_)); }
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;
  void become(int device) const { check(cudaSetDevice(device), "choosing a device"); }

 private:
  int before_ = 0;
};

void enable_access(int device, int peer) {
  if (device == peer) return;
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device, peer), "asking which devices reach each other");
  if (can == 0) {
    throw error(errc::device_failure, "cuda: device " + std::to_string(device) +
                                          " cannot access the memory of device " + std::to_string(peer) +
                                          "; sum the words by an allreduce instead");
  }
  const cudaError_t status = cudaDeviceEnablePeerAccess(peer, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    static_cast<void>(cudaGetLastError());
    return;
  }
  check(status, "enabling access between devices");
}

}  // namespace

std::size_t peer_sums::bytes(int ranks, std::size_t max_rows, std::size_t max_words) {
  return layout_of(ranks < 0 ? 0 : static_cast<std::size_t>(ranks), max_rows, max_words).all() *
         sizeof(cuda_engine::wide_unsigned);
}

peer_sums::peer_sums(int rank, std::span<void* const> memory, std::size_t max_rows, std::size_t max_words)
    : rank_(rank), max_rows_(max_rows), max_words_(max_words), memory_(memory.begin(), memory.end()) {
  static_cast<void>(layout_of(memory_.size(), max_rows, max_words));
  if (rank < 0 || rank >= ranks()) {
    refuse("rank " + std::to_string(rank) + " of " + std::to_string(ranks()) + "; ranks count from 0");
  }
  for (void* const each : memory_) {
    if (each == nullptr) engine::throw_error(errc::null_pointer, caller_of_peers, "the memory of a rank is null");
    if (reinterpret_cast<std::uintptr_t>(each) % sizeof(cuda_engine::wide_unsigned) != 0) {
      refuse("the memory of a rank is not aligned to 8 bytes");
    }
  }
}

std::vector<peer_sums> connect_peers(std::span<const int> devices, std::size_t max_rows, std::size_t max_words) {
  const std::size_t bytes =
      layout_of(devices.size(), max_rows, max_words).all() * sizeof(cuda_engine::wide_unsigned);
  const current_device current;
  std::vector<std::shared_ptr<void>> owned;
  std::vector<void*> memory;
  for (const int device : devices) {
    current.become(device);
    for (const int peer : devices) enable_access(device, peer);
    load_peer_kernels();
    void* found = nullptr;
    check(cudaMalloc(&found, bytes), "allocating memory for sums among devices");
    owned.emplace_back(found, [](void* each) { cudaFree(each); });
    memory.push_back(found);
    check(cudaMemset(found, 0, bytes), "clearing memory for sums among devices");
    check(cudaDeviceSynchronize(), "waiting for the device");
  }
  std::vector<peer_sums> made;
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    made.emplace_back(static_cast<int>(rank), memory, max_rows, max_words);
    made.back().owned_ = owned;
  }
  return made;
}

void detail::round_among(workspace& on, const peer_sums& among, const state_rows& states, reduction what,
                         element_type type, void* results, std::size_t max_words_to_all) {
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  const checked_rounding asked = check_rounding(storage, states, what, type, results, {});
  if (!are_sums_only(asked.rows, asked.to.rule)) {
    refuse("a " + std::string(name_of(what)) + " of " + std::string(name_of(type)) +
           " is not rounded among devices; sum the words by an allreduce and call round");
  }
  if (states.rows > among.max_rows() || states.format.words() > among.max_words()) {
    refuse(std::to_string(states.rows) + " rows of " + std::to_string(states.format.words()) +
           " words are more than the room for " + std::to_string(among.max_rows()) + " of " +
           std::to_string(among.max_words()));
  }
  if (states.rows == 0) return;
  const auto ranks = static_cast<std::size_t>(among.ranks());
  const cuda_engine::peer_layout layout = layout_of(ranks, among.max_rows(), among.max_words());
  const std::size_t words = states.rows * states.format.words() * (ranks - 1);
  const bool to_all = states.rows <= layout.max_groups && words <= max_words_to_all;
  cuda_engine::peer_call call{
      cuda_engine::sum_rows(asked.rows, asked.finish.sum), layout, static_cast<unsigned>(among.rank()), to_all, {}};
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    call.memory[rank] = static_cast<cuda_engine::wide_unsigned*>(among.memory()[rank]);
  }
  round_peer_rows(storage, call, asked.to);
}

}  // namespace exactdot::inline v0_3::cuda
