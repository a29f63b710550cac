// Lists of vectors on a GPU (exactdot/cuda/lists.hpp): their checks, and the tables of their launches.
#include <algorithm>
#include <cuda/host/launch_lists.hpp>
#include <cuda/host/operands.hpp>
#include <exactdot/cuda/lists.hpp>
#include <limits>
#include <plan/batch_checks.hpp>
#include <string>

namespace exactdot::inline v0_3::cuda {
namespace {

using namespace cuda_engine;

[[noreturn]] void refuse_list(const std::string& sentence) {
  engine::throw_error(errc::bad_option, "cuda", sentence);
}

std::string name_of_vector(std::size_t i) { return "x[" + std::to_string(i) + "]"; }

void check_ends(const vector_list& x, const any_results& out) {
  std::size_t before = 0;
  for (const std::size_t end : x.ends) {
    if (end < before || end > x.vectors.size()) {
      refuse_list("the ends of a list decrease, or pass its " + std::to_string(x.vectors.size()) + " vectors");
    }
    before = end;
  }
  if (before != x.vectors.size()) refuse_list("some vectors of a list belong to no result");
  std::size_t results = 1;
  for (const axis& each : out.axes) results *= each.n;
  if (out.axes.size() > 1 || results != x.ends.size()) {
    engine::throw_error(errc::size_mismatch, "cuda",
                        "a list has " + std::to_string(x.ends.size()) + " results, the array of results " +
                            std::to_string(results));
  }
}

/// The plan of one vector that has all elements. Throws for types and reductions that lists do not have.
engine::plan plan_of(reduction what, const vector_list& x, element_type result) {
  const any_vector any{nullptr, 1, x.vectors.empty() ? element_type::float64 : x.vectors[0].type, 0, false};
  engine::request asked{"cuda", what, any, any, result};
  engine::check_request(asked, mode::exact);
  const core::reduction_info& info = core::info_of(what);
  if (info.inputs != 1 || info.sums != 1 || info.finish == core::finish::quotient) {
    refuse_list(std::string(name_of(what)) +
                " is not a reduction of lists of vectors; use sum, asum, sum_of_squares or nrm2");
  }
  engine::plan made = engine::unplaced_plan(asked, mode::exact);
  for (std::size_t i = 0; i < x.vectors.size(); ++i) {
    asked.a.type = asked.b.type = x.vectors[i].type;
    engine::check_request(asked, mode::exact);
    const element_type first = x.vectors[0].type, type = x.vectors[i].type;
    if (!exactdot::detail::state_holds(first, type) || !exactdot::detail::state_holds(type, first)) {
      refuse_list(name_of_vector(i) + " holds " + std::string(name_of(type)) + ", x[0] " +
                  std::string(name_of(first)) + ", which one exact sum does not hold; convert one");
    }
    const engine::plan of_type = engine::unplaced_plan(asked, mode::exact);
    if (core::term_at(of_type.term).inputs != 1) {
      refuse_list(name_of_vector(i) + " holds " + std::string(name_of(type)) +
                  ", whose squares lists do not have; call once per vector");
    }
    made.carrier = core::wider(made.carrier, of_type.carrier);
  }
  return made;
}

/// Throws for a vector that the device does not reach.
void check_vector(const workspace::storage& storage, const any_vector& x, std::size_t i) {
  const std::string name = name_of_vector(i);
  engine::check_extent("cuda", name.c_str(), x);
  require_reachable(storage, x.data, x.n, x.stride, size_of(x.type), name.c_str());
}

list_reading reading_of(const any_vector& x, const engine::plan& plan) {
  const auto size = static_cast<std::ptrdiff_t>(size_of(x.type));
  const bool follow = x.n <= 1 || x.stride == size;
  if (!follow || (x.swapped && size > 1)) return list_reading::singles;
  if (x.type == element_type::float64) return list_reading::carriers;
  // packs of floats are added plainly, which leaves more precise results open
  if (x.type == element_type::float32 && plan.result.precision() > 24) return list_reading::singles;
  return core::carrier_of(x.type) == plan.carrier ? list_reading::packs : list_reading::singles;
}

/// Elements of a unit: what a block reads in some 3 µs, the time that a stretch takes a block whatever its length
/// is; less if blocks would have none. 2^31 units at most.
std::uint64_t unit_of(const vector_list& x, const workspace::storage& storage) {
  constexpr std::uint64_t bytes_of_unit = std::uint64_t{1} << 14, least = 256;
  std::uint64_t n = 0, size = sizeof(double);
  for (const any_vector& each : x.vectors) n += each.n, size = std::min<std::uint64_t>(size, size_of(each.type));
  const std::uint64_t of_block = n / (static_cast<unsigned>(storage.multiprocessors) * 3);
  const std::uint64_t wanted = std::clamp<std::uint64_t>(of_block, least, bytes_of_unit / size);
  return std::max<std::uint64_t>(wanted, n >> 30) / least * least;
}

class table_builder {
 public:
  table_builder(const engine::plan& plan, std::uint64_t unit) : plan_(plan) { list_.unit = unit; }

