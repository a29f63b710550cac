"""The predictions of docs/lab.md: what a lesson asks before its command, and the answer that the command gives.

An answer is a template over the results of the command, so that each question is answered by what the reader runs:
`{racy[distinct_results]}` is a field of a rung; for hazards `{0}`, `{1}`, … are the groups of a pattern that has to match the
recorded outcome, or its table. Words of an answer that follow from figures ("fewer", "all of them") have a condition after the
answer: a function of the rungs' fields, or of the groups as numbers. A lesson without a question, an answer that the results do
not give, and a condition that does not hold are errors.
"""
import re
import types

from lab.rungs import fail
from shared.documents import figure

# rungs that the command of a lesson runs beside its own, to compare with
COMPARED = {"interleaved": ["shared_host_sum"], "optimized": ["two_phase"], "double_accumulator": ["two_phase"],
            "kahan": ["two_phase"], "vectorized": ["shuffle_per_warp"], "warp_a_row": ["thread_a_row"]}

SAME_BITS = "{%s[distinct_results]} in {%s[runs]} runs, and {%s[distinct_over_grids]} on {%s[grids]} grids."


def bits(name):
    return SAME_BITS.replace("%s", name)


RUNGS = {
    "cpu_loop": ("The loop adds the same 1000 products twice: in a float and in a double. By how many ulps of a float is each sum "
                 "off?", "{cpu_loop[ulps]} ulps in a float, {cpu_loop_double[ulps]} in a double."),
    "racy": ("In five runs, how many different results come out?", "{racy[distinct_results]} in {racy[runs]} runs."),
    "atomic_per_element": (
        "How many atomics does n = 1000 take, and at how many addresses?",
        "{atomic_per_element[atomics]} atomics; the longest queue at one address is {atomic_per_element[longest_queue]}, so all "
        "of them are at one.",
        lambda r: r.atomic_per_element.longest_queue == r.atomic_per_element.atomics),
    "lock_per_block": ("Four blocks take the lock once each. How many atomics is that at least?",
                       "Eight, two for each block, and the run took {lock_per_block[atomics]}. A block that finds the lock taken "
                       "tries again, and adds one with each attempt.",
        lambda r: r.lock_per_block.atomics >= 8),
    "products_host_sum": ("The kernel reads two vectors of 1000 floats and writes their products for the host. How many bytes "
                          "does it move?", "{products_host_sum[bytes_moved]}, a third of which the host copies and adds.",
        lambda r: r.products_host_sum.bytes_moved == 3 * 4000),
    "partial_per_thread": ("The grid is 32 blocks of 256 threads, whatever n is. How many bytes does the kernel move for two "
                           "vectors of 1000 floats, the sums for the host included?",
                           "{partial_per_thread[bytes_moved]}: 8000 read, the rest written, four bytes for each of the 8192 "
                           "threads.",
        lambda r: r.partial_per_thread.bytes_moved == 8000 + 4 * 8192),
    "shared_atomic": ("A block has 256 threads. How many steps does its tree have? With one barrier before the tree and one "
                      "after each step, how many barriers are that for four blocks?",
                      "8 steps, and {shared_atomic[barriers]} barriers.",
        lambda r: r.shared_atomic.barriers == 4 * (1 + 8)),
    "shared_host_sum": ("Blocks have 64 threads here, so n = 1000 takes 16 of them. How many barriers are that?",
                        "{shared_host_sum[barriers]}, 7 for each block.",
        lambda r: r.shared_host_sum.barriers == 16 * 7),
    "interleaved": ("The tree has as many steps as that of rung 7. Are more or fewer lanes of a warp active in it, on average?",
                    "Fewer: {interleaved[lanes_per_request]} of 32 lanes, where `shared_host_sum` has "
                    "{shared_host_sum[lanes_per_request]}.",
        lambda r: r.interleaved.lanes_per_request < r.shared_host_sum.lanes_per_request),
    "shared_then_shuffle": ("The tree of rung 6 has nine barriers for each block of 256. How many are left in four blocks, if it "
                            "stops at 64 sums?", "{shared_then_shuffle[barriers]}, three for each block.",
        lambda r: r.shared_then_shuffle.barriers == 4 * 3),
    "shuffle_per_warp": ("n = 1000 takes four blocks of 256 threads. How many warps are that, and so how many atomics?",
                         "{shuffle_per_warp[atomics]} of either.",
        lambda r: r.shuffle_per_warp.atomics == 4 * 256 / 32),
    "shuffle_block": ("How many barriers and how many atomics do four blocks take now?",
                      "{shuffle_block[barriers]} barriers and {shuffle_block[atomics]} atomics: one of each for a block.",
        lambda r: r.shuffle_block.barriers == r.shuffle_block.atomics == 4),
    "two_phase": ("How many launches and how many barriers does n = 1000 take, with four blocks?",
                  "{two_phase[launches]} launches and {two_phase[barriers]} barriers: one in each of the four blocks, and one in "
                  "that of the second launch.",
        lambda r: (r.two_phase.launches, r.two_phase.barriers) == (2, 4 + 1)),
    "vectorized": ("A load brings 16 bytes to each of 32 lanes. In how many sectors of 32 bytes do they lie? Are there fewer "
                   "atomics than in `shuffle_per_warp`, on the same grid?",
                   "16 in a full warp, {vectorized[sectors_per_request]} on average; {vectorized[atomics]} atomics, one for each "
                   "warp, as in `shuffle_per_warp`.",
                   lambda r: 8 < r.vectorized.sectors_per_request <= 16 and r.vectorized.atomics == r.shuffle_per_warp.atomics),
    "optimized": ("A thread keeps four sums instead of one. Does the error grow or shrink against `two_phase`?",
                  "It shrinks, from {two_phase[ulps]} to {optimized[ulps]} ulps.",
        lambda r: r.optimized.ulps < r.two_phase.ulps),
    "single_pass": ("How many launches and how many atomics do four blocks take?",
                    "{single_pass[launches]} launch and {single_pass[atomics]} atomics."),
    "double_accumulator": ("The product of two floats has at most 48 bits, a double holds 53. By how many ulps is the result off, "
                           "and by how many that of `two_phase`?",
                           "{double_accumulator[ulps]}, where `two_phase` is off by {two_phase[ulps]}."),
    "kahan": ("Both keep what an addition loses. Are they off by more or by less than half an ulp, at n = 1000? And "
              "`two_phase`?",
              "By less, {kahan[ulps]} and {neumaier[ulps]} ulps; `two_phase` by {two_phase[ulps]}.",
        lambda r: max(r.kahan.ulps, r.neumaier.ulps) < 0.5 < r.two_phase.ulps),
    "cublas": ("Which of the two takes less time at 2^20, and by what factor?",
               "CUB takes {cub[ratio_to_cublas]} of cuBLAS's time."),
    "fast": ("How many different results do four grids give?", "{fast[distinct_over_grids]} result on {fast[grids]} grids.",
        lambda r: r.fast.distinct_over_grids == 1),
    "exact": ("How large can the error be, in ulps, on any data? How many different results do four grids give?",
              "Half an ulp, the one rounding; here {exact[ulps]}. {exact[distinct_over_grids]} result on "
              "{exact[grids]} grids.",
        lambda r: r.exact.ulps <= 0.5 and r.exact.distinct_over_grids == 1),
    "thread_a_row": ("The matrix has four rows, so four lanes of a warp work. In how many sectors of 32 bytes do the floats lie "
                     "that they read at once?",
                     "{thread_a_row[sectors_per_request]}, one for each lane; {thread_a_row[bytes_moved]} bytes are moved for "
                     "16000.",
        lambda r: round(r.thread_a_row.sectors_per_request) == 4),
    "warp_a_row": ("The matrix has 16000 bytes. How many are moved, if a warp reads neighbouring floats? And by `thread_a_row`?",
                   "{warp_a_row[bytes_moved]}, where `thread_a_row` moves {thread_a_row[bytes_moved]}."),
    "block_a_row": ("A block passes one barrier in `combine_block` and one after its result is stored. How many are that for four "
                    "rows?", "{block_a_row[barriers]}."),
    "split_row_atomics": ("The grid has 16 blocks and the matrix 4 rows. How many atomics does a run take, and how many of them at "
                          "one address?", "{split_row_atomics[atomics]}, and {split_row_atomics[longest_queue]} at one address."),
    "split_row_messages": ("How many different results come out in five runs, and how many on four grids?",
                           bits("split_row_messages")),
    "cub_rows": ("How many different results come out in the runs?", "{cub_rows[distinct_results]} in {cub_rows[runs]} runs."),
    "exact_rows": ("By how many ulps is the worst of the rows off? How many different results do four grids give?",
                   "By {exact_rows[ulps]} ulps; {exact_rows[distinct_over_grids]} result on {exact_rows[grids]} grids.",
        lambda r: r.exact_rows.distinct_over_grids == 1),
    "racy_groups": ("1000 elements in 10 groups: how many different results come out in five runs?",
                    "{racy_groups[distinct_results]} in {racy_groups[runs]} runs."),
    "atomic_groups": ("1000 elements, 10 groups. How long is the longest queue at one address, about?",
                      "{atomic_groups[longest_queue]} atomics, those of the largest group."),
    "sorted_groups": ("How many different results come out in five runs, and how many on four grids?", bits("sorted_groups")),
    "private_tables": ("10 groups, 4 blocks. How many atomics are there for 1000 elements, those in shared memory included?",
                       "{private_tables[atomics]}: one for each element in shared memory, and one for each group and block in "
                       "global memory.",
        lambda r: r.private_tables.atomics == 1000 + 10 * 4),
    "fixed_point": ("By how many ulps is the worst group off? How many different results do four grids give?",
                    "By {fixed_point[ulps]} ulps; {fixed_point[distinct_over_grids]} result on {fixed_point[grids]} grids.",
        lambda r: r.fixed_point.distinct_over_grids == 1),
    "cub_groups": ("How many different results come out in the runs?",
                   "{cub_groups[distinct_results]} in {cub_groups[runs]} runs."),
    "exact_groups": ("The atomics come in any order. How many different results come out in five runs, and how many on four grids?",
                     bits("exact_groups")),
}

