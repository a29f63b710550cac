// Registry of the ladder; see registry.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <lab/registry.hpp>
#include <limits>
#include <tuple>

namespace exactdot::lab {
namespace {

/// A local static: rungs are registered before main, in unspecified order.
std::vector<rung>& registered_rungs() {
  static std::vector<rung> rungs;
  return rungs;
}

std::uint64_t max_blocks(grid_rule rule, unsigned multiprocessors) {
  switch (rule) {
    case grid_rule::none:
      return 1;
    case grid_rule::one_thread_each:
      return std::numeric_limits<int>::max();
    case grid_rule::few:
    case grid_rule::always_32:
      return 32;
    case grid_rule::resident:
      return std::uint64_t{8} * multiprocessors;
    case grid_rule::many:
    case grid_rule::thread_a_row:
    case grid_rule::warp_a_row:
    case grid_rule::block_a_row:
      return std::uint64_t{32} * multiprocessors;
  }
  return 1;
}

/// Returns the number of threads that have work of their own.
std::uint64_t useful_threads(const rung_info& info, const launch_config& config) {
  const std::uint64_t rows = rows_of(config.n, config.parts);
  switch (info.grid) {
    case grid_rule::thread_a_row:
      return rows;
    case grid_rule::warp_a_row:
      return 32 * rows;
    case grid_rule::block_a_row:
      return config.block * rows;
    default:
      return config.n;
  }
}

}  // namespace

void add_rung(const rung& added) { registered_rungs().push_back(added); }

std::vector<rung> ladder(backend target, std::string_view workload) {
  std::vector<rung> rungs;
  std::ranges::copy_if(registered_rungs(), std::back_inserter(rungs), [&](const rung& candidate) {
    return (candidate.target == target || candidate.target == backend::host) && candidate.info.workload == workload;
  });
  std::ranges::sort(rungs, {}, [](const rung& candidate) {
    return std::tuple(candidate.info.number, std::string_view(candidate.info.name));
  });
  return rungs;
}

std::string block_size_error(const rung_info& info, unsigned block) {
  if (info.blocks == block_rule::none) return {};
  if (block < 1 || block > 1024) {
    return fmt::format("--block {}: rung {} accepts 1 to 1024 threads per block", block, info.name);
  }
  if (info.blocks == block_rule::whole_warps && block % 32 != 0) {
    return fmt::format("--block {}: rung {} needs whole warps for its shuffles; use a multiple of 32", block,
                       info.name);
  }
  if (info.blocks == block_rule::tree && (block < 64 || (block & (block - 1)) != 0)) {
    return fmt::format("--block {}: rung {} halves the block in a tree; use 64, 128, 256, 512 or 1024", block,
                       info.name);
  }
  if (info.blocks == block_rule::any_tree && (block < 2 || (block & (block - 1)) != 0)) {
    return fmt::format("--block {}: rung {} halves the block in a tree; use 2, 4, 8 … 1024", block, info.name);
  }
  return {};
}

unsigned smallest_block(const rung_info& info) {
  switch (info.blocks) {
    case block_rule::none:
    case block_rule::any:
      return 1;
    case block_rule::whole_warps:
      return 32;
    case block_rule::tree:
      return 64;
    case block_rule::any_tree:
      return 2;
  }
  return 1;
}

launch_config choose_launch_config(const rung_info& info, std::size_t n, unsigned block, unsigned grid,
                                   unsigned multiprocessors, const division& parts) {
  launch_config chosen{n, 1, 1, parts};
  if (info.blocks == block_rule::none) return chosen;
  chosen.block = block != 0 ? block : info.block;
  const std::uint64_t threads = useful_threads(info, chosen);
  const std::uint64_t covering = std::max<std::uint64_t>(1, (threads + chosen.block - 1) / chosen.block);
  std::uint64_t blocks = std::min(covering, max_blocks(info.grid, multiprocessors));
  if (info.grid == grid_rule::always_32) blocks = 32;
  if (grid != 0 && info.grid != grid_rule::one_thread_each) blocks = grid;
  chosen.grid = static_cast<unsigned>(blocks);
  return chosen;
}

}  // namespace exactdot::lab
