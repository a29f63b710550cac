// Columns: neighbouring threads read neighbouring ones. A block has some of them alone; or, if there are too few to
// give every block some, several blocks read rows of the same columns.
//
//   block              its rows of neighbouring columns, each by some of its threads   work/total_of_line.cuh
//   last block         of those columns: joins all blocks' totals, and decides         core/last_block.cuh
//   open_line_kernel   columns of several blocks that this leaves open                 open_lines.cuh
#pragma once

#include <cuda/core/last_block.cuh>
#include <cuda/shape/split_lines.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Loads elements of one row into words: all in one, or `count` of them, `next` bytes apart; others are 0.
template <class Element, int width, bool is_wide, int words>
__device__ __forceinline__ void load_row(const char* at, std::ptrdiff_t next, int count, unsigned (&to)[words]) {
  constexpr int size = static_cast<int>(sizeof(Element)), bytes = width * size;
  if constexpr (is_wide) {
    struct alignas(bytes < 16 ? bytes : 16) row {
      unsigned word[words];
    };
    const row loaded = *reinterpret_cast<const row*>(at);
#pragma unroll
    for (int i = 0; i < words; ++i) to[i] = loaded.word[i];
  } else {
#pragma unroll
    for (int i = 0; i < words; ++i) to[i] = 0;
#pragma unroll
    for (int j = 0; j < width; ++j) {
      if (j >= count) continue;
      const word_of_element<Element> element(*reinterpret_cast<const Element*>(at + j * next));
      to[j * size / 4] |= element.words[0] << j * size % 4 * 8;
      if constexpr (size == 8) to[2 * j + 1] = element.words[1];
    }
  }
}

/// Neighbouring columns of one thread, whose elements it adds to Sums (sum/packed_sum.cuh, work/extremum_load.cuh)
/// by words.
template <class Sums, class Element, bool two, class Team, int width, int in_flight, class Other = Element>
class columns_of_thread {
 public:
  /// `count` columns from `a` on, at most `width`; those of `b` are `next_b` bytes apart.
  __device__ __forceinline__ columns_of_thread(const any_operand& a, const any_operand& b, std::ptrdiff_t next_b,
                                               std::size_t count, Team team, const Sums& sums)
      : a_(a),
        b_(b),
        next_b_(next_b),
        count_(static_cast<int>(count < width ? count : width)),
        team_(team),
        sums_(sums) {}

  /// Adds the thread's rows of those from `first` to `end`.
  __device__ __forceinline__ const Sums& add(std::size_t first, std::size_t end) {
    bool is_wide = bytes >= 4 && count_ == width && is_aligned(a_, alignment);
    if constexpr (two) is_wide = is_wide && next_b_ != 0 && is_aligned(b_, alignment_of_other);
    is_wide ? add_rows<bytes >= 4>(first, end) : add_rows<false>(first, end);
    return sums_;
  }

 private:
  static constexpr unsigned bytes = width * sizeof(Element), alignment = bytes < 16 ? bytes : 16;
  static constexpr unsigned alignment_of_other = width * sizeof(Other) < 16 ? width * sizeof(Other) : 16;
  static constexpr int words = (static_cast<int>(bytes) + 3) / 4;
  static constexpr int other_words = (width * static_cast<int>(sizeof(Other)) + 3) / 4;

  any_operand a_, b_;
  std::ptrdiff_t next_b_;
  int count_;
  Team team_;
  Sums sums_;

  static __device__ __forceinline__ bool is_aligned(const any_operand& x, unsigned alignment) {
    return (reinterpret_cast<std::uintptr_t>(x.data) | static_cast<std::uintptr_t>(x.stride)) % alignment == 0;
  }
  template <bool is_wide>
  __device__ __forceinline__ void add_rows(std::size_t first, std::size_t end) {
    const std::size_t lanes = team_.threads();
    std::size_t row = first + team_.first_thread();
    for (; row + (in_flight - 1) * lanes < end; row += in_flight * lanes) turn<is_wide, in_flight>(row);
    for (; row < end; row += lanes) turn<is_wide, 1>(row);
  }
  template <bool is_wide, int rows>
  __device__ __forceinline__ void turn(std::size_t row) {
    unsigned x[rows][words], y[rows][other_words];
    const auto from = static_cast<std::ptrdiff_t>(row), lanes = static_cast<std::ptrdiff_t>(team_.threads());
    const char *const a = a_.data + from * a_.stride, *const b = b_.data + from * b_.stride;
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      load_row<Element, width, is_wide>(a + k * (lanes * a_.stride), sizeof(Element), count_, x[k]);
      if constexpr (two) {
        load_row<Other, width, is_wide>(b + k * (lanes * b_.stride), next_b_, count_, y[k]);
      }
    }
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      if constexpr (two) {
        sums_.add(x[k], y[k]);
      } else {
        sums_.add(x[k], x[k]);
      }
    }
  }
};

