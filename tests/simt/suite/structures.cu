// Data structures that threads share: locks, queues, tables, trees; correct, and with one mistake each.
#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto race = fault_kind::data_race;

/// A mutex, taken by one thread a block for a list that it appends to.
class mutex {
 public:
  __device__ explicit mutex(int* word) : word_(word) {
    while (atomicCAS(word_, 0, 1) != 0) {
    }
    __threadfence();
  }
  __device__ ~mutex() {
    __threadfence();
    atomicExch(word_, 0);
  }
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

 private:
  int* word_;
};

/// The length is read before the lock is taken.
template <bool faulty>
__global__ void locked_list(arrays m) {
  if (threadIdx.x != 0) return;
  int* const length = &m.zeros[1];
  int place = 0;
  if (faulty) place = *length;  // fault: locked_list
  const mutex locked(m.zeros);
  if (!faulty) place = *length;
  m.out[place] = static_cast<int>(blockIdx.x);  // fault: locked_list
  *length = place + 1;                          // fault: locked_list
}

/// Tickets: the lock goes round in the order of the requests. Faulty: the turn is passed on without a fence.
template <bool faulty>
__global__ void ticket_lock(arrays m) {
  if (threadIdx.x != 0) return;
  const int ticket = atomicAdd(&m.zeros[0], 1);
  while (atomicAdd(&m.zeros[1], 0) != ticket) {
  }
  __threadfence();
  m.zeros[9] += 1;  // fault: ticket_lock
  if (!faulty) __threadfence();
  atomicAdd(&m.zeros[1], 1);
}

/// A queue of work: a thread takes an item and may append two. Faulty: the items are published
/// without a fence.
template <bool faulty>
__global__ void work_queue(arrays m) {
  int *const head = &m.zeros[0], *const tail = &m.zeros[1], *const ready = &m.zeros[16], *const done = &m.zeros[2];
  constexpr int items = 31;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    m.scratch[0] = 16;  // fault: work_queue
    __threadfence();
    atomicAdd(tail, 1);
    atomicExch(&ready[0], 1);
  }
  while (atomicAdd(done, 0) < items) {
    const int mine = atomicAdd(head, 1);
    if (mine >= items) break;
    while (atomicAdd(&ready[mine], 0) == 0) {
    }
    __threadfence();
    const int size = m.scratch[mine];  // fault: work_queue
    if (size > 1) {
      const int place = atomicAdd(tail, 2);
      m.scratch[place] = size / 2, m.scratch[place + 1] = size / 2;  // fault: work_queue
      if (!faulty) __threadfence();
      atomicExch(&ready[place], 1);
      atomicExch(&ready[place + 1], 1);
    }
    m.out[mine] = size;
    atomicAdd(done, 1);
  }
}

/// A hash table with open addressing: keys by compare and swap, counts by atomics. Faulty: the key is tested and
/// stored plainly.
template <bool faulty>
__global__ void hash_table(arrays m) {
  const int key = m.in[blockIdx.x * blockDim.x + threadIdx.x] % 40 + 1;
  for (int slot = key * 7 % 64;; slot = (slot + 1) % 64) {
    if (faulty) {
      if (m.zeros[slot] == 0) m.zeros[slot] = key;  // fault: hash_table
      if (m.zeros[slot] == key) {                   // fault: hash_table
        atomicAdd(&m.zeros[128 + slot], 1);
        break;
      }
    } else {
      const int old = atomicCAS(&m.zeros[slot], 0, key);
      if (old == 0 || old == key) {
        atomicAdd(&m.zeros[128 + slot], 1);
        break;
      }
    }
  }
}

/// Breadth-first search in a binary tree of 63 nodes: the frontier of a level is compacted into the next one.
template <bool faulty>
__global__ void frontier(arrays m) {
  __shared__ int nodes[2][64], counts[2];
  if (threadIdx.x == 0) nodes[0][0] = 0, counts[0] = 1, counts[1] = 0;
  __syncthreads();
  int level = 0;
  for (int from = 0;; from ^= 1, ++level) {
    const int count = counts[from];
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
      const int node = nodes[from][i];
      m.out[node] = level;
      if (2 * node + 2 < 63) {
        const int place = faulty ? counts[from ^ 1] : atomicAdd(&counts[from ^ 1], 2);     // fault: frontier
        if (faulty) counts[from ^ 1] = place + 2;                                          // fault: frontier
        nodes[from ^ 1][place] = 2 * node + 1, nodes[from ^ 1][place + 1] = 2 * node + 2;  // fault: frontier
      }
    }
    __syncthreads();
    if (counts[from ^ 1] == 0) break;
    __syncthreads();
    if (threadIdx.x == 0) counts[from] = 0;
    __syncthreads();
  }
}

/// Union of sets by atomicMin; the parents are read by atomics, or plainly.
template <bool faulty>
__global__ void union_find(arrays m) {
  const auto find = [&](int x) {
    for (;;) {
      const int parent = faulty ? m.zeros[x] : atomicAdd(&m.zeros[x], 0);  // fault: union_find
      if (parent == x) return x;
      x = parent;
    }
  };
  const int i = static_cast<int>(threadIdx.x);
  m.zeros[i] = i;
  __syncthreads();
  int x = i, y = i / 4 * 4 + (i + 1) % 4;
  for (;;) {
    x = find(x), y = find(y);
    if (x == y) break;
    if (x < y) {
      const int swapped = x;
      x = y, y = swapped;
    }
    const int old = atomicMin(&m.zeros[x], y);  // fault: union_find
    if (old == x) break;
    x = old;
  }
  __syncthreads();
  m.out[i] = find(i);
}

