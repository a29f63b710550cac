// What counts as unread, and the conditions that keep correct programs without notes (unread.hpp).
//
// Most conditions are of order: data that a kernel takes as its own data tells it to (a table, a tree, a graph) has
// no unread end after words that consecutive threads read. Where such data are in order too, as the vector of a
// sparse product, the thread that reads the last word has read its index or address just before.
#include "unread.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "machine.hpp"
#include "program_variables.hpp"
#include "symbols.hpp"
#include "unread_marks.hpp"

namespace exactdot::simt {
namespace {

/// The words of a region that something has written, if the last of them are unread and all others are read.
struct unread_end {
  std::uintptr_t last_read = 0, first = 0;
  std::size_t read = 0, unread = 0;
  bool by_kernels = true, by_host = true;  // all unread words were written so
};

std::optional<unread_end> find_unread_end(const region& range) {
  unread_end found;
  const std::uintptr_t end = range.start + range.size;
  for (std::uintptr_t at = range.start / 4 * 4; at < end; at += 4) {
    const std::uintptr_t first = std::max(at, range.start);
    if (!range.is_partly_written(first, std::min(at + 4, end) - first)) continue;
    if (range.was_read(first)) {
      if (found.unread != 0) return std::nullopt;
      found.last_read = first, ++found.read;
      continue;
    }
    if (found.read == 0) return std::nullopt;
    if (found.unread++ == 0) found.first = first;
    (range.was_written_by_kernel(first) ? found.by_host : found.by_kernels) = false;
  }
  return found.unread == 0 ? std::nullopt : std::optional(found);
}

std::uint32_t threads_of(const launch_shape& shape) { return shape.block.x * shape.block.y * shape.block.z; }

/// If the words before an address were read by consecutive threads, so by a loop or a grid over indices, not as
/// data tells: returns how many words the last of these threads read in sequence; else 0.
std::size_t words_of_reader(const region& range, std::uintptr_t last_read, const launch_shape& shape) {
  constexpr int max_words = 64, max_step = 2;
  const shadow_cell* later = range.find_cell(last_read);
  const std::uint32_t launch = later->launch, last_reader = later->read[0].thread;
  std::size_t in_sequence = 1;
  bool by_several = false;
  for (int i = 1; i < max_words && last_read - range.start >= 4U * static_cast<unsigned>(i); ++i) {
    const shadow_cell* const cell = range.find_cell(last_read - 4U * static_cast<unsigned>(i));
    if (cell == nullptr || cell->launch != launch || cell->read[0].thread == 0) return 0;
    const std::int64_t step = std::int64_t{later->read[0].thread} - cell->read[0].thread;
    const bool begins_again = (later->read[0].thread - 1) % threads_of(shape) == 0;
    if (std::abs(step) > max_step && !begins_again) return 0;
    by_several |= cell->read[0].thread != last_reader;
    if (!by_several) ++in_sequence;
    later = cell;
  }
  return by_several ? in_sequence : 0;
}

index3 index_in(uint3 size, std::uint32_t number) {
  return {number % size.x, number / size.x % size.y, number / size.x / size.y};
}

fault_site site_in(const launch_shape& shape, const access_record& access, const char* action) {
  const source_line line = find_line(access.caller());
  return {index_in(shape.grid, (access.thread - 1) / threads_of(shape)),
          index_in(shape.block, (access.thread - 1) % threads_of(shape)), action, line.file, line.line};
}

/// Adds a note; one at the same lines is counted.
void add_note(detail::stream_state& state, const fault& note) {
  for (fault& known : state.notes) {
    const bool same = known.kind == note.kind && known.site.line == note.site.line &&
                      known.site.file == note.site.file && known.site.action == note.site.action &&
                      known.other_site.line == note.other_site.line &&
                      known.other_site.file == note.other_site.file;
    if (same) {
      ++known.times;
      return;
    }
  }
  state.notes.push_back(note);
}

std::string words(std::size_t count) { return std::to_string(count) + (count == 1 ? " word" : " words"); }

}  // namespace

fault_site site_of_kernel(std::uint32_t launch, const access_record& access, const char* action) {
  return site_in(device_memory::instance().shape_of(launch), access, action);
}

void note_unread_words(detail::stream_state& state, const region& buffer) {
  if (state.incomplete || buffer.shared || buffer.used_by_host || !buffer.records_reads()) return;
  const std::optional<unread_end> end = find_unread_end(buffer);
  if (!end || buffer.highest_is_gathered()) return;
  const auto& memory = device_memory::instance();
  const shadow_cell* const last = buffer.find_cell(end->last_read);
  const shadow_cell* const written = buffer.find_cell(end->first);
  if (last == nullptr || last->launch == 0 || last->read[0].thread == 0) return;  // by the host, or forgotten
  const launch_shape& shape = memory.shape_of(last->launch);
  fault note;
  note.kind = fault_kind::unread_global;
  note.space = "global";
  note.variable =
      "buffer of " + std::to_string(buffer.size) + " bytes + " + std::to_string(end->first - buffer.start);
  if (end->by_kernels) {
    // a reader of the same launch may have come before the writers
    if (written == nullptr || written->write.thread == 0 || last->launch <= written->launch) return;
    note.site = site_in(memory.shape_of(written->launch), written->write, "write");
    note.other_site = site_in(shape, last->read[0], "last read");
  } else {
    // fewer elements than a block reads at once: otherwise it is a kernel of a part of the buffer
    const std::size_t blocks = std::size_t{shape.grid.x} * shape.grid.y * shape.grid.z;
    const std::size_t of_block = words_of_reader(buffer, end->last_read, shape) * threads_of(shape);
    const std::size_t max_unread = std::max<std::size_t>(4, std::min(of_block, end->read / blocks));
    if (last->read[0].asynchronous) return;  // a pipeline takes whole stages
    if (!end->by_host || of_block == 0 || end->unread >= max_unread) return;
    note.site = site_in(shape, last->read[0], "last read");
  }
  note.cause = "nothing reads the " + words(end->unread) + " from here to the end, of " +
               words(end->read + end->unread) + " that " + (end->by_kernels ? "kernels wrote" : "the host copied");
  note.fix = "if they count, a loop or a grid that covers all of them";
  add_note(state, note);
}

/// Of the current thread's last accesses, whether one found this place: its index, its offset in bytes or its
/// address.
void machine::note_highest_read(region& range, std::uintptr_t address, std::size_t size) const {
  const std::uint64_t offset = address - range.start, index = offset / size;
  const auto names_place = [=, this](const recent_accesses::access& earlier) {
    if (earlier.address == address) return false;  // this access
    const bool is_data = device_memory::instance().holds(earlier.address) || module_.is_shared(earlier.address) ||
                         is_device_variable(earlier.address);
    if (!is_data) return false;  // threadIdx, which Clang reads as other variables
    const std::uint64_t low = earlier.content & 0xffffffffU, high = earlier.content >> 32;
    const auto is_place = [=](std::uint64_t value) {
      return value == index || value == offset || value == address;
    };
    return is_place(earlier.content) || is_place(low) || (high != 0 && is_place(high));
  };
  const auto& [list, count] = std::pair(current_->recent.list, current_->recent.size);
  range.note_highest_read(address, offset != 0 && std::any_of(list.begin(), list.begin() + count, names_place));
}

/// At the end of a block: its shared words that nothing has read since they were written.
void machine::note_unread_shared(const block& finished) {
  finished.shared.for_each([&](const region& range) { note_unread_shared(finished, range); });
  const region* const dynamic =
      device_memory::instance().find(reinterpret_cast<std::uintptr_t>(finished.dynamic_shared));
  if (dynamic != nullptr) note_unread_shared(finished, *dynamic);
  for (auto& [caller, line] : shared_lines_) {
    if (std::exchange(line.is_written, false)) ++line.blocks;
    if (std::exchange(line.is_unread, false)) ++line.with_unread;
  }
}

/// At the end of a launch. A line of which some blocks lose nothing pads the tile of the others.
void machine::publish_shared_notes() {
  for (auto& [caller, line] : shared_lines_) {
    if (!line.note || line.with_unread < line.blocks) continue;
    line.note->times = line.with_unread;
    add_note(stream_, *line.note);
  }
}

/// A result is lost if its thread does nothing after it that others see, and if it is the only one that holds what
/// went into it: either nobody has read anything of that thread, or the thread alone has read some word since its
/// write before. So the unread results of lanes that compute what others compute too are none. As many words that
/// the same line wrote must have been read.
void machine::note_unread_shared(const block& finished, const region& range) {
  struct lost_words {
    const shadow_cell* first = nullptr;
    std::uintptr_t address = 0;
    std::size_t count = 0;
    std::size_t read = 0;  // words of the same line whose last write was read
  };
  std::map<const void*, lost_words> lines;                     // by the write's caller
  std::vector<std::uint64_t> reads_alone(threads_per_block_);  // moment of the first one since the write before
  const auto index_of = [&](const access_record& access) { return (access.thread - 1) % threads_per_block_; };
  const auto for_each_cell = [&](auto action) {
    for (std::uintptr_t at = (range.start + 3) / 4 * 4; at < range.start + range.size; at += 4) {
      const shadow_cell* const cell = range.find_cell(at);
      if (cell != nullptr && cell->launch == device_memory::instance().launch()) action(at, *cell);
    }
  };
  for_each_cell([&](std::uintptr_t, const shadow_cell& cell) {
    const access_record& read = cell.read[0];
    if (read.thread == 0) return;
    if (cell.write.thread != 0)
      ++lines[cell.write.caller()].read, shared_lines_[cell.write.caller()].is_written = true;
    if (cell.read[1].thread != 0 || read.after_others) return;
    const std::uint64_t moment = moment_of(read.generation, read.time);
    std::uint64_t& first = reads_alone[index_of(read)];
    if (moment > finished.threads[index_of(read)].shared_writes[0] && (first == 0 || moment < first))
      first = moment;
  });
  for_each_cell([&](std::uintptr_t at, const shadow_cell& cell) {
    const access_record& write = cell.write;
    if (write.thread == 0 || cell.read[0].thread != 0 || cell.read[1].thread != 0) return;
    if (write.atomic || write.is_volatile || write.asynchronous) return;
    const thread& writer = finished.threads[index_of(write)];
    const std::uint64_t alone = reads_alone[index_of(write)];
    if (writer.seen_at >= moment_of(write.generation, write.time)) return;
    if (finished.was_read[index_of(write)] != 0 && (alone == 0 || alone > moment_of(write.generation, write.time)))
      return;
    lost_words& words_of_line = lines[write.caller()];
    if (words_of_line.count++ == 0) words_of_line.first = &cell, words_of_line.address = at;
  });
  bool found = false;
  for (const auto& [caller, lost] : lines) {
    if (lost.count == 0 || lost.count > lost.read) continue;
    found = true;
    add_shared_note(
        lost.address, lost.first->write,
        "no thread reads the result, in " + words(lost.count) + ", and nothing else has what went into it");
  }
  const std::optional<unread_end> end = found ? std::nullopt : find_unread_end(range);
  if (!end) return;
  const shadow_cell *const last = range.find_cell(end->last_read), *const first = range.find_cell(end->first);
  if (last == nullptr || first == nullptr || first->write.thread == 0 || first->write.is_volatile ||
      first->write.asynchronous || last->write.site != first->write.site)
    return;
  add_shared_note(
      end->first, first->write,
      "no thread reads the " + words(end->unread) + " from here on, of " + words(end->read + end->unread));
}

void machine::add_shared_note(std::uintptr_t address, const access_record& write, const std::string& cause) {
  fault note;
  note.kind = fault_kind::unread_shared;
  note.space = "shared";
  note.variable = name_of_address(address);
  note.site = site_of(write.thread - 1, "write", write.caller());
  note.cause = cause;
  note.fix = "if they count, a step that reads them";
  shared_line& line = shared_lines_[write.caller()];
  line.is_written = line.is_unread = true;
  if (!line.note) line.note = note;
}

}  // namespace exactdot::simt
