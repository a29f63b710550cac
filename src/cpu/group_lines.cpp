// Implementation of group_lines.hpp.
#include <algorithm>
#include <cpu/group_lines.hpp>
#include <cpu/group_table.hpp>
#include <cstring>
#include <plan/group_counts.hpp>
#include <plan/group_keys.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

/// Keys that are read at a time.
constexpr std::size_t key_slice = 1024;

/// Elements of a slice that are copied: where they are, and where they go.
struct moves {
  std::size_t count = 0;
  std::uint32_t from[key_slice];
  std::size_t to[key_slice];
};

template <class Word>
void copy_words(const engine::operand& x, std::size_t first, const moves& all, std::byte* buffer) noexcept {
  const auto* const data = static_cast<const char*>(x.data);
  for (std::size_t i = 0; i < all.count; ++i) {
    const auto index = static_cast<std::ptrdiff_t>(first + all.from[i]);
    std::memcpy(buffer + all.to[i] * sizeof(Word), data + index * x.stride, sizeof(Word));
  }
}

/// Copies elements as they are.
void copy(const engine::operand& x, std::size_t first, const moves& all, std::byte* buffer) noexcept {
  switch (size_of(x.type)) {
    case 1:
      return copy_words<std::uint8_t>(x, first, all, buffer);
    case 2:
      return copy_words<std::uint16_t>(x, first, all, buffer);
    case 4:
      return copy_words<std::uint32_t>(x, first, all, buffer);
    default:
      return copy_words<std::uint64_t>(x, first, all, buffer);
  }
}

engine::operand in_buffer(engine::operand x, element_type carrier) {
  x.stride = static_cast<std::ptrdiff_t>(size_of(x.type));
  x.contiguous = !x.swapped && x.type == carrier;
  return x;
}

engine::plan gathered_plan(const batch& of) {
  engine::plan each = of.each;
  each.a = in_buffer(each.a, each.carrier), each.b = in_buffer(each.b, each.carrier);
  each.contiguous = each.a.contiguous && each.b.contiguous;
  return each;
}

}  // namespace

struct group_lines::column_call {
  std::size_t column;
  engine::operand a, b;
  char* out;
  result_sink& sink;
  bool counts;
};

/// What a thread works with: a buffer of the places of a lot's groups, where the next element of each goes, the
/// elements, and those of the second input.
struct group_lines::worker {
  std::unique_ptr<std::byte[]> buffer;
  line_reducer reducer;
  std::size_t* places = nullptr;
  std::byte *a = nullptr, *b = nullptr;
  std::size_t room = 0;  ///< elements

  void lay_out(std::size_t groups, std::size_t elements, const engine::plan& gathered) noexcept {
    places = reinterpret_cast<std::size_t*>(buffer.get());
    room = elements;
    a = buffer.get() + groups * sizeof(std::size_t);
    b = gathered.info().inputs == 2 ? a + elements * size_of(gathered.a.type) : nullptr;
  }
  [[nodiscard]] line line_at(std::size_t first, std::size_t n, const engine::plan& gathered) const noexcept {
    const std::byte* const from = a + first * size_of(gathered.a.type);
    return {from, b == nullptr ? from : b + first * size_of(gathered.b.type), n, nullptr};
  }
};

group_lines::group_lines(const batch& of) : of_(of), gathered_(gathered_plan(of)) {
  constexpr std::size_t least_room = std::size_t{1} << 16;  // of a thread, so that passes are worth their keys
  const std::size_t room = engine::memory_beside(input_bytes(of));
  threads_ = static_cast<int>(std::clamp<std::size_t>(room / least_room, 1, static_cast<std::size_t>(of.threads)));
  room_ = room / static_cast<std::size_t>(threads_);
}

/// The bytes of a buffer for a lot that is gathered at once.
std::size_t group_lines::bytes_of(const lot& some) const {
  return some.count * sizeof(std::size_t) + some.elements * (input_bytes(of_) / of_.keys.n);
}

/// The elements of one group that a buffer of so many bytes holds.
std::size_t group_lines::elements_in(std::size_t bytes) const {
  return (bytes - sizeof(std::size_t)) / (input_bytes(of_) / of_.keys.n);
}

void group_lines::list_open(std::span<const unsigned char> open) {
  const auto count = static_cast<std::size_t>(std::ranges::count(open, 1));
  open_.clear(), order_.clear();
  open_.reserve(count);
  if (count != open.size() && count != 0) order_.resize(open.size(), ~std::size_t{0});
  for (std::size_t group = 0; group < open.size() && open_.size() < count; ++group) {
    if (open[group] == 0) continue;
    if (!order_.empty()) order_[group] = open_.size();
    open_.push_back(group);
  }
}

std::vector<group_lines::lot> group_lines::lots() const {
  std::vector<lot> all;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const std::size_t n = of_.group_sizes[open_[i]];
    const lot one{i, 1, n, n > elements_in(room_)};
    const bool joins =
        !all.empty() && !all.back().in_pieces && !one.in_pieces && bytes_of(all.back()) + bytes_of(one) <= room_;
    if (!joins) {
      all.push_back(one);
      continue;
    }
    ++all.back().count;
    all.back().elements += n;
  }
  return all;
}

