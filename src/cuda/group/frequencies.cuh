// Which groups are so frequent that atomics on their records would wait for each other.
//
// One block reads up to 16,384 keys, each at a random place of its stretch of the input, so that no period of the
// keys hides a group. It counts them in cells by a hash, then exactly those in cells of `min_frequency` or more. If
// one group has at least 1/256 of the sample, the keys are skewed, and groups that occur `min_frequency` times are
// frequent: at most 2048. Their keys become a hash table in global memory, which the blocks of the call copy to
// shared memory. Groups that are left out, by chance or because too many keys share a place of the table, cost time
// only: no result depends on which groups are frequent.
// Cost: some microseconds, most of them for one round trip to memory.
#pragma once

#include <cuda/group/source.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

constexpr unsigned frequency_threads = 1024, samples_of_thread = 16;
constexpr unsigned min_frequency = 8;        // in the sample, of a frequent group
constexpr unsigned skew_share = 256;         // keys are skewed if 1 / skew_share of them belong to one group
constexpr unsigned frequency_cells = 8192;   // words in shared memory
constexpr unsigned max_probes = 16;          // of a place in the hash table
constexpr unsigned place_none = 0xffff;      // of a place
constexpr unsigned place_of_lanes = 0x8000;  // of a place: each lane has an entry of its own

constexpr std::size_t frequency_shared_bytes = 4 * frequency_cells;
static_assert(frequent_slots == 1U << 12 && frequency_cells == 1U << 13);
static_assert(frequency_threads * samples_of_thread / min_frequency <= frequent_slots / 2);
static_assert(frequent_entries < place_of_lanes);

EXACTDOT_CORE unsigned hash_of(unsigned group) { return group * 0x9e3779b1U; }
EXACTDOT_CORE unsigned slot_of(unsigned group) { return hash_of(group) >> 20; }
EXACTDOT_CORE unsigned cell_of(unsigned group) { return hash_of(group) >> 19; }

/// Finds the group's slot, or claims an empty one; frequent_slots if there is none near its place.
__device__ __forceinline__ unsigned claim_slot(unsigned* keys, unsigned group) {
  unsigned slot = slot_of(group);
  for (unsigned probe = 0; probe < max_probes; ++probe, slot = (slot + 1) & (frequent_slots - 1)) {
    const unsigned found = atomicCAS(keys + slot, no_group, group);
    if (found == no_group || found == group) return slot;
  }
  return frequent_slots;
}

/// Sample k of 2^log2_samples: an element of its stretch.
__device__ __forceinline__ std::size_t sampled_element(std::size_t n, std::size_t k, int log2_samples) {
  const std::size_t first = k * n >> log2_samples, stretch = ((k + 1) * n >> log2_samples) - first;
  return first + (hash_of(static_cast<unsigned>(k) + 1) * ::min(stretch, std::size_t{0xffffffff}) >> 32);
}

/// The groups of the thread's samples, or no_group. All loads are on their way together.
/// read(i) = key i.
template <class Key, class Read>
__device__ __forceinline__ void load_sample(const group_input& in, unsigned (&group)[samples_of_thread],
                                            Read read) {
  const unsigned samples = samples_of_thread * blockDim.x;
  const int log2_samples = 31 - __clz(static_cast<int>(samples));
  Key key[samples_of_thread];
#pragma unroll
  for (unsigned j = 0; j < samples_of_thread; ++j) {
    const std::size_t k = j * blockDim.x + threadIdx.x;
    const std::size_t i = in.n <= samples ? ::min(k, in.n - 1) : sampled_element(in.n, k, log2_samples);
    key[j] = read(i);
  }
#pragma unroll
  for (unsigned j = 0; j < samples_of_thread; ++j) {
    const bool counts = j * blockDim.x + threadIdx.x < in.n && key[j] < in.groups;
    group[j] = counts ? static_cast<unsigned>(key[j]) : no_group;
  }
}

