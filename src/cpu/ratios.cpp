// Implementation of ratios.hpp.
#include <algorithm>
#include <atomic>
#include <cpu/ratio_line.hpp>
#include <cpu/ratios.hpp>
#include <cstring>
#include <optional>
#include <plan/group_keys.hpp>
#include <plan/staging.hpp>
#include <plan/thread_count.hpp>
#include <plan/threads.hpp>
#include <string>
#include <vector>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

using engine::plan;

ratio_rule rule_of(const plan& plan) {
  return {plan.what, core::format_of(plan.result_type), static_cast<std::int64_t>(plan.ddof)};
}
ratio_line line_for(const plan& plan) { return {rule_of(plan), plan.carrier, plan.a.type}; }

void throw_if_cancelled(const plan& plan, const monitor* monitor) {
  if (monitor != nullptr && monitor->cancel.load()) engine::throw_error(errc::cancelled, plan.caller, "cancelled");
}

/// The operand as it is read: as its own carrier, which may be narrower than that of the plan.
engine::operand as_carrier(const engine::operand& x) {
  engine::operand read = x;
  const bool is_in_order =
      !x.swapped && x.outer.empty() && x.stride == static_cast<std::ptrdiff_t>(size_of(x.type));
  read.contiguous = x.contiguous || (is_carrier(x.type) && is_in_order);
  return read;
}

/// Reads lines of the operands of a plan.
class line_source {
 public:
  explicit line_source(const plan& plan)
      : two_(inputs_of(plan.what) == 2),
        integers_of_a_(plan.a.type, plan.b.type),
        integers_of_b_(plan.b.type, plan.a.type),
        doubles_of_a_(plan.a.type, plan.carrier),
        doubles_of_b_(plan.b.type, plan.carrier) {
    const auto add = [&](readers& to, const engine::operand& x) {
      for (int part = 0; part < core::parts_of(x.type); ++part) {
        to[part].emplace(as_carrier(x), core::carrier_of(x.type), std::min(plan.n, ratio_chunk_length),
                         current_widening(x.type));
      }
    };
    add(a_, plan.a);
    if (two_) add(b_, plan.b);
  }

  void move_to(const void* a, const void* b) noexcept {
    for (auto& each : a_) {
      if (each) each->move_to(a);
    }
    for (auto& each : b_) {
      if (each) each->move_to(b);
    }
  }
  ratio_chunk read(std::size_t first, std::size_t count) noexcept {
    count = std::min(count, a_[0]->run_at(first));
    if (two_) count = std::min(count, b_[0]->run_at(first));
    ratio_chunk chunk{{}, {}, count};
    for (int part = 0; part < 2; ++part) {
      if (a_[part]) chunk.a[part] = a_[part]->read(first, count, part);
      if (b_[part]) chunk.b[part] = b_[part]->read(first, count, part);
    }
    chunk.parts_of_a = integers_of_a_.replace(chunk.a, count), doubles_of_a_.replace(chunk.a, count);
    if (two_) chunk.parts_of_b = integers_of_b_.replace(chunk.b, count), doubles_of_b_.replace(chunk.b, count);
    return chunk;
  }

 private:
  using readers = std::optional<engine::chunk_reader>[2];  // of parts

  bool two_;
  integer_parts integers_of_a_, integers_of_b_;
  widened_floats doubles_of_a_, doubles_of_b_;
  readers a_, b_;
};

/// What a thread computes lines with.
template <class Source>
struct ratio_worker {
  template <class... Arguments>
  explicit ratio_worker(const plan& plan, const Arguments&... arguments)
      : line(line_for(plan)), source(plan, arguments...) {}
  ratio_line line;
  Source source;
};
template <class Source, class... Arguments>
std::vector<ratio_worker<Source>> workers_for(const plan& plan, int threads, const Arguments&... arguments) {
  std::vector<ratio_worker<Source>> workers;
  workers.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) workers.emplace_back(plan, arguments...);
  return workers;
}

/// Calls reduce(worker, i) for each line, which returns its number of elements.
template <class Source, class Reduce>
void reduce_lines(std::vector<ratio_worker<Source>>& workers, monitor* monitor, std::size_t lines,
                  std::size_t mean_length, const Reduce& reduce) {
  const std::size_t grain = std::max<std::size_t>(engine::min_share / std::max<std::size_t>(mean_length, 64), 1);
  engine::for_shares(lines, grain, static_cast<int>(workers.size()),
                     [&](std::size_t start, std::size_t count, int thread) noexcept {
                       for (std::size_t i = start; i < start + count; ++i) {
                         if (monitor != nullptr && monitor->cancel.load(std::memory_order_relaxed)) return;
                         const std::size_t n = reduce(workers[static_cast<std::size_t>(thread)], i);
                         if (monitor != nullptr) monitor->done.fetch_add(n, std::memory_order_relaxed);
                       }
                     });
}

