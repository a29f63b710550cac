// Groups whose elements lie anywhere, gathered: a pass over the keys copies the elements of some groups, group by
// group, to a buffer, whose lines the reducer of lines computes. For what level 1 leaves open, or does not serve.
//
// Each thread takes other groups, in order, as many at a time as fit its share of max(1 MiB, 1/16 of the input):
// their elements and, for each, where the next one goes; so the keys are read up to about 16 times the number of
// threads. A group that exceeds a share is gathered in pieces. Memory: that, and 8 bytes a group, 16 unless all
// groups are open. Cost: about 1 ns for each key that is read, and that of the lines.
#pragma once

#include <cpu/batch_parts.hpp>
#include <cpu/line_reducer.hpp>

namespace exactdot::inline v0_3::cpu_engine {

class group_lines {
 public:
  explicit group_lines(const batch& of);

  /// Gives the results of the open groups of a column, none of which is empty, to the sink. counts: whether their
  /// elements are progress.
  void reduce(std::size_t column, std::span<const unsigned char> open, result_sink& sink, bool counts);

 private:
  /// Consecutive open groups that are gathered together.
  struct lot {
    std::size_t first, count;  ///< indices among the open groups
    std::size_t elements;
    bool in_pieces = false;  ///< one group, which does not fit
  };
  struct column_call;
  struct worker;

  void list_open(std::span<const unsigned char> open);
  [[nodiscard]] std::vector<lot> lots() const;
  [[nodiscard]] std::size_t bytes_of(const lot& some) const;
  [[nodiscard]] std::size_t elements_in(std::size_t bytes) const;
  void reduce_lot(const column_call& call, const lot& some, worker& by) const noexcept;
  void reduce_in_pieces(const column_call& call, const lot& one, worker& by) const noexcept;
  template <class Before>
  void gather(const column_call& call, const lot& some, worker& by, Before before) const noexcept;
  void take(const column_call& call, std::size_t group, const core::outcome& found) const noexcept;
  void take_line(const column_call& call, std::size_t group, const line& x, line_reducer& reducer) const noexcept;
  [[nodiscard]] char* place_of(const column_call& call, std::size_t group) const noexcept;

  const batch& of_;
  engine::plan gathered_;  ///< of elements in a buffer
  int threads_;
  std::size_t room_;               ///< bytes of a thread's buffer
  std::vector<std::size_t> open_;  ///< groups
  /// Of each group the index in open_, or none; empty if all groups are open.
  std::vector<std::size_t> order_;
};

}  // namespace exactdot::inline v0_3::cpu_engine
