// Costs with known answers: sectors of global requests, bank conflicts, active lanes, queues of atomics.
#include <exactdot/simt/async.hpp>

#include "findings.hpp"

namespace {
using namespace simt_test;
using exactdot::simt::line_costs;

__global__ void load(const float* x, float* out, unsigned stride, unsigned offset) {
  const float value = x[threadIdx.x * stride + offset];  // strided load
  if (value == -1) *out = value;
}
__global__ void load_vectors(const float4* x, float* out) {
  const float4 four = x[threadIdx.x];  // vector load
  if (four.x + four.y + four.z + four.w == -1) *out = 1;
}
/// Each thread reads four neighbours in a loop: no vector, so 16 bytes apart.
__global__ void load_own_range(const float* x, float* out) {
  float sum = 0;
  for (unsigned i = 0; i < 4; ++i) sum += x[4 * threadIdx.x + i];  // own range
  if (sum == -1) *out = sum;
}
__global__ void share(float* out, unsigned stride) {
  float* const words = gpu::dynamic_shared<float>();
  words[threadIdx.x * stride] = 1;  // shared store
  __syncwarp();
  if (words[threadIdx.x * stride] == -1) *out = 1;  // shared load
}
/// All lanes read one word; then each half of the warp reads one, both words in one bank.
__global__ void broadcast(float* out) {
  __shared__ float words[64];
  words[threadIdx.x] = 1, words[threadIdx.x + 32] = 1;
  __syncwarp();
  float sum = words[5];                 // broadcast
  sum += words[threadIdx.x / 16 * 32];  // two words of a bank
  if (sum == -1) *out = sum;
}
template <unsigned padding>
__global__ void transpose(const float* x, float* out) {
  __shared__ float tile[32][32 + padding];
  for (unsigned y = threadIdx.y; y < 32; y += blockDim.y) tile[y][threadIdx.x] = x[y * 32 + threadIdx.x];
  __syncthreads();  // barrier
  for (unsigned y = threadIdx.y; y < 32; y += blockDim.y) {
    const float value = tile[threadIdx.x][y];  // column
    out[y * 32 + threadIdx.x] = value;         // transposed row
  }
}
__global__ void wide_share(double* out) {
  __shared__ double words[64];
  words[threadIdx.x] = 1;      // doubles
  words[threadIdx.x * 2] = 2;  // every second double
  if (words[threadIdx.x] == -1) *out = 1;
}
__global__ void branch(float* out) {
  if (threadIdx.x % 4 == 0) {
    out[threadIdx.x] = 1;  // every fourth lane
  }
  out[threadIdx.x + 64] = 2;  // all lanes
}
/// A loop whose length differs between lanes: lane i stores i + 1 times.
__global__ void ragged_loop(float* out) {
  for (unsigned i = 0; i <= threadIdx.x; ++i) {
    out[threadIdx.x + 32 * (i % 4)] = 1;  // ragged loop
  }
}
/// The same with two stores a round.
__global__ void ragged_pairs(float* out) {
  for (unsigned i = 0; i <= threadIdx.x; ++i) {
    out[threadIdx.x + 32 * (i % 2)] = 1;       // first of a pair
    out[threadIdx.x + 64 + 32 * (i % 2)] = 1;  // second of a pair
  }
}
/// The lanes of block 0 wait for words that block 1 sets, the first one long before the others.
__global__ void wait_for_own_words(int* words) {
  if (blockIdx.x == 0) {
    while (atomicAdd(&words[threadIdx.x], 0) == 0) {  // own word
    }
    return;
  }
  if (threadIdx.x == 0) words[32] = atomicExch(&words[0], 1);
  for (int i = 1; i < 500; ++i) words[32 + threadIdx.x] = i;
  if (threadIdx.x != 0) words[32 + threadIdx.x] = atomicExch(&words[threadIdx.x], 1);
}
__global__ void histogram(const int* x, int n, int* bins) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[x[i]], 1);  // count
}
__global__ void copy(const float* x, float* out) {
  __shared__ __align__(16) float words[128];
  gpu::cp_async<16>(&words[4 * threadIdx.x], x + 4 * threadIdx.x);  // cp.async
  gpu::cp_async_wait_all();
  __syncwarp();
  if (words[threadIdx.x] == -1) *out = 1;
}

