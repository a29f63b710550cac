// mbarriers and asynchronous copies, on a GPU and on the simulator.
//
// In exactdot::gpu, with the names of PTX. mbarriers need compute capability 8.0; transaction counts, bulk copies
// and their fences 9.0. Semantics: PTX ISA, "mbarrier", "cp.async", "cp.async.bulk".
//
//   mbarrier_init(bar, count), mbarrier_inval(bar)
//   fence_mbarrier_init()             makes initialisations visible to the cluster and to bulk copies
//   mbarrier_arrive(bar), mbarrier_arrive_expect_tx(bar, bytes)   return the state of the phase
//   mbarrier_expect_tx(bar, bytes), mbarrier_arrive_remote(mapped bar)
//   mbarrier_test_wait(bar, state), mbarrier_try_wait(bar, state): true if that phase is complete
//   mbarrier_test_wait_parity(bar, parity), mbarrier_try_wait_parity(bar, parity)
//   cp_async<4, 8 or 16>(shared, global), cp_async_commit_group(), cp_async_wait_group<n>(), cp_async_wait_all()
//   cp_async_mbarrier_arrive_noinc(bar)    arrives when the thread's earlier cp_async copies are complete
//   cp_async_bulk(shared, global, bytes, bar)             bytes and addresses: multiples of 16
//   cp_async_bulk_remote(mapped, shared, bytes, mapped bar)   to the shared memory of another block of the cluster
//   cp_async_bulk(global, shared, bytes), cp_async_bulk_commit_group(), cp_async_bulk_wait_group<n>(),
//   cp_async_bulk_wait_group_read<n>()
//   fence_proxy_async()               orders earlier plain accesses before later bulk copies
#pragma once

#include <cstdint>
#include <exactdot/simt/cuda.hpp>

#if defined(__CUDACC__) && !defined(__SIMTCC__)
#include <exactdot/simt/async_on_gpu.hpp>
#else
#include <exactdot/simt/async_on_cpu.hpp>
#endif