# question, pattern of the outcome or of its table, answer, and a condition if it has one
HAZARDS = {
    "race_condition": ("Of 1,000,000 increments, how many are left? Is it the same number each run?",
                       r"^(\d+), (\d+) and (\d+)$", "{0}, {1} and {2}: not the same each run.",
                       lambda first, second, third: not first == second == third),
    "race_condition_fixed": ("How many of 1,000,000 are counted?", r"^(1000000)$", "All: {0}."),
    "step_by_step": ("Which values can x have at the end?", r"^(9) and (8)$", "{0} and {1}."),
    "atomics_tour": ("Which of the functions takes a float, and which a double?",
                     r"(?s)^(atomicAdd) .* float, double\n.*\n(atomicExch) [^\n]* float\n(?!.*float)",
                     "`{0}` takes both, `{1}` a float."),
    "lock": ("64 blocks add 1 each under this lock. What is the count, and is the kernel right?",
             r"64 with fences, (\d+) without; faults named: (0) with, (1) without",
             "{0}, and yet the kernel is not right: the simulator names {2} fault, and with fences {1}.",
        lambda count, *_: count == 64),
    "block_counter": ("Of 512 blocks, how many does `count_unlocked` count?", r"(512) locked; (\d+) unlocked",
                      "{1}; `count_locked` counts {0}.",
        lambda locked, unlocked: unlocked < locked),
    "block_counter_warp": ("Of 256 threads, how many get past the lock if the lanes of a warp share a program counter?",
                           r"a livelock in lock step, given up at a count of (\d+); (\d+) with independent threads",
                           "{0}; with a program counter of their own all {1}.",
        lambda _, independent: independent == 256),
    "missing_barrier": ("16 blocks add 256 ones each. How many of the 16 sums are right?",
                        r"without (16) of (16), which are (\d+) to (\d+)", "None: {0} of {1} are wrong, from {2} to {3}."),
    "barrier_in_branch": ("A block adds 64 ones. What comes out, and does the kernel end?",
                          r"the barrier is reported; the sum is (\d+)",
                          "It ends with {0} on the simulator, which reports the barrier all the same; elsewhere it may not end."),
    "partial_mask_shuffle": ("Lane 8 holds 8. What does lane 0 get from it, and does the kernel end?",
                             r"the shuffle is reported; lane 0 gets (\d+) with the wrong mask",
                             "It gets {0} on the simulator, which reports the shuffle all the same; elsewhere the kernel may not "
                             "end."),
    "uninitialised_accumulator": ("1024 threads add 4 each. What comes out? And after a second launch?",
                                  r"(4096) after zeroing; (-?\d+) without, where (-?\d+) lay before; (-?\d+) after a second",
                                  "{0} only if the memory was set to zero; else what lay there is added: {2} + 4096 is {1}, then "
                                  "{3}.",
                                  lambda zeroed, once, before, twice: zeroed == once - before == twice - once == 4096),
    "float_order": ("Five sums of the same numbers: how many different results?", r"(\d) different results of (\d)", "{0} of {1}."),
    "lost_half": ("16,384 ones are added. What comes out?", r"^(8192); 16384", "{0}: one half is lost."),
    "too_many_partials": ("512 blocks leave 512 partial sums. How many of 16,384 ones are counted?",
                          r"^(8192) from 512 blocks", "{0}: one half."),
    "lost_tail": ("1001 ones are added. What comes out?", r"(1000) for 1001", "{0}."),
    "misaligned_pack": ("128 ones are added from x, which is aligned to 16 bytes, and then from x + 1. What comes out?",
                        r"(128) from x; from x \+ 1 the launch ends with a finding",
                        "{0} from x; from x + 1 the launch ends with an error."),
    "rounded_down_grid": ("How many of 1000 ones are added, by n / 256 blocks? And of 100?",
                          r"(768) for 1000, (0) and a refused launch for 100", "{0} and {1}."),
    "copied_lock": ("16 blocks count themselves under the lock. What is the count, and is the program right?",
                    r"16 with a plain handle; (\d+) with copies",
                    "{0}, and yet the program is not right: the mutex was freed before.",
        lambda count: count == 16),
    "assignment_in_condition": ("Block 0 adds 1000 ones, block 1 waits for it and copies the sum. What does it copy?",
                                r"(1000) with ==; (\d+) with =", "{1}: it does not wait. With `==` it is {0}.",
        lambda waits, copied: copied < waits),
    "shared_race_in_tail_unroll": (
        "16 blocks add 128 ones each. How many sums are wrong if a warp goes in lock step, and how many with independent threads?",
        r"(\d+) of (\d+) sums are wrong with independent threads, 0 with __syncwarp, (\d+) in lock step",
        "{2} in lock step, {0} of {1} with independent threads."),
    "uncoalesced": ("A warp reads 32 floats. How many sectors of 32 bytes is that in `add_chunks`, and how many in `add_strided`?",
                    r"(\d+) sectors per request in chunks, (\d+) with", "{0} and {1}."),
    "bank_conflicts": ("The distance doubles from level to level. In how many passes does a warp read its words, at the first five "
                       "levels?", r"(?m)^strided +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) ", "{0}, {1}, {2}, {3} and {4}."),
    "timed_wrong": ("Which of the four is too short, and which two are too long? (The simulator has no clock: this one needs a "
                    "GPU.)",
                    r"([\d.]+ µs) without waiting, ([\d.]+ µs) in the first launch, ([\d.]+ µs) through the copy; the kernel takes "
                    r"([\d.]+ µs)", "Without waiting {0}; in the first launch {1} and through the copy {2}; the kernel takes {3}.",
        lambda unwaited, first, copied, kernel: unwaited < kernel < min(first, copied)),
    "shared_memory_overflow": ("The array has 128 places, the block 256 threads, each of which stores a one. What comes out?",
                               r"with 256 the access is reported, and the sum is (\d+)",
                               "{0}, but the simulator reports the access; a GPU may end with an error."),
}
ON_GPU = ("timed_wrong",)  # the answer needs a GPU


