// The words of causes and fixes.
#include "explanations.hpp"

namespace exactdot::simt {
namespace {

const char* cause_of(race_relation relation) {
  switch (relation) {
    case race_relation::lanes:
      return "nothing orders the lanes of a warp between the two";
    case race_relation::threads:
      return "no barrier between the two";
    case race_relation::blocks:
      return "nothing orders blocks of one launch between the two";
    case race_relation::running_copy:
      return "no wait for the copy between the two";
    case race_relation::early_copy:
      return "the copy is not ordered after it";
    case race_relation::narrow_scope:
      return "a _block function is atomic within its block only";
    case race_relation::one_atomic:
      return "only one of the two is atomic";
    case race_relation::missing_acquire:
      return "no __threadfence() after the read of the flag";
  }
  return "";
}

const char* fix_of(race_relation relation) {
  switch (relation) {
    case race_relation::lanes:
      return "__syncwarp() between the two";
    case race_relation::threads:
      return "__syncthreads() between the two";
    case race_relation::blocks:
      return "two launches, or a flag with __threadfence() before its write and after its read";
    case race_relation::running_copy:
      return "a wait for the copy, then __syncthreads() for other threads";
    case race_relation::early_copy:
      return "__syncthreads() before the copy";
    case race_relation::narrow_scope:
      return "the function without _block";
    case race_relation::one_atomic:
      return "an atomic function on both sides, or an order such as a barrier's";
    case race_relation::missing_acquire:
      return "__threadfence() between the read of the flag and this access";
  }
  return "";
}

}  // namespace

void explain_race(fault& found, const race_facts& facts) {
  const bool threads = facts.relation <= race_relation::blocks;
  found.cause = facts.both_volatile ? "volatile does not order, and " : "";
  found.cause += cause_of(facts.relation);
  found.fix = fix_of(facts.relation);
  if (facts.in_lock) {
    found.cause = "both are under a lock, which without fences orders nothing";
    found.fix = "__threadfence() after acquiring the lock and before releasing it";
    return;
  }
  if (facts.is_guess && facts.relation == race_relation::one_atomic) {
    found.cause = "a read that is not atomic, of a word that atomicCAS changes";
    found.fix = "a first read that is volatile or atomic; atomicCAS checks its value";
    return;
  }
  if (facts.after_fence && (threads || facts.relation == race_relation::one_atomic)) {
    found.cause += ", and a fence waits for no other thread";
    if (facts.relation == race_relation::one_atomic)
      found.fix =
          "a wait for the other side: a barrier, or two launches, or a counter of blocks whose last one reads";
  }
  if (threads && facts.is_overwrite) found.fix = "an element of its own for each thread, or one thread that writes";
  if (threads && facts.is_update) found.fix = "an atomic function such as atomicAdd";
}

const char* fix_of(fault_kind kind) {
  switch (kind) {
    case fault_kind::barrier_divergence:
      return "a barrier outside of the branch, where every thread of the block passes";
    case fault_kind::missing_lanes:
      return "a mask that names the lanes that call it, and source lanes in that mask";
    case fault_kind::invalid_width:
      return "a width of 1, 2, 4, 8, 16 or 32";
    case fault_kind::uninitialised_shared:
      return "a write, then __syncthreads(), before the read";
    case fault_kind::uninitialised_global:
      return "a write before the read, such as cudaMemset";
    case fault_kind::misaligned:
      return "an address that is a multiple of the type's alignment";
    case fault_kind::absent_block:
      return "a barrier of the cluster before the first and after the last access to another block";
    case fault_kind::mbarrier_uninitialised:
      return "an initialisation by one thread and its fence, then __syncthreads()";
    case fault_kind::mbarrier_reinitialised:
      return "one initialisation only, or mbarrier.inval before the second";
    case fault_kind::mbarrier_bytes:
      return "an expectation of the sum of the copies' bytes";
    case fault_kind::missing_proxy_fence:
      return "fence.proxy.async by the writing threads, before the barrier";
    case fault_kind::constant_write:
      return "a __device__ variable, or cudaMemcpyToSymbol by the host";
    case fault_kind::missing_synchronisation:
      return "cudaDeviceSynchronize(), or of streams cudaStreamSynchronize() or an event, between the two";
    case fault_kind::second_free:
      return "one release, or a pointer that becomes null with it";
    case fault_kind::host_access:
      return "cudaMemcpy, or managed memory";
    default:
      return "";
  }
}

}  // namespace exactdot::simt
