// The registry; see registry.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <lab/registry.hpp>
#include <limits>
#include <tuple>

namespace exactdot::lab {
namespace {

/// Made on first use: rungs enlist before main, in no fixed order.
std::vector<rung>& enlisted() {
  static std::vector<rung> rungs;
  return rungs;
}

std::uint64_t most_blocks(grid_rule rule, unsigned multiprocessors) {
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
      return std::uint64_t{32} * multiprocessors;
  }
  return 1;
}

}  // namespace

void add_rung(const rung& one) { enlisted().push_back(one); }

std::vector<rung> ladder(world where) {
  std::vector<rung> rungs;
  std::ranges::copy_if(enlisted(), std::back_inserter(rungs),
                       [&](const rung& one) { return one.where == where || one.where == world::host; });
  std::ranges::sort(rungs, {},
                    [](const rung& one) { return std::tuple(one.info.number, std::string_view(one.info.name)); });
  return rungs;
}

std::string refusal(const rung_info& info, unsigned block) {
  if (info.blocks == block_rule::none) return {};
  if (block < 1 || block > 1024) return fmt::format("{}: a block has 1 to 1024 threads, not {}", info.name, block);
  if (info.blocks == block_rule::whole_warps && block % 32 != 0) {
    return fmt::format("{}: its shuffles need whole warps, so blocks of a multiple of 32 threads, not {}",
                       info.name, block);
  }
  if (info.blocks == block_rule::tree && (block < 64 || (block & (block - 1)) != 0)) {
    return fmt::format("{}: its tree halves the block, so blocks of 64, 128, 256, 512 or 1024 threads, not {}",
                       info.name, block);
  }
  return {};
}

shape choose_shape(const rung_info& info, std::size_t n, unsigned block, unsigned grid, unsigned multiprocessors) {
  shape chosen{n, 1, 1};
  if (info.blocks == block_rule::none) return chosen;
  chosen.block = block != 0 ? block : info.block;
  const std::uint64_t covering = std::max<std::uint64_t>(1, (n + chosen.block - 1) / chosen.block);
  std::uint64_t blocks = std::min(covering, most_blocks(info.grid, multiprocessors));
  if (info.grid == grid_rule::always_32) blocks = 32;
  if (grid != 0 && info.grid != grid_rule::one_thread_each) blocks = grid;
  chosen.grid = static_cast<unsigned>(blocks);
  return chosen;
}

}  // namespace exactdot::lab