class Fields(dict):
    """Fields of a rung, as figures; one that is missing is an error."""

    def __init__(self, name, rung):
        super().__init__(rung)
        self.name = name

    def __getitem__(self, key):
        if self.get(key) is None:
            fail(f"the prediction of {self.name} is not answered: its results have no {key}")
        return figure(super().__getitem__(key))

    def __getattr__(self, key):
        self[key]  # fails if there is none
        return self.get(key)


def check_condition(name, entry, length, *values):
    """Requires the condition of an entry, which follows its other parts, `length` of them."""
    if any(not holds(*values) for holds in entry[length:]):
        fail(f"the results contradict the answer to the prediction of {name}: {entry[length - 1]}")


def prediction(name):
    """The entry of a rung's or a hazard's lesson."""
    if name not in RUNGS and name not in HAZARDS:
        fail(f"scripts/lab/predictions.py has no prediction of {name}: a lesson asks for one")
    return RUNGS.get(name) or HAZARDS[name]


def question(name):
    """The paragraph that asks."""
    return f"*Predict:* {prediction(name)[0]}"


def of_rung(name, results):
    """The answer to the prediction of a rung's lesson; `results` are those of its command, by rung."""
    entry = prediction(name)
    fields = {rung: Fields(rung, values) for rung, values in results.items()}
    try:
        answer = entry[1].format(**fields)
    except KeyError as missing:
        fail(f"the prediction of {name} is answered by the rung {missing}, which its command does not run")
    check_condition(name, entry, 2, types.SimpleNamespace(**fields))
    return answer


def of_hazard(name, outcome):
    """The answer to the prediction of a hazard's lesson, from its outcome."""
    entry = prediction(name)
    _, pattern, answer = entry[:3]
    for text in (outcome["observed"], "\n".join(outcome["table"])):
        found = re.search(pattern, text)
        if found:
            if entry[3:]:
                check_condition(name, entry, 3, *(float(group.split()[0]) for group in found.groups()))
            return answer.format(*found.groups())
    return fail(f"the prediction of {name} is not answered by its outcome: {outcome['observed']}")