/// By one block, whose threads are a power of two. n > 0.
__global__ void __launch_bounds__(frequency_threads)
    group_frequency_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_memory to) {
  begin_kernel(0);
  unsigned* const words = gpu::dynamic_shared<unsigned>();
  unsigned* const counts = words + frequent_slots;
  const unsigned samples = samples_of_thread * blockDim.x;
  const std::size_t sampled = ::min(in.n, std::size_t{samples});
  unsigned group[samples_of_thread];
  const auto at = [&](std::size_t i) { return in.keys + static_cast<std::ptrdiff_t>(i) * in.key_stride; };
  if (in.key_bytes == 4) {
    load_sample<unsigned>(in, group, [&](std::size_t i) { return *reinterpret_cast<const unsigned*>(at(i)); });
  } else if (in.key_bytes == 8) {
    load_sample<wide_unsigned>(in, group,
                               [&](std::size_t i) { return *reinterpret_cast<const wide_unsigned*>(at(i)); });
  } else {
    load_sample<wide_unsigned>(in, group, [&](std::size_t i) { return load_key(in, i); });
  }
  const auto fill = [&](unsigned begin, unsigned end, unsigned word) {
    for (unsigned i = begin + threadIdx.x; i < end; i += blockDim.x) words[i] = word;
  };
  fill(0, frequency_cells, 0);
  __syncthreads();
#pragma unroll
  for (unsigned j = 0; j < samples_of_thread; ++j) {
    if (group[j] != no_group) atomicAdd(words + cell_of(group[j]), 1U);
  }
  __syncthreads();
#pragma unroll
  for (unsigned j = 0; j < samples_of_thread; ++j) {
    if (group[j] != no_group && words[cell_of(group[j])] < min_frequency) group[j] = no_group;
  }
  __syncthreads();
  // the exact counts of the others
  fill(0, frequent_slots, no_group);
  fill(frequent_slots, 2 * frequent_slots, 0);
  __syncthreads();
#pragma unroll
  for (unsigned j = 0; j < samples_of_thread; ++j) {
    if (group[j] == no_group) continue;
    const unsigned slot = claim_slot(words, group[j]);
    if (slot < frequent_slots) atomicAdd(counts + slot, 1U);
  }
  __syncthreads();
  bool is_skewed = false;
  for (unsigned slot = threadIdx.x; slot < frequent_slots; slot += blockDim.x) {
    is_skewed = is_skewed || (counts[slot] >= min_frequency && counts[slot] * skew_share >= sampled);
  }
  if (__syncthreads_or(is_skewed) == 0) return;
  // The table, in global memory: groups with entries of their own for each lane first, so that others do not
  // displace them. Which are these does not change a bit.
  unsigned* const keys = to.frequent;
  auto* const places = reinterpret_cast<std::uint16_t*>(keys + frequent_slots);
  for (unsigned slot = threadIdx.x; slot < frequent_slots; slot += blockDim.x) {
    keys[slot] = no_group;
    places[slot] = place_none;
  }
  __syncthreads();
  for (const bool of_lanes : {true, false}) {
    for (unsigned slot = threadIdx.x; slot < frequent_slots; slot += blockDim.x) {
      const unsigned count = counts[slot];
      if (count < min_frequency || (count * frequent_lane_groups >= sampled) != of_lanes) continue;
      const unsigned made = claim_slot(keys, words[slot]);
      if (made == frequent_slots) continue;
      const unsigned rank = atomicAdd(of_lanes ? &to.status->frequent_of_lanes : &to.status->frequent, 1U);
      const unsigned entry = of_lanes ? rank * 32 : frequent_lane_groups * 32 + rank;
      places[made] = static_cast<std::uint16_t>(entry | (of_lanes ? place_of_lanes : 0));
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) to.status->is_skewed = 1;
}

/// The hash table of frequent groups in shared memory, of frequent_table_bytes.
class frequent_table {
 public:
  __device__ __forceinline__ frequent_table(unsigned* shared, unsigned lane)
      : keys_(shared), places_(reinterpret_cast<std::uint16_t*>(shared + frequent_slots)), lane_(lane) {}

  /// Copies it from global memory. By all threads of a block, which then have to synchronise.
  __device__ __forceinline__ void load(const group_memory& to) {
    for (unsigned i = threadIdx.x; i < frequent_table_bytes / 4; i += blockDim.x) keys_[i] = to.frequent[i];
  }
  /// The thread's entry of a group, or no_group. `group` may be no_group.
  [[nodiscard]] __device__ __forceinline__ unsigned entry_of(unsigned group) const {
    if (group == no_group) return no_group;
    unsigned slot = slot_of(group);
    for (unsigned probe = 0; probe < max_probes; ++probe, slot = (slot + 1) & (frequent_slots - 1)) {
      const unsigned found = keys_[slot];
      if (found == no_group) return no_group;
      if (found != group) continue;
      const unsigned place = places_[slot];
      return (place & place_of_lanes) != 0 ? (place - place_of_lanes) + lane_ : place;
    }
    return no_group;
  }
  /// visit(group, first entry, entries) for the thread's share of the slots.
  template <class Visit>
  __device__ __forceinline__ void for_each(Visit visit) const {
    for (unsigned slot = threadIdx.x; slot < frequent_slots; slot += blockDim.x) {
      if (keys_[slot] == no_group) continue;
      const unsigned place = places_[slot];
      const bool of_lanes = (place & place_of_lanes) != 0;
      visit(keys_[slot], of_lanes ? place - place_of_lanes : place, of_lanes ? 32U : 1U);
    }
  }

 private:
  unsigned* keys_;
  std::uint16_t* places_;
  unsigned lane_;
};

/// Whether the call has found its keys to be skewed.
__device__ __forceinline__ bool has_skewed_keys(const group_memory& to) {
  return to.frequent != nullptr && to.status->is_skewed != 0;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