/// A line that all threads share: in shares of elements, whose sums are merged.
template <class Source>
std::uint64_t reduce_shared(std::vector<ratio_worker<Source>>& workers, monitor* monitor, std::size_t n) {
  const auto for_all = [&](exactdot::monitor* counts, auto add) {
    engine::for_shares(
        n, engine::min_share, static_cast<int>(workers.size()),
        [&](std::size_t start, std::size_t count, int thread) noexcept {
          ratio_worker<Source>& worker = workers[static_cast<std::size_t>(thread)];
          if (monitor != nullptr && monitor->cancel.load(std::memory_order_relaxed)) return;
          engine::with_progress(start, count, count, counts, [&](std::size_t first, std::size_t length) {
            worker.line.for_chunks(first, length, worker.source,
                                   [&](const ratio_chunk& chunk) { return add(worker.line, chunk); });
          });
        });
  };
  ratio_line& whole = workers[0].line;
  for (auto& each : workers) each.line.clear();
  for_all(monitor, [](ratio_line& line, const ratio_chunk& chunk) { return line.add(chunk); });
  for (std::size_t i = 1; i < workers.size(); ++i) whole.merge(workers[i].line);
  if (const core::decision found = whole.decision_for(n); found.certain) return found.word;
  for (auto& each : workers) each.line.clear_words();
  for_all(nullptr, [](ratio_line& line, const ratio_chunk& chunk) { return line.add_exactly(chunk); });
  for (std::size_t i = 1; i < workers.size(); ++i) whole.merge_words(workers[i].line);
  return whole.exact_result(n);
}

/// The elements of groups that lie anywhere, sorted by their groups: their order stays.
struct sorted_elements {
  std::vector<std::size_t> starts, order;

  explicit sorted_elements(const engine::batch& of) : starts(of.groups() + 1), order(of.keys.n) {
    for (std::size_t group = 0; group < of.groups(); ++group) {
      starts[group + 1] = starts[group] + static_cast<std::size_t>(of.group_sizes[group]);
    }
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t first = 0; first < of.keys.n; first += engine::elements_per_poll) {
      if (of.monitor != nullptr && of.monitor->cancel.load(std::memory_order_relaxed)) return;
      const std::size_t n = std::min(engine::elements_per_poll, of.keys.n - first);
      engine::for_keys(of.keys, first, n, [&](std::size_t i, std::uint64_t key) {
        const auto group = static_cast<std::size_t>(key);
        if (key >= next.size() || next[group] >= starts[group + 1]) return;  // keys may have changed since
        order[next[group]++] = first + i;
      });
    }
  }
};

/// Reads the elements of groups, which lie apart in their columns.
class group_source {
 public:
  explicit group_source(const plan& plan, const sorted_elements& sorted)
      : two_(inputs_of(plan.what) == 2),
        sorted_(sorted),
        a_(plan.a),
        b_(plan.b),
        integers_of_a_(plan.a.type, plan.b.type),
        integers_of_b_(plan.b.type, plan.a.type),
        doubles_of_a_(plan.a.type, plan.carrier),
        doubles_of_b_(plan.b.type, plan.carrier) {}

  void move_to(const engine::line& column, std::size_t group) noexcept {
    a_.column = static_cast<const char*>(column.a), b_.column = static_cast<const char*>(column.b);
    start_ = sorted_.starts[group];
  }
  ratio_chunk read(std::size_t first, std::size_t count) noexcept {
    ratio_chunk chunk{{}, {}, count};
    a_.gather(&sorted_.order[start_ + first], count, chunk.a);
    if (two_) b_.gather(&sorted_.order[start_ + first], count, chunk.b);
    chunk.parts_of_a = integers_of_a_.replace(chunk.a, count), doubles_of_a_.replace(chunk.a, count);
    if (two_) chunk.parts_of_b = integers_of_b_.replace(chunk.b, count), doubles_of_b_.replace(chunk.b, count);
    return chunk;
  }

 private:
  struct input {
    explicit input(const engine::operand& x)
        : carrier(core::carrier_of(x.type)),
          step(x.stride),
          elements(ratio_chunk_length * size_of(x.type)),
          gathered{elements.data(), static_cast<std::ptrdiff_t>(size_of(x.type)), x.type, x.swapped, false},
          copy(gathered, carrier, current_widening(x.type)) {
      const bool in_place = x.type == carrier && !x.swapped;
      for (int part = 0; part < core::parts_of(x.type) && !in_place; ++part) {
        parts.emplace_back(ratio_chunk_length * size_of(carrier));
      }
    }
    void gather(const std::size_t* order, std::size_t count, const void** to) noexcept {
      const auto gather_words = [&]<class Word>(Word) {
        for (std::size_t i = 0; i < count; ++i) {
          std::memcpy(&elements[i * sizeof(Word)], column + static_cast<std::ptrdiff_t>(order[i]) * step,
                      sizeof(Word));
        }
      };
      switch (size_of(gathered.type)) {
        case 1:
          gather_words(std::uint8_t{});
          break;
        case 2:
          gather_words(std::uint16_t{});
          break;
        case 4:
          gather_words(std::uint32_t{});
          break;
        default:
          gather_words(std::uint64_t{});
          break;
      }
      to[0] = elements.data();
      for (std::size_t part = 0; part < parts.size(); ++part) {
        copy(elements.data(), static_cast<int>(part), count, parts[part].data());
        to[part] = parts[part].data();
      }
    }

