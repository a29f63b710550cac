// Launches of the search for extreme elements of lines (shape/extremum_lines.cuh) on matrices of any element type,
// and the comparison of their results with those of extremum_data.hpp.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <cuda/shape/short_columns.cuh>
#include <cuda/work/extremum_work.cuh>
#include <optional>
#include <string>
#include <vector>

#include "backend.cuh"
#include "extremum_data.hpp"
#include "missing_gpu.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

constexpr std::array four = {reduction::min, reduction::max, reduction::argmin, reduction::argmax};

/// Lines of n elements; strides in elements. Line i begins at element `first` + i · next of `x`.
struct element_matrix {
  data x;
  std::size_t count = 0, n = 0, first = 0;
  std::ptrdiff_t next = 0, stride = 1;
  bool swapped = false;

  [[nodiscard]] data line(std::size_t i) const {
    data made{x.type, std::vector<std::uint64_t>(n)};
    for (std::size_t k = 0; k < n; ++k) {
      const auto at = static_cast<std::ptrdiff_t>(first) + static_cast<std::ptrdiff_t>(i) * next +
                      static_cast<std::ptrdiff_t>(k) * stride;
      made.bits[k] = x.bits[static_cast<std::size_t>(at)];
    }
    return made;
  }
};

/// How a launch searches a line.
template <int lanes_, int in_flight_ = 2, input_layout layout_ = input_layout::contiguous>
struct search_by {
  static constexpr int lanes = lanes_, in_flight = in_flight_;
  static constexpr input_layout layout = layout_;
};
/// So many blocks of so many threads for as many columns: of elements, by words that hold `width`; else a column of
/// a thread.
template <int threads_, int across_, unsigned parts_, int width_, int in_flight_ = 2>
struct search_columns {
  static constexpr int threads = threads_, across = across_, lanes = threads / across, width = width_,
                       in_flight = in_flight_;
  static constexpr unsigned parts = parts_;
};
/// Of a thread alone.
template <int threads_, int width_>
struct short_columns : search_columns<threads_, threads_, 1, width_> {
  static constexpr bool are_short = true;
};
/// Rows that blocks share, in units of so many elements.
template <unsigned unit_>
struct split_rows : search_by<64> {
  static constexpr unsigned unit = unit_;
};
template <class Way>
concept shares_rows = requires {
  Way::unit;
};
template <class Way>
concept searches_columns = requires {
  Way::across;
};
template <class Way>
concept searches_short_columns = requires {
  Way::are_short;
};

template <int bytes, bool with_index, class Way>
constexpr auto kernel_of_search() {
  using work = extremum_of_line<bytes, with_index>;
  constexpr input_layout of_columns = with_index ? input_layout::any : input_layout::contiguous;
  if constexpr (searches_short_columns<Way>) {
    return &short_column_kernel < work, of_columns, Way::threads, with_index ? 1 : Way::width, Way::in_flight, 1 > ;
  } else if constexpr (searches_columns<Way>) {
    return &split_column_kernel < work, of_columns, Way::threads, Way::across, with_index ? 1 : Way::width,
           Way::in_flight, 1 > ;
  } else if constexpr (shares_rows<Way>) {
    return &split_line_kernel<extremum_of_line<bytes, with_index>, Way::layout, Way::lanes, Way::in_flight, 1>;
  } else if constexpr (Way::lanes > 32) {
    return &long_line_extremum_kernel<bytes, with_index, Way::layout, Way::lanes, Way::in_flight, 1, element_lines>;
  } else {
    return &short_line_extremum_kernel<bytes, with_index, Way::layout, 64, Way::lanes, Way::in_flight, 1,
                                       element_lines>;
  }
}

class line_extrema : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

class line_launcher {
 public:
  /// `reports`: what the simulator finds are failures.
  explicit line_launcher(unsigned seed = 1, bool reports = true) : reports_(reports) {
    choose_schedule(stream_, seed);
  }
  ~line_launcher() {
    if (state_) {
      std::vector<line_state> left(1);
      state_->copy_to(left.data(), 1);
      for (const unsigned each : left[0].arrived) EXPECT_EQ(each, 0U);
    }
    for (const std::string& finding : gpu::findings(stream_)) {
      if (reports_) ADD_FAILURE() << finding;
    }
  }
  line_launcher(const line_launcher&) = delete;
  line_launcher& operator=(const line_launcher&) = delete;

  /// Results by the kernel of a way. The elements begin `skew` elements after an aligned address.
  template <class Way>
  std::vector<std::uint64_t> results(const element_matrix& of, reduction what, unsigned blocks, std::size_t skew) {
    switch (size_of(of.x.type)) {
      case 1:
        return of_width<1, Way>(of, what, blocks, skew);
      case 2:
        return of_width<2, Way>(of, what, blocks, skew);
      case 4:
        return of_width<4, Way>(of, what, blocks, skew);
      default:
        return of_width<8, Way>(of, what, blocks, skew);
    }
  }