/// The bounds of columns of which a block sums at most `rows` rows, and of which a thread joins the totals of at
/// most `joined` blocks: of a grid of so many blocks that its joins are more than these and those of sum_of_columns
/// twice.
template <class Work>
EXACTDOT_CORE line_bounds bounds_of_columns(std::size_t rows, int lanes, int in_flight,
                                            std::size_t joined = max_split_blocks / 8) {
  return bounds_of_split<Work>(rows, lanes, in_flight, 32 * (joined + 64));
}

/// Rows in turns of the threads' loops, which blocks share: only the last one reads rows one by one.
struct row_shares {
  std::size_t turns, of_turn, parts;

  [[nodiscard]] EXACTDOT_CORE std::size_t begin(std::size_t part, std::size_t rows) const {
    const std::size_t first = turns * part / parts * of_turn;
    return first < rows ? first : rows;
  }
  /// The most rows of a block.
  [[nodiscard]] EXACTDOT_CORE std::size_t most() const { return (turns + parts - 1) / parts * of_turn; }
};
EXACTDOT_CORE row_shares share_rows(std::size_t rows, std::size_t parts, std::size_t of_turn) {
  return {(rows + of_turn - 1) / of_turn, of_turn, parts};
}

/// What a thread knows of the rows `first` to before `end` of its columns, from number `column` on.
template <class Work, input_layout layout, int width, int in_flight, class Columns, class Team>
__device__ __forceinline__ void reduce_rows(const Columns& in, std::size_t column, std::size_t first,
                                            std::size_t end, Team team, const typename Work::request& asked,
                                            typename Work::total (&totals)[width]) {
  if constexpr (layout == input_layout::converted) {
    const element_type type = in.first.a.type;
    with_converted_type<typename Work::Term, typename Work::carrier, true, Work::sums == 1>(
        type, [&]<class Element>(Element) {
          const auto line = in.line(column);
          const auto reduce = [&]<class Sums, class Other>() {
            columns_of_thread<Sums, Element, Sums::two, Team, width, in_flight, Other> of_rows(
                line.a, line.b, in.next_b, in.count - column, team, {});
            const Sums& found = of_rows.add(first, end);
#pragma unroll
            for (int j = 0; j < width; ++j) totals[j] = found.total(j, (end - first) / team.threads() + 2);
          };
          if constexpr (Work::Term::inputs == 2 && floating_element<Element> && sizeof(Element) == 2) {
            if (line.b.type == element_type::float32) {
              using sums = packed_term<typename Work::carrier, typename Work::Term, Element, float>;
              return reduce.template operator()<packed_columns<sums, Element, width, float>, float>();
            }
          }
          using sums = packed_columns<typename Work::template of_packs<Element>, Element, width>;
          reduce.template operator()<sums, Element>();
        });
  } else if constexpr (layout == input_layout::contiguous) {
    using best = typename Work::template of_columns<width>;
    columns_of_thread<best, typename Work::element, false, Team, width, in_flight> of_rows(
        {in.line(column).data, in.stride}, {}, 0, in.count - column, team, best(asked.rule));
    const best& found = of_rows.add(first, end);
#pragma unroll
    for (int j = 0; j < width; ++j) totals[j] = {{found.rank(j), 0}};
  } else {
    static_assert(width == 1);
    totals[0] = total_of_rows<Work, in_flight>(in, column, first, end, team, asked);
  }
}