    element_type carrier;
    std::ptrdiff_t step;
    std::vector<std::byte> elements;  // as they are, then as carriers
    engine::operand gathered;
    engine::element_copy copy;
    std::vector<std::vector<std::byte>> parts;
    const char* column = nullptr;
  };

  bool two_;
  const sorted_elements& sorted_;
  input a_, b_;
  integer_parts integers_of_a_, integers_of_b_;
  widened_floats doubles_of_a_, doubles_of_b_;
  std::size_t start_ = 0;
};

/// Whether a few lines take long each, so that threads share every one of them.
bool are_few(std::size_t lines, int threads) {
  return threads > 1 && lines < 4 * static_cast<std::size_t>(threads);
}

}  // namespace

std::uint64_t ratio(const plan& plan) {
  auto workers = workers_for<line_source>(plan, plan.threads);
  const std::uint64_t word = reduce_shared(workers, plan.monitor, plan.n);
  throw_if_cancelled(plan, plan.monitor);
  return word;
}

std::uint64_t ratio_of_nothing(const plan& plan) {
  struct {
    ratio_chunk read(std::size_t, std::size_t) noexcept { return {}; }
  } nothing;
  return line_for(plan).reduce(0, nothing);
}

namespace {

/// The results of `lines` lines, whose mean length is given. move(source, i) moves a source to line i and returns
/// its number of elements.
template <class Source, class Move>
void reduce_all(const engine::batch& of, std::vector<ratio_worker<Source>>& workers, std::size_t mean_length,
                std::span<std::uint64_t> words, const Move& move) {
  if (are_few(words.size(), of.threads)) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::size_t n = 0;
      for (auto& each : workers) n = move(each.source, i);
      words[i] = reduce_shared(workers, of.monitor, n);
    }
  } else {
    reduce_lines(workers, of.monitor, words.size(), mean_length, [&](ratio_worker<Source>& worker, std::size_t i) {
      const std::size_t n = move(worker.source, i);
      words[i] = worker.line.reduce(n, worker.source);
      return n;
    });
  }
  throw_if_cancelled(of.each, of.monitor);
}

/// Groups of elements that lie anywhere, column by column.
void ratios_of_groups(const engine::batch& of) {
  const sorted_elements sorted(of);
  throw_if_cancelled(of.each, of.monitor);
  auto workers = workers_for<group_source>(of.each, of.threads, sorted);
  std::vector<std::uint64_t> words(of.groups());
  for (std::size_t i = 0; i < of.column_count; ++i) {
    const engine::line column = of.column_at(i);
    reduce_all(of, workers, of.keys.n / of.groups(), words, [&](group_source& source, std::size_t group) {
      source.move_to(column, group);
      return sorted.starts[group + 1] - sorted.starts[group];
    });
    for (std::size_t group = 0; group < words.size(); ++group)
      of.store(of.place_of(column.out, group), words[group]);
  }
}

}  // namespace

void ratios(const engine::batch& of) {
  if (of.has_keys()) return ratios_of_groups(of);
  auto workers = workers_for<line_source>(of.each, of.threads);
  std::vector<std::uint64_t> words(of.count);
  reduce_all(of, workers, of.elements / of.count, words, [&](line_source& source, std::size_t i) {
    const engine::line x = of.line_at(i);
    source.move_to(x.a, x.b);
    return x.n;
  });
  for (std::size_t i = 0; i < of.count; ++i) of.store(of.line_at(i).out, words[i]);
}

void ratio_matrix(const engine::batch& of, std::size_t m) {
  auto workers = workers_for<line_source>(of.each, of.threads);
  std::vector<std::size_t> lines, place(of.count);  // place: of a result in the words, by the caller's index
  for (std::size_t i = 0; i < of.count; ++i) {
    const std::size_t index = of.index_of(i), row = index / m, column = index % m;
    if (row <= column) place[index] = lines.size(), lines.push_back(i);
  }
  std::vector<std::uint64_t> words(lines.size());
  reduce_all(of, workers, of.each.n, words, [&](line_source& source, std::size_t i) {
    const engine::line x = of.line_at(lines[i]);
    source.move_to(x.a, x.b);
    return x.n;
  });
  for (std::size_t i = 0; i < of.count; ++i) {
    const std::size_t index = of.index_of(i), row = index / m, column = index % m;
    of.store(of.line_at(i).out, words[place[row <= column ? index : column * m + row]]);
  }
}

}  // namespace exactdot::inline v0_3::cpu_engine
