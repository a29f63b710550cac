// Implementation of row_sums.hpp.
#include <cpu/column_decision.hpp>
#include <cpu/row_sums.hpp>
#include <cpu/segment_pass.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

/// Groups whose sums a thread has at a time.
constexpr std::size_t window = 64;

/// One input of a block of columns: its rows as the kernels read them.
class row_reader {
 public:
  row_reader(const engine::operand& x, element_type carrier, std::vector<const char*> columns)
      : x_(x), carrier_(carrier), columns_(std::move(columns)), size_(size_of(x.type)) {
    is_packed_ = true;
    for (std::size_t i = 1; i < columns_.size(); ++i)
      is_packed_ = is_packed_ && columns_[i] == columns_[i - 1] + size_;
    is_carrier_ = x.type == carrier && !x.swapped;
    const std::size_t bytes = rows_of_slice * columns_.size() * sizeof(double);
    raw_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    if (!is_carrier_) converted_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  }

  /// Listed rows, or n from `first` on. Valid until the next call.
  row_block read(const std::uint32_t* listed, std::size_t first, std::size_t n) noexcept {
    const auto row_bytes = static_cast<std::ptrdiff_t>(columns_.size() * size_of(carrier_));
    if (listed == nullptr && is_packed_ && is_carrier_)
      return {columns_.front() + static_cast<std::ptrdiff_t>(first) * x_.stride, x_.stride, false};
    copy(listed, first, n);
    if (is_carrier_) return {raw_.get(), row_bytes, false};
    engine::operand all = x_;
    all.data = raw_.get(), all.stride = static_cast<std::ptrdiff_t>(size_);
    engine::copy_contiguous(all, carrier_, 0, n * columns_.size(), converted_.get());
    return {converted_.get(), row_bytes, false};
  }

 private:
  void copy(const std::uint32_t* listed, std::size_t first, std::size_t n) noexcept {
    constexpr std::size_t ahead = 16;
    const std::size_t bytes = columns_.size() * size_;
    std::byte* to = raw_.get();
    for (std::size_t i = 0; i < n; ++i, to += bytes) {
      if (listed != nullptr && i + ahead < n) {
        const char* const next = columns_.front() + static_cast<std::ptrdiff_t>(listed[i + ahead]) * x_.stride;
        for (std::size_t k = 0; k < bytes; k += 64) __builtin_prefetch(next + k);
      }
      const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(listed != nullptr ? listed[i] : first + i) * x_.stride;
      if (is_packed_) {
        std::memcpy(to, columns_.front() + row, bytes);
        continue;
      }
      for (std::size_t k = 0; k < columns_.size(); ++k) std::memcpy(to + k * size_, columns_[k] + row, size_);
    }
  }

  engine::operand x_;
  element_type carrier_;
  std::vector<const char*> columns_;
  std::size_t size_;
  bool is_packed_, is_carrier_;
  std::unique_ptr<std::byte[]> raw_, converted_;
};

/// One thread's sums of a window of groups.
class row_sums {
 public:
  row_sums(const batch& of, const row_order& order, std::size_t first, std::size_t count)
      : of_(of),
        order_(order),
        column_(of.each),
        sums_(of.each),
        first_(first),
        count_(count),
        width_((count + column_sums::padding - 1) / column_sums::padding * column_sums::padding),
        a_(of.each.a, of.each.carrier, columns(of, first, count, false)),
        b_(of.each.b, of.each.carrier, columns(of, first, count, true)),
        memory_(static_cast<std::size_t>(sums_.states() * column_sums::arrays) * window * width_) {
    column_.n = 0;
    of_nothing_ = engine::result_of_nothing(column_);
  }