  [[nodiscard]] bool is_empty() const { return list_.first_entry.empty(); }
  /// Whether there is room for a result of so many vectors.
  [[nodiscard]] bool fits(std::size_t vectors) const {
    return list_.entries.size() + vectors <= max_list_entries && list_.first_entry.size() < max_list_entries;
  }
  void begin_line() { list_.first_entry.push_back(static_cast<unsigned>(list_.entries.size())); }
  void add(const any_vector& x) {
    if (x.n == 0) return;
    list_.entries.push_back({static_cast<const char*>(x.data), x.n, units_, static_cast<int>(x.stride), x.type,
                             x.swapped && size_of(x.type) > 1, reading_of(x, plan_)});
    units_ += static_cast<unsigned>((x.n + list_.unit - 1) / list_.unit);
    list_.halves = std::max(list_.halves, core::parts_of(x.type) - 1);
  }
  /// The table, which is empty again then.
  [[nodiscard]] host_list take() {
    begin_line();
    list_.entries.push_back({});
    list_.entries.back().first_unit = units_;
    host_list made{{}, {}, list_.unit, 0};
    std::swap(made, list_);
    units_ = 0;
    return made;
  }

 private:
  const engine::plan& plan_;
  host_list list_;
  unsigned units_ = 0;
};

/// Calls add(vector) for what a table has of it: itself, or its elements if the stride is no int.
template <class Add>
void for_each_entry(const any_vector& x, Add add) {
  const bool fits = x.stride >= std::numeric_limits<int>::min() && x.stride <= std::numeric_limits<int>::max();
  if (fits || x.n <= 1) return add({x.data, x.n, x.type, x.n <= 1 ? 0 : x.stride, x.swapped});
  for (std::size_t k = 0; k < x.n; ++k) {
    const auto* const at = static_cast<const char*>(x.data) + static_cast<std::ptrdiff_t>(k) * x.stride;
    add(any_vector{at, 1, x.type, 0, x.swapped});
  }
}

void enqueue(const workspace::storage& storage, const vector_list& x, const engine::plan& plan,
             const any_results& out) {
  line_results to;
  to.first = static_cast<char*>(out.data), to.next = out.axes.empty() ? 0 : out.axes[0].stride;
  to.to.rule = plan.result, to.to.status = storage.status;
  engine::plan of_none = plan;
  of_none.n = 0;
  const std::uint64_t none = engine::result_of_nothing(of_none);
  table_builder table(plan, unit_of(x, storage));
  const auto launch = [&] {
    const host_list made = table.take();
    plan.carrier == element_type::float32 ? launch_list<float>(storage, plan.term, made, to, none)
                                          : launch_list<double>(storage, plan.term, made, to, none);
    to.first += static_cast<std::ptrdiff_t>(made.first_entry.size() - 1) * to.next;
  };
  std::size_t first = 0;
  for (const std::size_t end : x.ends) {
    std::size_t entries = 0;
    for (std::size_t i = first; i < end; ++i) for_each_entry(x.vectors[i], [&](const any_vector&) { ++entries; });
    static_assert(max_vectors_of_result <= max_list_entries);
    if (entries > max_vectors_of_result) {
      refuse_list("a result of a list has " + std::to_string(entries) + " vectors; at most " +
                  std::to_string(max_vectors_of_result) + "; copy some into one vector");
    }
    if (!table.fits(entries)) launch();
    table.begin_line();
    for (; first < end; ++first) for_each_entry(x.vectors[first], [&](const any_vector& each) { table.add(each); });
  }
  if (!table.is_empty()) launch();
}

}  // namespace

void reduce(workspace& on, reduction what, const vector_list& x, const any_results& out) {
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  check_ends(x, out);
  if (x.ends.empty()) return;
  const engine::plan plan = plan_of(what, x, out.type);
  for (std::size_t i = 0; i < x.vectors.size(); ++i) check_vector(storage, x.vectors[i], i);
  if (out.swapped) refuse_list("results of lists have native byte order; pass an array that is not swapped");
  const std::ptrdiff_t next = out.axes.empty() ? 0 : out.axes[0].stride;
  require_reachable(storage, out.data, x.ends.size(), next, size_of(out.type), "the array of results");
  const std::ptrdiff_t last = next * static_cast<std::ptrdiff_t>(x.ends.size() - 1);
  const auto bytes = static_cast<std::size_t>(last < 0 ? -last : last) + size_of(out.type);
  for (std::size_t i = 0; i < x.vectors.size(); ++i) {
    engine::check_output("cuda", x.vectors[i], name_of_vector(i).c_str(),
                         static_cast<const char*>(out.data) + std::min<std::ptrdiff_t>(last, 0), bytes);
  }
  enqueue(storage, x, plan, out);
}

}  // namespace exactdot::inline v0_3::cuda
