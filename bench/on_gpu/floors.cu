// Kernels that do less than a dot product: what the launch, the first reads and the memory alone cost.
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

/// Ends without the word too, once the stream has: not an endless loop where a kernel failed.
void poll(const mapped_word<unsigned>& word, unsigned value, stream& on) {
  constexpr int looks_in_seconds = 100'000'000;
  for (int look = 0; word.read() != value; ++look) {
    if (look == looks_in_seconds) return exactdot::on_gpu::synchronise(on);
  }
}

struct read_shape {
  unsigned blocks, threads;
  int at_once;
  auto operator<=>(const read_shape&) const = default;
};

void read(stream& on, const read_shape& shape, const void* a, const void* b, std::size_t bytes, unsigned* out) {
  using exactdot::lab::read_both;
  if (shape.at_once == 2) return read_both<2>(on, shape.blocks, shape.threads, a, b, bytes, out);
  if (shape.at_once == 4) return read_both<4>(on, shape.blocks, shape.threads, a, b, bytes, out);
  return read_both<8>(on, shape.blocks, shape.threads, a, b, bytes, out);
}

}  // namespace

template <class T>
void add_floors(std::vector<gpu_peer<T>>& to, stream& on, peer_remarks& remarks) {
  constexpr std::size_t longest_for_one_block = (std::size_t{1} << 15) / sizeof(T);
  const auto out = std::make_shared<buffer<unsigned>>(on, 1);
  const auto word = std::make_shared<mapped_word<unsigned>>();
  stream* const where = &on;
  to.push_back({"empty",
                [=](const T*, const T*, std::size_t, T*) {
                  empty_kernel<<<1, 32, 0, where->handle()>>>();
                  check(cudaGetLastError(), "launching an empty kernel");
                },
                [=](const T*, const T*, std::size_t) {
                  write_kernel<<<1, 1, 0, where->handle()>>>(word->there(), 1);
                  check(cudaStreamSynchronize(where->handle()), "waiting for a word");
                  return static_cast<T>(word->read());
                },
                false});
  remarks.how.emplace_back("empty",
                           "a floor: a kernel that does nothing; host: one thread writes a word to the host");
  const auto calls = std::make_shared<unsigned>(1);
  to.push_back({"poll",
                {},
                [=](const T*, const T*, std::size_t) {
                  const unsigned value = ++*calls;
                  write_kernel<<<1, 1, 0, where->handle()>>>(word->there(), value);
                  poll(*word, value, *where);
                  return static_cast<T>(value);
                },
                false});
  remarks.how.emplace_back("poll",
                           "a floor, host only: the same, but the host looks at the word until it has come, "
                           "instead of waiting for the stream");
  to.push_back({"one_block",
                [=](const T* a, const T* b, std::size_t count, T*) {
                  const std::size_t bytes = count * sizeof(T);
                  const std::size_t threads = std::clamp<std::size_t>(bytes / pack_bytes, 32, 1024);
                  read(*where, {1, static_cast<unsigned>(threads), 4}, a, b, bytes, out->data());
                },
                {},
                false,
                longest_for_one_block});
  remarks.how.emplace_back("one_block", "a floor: one block of up to 1024 threads that only reads both vectors");
}

std::vector<reader> readers(stream& on, std::size_t bytes) {
  const auto out = std::make_shared<buffer<unsigned>>(on, 1);
  stream* const where = &on;
  const std::size_t packs = std::max<std::size_t>(1, bytes / pack_bytes);
  std::set<read_shape> shapes;
  for (const unsigned threads : {256U, 512U, 1024U}) {
    const std::size_t enough = (packs + threads - 1) / threads;
    for (const unsigned waves : {1U, 4U}) {
      const std::size_t grid = static_cast<std::size_t>(on.multiprocessors()) * (2048 / threads) * waves;
      for (const int at_once : {2, 4, 8})
        shapes.insert({static_cast<unsigned>(std::min(grid, enough)), threads, at_once});
    }
  }
  std::vector<reader> all;
  for (const read_shape& shape : shapes) {
    all.push_back({std::to_string(shape.blocks) + " blocks of " + std::to_string(shape.threads) + " threads, " +
                       std::to_string(shape.at_once) + " loads of each vector at a time",
                   [=](const void* a, const void* b, std::size_t length) {
                     read(*where, shape, a, b, length, out->data());
                   }});
  }
  return all;
}

template void add_floors(std::vector<gpu_peer<float>>&, stream&, peer_remarks&);
template void add_floors(std::vector<gpu_peer<double>>&, stream&, peer_remarks&);

}  // namespace bench