  /// The results that enqueue(lines, rule, results) stores.
  template <class Enqueue>
  std::vector<std::uint64_t> results_of(const element_matrix& of, reduction what, std::size_t skew,
                                        Enqueue enqueue) {
    const std::size_t bytes = size_of(of.x.type);
    std::vector<unsigned char> all((of.x.bits.size() + skew) * bytes + 32, 0xff);
    for (std::size_t i = 0; i < of.x.bits.size(); ++i) {
      unsigned char* const at = &all[(i + skew) * bytes];
      std::memcpy(at, &of.x.bits[i], bytes);
      if (of.swapped) std::reverse(at, at + bytes);
    }
    gpu::buffer<unsigned char> memory(stream_, all.size());
    memory.copy_from(all.data(), all.size());
    constexpr std::size_t distance = 2;  // of the results
    gpu::buffer<std::uint64_t> out(stream_, distance * of.count + 1);
    const std::vector<std::uint64_t> unwritten(out.size(), 0x5a5a5a5a5a5a5a5a);
    out.copy_from(unwritten.data(), unwritten.size());
    const auto size = static_cast<std::ptrdiff_t>(bytes);
    const element_lines in{reinterpret_cast<const char*>(memory.data()) + (of.first + skew) * bytes,
                           of.stride * size,
                           of.next * size,
                           of.n,
                           of.count,
                           of.swapped};
    const extremum_results to{reinterpret_cast<char*>(out.data()), distance * sizeof(std::uint64_t),
                              gives_index(what)};
    enqueue(in, rank_rule_of(of.x.type, is_greatest(what)), to);
    gpu::synchronise(stream_);
    std::vector<std::uint64_t> stored(out.size()), found(of.count);
    out.copy_to(stored.data(), stored.size());
    const std::uint64_t mask = gives_index(what) ? ~std::uint64_t{0} : ~std::uint64_t{0} >> (64 - 8 * bytes);
    for (std::size_t i = 0; i < of.count; ++i) {
      found[i] = stored[distance * i] & mask;
      EXPECT_EQ(stored[distance * i] & ~mask, unwritten[0] & ~mask) << "bytes behind result " << i;
      EXPECT_EQ(stored[distance * i + 1], unwritten[0]) << "memory behind result " << i;
    }
    return found;
  }

  [[nodiscard]] gpu::stream& stream() { return stream_; }

 private:
  template <int bytes, class Way>
  std::vector<std::uint64_t> of_width(const element_matrix& of, reduction what, unsigned blocks, std::size_t skew) {
    return results_of(of, what, skew, [&](const element_lines& in, const rank_rule& rule, auto to) {
      constexpr auto with_index = kernel_of_search<bytes, true, Way>(),
                     without = kernel_of_search<bytes, false, Way>();
      int threads = Way::lanes > 32 ? Way::lanes : 64;
      if constexpr (searches_columns<Way>) threads = Way::threads;
      if (!state_) state_.emplace(stream_, 1).fill_zero();
      if constexpr (shares_rows<Way>) {
        element_source rows;
        rows.lines = {in.first, in.stride, in.count, in.swapped, in.next / bytes}, rows.length = in.n;
        split_plan plan;
        plan.unit = Way::unit;
        gpu::launch(gives_index(what) ? with_index : without, blocks, threads, 0, stream_, rows, plan, to,
                    extremum_request{rule}, state_->data());
      } else if constexpr (searches_short_columns<Way>) {
        const bool by_elements = gives_index(what) || in.swapped;
        gpu::launch(by_elements ? with_index : without, blocks, threads, 0, stream_, in, line_bounds{}, to,
                    extremum_request{rule});
      } else if constexpr (searches_columns<Way>) {
        const bool by_elements = gives_index(what) || in.swapped;
        gpu::launch(by_elements ? with_index : without, blocks, threads, 0, stream_, in, Way::parts, line_bounds{},
                    to, extremum_request{rule}, state_->data());
      } else {
        gives_index(what) ? gpu::launch(with_index, blocks, threads, 0, stream_, in, rule, to)
                          : gpu::launch(without, blocks, threads, 0, stream_, in, rule, to);
      }
    });
  }
  bool reports_;
  gpu::stream stream_;
  std::optional<gpu::buffer<line_state>> state_;  ///< of columns that blocks share
};

/// How many results are wrong.
inline std::size_t wrong_results(const element_matrix& of, reduction what,
                                 const std::vector<std::uint64_t>& found) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < of.count; ++i) wrong += found[i] != expected(of.line(i), what) ? 1 : 0;
  return wrong;
}

/// All four reductions, one launch each.
template <class Way>
void expect_extrema(const element_matrix& of, unsigned seed, const std::string& name) {
  line_launcher on(seed);
  for (const reduction what : four) {
    const auto found = on.results<Way>(of, what, 1 + seed % 3, seed % 17);
    for (std::size_t i = 0; i < of.count; ++i) {
      ASSERT_EQ(found[i], expected(of.line(i), what))
          << name << ": " << name_of(what) << " of " << name_of(of.x.type) << ", line " << i << " of " << of.count
          << " by " << of.n << ", " << Way::lanes << " lanes, seed " << seed;
    }
  }
}

/// Lines that follow each other, `gap` elements between them.
inline element_matrix lines_of(data x, std::size_t count, std::size_t n, std::size_t gap = 0) {
  element_matrix made{std::move(x), count, n};
  made.next = static_cast<std::ptrdiff_t>(n + gap);
  return made;
}

/// Lines as columns of the transpose.
inline element_matrix transposed(const element_matrix& of) {
  element_matrix made{{of.x.type, std::vector<std::uint64_t>(of.count * of.n)}, of.count, of.n};
  made.stride = static_cast<std::ptrdiff_t>(of.count), made.next = 1;
  for (std::size_t i = 0; i < of.count; ++i) {
    const data line = of.line(i);
    for (std::size_t k = 0; k < of.n; ++k) made.x.bits[k * of.count + i] = line.bits[k];
  }
  return made;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
