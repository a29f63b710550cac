"""The table of printed listings in docs/lab.md: what stands in a text, why it is wrong, and the hazard that shows it.

A source is named only where its listing can be looked up; OFTEN stands for lines that many texts print alike. Each hazard that
is a mistake has a row.
"""
import lab.sources
from lab.rungs import fail
from shared.documents import table

OFTEN = "often"
HARRIS = "M. Harris, *Optimizing Parallel Reduction in CUDA* (NVIDIA, 2007), Reduction "
EXAMPLE = "J. Sanders, E. Kandrot, *CUDA by Example* (2010), "

# lines to look for; why they are wrong; hazards and rungs; where they are printed
ROWS = (
    ("`*sum += x[i];` by every thread", "a load, an addition and a store: updates are lost", ("race_condition", "racy"), OFTEN),
    ("`if (threadIdx.x == 0) *sum += cache[0];`", "one thread of a block is alone in its block only: the blocks race",
     ("block_counter",), OFTEN),
    ("`cudaMalloc(&sum, …)`, `atomicAdd(sum, …)`, nothing between", "atomics add to what lay in memory",
     ("uninitialised_accumulator",), OFTEN),
    ("`for (s = blockDim.x / 2; s > 0; s >>= 1) if (tid < s) cache[tid] += cache[tid + s];`",
     "no barrier between the steps", ("missing_barrier",), OFTEN),
    ("`if (cacheIndex < i) { cache[cacheIndex] += cache[cacheIndex + i]; __syncthreads(); }`",
     "the other threads of the block never reach the barrier", ("barrier_in_branch",),
     EXAMPLE + "ch. 5, “Dot Product Optimized (Incorrectly)”: as a mistake"),
    ("`if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];`", "right, but every warp stays busy with few lanes",
     ("interleaved",), HARRIS + "#1: as a start"),
    ("`int index = 2 * s * tid; if (index < blockDim.x) sdata[index] += sdata[index + s];`",
     "right, but lanes meet in one bank", ("bank_conflicts",), HARRIS + "#2: as a step"),
    ("`if (tid < 32) { sdata[tid] += sdata[tid + 32]; sdata[tid] += sdata[tid + 16]; … }` on `volatile` data",
     "right in lock step; since Volta the lanes of a warp need `__syncwarp()` between reads and writes",
     ("shared_race_in_tail_unroll",), HARRIS + "#5; N. Wilt, *The CUDA Handbook* (2013), the chapter on reduction"),
    ("`for (s = blockDim.x / 2; s > 32; s >>= 1) …`, then shuffles of `sdata[tid]`",
     "64 sums are left for 32 lanes: `sdata[tid + 32]` is never added", ("lost_half",), OFTEN),
    ("`__shfl_down_sync(0xffffffff, …)` in `if (tid < 16)`", "the mask names lanes that do not make the call",
     ("partial_mask_shuffle",), OFTEN),
    ("a second launch `<<<1, 256>>>` with one load `partials[threadIdx.x]`", "more blocks than 256 leave sums that no one reads",
     ("too_many_partials",), OFTEN),
    ("`dim3 numBlocks(N / threadsPerBlock.x, N / threadsPerBlock.y);`",
     "rounds down: the last elements have no thread unless the block divides N", ("rounded_down_grid",),
     "*CUDA C++ Programming Guide*, “Thread Hierarchy”"),
    ("`for (i = idx; i < N / 2; i += blockDim.x * gridDim.x) …; if (idx == N / 2 && N % 2 == 1) …`",
     "a grid of N / 2 threads or fewer has no thread N / 2: the last element is lost, for N = 257 on one block of 128",
     ("lost_tail",), "NVIDIA Technical Blog, “CUDA Pro Tip: Increase Performance with Vectorized Memory Access” (2013)"),
    ("`for (i = idx; i < n / 4; …) sum += packs[i]…;`, nothing after it", "the last n mod 4 elements are lost", ("lost_tail",),
     OFTEN),
    ("`reinterpret_cast<const float4*>(x)` of any pointer", "x need not be a multiple of 16 bytes", ("misaligned_pack",), OFTEN),
    ("`while (atomicCAS(mutex, 0, 1) != 0);` … `atomicExch(mutex, 0);` without fences",
     "orders the mutex and nothing else: stale data were measured (J. Alglave et al., *GPU Concurrency: Weak Behaviours and "
     "Programming Assumptions*, 2015)", ("lock",), EXAMPLE + "appendix A"),
    ("`struct Lock { int* mutex; … ~Lock() { cudaFree(mutex); } };`, passed to a kernel by value",
     "the host destroys its copy while the kernel runs", ("copied_lock",), EXAMPLE + "appendix A"),
    ("`lock.lock(); … lock.unlock();` by every thread", "in lock step the lanes that wait keep the holder from going on",
     ("block_counter_warp",), OFTEN),
    ("`while (flag = 0);`", "assigns, and never waits", ("assignment_in_condition",), OFTEN),
    ("`__shared__ float cache[256];`, launched with any block", "more threads than places", ("shared_memory_overflow",), OFTEN),
    ("`for (i = tid * per_thread; i < (tid + 1) * per_thread; ++i) sum += x[i];`",
     "right, but the 32 loads of a warp lie in 32 places", ("uncoalesced", "thread_a_row"), OFTEN),
    ("two clocks around `kernel<<<…>>>(…);`", "a launch returns before the kernel has run", ("timed_wrong",), OFTEN),
)


def link(name, text):
    """The link to the section of a rung or hazard in the document."""
    heading = next((line[4:] for line in text.splitlines()
                    if line.startswith("### ") and line[4:].split()[-1] == name), None)
    if heading is None:
        fail(f"scripts/lab/listings.py names {name}, which has no section in docs/lab.md")
    return f"[{name}](#{heading.replace(' ', '-')})"


def listings(text):
    """The table; `text` is the document. Exits with an error if a hazard that is a mistake has no row."""
    named = {name for _, _, names, _ in ROWS for name in names}
    missing = lab.sources.hazard_names() - set(lab.sources.ILLUSTRATIONS) - named
    if missing:
        fail(f"scripts/lab/listings.py has no row for the hazards {sorted(missing)}")
    rows = [[code.replace("|", "\\|"), because, ", ".join(link(name, text) for name in names), where]
            for code, because, names, where in ROWS]
    return table(["printed listing", "wrong because", "hazard, rung", "printed in"], rows)
