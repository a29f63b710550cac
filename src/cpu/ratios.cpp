// Implementation of ratios.hpp.
#include <algorithm>
#include <atomic>
#include <cpu/ratio_line.hpp>
#include <cpu/ratios.hpp>
#include <cstring>
#include <numeric>
#include <plan/axes.hpp>
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
ratio_line line_for(const plan& plan) {
  return {rule_of(plan), plan.carrier, core::parts_of(plan.a.type), core::parts_of(plan.b.type)};
}

/// Throws for a demanded GPU, and memory that only a GPU reads.
void require_host(const plan& plan) {
  const auto is_device = [](const engine::operand& x) { return x.where.kind == engine::memory_kind::device; };
  if (!plan.gpu_demanded && !is_device(plan.a) && !is_device(plan.b)) return;
  engine::throw_error(
      errc::bad_option, plan.caller,
      std::string(name_of(plan.what)) + " is computed on a CPU, of arrays in host memory; copy them there");
}

void throw_if_cancelled(const plan& plan, const monitor* monitor) {
  if (monitor != nullptr && monitor->cancel.load()) engine::throw_error(errc::cancelled, plan.caller, "cancelled");
}

/// Reads lines of the operands of a plan.
class line_source {
 public:
  explicit line_source(const plan& plan)
      : two_(inputs_of(plan.what) == 2),
        halves_of_a_(plan.a.type, plan.b.type),
        halves_of_b_(plan.b.type, plan.a.type) {
    const auto add = [&](std::vector<engine::chunk_reader>& to, const engine::operand& x) {
      for (int part = 0; part < core::parts_of(x.type); ++part) {
        to.emplace_back(x, plan.carrier, std::min(plan.n, ratio_chunk_length), current_widening(x.type));
      }
    };
    add(a_, plan.a);
    if (two_) add(b_, plan.b);
  }

  void move_to(const void* a, const void* b) noexcept {
    for (engine::chunk_reader& each : a_) each.move_to(a);
    for (engine::chunk_reader& each : b_) each.move_to(b);
  }
  ratio_chunk read(std::size_t first, std::size_t count) noexcept {
    count = std::min(count, a_[0].run_at(first));
    if (two_) count = std::min(count, b_[0].run_at(first));
    ratio_chunk chunk{{}, {}, count};
    for (std::size_t part = 0; part < a_.size(); ++part)
      chunk.a[part] = a_[part].read(first, count, static_cast<int>(part));
    for (std::size_t part = 0; part < b_.size(); ++part)
      chunk.b[part] = b_[part].read(first, count, static_cast<int>(part));
    halves_of_a_.replace(chunk.a, count);
    if (two_) halves_of_b_.replace(chunk.b, count);
    return chunk;
  }

 private:
  bool two_;
  even_halves halves_of_a_, halves_of_b_;
  std::vector<engine::chunk_reader> a_, b_;
};

/// What a thread computes lines with.
template <class Source>
struct ratio_worker {
  ratio_line line;
  Source source;
};
template <class Source, class... Arguments>
std::vector<ratio_worker<Source>> workers_for(const plan& plan, int threads, const Arguments&... arguments) {
  std::vector<ratio_worker<Source>> workers;
  workers.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) workers.push_back({line_for(plan), Source(plan, arguments...)});
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

/// The elements of groups, sorted by their groups: the order of the keys stays.
struct sorted_elements {
  std::vector<std::size_t> starts, order;

  sorted_elements(const any_keys& keys, const monitor* monitor) : starts(keys.groups + 1), order(keys.n) {
    const auto for_each = [&](auto visit) {
      for (std::size_t first = 0; first < keys.n; first += engine::elements_per_poll) {
        if (monitor != nullptr && monitor->cancel.load(std::memory_order_relaxed)) return;
        const std::size_t n = std::min(engine::elements_per_poll, keys.n - first);
        engine::for_keys(keys, first, n, [&](std::size_t i, std::uint64_t key) {
          if (key < keys.groups) visit(first + i, static_cast<std::size_t>(key));
        });
      }
    };
    for_each([&](std::size_t, std::size_t group) { ++starts[group + 1]; });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for_each([&](std::size_t i, std::size_t group) {  // keys that change in between change groups, not memory
      if (next[group] < starts[group + 1]) order[next[group]++] = i;
    });
  }
};

/// Reads the elements of groups, which lie apart, of columns of two grids.
class group_source {
 public:
  explicit group_source(const plan& plan, const any_grid& a, const any_grid& b, const sorted_elements& sorted)
      : two_(inputs_of(plan.what) == 2),
        sorted_(sorted),
        a_(plan, a),
        b_(plan, two_ ? b : a),
        halves_of_a_(a.type, two_ ? b.type : a.type),
        halves_of_b_(two_ ? b.type : a.type, a.type) {}

  void move_to(const void* a, const void* b, std::size_t group) noexcept {
    a_.column = static_cast<const char*>(a), b_.column = static_cast<const char*>(b);
    start_ = sorted_.starts[group];
  }
  ratio_chunk read(std::size_t first, std::size_t count) noexcept {
    ratio_chunk chunk{{}, {}, count};
    a_.gather(&sorted_.order[start_ + first], count, chunk.a);
    if (two_) b_.gather(&sorted_.order[start_ + first], count, chunk.b);
    halves_of_a_.replace(chunk.a, count);
    if (two_) halves_of_b_.replace(chunk.b, count);
    return chunk;
  }

