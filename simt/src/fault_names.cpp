// The names of the kinds of faults. Without other code of the simulator, for programs that do not link it.
#include <exactdot/simt/simulator.hpp>

namespace exactdot::simt {

const char* name_of(fault_kind kind) {
  switch (kind) {
    case fault_kind::data_race:
      return "data_race";
    case fault_kind::barrier_divergence:
      return "barrier_divergence";
    case fault_kind::missing_lanes:
      return "missing_lanes";
    case fault_kind::invalid_width:
      return "invalid_width";
    case fault_kind::livelock:
      return "livelock";
    case fault_kind::deadlock:
      return "deadlock";
    case fault_kind::out_of_bounds:
      return "out_of_bounds";
    case fault_kind::uninitialised_shared:
      return "uninitialised_shared";
    case fault_kind::uninitialised_global:
      return "uninitialised_global";
    case fault_kind::misaligned:
      return "misaligned";
    case fault_kind::constant_write:
      return "constant_write";
    case fault_kind::trap:
      return "trap";
    case fault_kind::absent_block:
      return "absent_block";
    case fault_kind::mbarrier_uninitialised:
      return "mbarrier_uninitialised";
    case fault_kind::mbarrier_reinitialised:
      return "mbarrier_reinitialised";
    case fault_kind::mbarrier_overflow:
      return "mbarrier_overflow";
    case fault_kind::mbarrier_bytes:
      return "mbarrier_bytes";
    case fault_kind::mbarrier_phase:
      return "mbarrier_phase";
    case fault_kind::missing_proxy_fence:
      return "missing_proxy_fence";
    case fault_kind::host_access:
      return "host_access";
    case fault_kind::refused_launch:
      return "refused_launch";
    case fault_kind::missing_synchronisation:
      return "missing_synchronisation";
    case fault_kind::second_free:
      return "second_free";
    case fault_kind::unread_shared:
      return "unread_shared";
    case fault_kind::unread_global:
      return "unread_global";
    case fault_kind::failed_call:
      return "failed_call";
    case fault_kind::order_dependent:
      return "order_dependent";
  }
  return "unknown";
}

bool is_note(fault_kind kind) { return kind >= fault_kind::unread_shared; }

}  // namespace exactdot::simt
