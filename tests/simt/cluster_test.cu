// Faults of clusters: a barrier that threads miss, shared memory of a block that may have ended, races, ranks; each
// with its mended form.
#include <exactdot/error.hpp>
#include <exactdot/simt/cluster.hpp>

#include "findings.hpp"

namespace {
using namespace simt_test;
using exactdot::errc;

/// The first rank to leave lacks the last barrier: the other may still read its variable.
template <bool mended>
__global__ void read_from_the_other_rank(int* out) {
  __shared__ int value;
  if (threadIdx.x == 0) value = static_cast<int>(blockIdx.x);
  gpu::cluster_sync();
  if (threadIdx.x == 0) {
    out[blockIdx.x] = *gpu::map_shared_rank(&value, gpu::cluster_block_rank() ^ 1);  // read after the end
  }
  if (mended) gpu::cluster_sync();
}

/// Writes to shared memory of a block that has perhaps not started.
template <bool mended>
__global__ void write_before_the_start(int* out) {
  int* const value = gpu::dynamic_shared<int>();
  if (mended) {
    gpu::cluster_arrive_relaxed();
    gpu::cluster_wait();
  }
  if (threadIdx.x == 0) {
    *gpu::map_shared_rank(value, gpu::cluster_block_rank() ^ 1) = 7;  // write before the start
  }
  gpu::cluster_sync();
  if (threadIdx.x == 0) out[blockIdx.x] = *value;
}

template <bool mended>
__global__ void missing_block(int* out) {
  if (!mended && gpu::cluster_block_rank() == 1) {
    out[blockIdx.x] = 1;
    return;
  }
  gpu::cluster_sync();  // missing block
  out[blockIdx.x] = 1;
}
template <bool mended>
__global__ void missing_threads(int* out) {
  if (mended || threadIdx.x < 16) {
    gpu::cluster_sync();  // missing threads
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
template <bool mended>
__global__ void arrive_twice(int* out) {
  gpu::cluster_arrive();
  if (mended) gpu::cluster_wait();
  gpu::cluster_arrive();  // second arrival
  gpu::cluster_wait();
  out[blockIdx.x] = 1;
}
template <bool mended>
__global__ void wait_without_arrival(int* out) {
  if (mended) gpu::cluster_arrive();
  gpu::cluster_wait();  // wait without arrival
  out[blockIdx.x] = 1;
}

/// All ranks count in a variable of rank 0.
template <bool mended>
__global__ void count_in_rank_0(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  gpu::cluster_sync();
  int* const shared_count = gpu::map_shared_rank(&count, 0);
  if (threadIdx.x == 0) {
    if (mended) {
      atomicAdd(shared_count, 1);
    } else {
      *shared_count += 1;  // race between ranks
    }
  }
  gpu::cluster_sync();
  if (gpu::cluster_block_rank() == 0 && threadIdx.x == 0) *out = count;
}

/// A relaxed arrival does not order what precedes it.
template <bool mended>
__global__ void exchange(int* out) {
  __shared__ int value;
  if (threadIdx.x == 0) value = 7;  // before the arrival
  if (mended) {
    gpu::cluster_arrive();
  } else {
    gpu::cluster_arrive_relaxed();
  }
  gpu::cluster_wait();
  if (threadIdx.x == 0) out[blockIdx.x] = *gpu::map_shared_rank(&value, gpu::cluster_block_rank() ^ 1);
  gpu::cluster_sync();
}

/// A flag in rank 1's shared memory publishes a word to it.
template <bool mended>
__global__ void publish_by_flag(int* out) {
  __shared__ int flag, word;
  if (threadIdx.x == 0) flag = 0;
  gpu::cluster_sync();
  if (threadIdx.x == 0 && gpu::cluster_block_rank() == 0) {
    *gpu::map_shared_rank(&word, 1) = 7;  // published to rank 1
    if (mended) __threadfence();
    atomicExch(gpu::map_shared_rank(&flag, 1), 1);
  } else if (threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) == 0) {
    }
    __threadfence();
    out[blockIdx.x] = word;
  }
  gpu::cluster_sync();
}

__global__ void rank_out_of_range(int* out) {
  __shared__ int value;
  value = 1;
  gpu::cluster_sync();
  *out = *gpu::map_shared_rank(&value, 2);  // rank out of range
}
__global__ void index_in_another_block(int* out) {
  int* const values = gpu::dynamic_shared<int>();
  values[0] = 1;
  gpu::cluster_sync();
  if (threadIdx.x == 0) {
    out[blockIdx.x] = gpu::map_shared_rank(values, 0)[64];  // past the other block's memory
  }
  gpu::cluster_sync();
}
/// Rank 0 tells rank 1 the address by which rank 0 accesses rank 1's variable: valid on a GPU, reported here.
__global__ void pass_address(int* out, int** address) {
  __shared__ int value;
  if (gpu::cluster_block_rank() == 0) *address = gpu::map_shared_rank(&value, 1);
  gpu::cluster_sync();
  if (gpu::cluster_block_rank() == 1) {
    **address = 1;  // own memory by a mapped address
  }
  out[blockIdx.x] = 1;
}
__global__ void write_position(unsigned* out) {
  const unsigned i = blockIdx.x + gridDim.x * blockIdx.y;
  out[2 * i] = gpu::cluster_block_rank(), out[2 * i + 1] = gpu::cluster_num_blocks();
}

template <class Kernel>
auto run(Kernel kernel, unsigned threads = 32) {
  return [=](gpu::stream& stream) {
    const filled<int> out(stream, 256);
    gpu::launch(kernel, 4, threads, 256, gpu::cluster_dimensions{2}, stream, out.data());
  };
}

TEST(simt_cluster, names_shared_memory_of_a_block_that_may_have_ended) {
  expect_fault_in_every_schedule(run(read_from_the_other_rank<false>), fault_kind::absent_block, "shared",
                                 "read after the end");
  expect_no_faults(run(read_from_the_other_rank<true>));
}
TEST(simt_cluster, names_shared_memory_of_a_block_that_may_not_have_started) {
  expect_fault_in_every_schedule(run(write_before_the_start<false>), fault_kind::absent_block, "shared",
                                 "write before the start");
  expect_no_faults(run(write_before_the_start<true>));
}
TEST(simt_cluster, names_threads_that_miss_a_barrier) {
  expect_fault_in_every_schedule(run(missing_block<false>, 1), fault_kind::barrier_divergence, "", "missing block");
  expect_no_faults(run(missing_block<true>, 1));
  expect_fault_in_every_schedule(run(missing_threads<false>), fault_kind::barrier_divergence, "",
                                 "missing threads");
  expect_no_faults(run(missing_threads<true>));
  expect_fault_in_every_schedule(run(arrive_twice<false>, 1), fault_kind::barrier_divergence, "", "second arrival");
  expect_no_faults(run(arrive_twice<true>, 1));
  expect_fault_in_every_schedule(run(wait_without_arrival<false>, 1), fault_kind::barrier_divergence, "",
                                 "wait without arrival");
  expect_no_faults(run(wait_without_arrival<true>, 1));
}
TEST(simt_cluster, names_races) {
  expect_fault_in_every_schedule(run(count_in_rank_0<false>), fault_kind::data_race, "shared",
                                 "race between ranks");
  expect_fault_in_every_schedule(run(exchange<false>), fault_kind::data_race, "shared", "before the arrival");
  expect_no_faults(run(exchange<true>));
  expect_fault_in_every_schedule(run(publish_by_flag<false>), fault_kind::data_race, "shared",
                                 "published to rank 1");
  expect_no_faults(run(publish_by_flag<true>));
  for (const unsigned ranks : {1U, 2U, 8U}) {
    expect_no_faults([=](gpu::stream& stream) {
      const filled<int> out(stream, 1);
      gpu::launch(count_in_rank_0<true>, ranks, 32, 0, gpu::cluster_dimensions{ranks}, stream, out.data());
      EXPECT_EQ(out[0], static_cast<int>(ranks));
    });
  }
}
TEST(simt_cluster, names_ranks_and_addresses_out_of_bounds) {
  expect_fault_in_every_schedule(run(rank_out_of_range, 1), fault_kind::out_of_bounds, "shared",
                                 "rank out of range");
  expect_fault_in_every_schedule(run(index_in_another_block, 1), fault_kind::out_of_bounds, "shared",
                                 "past the other block's memory");
}
TEST(simt_cluster, reports_a_mapped_address_in_the_block_that_owns_it) {
  gpu::stream stream;
  const filled<int> out(stream, 2);
  const filled<int*> address(stream, 1);
  gpu::launch(pass_address, 2, 1, 0, gpu::cluster_dimensions{2}, stream, out.data(), address.data());
  EXPECT_TRUE(has_fault(stream, fault_kind::out_of_bounds, "shared", "own memory by a mapped address"));
  EXPECT_EQ(out[1], 1);
}
TEST(simt_cluster, reports_name_the_block) {
  gpu::stream stream;
  run(count_in_rank_0<false>)(stream);
  EXPECT_NE(faults_of(stream).find("count, in block "), std::string::npos) << faults_of(stream);
}

TEST(simt_cluster, ranks_count_along_x_first) {
  expect_no_faults([](gpu::stream& stream) {
    const filled<unsigned> out(stream, 2 * 4 * 6);
    gpu::launch(write_position, dim3(4, 6), 1, 0, gpu::cluster_dimensions{2, 3}, stream, out.data());
    for (unsigned y = 0; y < 6; ++y) {
      for (unsigned x = 0; x < 4; ++x) {
        EXPECT_EQ(out[2 * (x + 4 * y)], x % 2 + 2 * (y % 3));
        EXPECT_EQ(out[2 * (x + 4 * y) + 1], 6U);
      }
    }
  });
}
TEST(simt_cluster, launches_refuse_other_sizes) {
  const auto code_of = [](unsigned blocks, gpu::cluster_dimensions size) {
    gpu::stream stream;
    const filled<unsigned> out(stream, 64);
    try {
      gpu::launch(write_position, blocks, 1, 0, size, stream, out.data());
    } catch (const exactdot::error& failure) {
      return failure.code() == errc::bad_option ? std::string(failure.what()) : "another error";
    }
    return std::string();
  };
  EXPECT_EQ(code_of(8, {8}), "");
  EXPECT_NE(code_of(6, {4}).find("expected a multiple of the cluster"), std::string::npos);
  EXPECT_NE(code_of(16, {16}).find("expected 1 to 8"), std::string::npos);
  EXPECT_NE(code_of(8, {0}).find("expected 1 to 8"), std::string::npos);
}

}  // namespace