 private:
  struct input {
    input(const plan& plan, const any_grid& x)
        : carrier(plan.carrier),
          step(x.elements[0].stride),
          elements(ratio_chunk_length * size_of(x.type)),
          gathered{elements.data(), static_cast<std::ptrdiff_t>(size_of(x.type)), x.type, x.swapped, false},
          copy(gathered, plan.carrier, current_widening(x.type)) {
      const bool in_place = x.type == plan.carrier && !x.swapped;
      for (int part = 0; part < core::parts_of(x.type) && !in_place; ++part) {
        parts.emplace_back(ratio_chunk_length * size_of(plan.carrier));
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
  even_halves halves_of_a_, halves_of_b_;
  std::size_t start_ = 0;
};

/// Calls visit(i, offset of a, of b, of out) for every position along axes that all share, the last one fastest.
template <class Visit>
void for_columns(std::span<const axis> a, std::span<const axis> b, std::span<const axis> out, const Visit& visit) {
  const std::size_t count = engine::positions_of(a).value_or(0);
  for (std::size_t i = 0; i < count; ++i) {
    std::ptrdiff_t offsets[3] = {};
    for (std::size_t k = a.size(), left = i; k-- != 0; left /= a[k].n) {
      const auto place = static_cast<std::ptrdiff_t>(left % a[k].n);
      offsets[0] += place * a[k].stride, offsets[1] += place * b[k].stride, offsets[2] += place * out[k].stride;
    }
    visit(i, offsets[0], offsets[1], offsets[2]);
  }
}

/// Whether a few lines take long each, so that threads share every one of them.
bool are_few(std::size_t lines, int threads) {
  return threads > 1 && lines < 4 * static_cast<std::size_t>(threads);
}

}  // namespace

std::uint64_t ratio(const plan& plan) {
  require_host(plan);
  auto workers = workers_for<line_source>(plan, plan.threads);
  const std::uint64_t word = reduce_shared(workers, plan.monitor, plan.n);
  throw_if_cancelled(plan, plan.monitor);
  return word;
}

void ratios(const engine::batch& of) {
  require_host(of.each);
  auto workers = workers_for<line_source>(of.each, of.threads);
  std::vector<std::uint64_t> words(of.count);
  if (are_few(of.count, of.threads)) {
    for (std::size_t i = 0; i < of.count; ++i) {
      const engine::line x = of.line_at(i);
      for (auto& each : workers) each.source.move_to(x.a, x.b);
      words[i] = reduce_shared(workers, of.monitor, x.n);
    }
  } else {
    reduce_lines(workers, of.monitor, of.count, of.elements / std::max<std::size_t>(of.count, 1),
                 [&](ratio_worker<line_source>& worker, std::size_t i) {
                   const engine::line x = of.line_at(i);
                   worker.source.move_to(x.a, x.b);
                   words[i] = worker.line.reduce(x.n, worker.source);
                   return x.n;
                 });
  }
  throw_if_cancelled(of.each, of.monitor);
  for (std::size_t i = 0; i < of.count; ++i) of.store(of.line_at(i).out, words[i]);
}

void ratios_of_groups(const engine::batch& of, const any_grid& a, const any_grid& b, const any_keys& keys,
                      const any_results& out) {
  require_host(of.each);
  if (keys.groups == 0) return;
  const sorted_elements sorted(keys, of.monitor);
  throw_if_cancelled(of.each, of.monitor);
  auto workers = workers_for<group_source>(of.each, of.threads, a, b, sorted);
  std::vector<std::uint64_t> words(keys.groups);
  const auto move = [&](group_source& source, std::ptrdiff_t of_a, std::ptrdiff_t of_b, std::size_t group) {
    source.move_to(static_cast<const char*>(a.data) + of_a, static_cast<const char*>(b.data) + of_b, group);
    return sorted.starts[group + 1] - sorted.starts[group];
  };
  for_columns(a.results, b.results, out.axes.subspan(1),
              [&](std::size_t, std::ptrdiff_t of_a, std::ptrdiff_t of_b, std::ptrdiff_t to) {
                if (are_few(keys.groups, of.threads)) {
                  for (std::size_t group = 0; group < keys.groups; ++group) {
                    std::size_t n = 0;
                    for (auto& each : workers) n = move(each.source, of_a, of_b, group);
                    words[group] = reduce_shared(workers, of.monitor, n);
                  }
                } else {
                  reduce_lines(workers, of.monitor, keys.groups, keys.n / keys.groups,
                               [&](ratio_worker<group_source>& worker, std::size_t group) {
                                 const std::size_t n = move(worker.source, of_a, of_b, group);
                                 words[group] = worker.line.reduce(n, worker.source);
                                 return n;
                               });
                }
                throw_if_cancelled(of.each, of.monitor);
                for (std::size_t group = 0; group < keys.groups; ++group) {
                  of.store(
                      static_cast<char*>(out.data) + to + static_cast<std::ptrdiff_t>(group) * out.axes[0].stride,
                      words[group]);
                }
              });
}

}  // namespace exactdot::inline v0_3::cpu_engine
