// Launches of the kernels of state_kernel.cuh on rows of words, for tests that compare results with the oracle.
#pragma once

#include <gtest/gtest.h>

#include <cuda/words/state_kernel.cuh>
#include <exactdot/core/reduction.hpp>
#include <string>
#include <vector>

#include "backend.cuh"
#include "missing_gpu.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using words = std::vector<std::int64_t>;

class states : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

/// Rows of states; `gap` words between them, which no kernel may change.
struct row_set {
  state_format format = {};
  std::vector<words> rows;
  std::size_t gap = 0;

  [[nodiscard]] std::size_t word_count() const { return rows.front().size(); }
  [[nodiscard]] std::size_t stride() const { return word_count() + gap; }
};

/// How a result is asked for.
struct row_request {
  reduction what = reduction::sum;
  element_type type = element_type::float64;
  std::uint64_t count = 1, ddof = 0;
};

struct row_results {
  std::vector<std::uint64_t> bits;
  unsigned status = 0;
};

class state_launcher {
 public:
  explicit state_launcher(unsigned seed = 1) : status_(stream_, 1) {
    choose_schedule(stream_, seed);
    status_.fill_zero();
  }
  ~state_launcher() {
    for (const std::string& finding : gpu::findings(stream_)) ADD_FAILURE() << finding;
  }
  state_launcher(const state_launcher&) = delete;
  state_launcher& operator=(const state_launcher&) = delete;

  row_results round(const row_set& given, const row_request& asked, unsigned blocks = 2) {
    gpu::buffer<std::int64_t> memory(stream_, given.rows.size() * given.stride());
    const word_rows rows = place(given, memory);
    const std::size_t bytes = size_of(asked.type), all = given.rows.size() * bytes;
    gpu::buffer<unsigned char> out(stream_, all + 8);
    const std::vector<unsigned char> unwritten(all + 8, 0x5a);
    out.copy_from(unwritten.data(), unwritten.size());
    destination to;
    to.value = out.data(), to.status = status_.data(), to.count = asked.count;
    to.rule = {core::info_of(asked.what).finish, core::format_of(asked.type)};
    const bool of_squares = asked.what == reduction::sum_of_squares || asked.what == reduction::nrm2;
    launch_round(rows, {of_squares && rows.state.sums == 2 ? 1 : 0, asked.ddof}, to, blocks);
    std::vector<unsigned char> found(unwritten.size());
    out.copy_to(found.data(), found.size());
    for (std::size_t i = all; i < found.size(); ++i) EXPECT_EQ(found[i], 0x5a) << "memory behind the results";
    row_results results;
    for (std::size_t i = 0; i < given.rows.size(); ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &found[i * bytes], bytes);
      results.bits.push_back(bits);
    }
    results.status = take_status();
    return results;
  }

  /// The rows after a merge with others, which may be absent; and the status.
  std::vector<words> merge(const row_set& given, const row_set* others, unsigned& status, unsigned blocks = 2) {
    gpu::buffer<std::int64_t> memory(stream_, given.rows.size() * given.stride());
    const word_rows rows = place(given, memory);
    gpu::buffer<std::int64_t> other_memory(stream_, others == nullptr ? 1 : others->rows.size() * others->stride());
    const std::int64_t* other = nullptr;
    if (others != nullptr) other = place(*others, other_memory).words;
    const std::size_t stride = others == nullptr ? 0 : others->stride();
    const auto launch = [&](auto kernel) {
      gpu::launch(kernel, blocks, 32 * rows_per_block, 0, stream_, rows, other, stride, status_.data());
    };
    is_narrow(rows) ? launch(merge_rows_kernel<1>) : launch(merge_rows_kernel<wide>);
    std::vector<std::int64_t> all(memory.size());
    memory.copy_to(all.data(), all.size());
    status = take_status();
    std::vector<words> found;
    for (std::size_t i = 0; i < given.rows.size(); ++i) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(i * given.stride());
      found.emplace_back(first, first + static_cast<std::ptrdiff_t>(given.word_count()));
      for (std::size_t k = given.word_count(); k < given.stride(); ++k) {
        EXPECT_EQ(first[static_cast<std::ptrdiff_t>(k)], gap_word) << "between rows";
      }
    }
    return found;
  }

 private:
  static constexpr int wide_limbs = core::layout_of<double>().limbs;
  static constexpr int wide = chunks_of(wide_limbs), wide_square = chunks_of(2 * wide_limbs + 4);
  static constexpr std::int64_t gap_word = 0x5a5a5a5a5a5a5a5a;

  static bool is_narrow(const word_rows& rows) {
    return chunks_of(std::max(rows.state.of[0].layout.limbs, rows.state.of[1].layout.limbs)) == 1;
  }

  word_rows place(const row_set& given, gpu::buffer<std::int64_t>& memory) {
    std::vector<std::int64_t> all(memory.size(), gap_word);
    for (std::size_t i = 0; i < given.rows.size(); ++i) {
      std::copy(given.rows[i].begin(), given.rows[i].end(),
                all.begin() + static_cast<std::ptrdiff_t>(i * given.stride()));
    }
    memory.copy_from(all.data(), all.size());
    gpu::synchronise(stream_);
    return {engine::stored_state(given.format), memory.data(), given.stride(), given.rows.size()};
  }

  void launch_round(const word_rows& rows, const row_finish& asked, const destination& to, unsigned blocks) {
    const auto launch = [&](auto kernel) {
      gpu::launch(kernel, blocks, 32 * rows_per_block, 0, stream_, rows, asked, to);
    };
    const core::finish finish = to.rule.finish();
    if (are_sums_only(rows, to.rule)) {
      const sum_rows sums(rows, asked.sum);
      const auto launch_sums = [&](auto kernel) {
        gpu::launch(kernel, blocks, 32 * rows_per_block, 0, stream_, sums, to);
      };
      const int chunks = chunks_of(sums.layout.limbs);
      return chunks == 1   ? launch_sums(round_sums_kernel<1>)
             : chunks == 3 ? launch_sums(round_sums_kernel<3>)
                           : launch_sums(round_sums_kernel<wide>);
    }
    if (finish == core::finish::variance || finish == core::finish::deviation) {
      return is_narrow(rows) ? launch(variance_rows_kernel<1, 2>) : launch(variance_rows_kernel<wide, wide_square>);
    }
    is_narrow(rows) ? launch(round_rows_kernel<1>) : launch(round_rows_kernel<wide>);
  }

  unsigned take_status() {
    unsigned status = 0;
    status_.copy_to(&status, 1);
    status_.fill_zero();
    return status;
  }

  gpu::stream stream_;
  gpu::buffer<unsigned> status_;
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
