// Launches of the search for an extreme element, packed or of any layout, on elements that lie where a test wants
// them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <cuda/shape/extremum_vector.cuh>
#include <optional>
#include <string>
#include <vector>

#include "backend.cuh"
#include "extremum_data.hpp"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

struct grid {
  unsigned blocks;
  int threads;
};

/// Memory of the device for launches that follow each other.
class extremum_launcher {
 public:
  explicit extremum_launcher(unsigned seed = 1) : state_(stream_, 1), result_(stream_, 1) {
    choose_schedule(stream_, seed);
    state_.fill_zero();
  }
  ~extremum_launcher() {
    for (const std::string& finding : gpu::findings(stream_)) ADD_FAILURE() << finding;
  }
  extremum_launcher(const extremum_launcher&) = delete;
  extremum_launcher& operator=(const extremum_launcher&) = delete;

  /// Copies elements to `skew` elements after an aligned address, between bytes of ones.
  void place(const data& x, std::size_t skew) {
    const std::size_t bytes = size_of(x.type);
    std::vector<unsigned char> all((x.bits.size() + skew) * bytes + 32, 0xff);
    for (std::size_t i = 0; i < x.bits.size(); ++i) std::memcpy(&all[(i + skew) * bytes], &x.bits[i], bytes);
    memory_.emplace(stream_, all.size());
    memory_->copy_from(all.data(), all.size());
    placed_ = {memory_->data() + skew * bytes, x.bits.size(), x.type};
  }

  /// Of the elements placed last.
  template <int in_flight = 2>
  std::uint64_t packed(reduction what, grid on) {
    switch (size_of(placed_.type)) {
      case 1:
        return packed_of<1, in_flight>(what, on);
      case 2:
        return packed_of<2, in_flight>(what, on);
      case 4:
        return packed_of<4, in_flight>(what, on);
      default:
        return packed_of<8, in_flight>(what, on);
    }
  }
  std::uint64_t any(reduction what, grid on) {
    const any_operand x{static_cast<const char*>(placed_.data), placed_.stride, placed_.type, placed_.swapped};
    return launch<extremum_kernel>(what, on, x, placed_.n, rank_rule_of(placed_.type, is_greatest(what)),
                                   gives_index(what));
  }

  void set_launches(wide_unsigned launches) {
    static extremum_state old{};
    old.tickets = launches << blocks_bits;
    state_.copy_from(&old, 1);
  }
  [[nodiscard]] const extremum_state& state() {
    static extremum_state copy{};
    state_.copy_to(&copy, 1);
    return copy;
  }
  [[nodiscard]] gpu::stream& stream() { return stream_; }
  [[nodiscard]] extremum_state* state_on_device() { return state_.data(); }

 private:
  template <int bytes, int in_flight>
  std::uint64_t packed_of(reduction what, grid on) {
    using element = typename exactdot::detail::unsigned_of<bytes>::type;
    const packed_input<bytes> in(static_cast<const element*>(placed_.data), placed_.n);
    const rank_rule rule = rank_rule_of(placed_.type, is_greatest(what));
    if (gives_index(what))
      return launch<packed_extremum_kernel<bytes, true, in_flight, small_extremum_threads>>(what, on, in, rule);
    return launch<packed_extremum_kernel<bytes, false, in_flight, small_extremum_threads>>(what, on, in, rule);
  }
  template <auto kernel, class... Arguments>
  std::uint64_t launch(reduction what, grid on, const Arguments&... arguments) {
    result_.fill_zero();
    destination to;
    to.value = result_.data();
    to.rule = {core::finish::round, core::format_of(gives_index(what) ? element_type::uint64 : placed_.type)};
    gpu::launch(kernel, on.blocks, on.threads, 0, stream_, arguments..., state_.data(), to);
    std::uint64_t found = 0;
    result_.copy_to(&found, 1);
    return found;
  }

  gpu::stream stream_;
  gpu::buffer<extremum_state> state_;
  gpu::buffer<std::uint64_t> result_;
  std::optional<gpu::buffer<unsigned char>> memory_;
  any_vector placed_;
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
