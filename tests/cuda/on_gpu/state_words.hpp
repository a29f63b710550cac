// Words of states in a GPU's memory, rounded and merged by the library's calls, for tests that choose the words:
// rows with gaps between them, which no call may change; the device's status after a call.
#pragma once

#include <cstring>
#include <exactdot/cuda/states.hpp>
#include <exactdot/moments.hpp>
#include <exactdot/states.hpp>
#include <plan/state_words.hpp>

#include "cuda/on_gpu/support.hpp"
#include "cuda/on_gpu/workspace_state.hpp"
#include "oracle/cases.hpp"
#include "oracle/random.hpp"
#include "oracle/reference.hpp"

namespace on_gpu {

using namespace exactdot;
using words = std::vector<std::int64_t>;

/// Rows of states; `gap` words between them.
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

class state_calls {
 public:
  explicit state_calls(unsigned schedule = 1) {
    choose_schedule(schedule);
    workspace_.library_storage().multiprocessors = static_cast<int>(1 + schedule % 5);
  }

  row_results round(const row_set& given, const row_request& asked) {
    const device_vector<std::int64_t> memory(placed(given));
    const std::size_t bytes = size_of(asked.type), all = given.rows.size() * bytes;
    const device_vector<unsigned char> out(std::vector<unsigned char>(all + 8, 0x5a));
    cuda::detail::round(workspace_, {given.format, memory.data(), given.rows.size(), given.stride()}, asked.what,
                        asked.type, out.data(), {asked.count, static_cast<std::int64_t>(asked.ddof)});
    row_results results;
    results.status = take_status();
    const std::vector<unsigned char> found = out.read(all + 8);
    for (std::size_t i = all; i < found.size(); ++i) EXPECT_EQ(found[i], 0x5a) << "memory behind the results";
    for (std::size_t i = 0; i < given.rows.size(); ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &found[i * bytes], bytes);
      results.bits.push_back(bits);
    }
    return results;
  }

  /// The rows after a merge with others, which may be absent; and the status.
  std::vector<words> merge(const row_set& given, const row_set* others, unsigned& status) {
    const device_vector<std::int64_t> memory(placed(given)), other(others == nullptr ? words(1) : placed(*others));
    cuda::detail::merge(workspace_, {given.format, memory.data(), given.rows.size(), given.stride()},
                        others == nullptr ? nullptr : other.data(), others == nullptr ? 0 : others->stride());
    status = take_status();
    const words all = memory.read(given.rows.size() * given.stride());
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
  static constexpr std::int64_t gap_word = 0x5a5a5a5a5a5a5a5a;

  static words placed(const row_set& given) {
    words all(given.rows.size() * given.stride(), gap_word);
    for (std::size_t i = 0; i < given.rows.size(); ++i) {
      std::copy(given.rows[i].begin(), given.rows[i].end(),
                all.begin() + static_cast<std::ptrdiff_t>(i * given.stride()));
    }
    return all;
  }
  unsigned take_status() {
    auto& storage = workspace_.library_storage();
    unsigned status = 0;
    static_cast<void>(cudaStreamSynchronize(storage.stream));
    static_cast<void>(cudaMemcpy(&status, storage.status, sizeof status, cudaMemcpyDefault));
    static_cast<void>(cudaMemset(storage.status, 0, sizeof status));
    return status;
  }
  cuda::workspace workspace_;
};

inline constexpr std::int64_t max_states = core::state_layout::max_states;

inline words& operator+=(words& sum, const words& added) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += added[i];
  return sum;
}

template <class Span>
words copy_of(const Span& from) {
  return {from.begin(), from.end()};
}

constexpr state_format sums_of(element_type type) { return {reduction::sum, type}; }
constexpr state_format moments_of(element_type type) { return {reduction::variance, type}; }

/// The words of one state, by accumulators and moments of the CPU; in compact form by convert_states.
template <class T>
words words_of(const state_format& format, std::span<const T> a, std::span<const T> b) {
  const state_format full{format.what, format.type};
  words found;
  if (format.what == reduction::variance) {
    moments<T> all;
    all.add(a);
    found = copy_of(all.words());
  } else {
    accumulator<T> sum;
    if (format.what == reduction::dot) sum.add(a, b);
    if (format.what == reduction::sum || format.what == reduction::mean) sum.add(a);
    if (format.what == reduction::sum_of_squares || format.what == reduction::nrm2) sum.add_squares(a);
    found = copy_of(sum.words());
    if (format.what == reduction::mean) found.insert(found.begin(), static_cast<std::int64_t>(a.size()));
  }
  EXPECT_EQ(found.size(), full.words());
  if (format.form == state_form::full) return found;
  words compact(format.words());
  convert_states(full, found, format.form, compact);
  return compact;
}

/// The words of so many ranks, summed; `dropped`: an element that its rank forgets.
template <class T>
words words_of_ranks(const state_format& format, const std::vector<T>& a, const std::vector<T>& b,
                     std::size_t ranks, std::size_t dropped = SIZE_MAX) {
  words total(format.words(), 0);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t first = a.size() * rank / ranks, end = a.size() * (rank + 1) / ranks;
    std::vector<T> x(a.begin() + static_cast<std::ptrdiff_t>(first), a.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<T> y(b.begin() + static_cast<std::ptrdiff_t>(first), b.begin() + static_cast<std::ptrdiff_t>(end));
    if (dropped >= first && dropped < end) {
      x.erase(x.begin() + static_cast<std::ptrdiff_t>(dropped - first));
      y.erase(y.begin() + static_cast<std::ptrdiff_t>(dropped - first));
    }
    total += words_of<T>(format, x, y);
  }
  return total;
}

inline std::uint64_t oracle_bits(reduction what, const any_vector& a, const any_vector& b, std::int64_t ddof,
                                 element_type type) {
  return oracle::reference(what, a, b, ddof).exact(type)->bits;
}

}  // namespace on_gpu