void group_lines::reduce(std::size_t column, std::span<const unsigned char> open, result_sink& sink, bool counts) {
  list_open(open);
  if (open_.empty()) return;
  const std::vector<lot> all = lots();
  const line data = of_.column_at(column);
  column_call call{column, of_.each.a, of_.each.b, data.out, sink, counts};
  call.a.data = data.a, call.b.data = data.b;
  const int threads = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads_), all.size()));
  std::size_t bytes = 0;
  for (const lot& each : all) bytes = std::max(bytes, each.in_pieces ? room_ : bytes_of(each));
  std::vector<worker> workers;
  for (int i = 0; i < threads; ++i)
    workers.push_back({std::make_unique_for_overwrite<std::byte[]>(bytes), line_reducer(gathered_)});
  engine::for_shares(all.size(), 1, threads, [&](std::size_t start, std::size_t count, int thread) noexcept {
    worker& by = workers[static_cast<std::size_t>(thread)];
    for (std::size_t i = start; i < start + count && !is_cancelled(of_); ++i) {
      by.lay_out(all[i].count, all[i].in_pieces ? elements_in(room_) : all[i].elements, gathered_);
      if (all[i].in_pieces) {
        reduce_in_pieces(call, all[i], by);
      } else {
        reduce_lot(call, all[i], by);
      }
    }
  });
}

/// Copies the elements of some groups to the places of their groups. Calls before(count) before the next `count`
/// elements, at most those of a slice.
template <class Before>
void group_lines::gather(const column_call& call, const lot& some, worker& by, Before before) const noexcept {
  moves found;
  const std::size_t* const order = order_.empty() ? nullptr : order_.data();
  const std::size_t groups = of_.keys.groups, first_of_lot = some.first, count_of_lot = some.count;
  for (std::size_t first = 0; first < of_.keys.n; first += key_slice) {
    if (first % engine::elements_per_poll == 0 && is_cancelled(of_)) return;
    std::size_t count = 0;  // no branch: whether an element belongs to the lot cannot be predicted
    const auto find = [&](std::size_t i, std::uint64_t index) {
      found.from[count] = static_cast<std::uint32_t>(i);
      found.to[count] = index - first_of_lot;
      count += index - first_of_lot < count_of_lot ? 1 : 0;
    };
    const std::size_t n = std::min(key_slice, of_.keys.n - first);
    if (order == nullptr) {
      engine::for_keys(of_.keys, first, n, find);
    } else {
      engine::for_keys(of_.keys, first, n, [&](std::size_t i, std::uint64_t key) {
        find(i, key < groups ? order[key] : ~std::uint64_t{0});
      });
    }
    if (count == 0 || by.room == 0) continue;
    before(count);
    // keys that were overwritten since they were counted lead to no place outside the buffer
    for (std::size_t i = 0; i < count; ++i) found.to[i] = std::min(by.places[found.to[i]]++, by.room - 1);
    found.count = count;
    copy(call.a, first, found, by.a);
    if (by.b != nullptr) copy(call.b, first, found, by.b);
  }
  by.reducer.forget_elements();
}

void group_lines::reduce_lot(const column_call& call, const lot& some, worker& by) const noexcept {
  std::size_t place = 0;
  for (std::size_t i = 0; i < some.count; ++i) {
    by.places[i] = place;
    place += of_.group_sizes[open_[some.first + i]];
  }
  gather(call, some, by, [](std::size_t) {});
  if (is_cancelled(of_)) return;
  progress progress(of_, call.counts);
  place = 0;
  for (std::size_t i = 0; i < some.count; ++i) {
    const std::size_t group = open_[some.first + i], n = of_.group_sizes[group];
    take_line(call, group, by.line_at(place, n, gathered_), by.reducer);
    place += n;
    if (!progress.goes_on(n)) return;
  }
}

/// One group that does not fit the buffer.
void group_lines::reduce_in_pieces(const column_call& call, const lot& one, worker& by) const noexcept {
  progress progress(of_, call.counts);
  const auto add_piece = [&] {
    by.reducer.forget_elements();
    by.reducer.add(by.line_at(0, by.places[0], gathered_));
    progress.goes_on(by.places[0]);
    by.places[0] = 0;
  };
  const std::size_t most = elements_in(room_);  // more than a slice of keys
  by.places[0] = 0;
  by.reducer.start();
  gather(call, one, by, [&](std::size_t count) {
    if (by.places[0] + count > most) add_piece();
  });
  if (is_cancelled(of_)) return;
  if (by.places[0] != 0) add_piece();
  const std::size_t group = open_[one.first];
  if (of_.states != nullptr)
    return call.sink.take_sums(place_of(call, group), one.elements, by.reducer.sums_of_pieces());
  with_addend_at(of_, place_of(call, group),
                 [&](const addend* more) { take(call, group, by.reducer.finish(one.elements, more)); });
}

void group_lines::take_line(const column_call& call, std::size_t group, const line& x,
                            line_reducer& reducer) const noexcept {
  if (of_.states != nullptr) return call.sink.take_sums(place_of(call, group), x.n, reducer.sums_of(x));
  with_addend_at(of_, place_of(call, group),
                 [&](const addend* more) { take(call, group, reducer.reduce(x, more)); });
}

char* group_lines::place_of(const column_call& call, std::size_t group) const noexcept {
  return of_.place_of(call.out, group);
}

void group_lines::take(const column_call& call, std::size_t group, const core::outcome& found) const noexcept {
  call.sink.take(call.column * of_.keys.groups + group, place_of(call, group), found);
}

}  // namespace exactdot::inline v0_3::cpu_engine