/// Returns the costs of the line with this comment, and of this action.
line_costs costs_of(const gpu::stream& stream, const std::string& comment, const std::string& action,
                    const std::string& space) {
  const int line = line_of(__FILE__, comment);
  EXPECT_GT(line, 0) << comment;
  line_costs none;
  for (const line_costs& each : stream.costs()) {
    if (each.line == line && each.action == action && each.space == space) return each;
  }
  ADD_FAILURE() << "no " << action << " of " << space << " memory in line " << line;
  return none;
}

/// Runs the body in both models, with several seeds.
template <class Body>
void in_every_schedule(Body body) {
  for (const execution model : both_models) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      gpu::stream stream({.seed = seed, .model = model, .profile = true});
      body(stream);
      EXPECT_EQ(faults_of(stream), "");
    }
  }
}

TEST(simt_costs, count_sectors_of_strided_loads) {
  in_every_schedule([](gpu::stream& stream) {
    const filled<float> x(stream, 2048), out(stream, 1);
    const struct {
      unsigned stride, offset, sectors;
    } cases[] = {{1, 0, 4}, {2, 0, 8}, {32, 0, 32}, {1, 1, 5}, {0, 3, 1}, {1, 8, 4}};
    for (const auto& [stride, offset, sectors] : cases) {
      stream.clear();
      gpu::launch(load, 2, 64, 0, stream, x.data(), out.data(), stride, offset);
      const line_costs costs = costs_of(stream, "strided load", "read", "global");
      EXPECT_EQ(costs.requests, 4U);
      EXPECT_EQ(costs.lanes, 128U);
      EXPECT_EQ(costs.bytes, 512U);
      EXPECT_EQ(costs.kernel, "load");
      // warp 1 continues where warp 0 ends
      EXPECT_EQ(costs.sectors, 4 * sectors) << stride << " " << offset;
    }
  });
}
TEST(simt_costs, count_vectors_as_one_access) {
  in_every_schedule([](gpu::stream& stream) {
    const filled<float> x(stream, 128), out(stream, 1);
    gpu::launch(load_vectors, 1, 32, 0, stream, reinterpret_cast<const float4*>(x.data()), out.data());
    const line_costs vectors = costs_of(stream, "vector load", "read", "global");
    EXPECT_EQ(vectors.requests, 1U);
    EXPECT_EQ(vectors.bytes, 512U);
    EXPECT_EQ(vectors.sectors, 16U);
    gpu::launch(load_own_range, 1, 32, 0, stream, x.data(), out.data());
    const line_costs scalars = costs_of(stream, "own range", "read", "global");
    EXPECT_EQ(scalars.requests, 4U);
    EXPECT_EQ(scalars.sectors, 4U * 16);
  });
}
TEST(simt_costs, count_bank_conflicts) {
  in_every_schedule([](gpu::stream& stream) {
    const filled<float> out(stream, 1);
    const struct { unsigned stride, degree; } cases[] = {{1, 1}, {2, 2}, {32, 32}, {33, 1}, {3, 1}, {4, 4}};
    for (const auto& [stride, degree] : cases) {
      stream.clear();
      gpu::launch(share, 1, 32, 32 * 33 * 4, stream, out.data(), stride);
      EXPECT_EQ(costs_of(stream, "shared store", "write", "shared").degree(), degree) << stride;
      EXPECT_EQ(costs_of(stream, "shared load", "read", "shared").degree(), degree) << stride;
    }
    gpu::launch(broadcast, 1, 32, 0, stream, out.data());
    EXPECT_EQ(costs_of(stream, "broadcast", "read", "shared").degree(), 1);
    EXPECT_EQ(costs_of(stream, "two words of a bank", "read", "shared").degree(), 2);
  });
}
TEST(simt_costs, show_what_padding_of_a_tile_saves) {
  in_every_schedule([](gpu::stream& stream) {
    const filled<float> x(stream, 1024), out(stream, 1024);
    gpu::launch(transpose<0>, 1, dim3(32, 8), 0, stream, x.data(), out.data());
    EXPECT_EQ(costs_of(stream, "column", "read", "shared").degree(), 32);
    EXPECT_EQ(costs_of(stream, "column", "read", "shared").requests, 32U);
    EXPECT_EQ(costs_of(stream, "transposed row", "write", "global").sectors_per_request(), 4);
    EXPECT_EQ(costs_of(stream, "barrier", "barrier", "").requests, 8U);
    stream.clear();
    gpu::launch(transpose<1>, 1, dim3(32, 8), 0, stream, x.data(), out.data());
    EXPECT_EQ(costs_of(stream, "column", "read", "shared").degree(), 1);
  });
}
TEST(simt_costs, take_two_passes_for_a_warp_of_doubles) {
  gpu::stream stream({.profile = true});
  const filled<double> out(stream, 1);
  gpu::launch(wide_share, 1, 32, 0, stream, out.data());
  const line_costs neighbours = costs_of(stream, "doubles", "write", "shared");
  EXPECT_EQ(neighbours.wavefronts, 2U);
  EXPECT_EQ(neighbours.degree(), 1);
  EXPECT_EQ(costs_of(stream, "every second double", "write", "shared").degree(), 2);
}
TEST(simt_costs, count_active_lanes) {
  in_every_schedule([](gpu::stream& stream) {
    const filled<float> out(stream, 128);
    gpu::launch(branch, 1, 64, 0, stream, out.data());
    EXPECT_EQ(costs_of(stream, "every fourth lane", "write", "global").lanes_per_request(), 8);
    EXPECT_EQ(costs_of(stream, "all lanes", "write", "global").lanes_per_request(), 32);
    gpu::launch(ragged_loop, 1, 32, 0, stream, out.data());
    const line_costs ragged = costs_of(stream, "ragged loop", "write", "global");
    EXPECT_EQ(ragged.requests, 32U);
    EXPECT_EQ(ragged.lanes, 32U * 33 / 2);
    gpu::launch(branch, 1, 32, 0, stream, out.data());  // lanes repeat themselves from different rounds on
    gpu::launch(ragged_pairs, 1, 32, 0, stream, out.data());
    for (const char* store : {"first of a pair", "second of a pair"}) {
      const line_costs pairs = costs_of(stream, store, "write", "global");
      EXPECT_EQ(pairs.requests, 32U) << store;
      EXPECT_EQ(pairs.lanes, 32U * 33 / 2) << store;
    }
  });
}
TEST(simt_costs, lanes_in_lock_step_wait_and_resume_together) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    gpu::stream stream({.seed = seed, .model = execution::lock_step, .profile = true});
    const filled<int> words(stream, 64);
    gpu::launch(wait_for_own_words, 2, 32, 0, stream, words.data());
    EXPECT_EQ(faults_of(stream), "");
    const line_costs polls = costs_of(stream, "own word", "atomic", "global");
    EXPECT_GE(polls.lanes, 31 * polls.requests) << "lane 0 stops first; the others read together";
  }
}
TEST(simt_costs, find_the_longest_queue) {
  in_every_schedule([](gpu::stream& stream) {
    std::vector<int> keys(1000);
    for (int i = 0; i < 1000; ++i) keys[static_cast<std::size_t>(i)] = i % 8 == 0 || i % 8 == 5 ? 3 : i % 8;
    const filled<int> x(stream, keys.size(), keys.data()), bins(stream, 8);
    gpu::launch(histogram, 4, 64, 0, stream, x.data(), 1000, bins.data());
    EXPECT_EQ(bins[3], 375);
    EXPECT_EQ(costs_of(stream, "count", "atomic", "global").longest_queue, 375U);
    EXPECT_EQ(costs_of(stream, "count", "atomic", "global").lanes, 1000U);
  });
}
TEST(simt_costs, count_asynchronous_copies) {
  in_every_schedule([](gpu::stream& stream) {
    const filled<float> x(stream, 128), out(stream, 1);
    gpu::launch(copy, 1, 32, 0, stream, x.data(), out.data());
    const line_costs read = costs_of(stream, "cp.async", "copy", "global");
    EXPECT_EQ(read.requests, 1U);
    EXPECT_EQ(read.sectors, 16U);
    EXPECT_EQ(costs_of(stream, "cp.async", "copy", "shared").wavefronts, 4U);
  });
}
TEST(simt_costs, are_off_unless_asked_for) {
  gpu::stream stream;
  const filled<float> out(stream, 128);
  gpu::launch(branch, 1, 64, 0, stream, out.data());
  EXPECT_TRUE(stream.costs().empty());
  EXPECT_EQ(exactdot::simt::cost_table(stream.costs()), "");
}
TEST(simt_costs, are_sorted_in_the_table) {
  gpu::stream stream({.profile = true});
  const filled<float> x(stream, 1100), out(stream, 128);
  gpu::launch(load, 1, 64, 0, stream, x.data(), out.data(), 16U, 0U);
  gpu::launch(branch, 1, 64, 0, stream, out.data());
  const std::string table = exactdot::simt::cost_table(stream.costs());
  EXPECT_LT(table.find("load\n"), table.find("branch\n")) << table;
  EXPECT_NE(table.find("32.0"), std::string::npos) << table;
}

}  // namespace
