// Tests of what the router chooses for products of rows with few vectors: results have the same bits whatever it
// is, so no other test notices. The limits are measured (src/cuda/host/router.cpp, docs/experiments.md).
#include <gtest/gtest.h>

#include <cuda/core/right_sides.hpp>
#include <cuda/host/router.hpp>

namespace {

using namespace exactdot::cuda_engine;

constexpr int multiprocessors = 132;

shape of_products(std::size_t rows, std::size_t bytes_of_row, std::size_t vectors) {
  vectors_of_call call;
  call.inputs = 2, call.bytes = 2, call.convert_by_packs = true, call.are_carriers = false;
  call.of_launch = rows, call.right_sides = vectors, call.vectors = rows * vectors,
  call.n = bytes_of_row / call.bytes;
  call.multiprocessors = multiprocessors;
  return route_of(call).by;
}

TEST(router, reads_rows_once_for_vectors_that_fill_the_gpu_or_of_short_rows) {
  EXPECT_EQ(of_products(16384, 8192, 8), shape::right_sides);     // fills it
  EXPECT_EQ(of_products(16384, 1 << 20, 8), shape::right_sides);  // whatever the length
  EXPECT_EQ(of_products(512, 32, 512), shape::right_sides);       // a gradient of weights
  EXPECT_EQ(of_products(8, 16384, 8), shape::right_sides);        // few rows, not too long
  EXPECT_EQ(of_products(64, 256, 2), shape::right_sides);
}

TEST(router, launches_for_each_vector_of_few_long_rows) {
  EXPECT_NE(of_products(8, 1 << 16, 2), shape::right_sides);
  EXPECT_NE(of_products(8, 1 << 16, 8), shape::right_sides);
  EXPECT_NE(of_products(64, 1 << 16, 64), shape::right_sides);  // readings of 16, not of 64
  EXPECT_NE(of_products(64, 254, 2), shape::right_sides);
  EXPECT_NE(of_products(64, 254, 1), shape::right_sides);
}

TEST(router, gives_short_rows_warps_only_where_blocks_are_not_all_at_once) {
  enum { warps, blocks };
  EXPECT_EQ(tile_config_for(64, 4096, 1, multiprocessors), blocks);
  EXPECT_EQ(tile_config_for(64, 4224, 1, multiprocessors), blocks);  // 264 of 16 rows
  EXPECT_EQ(tile_config_for(64, 4225, 1, multiprocessors), warps);
  EXPECT_EQ(tile_config_for(64, 4096, 4, multiprocessors), warps);
  EXPECT_EQ(tile_config_for(1024, 1 << 20, 1, multiprocessors), warps);
  EXPECT_EQ(tile_config_for(1026, 1 << 20, 1, multiprocessors), blocks);
}

}  // namespace