  /// Some neighbours. Returns how many elements were added.
  std::size_t take(std::size_t first, std::size_t count, result_sink& sink, unsigned char* open) noexcept {
    std::uint64_t bounds[window + 1];
    read_bounds(of_, order_, first, count, bounds);
    for (int i = 0; i < sums_.states(); ++i) clear(i, count);
    std::size_t group = 0;
    for (std::uint64_t at = bounds[0]; at < bounds[count]; at += rows_of_slice) {
      const std::size_t n = std::min<std::size_t>(rows_of_slice, bounds[count] - at);
      const std::uint32_t* const listed = of_.has_keys() ? order_.rows.data() + at : nullptr;
      const row_block a = a_.read(listed, at, n), b = of_.each.info().inputs == 2 ? b_.read(listed, at, n) : a;
      for (std::size_t i = 0; i < n;) {
        const std::size_t stop = std::min<std::size_t>(bounds[group + 1] - at, n);
        if (stop > i) add(a, b, i, stop - i, group), i = stop;
        if (i < n) ++group;
      }
    }
    for (std::size_t k = 0; k < count_; ++k) {
      char* const out = of_.column_at(first_ + k).out;
      for (std::size_t i = 0; i < count; ++i) {
        const core::decision found = decide(i, k, bounds[i + 1] - bounds[i]);
        open[k * of_.groups() + first + i] = found.certain ? segment_done : segment_undecided;
        if (found.certain)
          sink.take((first_ + k) * of_.groups() + first + i, of_.place_of(out, first + i), {found.word});
      }
    }
    return (bounds[count] - bounds[0]) * count_;
  }

 private:
  static std::vector<const char*> columns(const batch& of, std::size_t first, std::size_t count, bool of_b) {
    std::vector<const char*> all;
    for (std::size_t i = first; i < first + count; ++i) {
      const line column = of.column_at(i);
      all.push_back(static_cast<const char*>(of_b ? column.b : column.a));
    }
    return all;
  }

  [[nodiscard]] double* array(int state, int which, std::size_t group) noexcept {
    return memory_.data() + (static_cast<std::size_t>(state * column_sums::arrays + which) * window + group) * width_;
  }
  [[nodiscard]] column_sums sums_at(int state, std::size_t group) noexcept {
    return {array(state, 0, group), array(state, 1, group), array(state, 2, group), array(state, 3, group)};
  }
  void clear(int state, std::size_t groups) noexcept {
    for (int i = 0; i < column_sums::arrays; ++i)
      std::fill_n(array(state, i, 0), groups * width_, i == column_sums::arrays - 1 ? HUGE_VAL : 0.0);
  }

  void add(row_block a, row_block b, std::size_t row, std::size_t rows, std::size_t group) noexcept {
    a.data = a.row<char>(row), b.data = b.row<char>(row);
    sums_.term->add_columns(a, b, rows, count_, sums_at(0, group));
    if (sums_.squares != nullptr) sums_.squares->add_columns(a, a, rows, count_, sums_at(1, group));
  }

  [[nodiscard]] bounded_sum sum_of(int state, std::size_t group, std::size_t column, std::size_t n) noexcept {
    const column_sums of = sums_at(state, group);
    const kernels& kernels = state == 0 ? *sums_.term : *sums_.squares;
    return bounded_column(of.sum[column], of.error[column], of.magnitude[column], of.smallest[column], n,
                          kernels.has_two_part_terms);
  }
  [[nodiscard]] core::decision decide(std::size_t group, std::size_t column, std::size_t n) noexcept {
    if (n == 0) return {of_nothing_, true};
    if (sums_.squares == nullptr) return decide_column(column_.result, n, sum_of(0, group, column, n));
    if (n <= column_.ddof) return {of_nothing_, true};
    column_.n = n;
    return decide_moments(column_, {sum_of(0, group, column, n), sum_of(1, group, column, n)});
  }

  const batch& of_;
  const row_order& order_;
  engine::plan column_;
  sums sums_;
  std::size_t first_, count_;
  std::size_t width_;
  row_reader a_, b_;
  std::vector<double> memory_;
  std::uint64_t of_nothing_ = 0;
};

}  // namespace

void reduce_row_sums(const batch& of, std::size_t first, std::size_t count, const row_order& order,
                     result_sink& sink, std::span<unsigned char> open) {
  std::vector<row_sums> workers;
  for (int i = 0; i < of.threads; ++i) workers.emplace_back(of, order, first, count);
  engine::for_shares(of.groups(), window, of.threads,
                     [&](std::size_t start, std::size_t groups, int thread) noexcept {
                       progress progress(of, sink.counts_elements());
                       row_sums& by = workers[static_cast<std::size_t>(thread)];
                       for (std::size_t done = 0; done < groups; done += window) {
                         const std::size_t n = std::min(window, groups - done);
                         if (!progress.goes_on(by.take(start + done, n, sink, open.data()))) return;
                       }
                     });
}

}  // namespace exactdot::inline v0_3::cpu_engine