/// A histogram with private bins of each warp that are added at the end. Faulty: no barrier before that.
template <bool faulty>
__global__ void private_bins(arrays m) {
  __shared__ int bins[3][16];
  const unsigned warp = threadIdx.x / 32;
  for (unsigned i = threadIdx.x % 32; i < 16; i += 32) bins[warp][i] = 0;
  __syncwarp();
  for (unsigned i = threadIdx.x; i < arrays::n; i += blockDim.x)
    atomicAdd(&bins[warp][m.in[i] % 16], 1);  // fault: private_bins
  if (!faulty) __syncthreads();
  if (threadIdx.x < 16) {
    int sum = 0;
    for (unsigned i = 0; i < 3; ++i) sum += bins[i][threadIdx.x];  // fault: private_bins
    m.out[threadIdx.x] = sum;
  }
}

/// Tiles are drawn from a counter; thread 0 broadcasts the draw. Faulty: without its second barrier.
template <bool faulty>
__global__ void drawn_tiles(arrays m) {
  __shared__ int tile;
  int sum = 0;
  for (;;) {
    if (threadIdx.x == 0) tile = atomicAdd(m.zeros, 1);  // fault: drawn_tiles
    __syncthreads();                                     // fault: drawn_tiles
    const int first = tile * 64;                         // fault: drawn_tiles
    if (!faulty) __syncthreads();
    if (first >= arrays::n) break;
    const int i = first + static_cast<int>(threadIdx.x);
    if (i < arrays::n) sum += m.in[i];
  }
  atomicAdd(&m.zeros[1], sum);
}

/// A stack of free places, linked by indices; the head carries a count against reuse. Faulty: the link is
/// published without a fence.
template <bool faulty>
__global__ void free_list(arrays m) {
  auto* const head = reinterpret_cast<unsigned long long*>(m.zeros);
  int* const links = m.scratch;
  if (threadIdx.x != 0) return;
  const int mine = static_cast<int>(blockIdx.x) + 1;
  unsigned long long old = atomicAdd(head, 0ULL);
  for (;;) {
    links[mine] = static_cast<int>(old & 0xffffffffU);  // fault: free_list
    if (!faulty) __threadfence();
    const unsigned long long next = ((old >> 32) + 1) << 32 | static_cast<unsigned>(mine);
    const unsigned long long seen = atomicCAS(head, old, next);
    if (seen == old) break;
    old = seen;
  }
  if ((atomicAdd(head, 0ULL) >> 32) != gridDim.x) return;
  __threadfence();
  int count = 0;
  for (auto i = static_cast<int>(atomicAdd(head, 0ULL) & 0xffffffffU); i != 0; ++count) {
    i = links[i];  // fault: free_list
  }
  m.out[blockIdx.x] = count;
}

/// A writer and readers of a version word: a reader repeats if the version has changed. Data are atomic words.
__global__ void version_word(arrays m) {
  const auto load = [](int* from) {
    return __nv_atomic_load_n(from, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  };
  const auto store = [](int* to, int x) {
    __nv_atomic_store_n(to, x, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  };
  int* const data = m.zeros + 8;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    for (int i = 1; i <= 4; ++i) {
      atomicAdd(m.zeros, 1);
      __threadfence();
      store(&data[0], i), store(&data[1], i);
      __threadfence();
      atomicAdd(m.zeros, 1);
    }
  } else {
    int before = 0, x = 0, y = 0;
    do {
      while ((before = load(m.zeros)) % 2 != 0) {
      }
      __threadfence();
      x = load(&data[0]), y = load(&data[1]);
      __threadfence();
    } while (load(m.zeros) != before);
    m.out[blockIdx.x - 1] = x - y;
  }
}

const family table =
    family("shared data structures", __FILE__)
        .pair("locked_list", locked_list<true>, locked_list<false>, race, {.grid = 6, .block = 32})
        .pair("ticket_lock", ticket_lock<true>, ticket_lock<false>, race, {.grid = 6, .block = 32})
        .pair("work_queue", work_queue<true>, work_queue<false>, race, {.grid = 5, .block = 1, .result = 16})
        .pair("hash_table", hash_table<true>, hash_table<false>, race, {.grid = 3, .block = 64})
        .pair("frontier", frontier<true>, frontier<false>, race, {.block = 64, .result = 0})
        .pair("union_find", union_find<true>, union_find<false>, race,
              {.block = 64, .result = 0, .faulty_in = models::independent})
        .pair("private_bins", private_bins<true>, private_bins<false>, race, {.block = 96, .result = 63})
        .pair("drawn_tiles", drawn_tiles<true>, drawn_tiles<false>, race, {.grid = 3, .block = 64})
        .pair("free_list", free_list<true>, free_list<false>, race, {.grid = 5, .block = 1})
        .correct("version_word", version_word, {.grid = 3, .block = 32, .result = 0});

}  // namespace