/// The rows of columns.
template <class Work, class Columns>
__device__ __forceinline__ std::size_t rows_of(const Columns& in, const typename Work::results& out) {
  if constexpr (adds_terms<Work>) {
    return out.to.count;
  } else {
    return in.n;
  }
}

/// `width`: columns of a thread, in layouts `converted` and, of extreme elements, `contiguous`: by words.
/// 2^log2_across threads side by side have a row each.
template <class Work, input_layout layout, int threads, int width, int in_flight, int resident>
__global__ void __launch_bounds__(threads, resident)
    split_column_kernel(const __grid_constant__ typename Work::template columns<layout> in, int log2_across,
                        unsigned parts, const __grid_constant__ line_bounds bounds,
                        const __grid_constant__ typename Work::results out,
                        const __grid_constant__ typename Work::request asked, line_state* state) {
  using Total = typename Work::total;
  constexpr unsigned max_columns = max_across * width, max_words = (max_columns + 31) / 32;
  static_assert(max_columns <= threads);
  const column_team<threads> team{log2_across};
  const unsigned across = 1U << log2_across, columns = across * width, words = (columns + 31) / 32;
  __shared__ typename Work::storage storage;
  __shared__ Total of_row[threads / 32 * max_columns];
  __shared__ refined_sum refined_of_warp[threads / 32];
  __shared__ unsigned scale[max_columns], open_columns[max_words];
  __shared__ bool is_last;
  begin_kernel(~std::size_t{0});
  const std::size_t panels = (in.count + columns - 1) / columns;
  if constexpr (adds_terms<Work>)
    static_assert(is_bounded<Work, layout, in_flight> && threads / max_across >= 8, "bounds_of_columns");
  const std::size_t n = rows_of<Work>(in, out);
  const row_shares shares = share_rows(n, parts, team.threads() * in_flight);
  for (std::size_t unit = blockIdx.x; unit < panels * parts; unit += gridDim.x) {
    const std::size_t panel = unit / parts, part = unit % parts, first_column = panel * columns;
    const std::size_t of_thread = first_column + threadIdx.x % across * width;
    Total totals[width] = {};
    if (of_thread < in.count) {
      reduce_rows<Work, layout, width, in_flight>(in, of_thread, shares.begin(part, n), shares.begin(part + 1, n),
                                                  team, asked, totals);
    }
    Total total = sum_of_columns<threads>(totals, of_row, across);
    const std::size_t index = first_column + threadIdx.x;
    const bool is_line = threadIdx.x < columns && index < in.count;
    if (parts > 1) {
      if (threadIdx.x < columns) Work::store(total, &state->partial[(unit * columns + threadIdx.x) * Work::sums]);
      if (!is_last_block_for_all(state->arrived[panel], parts, is_last)) continue;
      Total joined[1] = {};
      for (unsigned other = threadIdx.x / columns; other < parts; other += threads / columns) {
        Total next{};
        Work::load(&state->partial[((panel * parts + other) * columns + threadIdx.x % columns) * Work::sums], next);
        joined[0].join(next);
      }
      __syncwarp();
      total = sum_of_columns<threads>(joined, of_row, columns);
    }
    if (threadIdx.x < 32 * words) {
      bool is_finished = true;
      if (is_line) {
        is_finished = finish_line<Work>(total, bounds, out, index, n, asked);
        if constexpr (Work::stays_open) {
          scale[threadIdx.x] = Work::choose_scaling(total, bounds);
          if (!is_finished && parts > 1) is_finished = append_open_line<Work>(*state, index);
        }
      }
      const unsigned open = __ballot_sync(all_lanes, !is_finished);
      if (threadIdx.x % 32 == 0) open_columns[threadIdx.x / 32] = open;
    }
    __syncthreads();
    if constexpr (Work::stays_open) {
      for (unsigned word = 0; word < words; ++word) {
        for (unsigned open = open_columns[word]; open != 0; open &= open - 1) {
          const unsigned next = 32 * word + static_cast<unsigned>(__ffs(static_cast<int>(open)) - 1);
          const std::size_t i = first_column + next;
          Work::again(in.line(i), block_team<threads>{}, scale[next], bounds, storage, refined_of_warp, out, i, n,
                      asked);
        }
      }
      __syncthreads();
    }
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
