#include "questions.hpp"

#include <utility>

namespace exactdot::simtcc::exercises {

std::string_view question_of(simt::fault_kind kind) {
  using enum simt::fault_kind;
  switch (kind) {
    case data_race:
      return "which threads use this word at the same time, and what should order them: an atomic function, a "
             "barrier, a fence with a flag, or a place of its own for each?";
    case barrier_divergence:
      return "which threads of the block do not come to this barrier, and why?";
    case missing_lanes:
      return "which lanes of the warp come here, and which does the mask name?";
    case invalid_width:
      return "into how many groups of lanes should the shuffle divide the warp, and how many lanes has each?";
    case livelock:
      return "what must change so that this loop ends, which thread changes it, and can that thread go on?";
    case deadlock:
      return "which threads wait here, and for whom?";
    case out_of_bounds:
      return "which index has the last thread that comes here, and how many elements are there?";
    case uninitialised_shared:
      return "which thread should have written this word, and has every word that is read a writer?";
    case uninitialised_global:
      return "who gives this memory its first value?";
    case misaligned:
      return "is this address a multiple of the size of what is read?";
    case constant_write:
      return "who may write a __constant__ variable, and when, if kernels only read it?";
    case trap:
      return "which index or pointer does this thread have here?";
    case absent_block:
      return "which barrier of the cluster says that the other block has begun, and which that it is still there?";
    case mbarrier_uninitialised:
      return "which thread initialises this barrier, and what tells the others that it has?";
    case mbarrier_reinitialised:
      return "how many threads initialise this barrier, and how often?";
    case mbarrier_overflow:
      return "how many arrivals has a phase of this barrier, and how many threads arrive in it?";
    case mbarrier_bytes:
      return "how many bytes do the copies of this phase bring, and how many does the barrier expect?";
    case mbarrier_phase:
      return "which phase does this thread wait for, and which phase is the barrier in?";
    case missing_proxy_fence:
      return "what makes the bulk copy see what threads wrote by plain stores?";
    case host_access:
      return "is this an address of the host's memory or of the device's?";
    case refused_launch:
      return "are there at least one block and one thread, and at most 1024 threads a block?";
    case missing_synchronisation:
      return "which call makes the host, or the copy, wait until the kernel has ended?";
    case second_free:
      return "who owns this memory, and which of the two releases it?";
    case unread_shared:
    case unread_global:
      return "who should read this data, and does the range of the loop reach it?";
    case failed_call:
      return "which error does this call return, and who looks at it?";
    case order_dependent:
      return "in which order are these numbers added, and what would make the order the same every time?";
  }
  return "";
}

std::string_view question_of(std::string_view finding) {
  const std::string_view name = finding.substr(0, finding.find_first_of(" :"));
  for (int kind = 0; kind <= static_cast<int>(simt::last_fault_kind); ++kind) {
    if (name == simt::name_of(static_cast<simt::fault_kind>(kind)))
      return question_of(static_cast<simt::fault_kind>(kind));
  }
  return "";
}

std::string_view question_of_error(std::string_view error) {
  constexpr std::pair<std::string_view, std::string_view> questions[] = {
      {"invalid argument",
       "which memory does each pointer name, the host's or the device's, has each so many bytes, and does the direction "
       "fit?"},
      {"invalid copy direction for memcpy", "from which memory to which does this copy go?"},
      {"invalid configuration argument",
       "are there at least one block and one thread, and at most 1024 threads a block?"},
      {"out of memory", "how many bytes does this call ask for?"}};
  for (const auto& [name, question] : questions) {
    if (error == name) return question;
  }
  return "";
}

}  // namespace exactdot::simtcc::exercises
