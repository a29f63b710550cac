// Lower bounds on the time of a reduction: the launch alone, the first reads alone, the memory traffic alone.
#include <algorithm>
#include <bench/on_gpu/peer.cuh>
#include <lab/on_gpu/read_ceiling.cuh>
#include <memory>
#include <set>

namespace bench {
namespace {

using exactdot::on_gpu::buffer;
constexpr std::size_t pack_bytes = 16;

__global__ void empty_kernel() {}
__global__ void write_kernel(unsigned* word, unsigned value) { *word = value; }

/// Polls until the word has the value. After some seconds waits for the stream instead, because a kernel that
/// failed never writes the word.
void poll(const mapped_word<unsigned>& word, unsigned value, stream& stream) {
  constexpr int max_polls = 100'000'000;
  for (int polls = 0; word.read() != value; ++polls) {
    if (polls == max_polls) return exactdot::on_gpu::synchronise(stream);
  }
}

struct read_config {
  unsigned blocks, threads;
  int in_flight;
  auto operator<=>(const read_config&) const = default;
};

void read(stream& stream, const read_config& config, const void* a, const void* b, std::size_t bytes,
          unsigned* out) {
  using exactdot::lab::read_both;
  if (config.in_flight == 2) return read_both<2>(stream, config.blocks, config.threads, a, b, bytes, out);
  if (config.in_flight == 4) return read_both<4>(stream, config.blocks, config.threads, a, b, bytes, out);
  return read_both<8>(stream, config.blocks, config.threads, a, b, bytes, out);
}

}  // namespace

template <class T>
void add_floors(reduction what, std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks) {
  const std::size_t max_length_of_one_block = (std::size_t{1} << 16) / sizeof(T) / exactdot::inputs_of(what);
  const auto out = std::make_shared<buffer<unsigned>>(gpu_stream, 1);
  const auto word = std::make_shared<mapped_word<unsigned>>();
  stream* const stream_address = &gpu_stream;
  peers.push_back({"empty",
                   [=](const T*, const T*, std::size_t, std::uint64_t*) {
                     empty_kernel<<<1, 32, 0, stream_address->handle()>>>();
                     check(cudaGetLastError(), "launching an empty kernel");
                   },
                   [=](const T*, const T*, std::size_t) {
                     write_kernel<<<1, 1, 0, stream_address->handle()>>>(word->device(), 1);
                     check(cudaStreamSynchronize(stream_address->handle()), "waiting for a word");
                     return std::uint64_t{word->read()};
                   },
                   false});
  remarks.descriptions.emplace_back(
      "empty", "a floor: a kernel that does nothing; host: one thread writes a word to the host");
  const auto calls = std::make_shared<unsigned>(1);
  peers.push_back({"poll",
                   {},
                   [=](const T*, const T*, std::size_t) {
                     const unsigned value = ++*calls;
                     write_kernel<<<1, 1, 0, stream_address->handle()>>>(word->device(), value);
                     poll(*word, value, *stream_address);
                     return std::uint64_t{value};
                   },
                   false});
  remarks.descriptions.emplace_back(
      "poll",
      "a floor, host only: the same, but the host polls the word instead of waiting for the "
      "stream");
  peers.push_back({"one_block",
                   [=](const T* x, const T* y, std::size_t count, std::uint64_t*) {
                     const read_arrays arrays = arrays_of(what, x, y, count);
                     const std::size_t threads = std::clamp<std::size_t>(arrays.bytes / pack_bytes, 32, 1024);
                     read(*stream_address, {1, static_cast<unsigned>(threads), 4}, arrays.a, arrays.b, arrays.bytes,
                          out->data());
                   },
                   {},
                   false,
                   max_length_of_one_block});
  remarks.descriptions.emplace_back("one_block",
                                    std::string("a floor: one block of up to 1024 threads that only reads ") +
                                        (exactdot::inputs_of(what) == 2 ? "both vectors" : "the vector"));
}

std::vector<reader> readers(stream& gpu_stream, std::size_t bytes) {
  const auto out = std::make_shared<buffer<unsigned>>(gpu_stream, 1);
  stream* const stream_address = &gpu_stream;
  const std::size_t packs = std::max<std::size_t>(1, bytes / pack_bytes);
  std::set<read_config> configs;
  for (const unsigned threads : {256U, 512U, 1024U}) {
    const std::size_t covering = (packs + threads - 1) / threads;
    for (const unsigned waves : {1U, 4U}) {
      const std::size_t grid = static_cast<std::size_t>(gpu_stream.multiprocessors()) * (2048 / threads) * waves;
      for (const int in_flight : {2, 4, 8})
        configs.insert({static_cast<unsigned>(std::min(grid, covering)), threads, in_flight});
    }
  }
  std::vector<reader> all;
  for (const read_config& config : configs) {
    all.push_back({std::to_string(config.blocks) + " blocks of " + std::to_string(config.threads) + " threads, " +
                       std::to_string(config.in_flight) + " loads of each vector at a time",
                   [=](const void* a, const void* b, std::size_t length) {
                     read(*stream_address, config, a, b, length, out->data());
                   }});
  }
  return all;
}

template void add_floors(reduction, std::vector<gpu_peer<float>>&, stream&, peer_remarks&);
template void add_floors(reduction, std::vector<gpu_peer<double>>&, stream&, peer_remarks&);

}  // namespace bench
