// Launch configurations of the first look, for gpu_groups --variants: the kernel alone is timed, after a whole call
// in that configuration whose results have to have the bits of the library's.
//
// Names: tables THREADSxBLOCKS, blocks of a multiprocessor; cN: N copies of a table; records; skewed: tables of
// frequent groups before the records.
#pragma once

#include <bench/experiments/gpu_groups_peers.cuh>
#include <cstring>
#include <cuda/group_sums.cuh>
#include <exactdot/core/reduction.hpp>
#include <vector>

namespace experiment {
namespace {

namespace engine = exactdot::cuda_engine;

template <class T>
class group_variants {
 public:
  struct variant {
    way timed;
    bool is_right;
  };

  /// `expected`: the library's results, in device memory.
  group_variants(stream& gpu, const T* x, const int* keys, std::size_t n, unsigned count, const T* expected)
      : gpu_(gpu), expected_(count), out_(gpu, count), status_(gpu, 3) {
    check(cudaMemcpy(expected_.data(), expected, count * sizeof(T), cudaMemcpyDeviceToHost), "copying results");
    status_.fill_zero();
    job_.in.a = job_.in.b = {reinterpret_cast<const char*>(x), sizeof(T), exactdot::type_of<T>, false};
    job_.in.keys = reinterpret_cast<const char*>(keys);
    job_.in.n = n, job_.in.groups = count;
    engine::set_input_layout(job_, false);
    job_.out.first = reinterpret_cast<char*>(out_.data()), job_.out.next = sizeof(T);
    layout_ = exactdot::core::layout_of(exactdot::core::carrier_of(exactdot::type_of<T>));
    job_.out.rule = {exactdot::core::info_of(exactdot::reduction::sum).finish,
                     exactdot::core::format_of(exactdot::type_of<T>)};
    job_.out.status = reinterpret_cast<unsigned*>(status_.data());
    job_.to.first_bad_key = status_.data() + 1, job_.to.first_empty_group = status_.data() + 2;
  }

  /// is_skewed: so are the keys.
  std::vector<variant> make(bool is_skewed) {
    const engine::group_limits limits{132, 200 << 10};
    engine::group_job tables = job_, records = job_;
    engine::choose_scheme(tables, false, limits, true);
    engine::choose_scheme(records, false, limits, false);
    if (tables.scheme.in_shared) add_tables(tables);
    if (job_.in.groups < 4096) return std::move(made_);
    for (const unsigned blocks : {2U, 4U, 8U, 16U}) {
      engine::group_job one = records;
      one.scheme.blocks = 132 * blocks, one.scheme.may_be_skewed = false;
      add("records 256x" + std::to_string(blocks), one, engine::group_scatter_kernel<source, false>,
          one.scheme.threads, one.scheme.blocks, 0);
    }
    if (!is_skewed) return std::move(made_);
    for (const unsigned threads : {256U, 512U}) {
      for (const unsigned blocks : {1U, 2U, 3U, 4U}) {
        engine::group_job one = records;
        // fewer blocks than the scheme's would have less room than its windows need
        if (132 * blocks < one.scheme.skewed_blocks) continue;
        if ((one.scheme.skewed_bytes + 1024) * blocks > (227 << 10)) continue;
        one.scheme.skewed_threads = threads, one.scheme.skewed_blocks = 132 * blocks;
        add("skewed " + std::to_string(threads) + "x" + std::to_string(blocks), one,
            engine::group_skewed_kernel<source, false>, threads, one.scheme.skewed_blocks, one.scheme.skewed_bytes);
      }
    }
    return std::move(made_);
  }

 private:
  using source = engine::native_source<T, engine::group_terms::value>;

  void add_tables(const engine::group_job& tables) {
    const auto add_one = [&](unsigned threads, unsigned blocks, unsigned copies) {
      engine::group_job one = tables;
      one.scheme.shared_bytes = one.scheme.shared_bytes / one.scheme.copies * copies;
      one.scheme.copies = copies, one.scheme.threads = threads, one.scheme.blocks = 132 * blocks;
      if (threads * blocks > 2048 || (one.scheme.shared_bytes + 1024) * blocks > (227 << 10)) return;
      const std::string name =
          "tables " + std::to_string(threads) + "x" + std::to_string(blocks) + " c" + std::to_string(copies);
      add(name, one, engine::group_table_kernel<source>, threads, one.scheme.blocks, one.scheme.shared_bytes);
    };
    const unsigned usual = tables.scheme.copies;
    for (const auto& [threads, blocks] : {std::pair{1024U, 1U}, {768U, 1U}, {512U, 2U}}) {
      add_one(threads, blocks, usual);
    }
    for (unsigned copies = 1; copies <= 256; copies *= 4) {
      if (copies != usual) add_one(1024, 1, copies);
    }
  }

  template <class Kernel>
  void add(const std::string& name, engine::group_job job, Kernel kernel, unsigned threads, unsigned blocks,
           std::size_t shared) {
    const auto memory = std::make_shared<buffer<unsigned char>>(gpu_, engine::first_look_bytes(job));
    const std::size_t cleared = engine::place_memory(job, memory->data());
    std::function<void()> timed;
    const auto launch = [&](auto other, unsigned grid, unsigned block, std::size_t bytes,
                            const auto&... arguments) {
      if constexpr (std::is_same_v<decltype(other), Kernel>) {  // tables, records or skewed
        if (timed) return;
        timed = [=, this] {
          static_cast<void>(memory);
          exactdot::on_gpu::launch(kernel, blocks, threads, shared, gpu_, arguments...);
        };
        timed();
      } else {
        exactdot::on_gpu::launch(other, grid, block, bytes, gpu_, arguments...);
      }
    };
    engine::enqueue_first_look(job, cleared, layout_, launch);
    std::vector<T> found(expected_.size());
    out_.copy_to(found.data(), found.size());
    const bool is_right = std::memcmp(found.data(), expected_.data(), found.size() * sizeof(T)) == 0;
    made_.push_back({{name, timed}, is_right});
  }

  stream& gpu_;
  engine::group_job job_;
  exactdot::core::state_layout layout_;
  std::vector<T> expected_;
  buffer<T> out_;
  buffer<engine::wide_unsigned> status_;
  std::vector<variant> made_;
};

}  // namespace
}  // namespace experiment
