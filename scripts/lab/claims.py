"""The table of claims of teaching texts in docs/lab.md, each beside its measurement, and what follows from it.

The claims are quotations; all other figures come from the results. A claim that only compares has a rule that decides.
"""
import re

from shared.documents import figure, paragraph, table
from lab.rungs import millions, power, time_text

CLOSE = 0.1  # a measured figure within a tenth of the claimed one confirms it


def difference_from_loop(results, name, n):
    loop, value = (results.find(each, n, "float32")["value"] for each in ("cpu_loop", name))
    return abs(value - loop) / abs(loop)


def figures_of(results):
    """Claims with one number: subject, claimed, measured, unit."""
    n = 1 << 20
    atomic, optimized = (results.find(name, n, "float32") for name in ("atomic_per_element", "optimized"))
    rows = []
    for rung, name, claims in ((atomic, "atomic_per_element", (380, 5.2, 8, 1.2)), (optimized, "optimized", (3.8, 520, 85, 95))):
        measured = (rung["microseconds"], rung["gflop_per_s"], rung["percent_of_ceiling"], 100 / rung["ratio_to_cublas"])
        labels = (("time", " µs"), ("speed", " GFLOP/s"), ("part of the bandwidth", " %"), ("part of cuBLAS's speed", " %"))
        rows += [(f"`{name}`: {label}", claimed, value, unit)
                 for (label, unit), claimed, value in zip(labels, claims, measured)]
    rows.append(("`optimized` is 100 times as fast as `atomic_per_element`", 100, optimized["speedup_over_naive"], " times"))
    rows.append(("float atomics differ from a float CPU loop by a relative", 1e-5,
                 difference_from_loop(results, "atomic_per_element", n), ""))
    rows += [(f"one atomic for each block (`{name}`): by a relative", 8e-7, difference_from_loop(results, name, n), "")
             for name in ("shared_atomic", "shuffle_block")]
    return rows


def answer_of(claimed, measured):
    ratio = measured / claimed
    return "holds here" if abs(ratio - 1) <= CLOSE else f"**false** here, by a factor of {figure(max(ratio, 1 / ratio))}"


def ratio_of(results, name, other, n, dtype="float32", other_dtype=None):
    """Time of the rung over the time of another."""
    return (results.find(name, n, dtype)["microseconds"]
            / results.find(other, n, other_dtype or dtype)["microseconds"])


def ranges(values):
    return " to ".join(dict.fromkeys((f"{min(values):.2f}", f"{max(values):.2f}")))


def comparisons(results):
    """Claims that compare two ways: claim, measurement, whether it holds."""
    sizes = results.sizes
    atomics = [ratio_of(results, "atomic_per_element", "atomic_per_element", n, "float64", "float32") for n in sizes]
    shuffles = [ratio_of(results, "shared_atomic", "shuffle_block", n) for n in sizes]
    blocks = [ratio_of(results, "shuffle_block", "two_phase", n) for n in sizes]
    grids = [results.find("shuffle_block", n, "float32")["grid"] for n in sizes]
    best = max((results.find(name, sizes[0], "float32") for name in results.names if name != "products_host_sum"),
               key=lambda rung: rung["gflop_per_s"])
    own = results.find("optimized", sizes[0], "float32")["gflop_per_s"]
    cache, lengths = power(sizes[0]), " / ".join(map(power, sizes))
    return [
        ("atomics on doubles are slower than on floats",
         f"`atomic_per_element`, double / float: {ranges(atomics)}", min(atomics) > 1.05),
        ("with shuffles a kernel is 5 to 10 times as fast as with shared memory",
         f"`shared_atomic` / `shuffle_block`: {ranges(shuffles)}", min(shuffles) >= 5),
        ("use atomics for fewer than 32 blocks, a second launch for more",
         f"`shuffle_block` / `two_phase` with {' / '.join(map(str, grids))} blocks, n = {lengths}: "
         f"{' / '.join(f'{ratio:.2f}' for ratio in blocks)}", min(blocks) > 1),
        (f"500 GFLOP/s at {cache} floats", f"`optimized` {figure(own)}, the fastest (`{best['name']}`) "
         f"{figure(best['gflop_per_s'])}", own >= 500)]


def tree_of(costs, kernel):
    """Of the tree in shared memory of a kernel: degree of bank conflicts, and active lanes of a reading warp."""
    lines = [line for line in costs if kernel in line["kernel"] and line["space"] == "shared"]
    reads = max((line for line in lines if line["action"] == "read"), key=lambda line: line["requests"])
    tree = [line for line in lines if line["line"] == reads["line"]]
    degree = sum(line["wavefronts"] for line in tree) / sum(line["ideal_wavefronts"] for line in tree)
    return degree, reads["lanes"] / reads["requests"]


def simulated_claims(costs):
    """Claims that the simulator's counts decide: claim, measurement, whether it holds."""
    (scattered_degree, scattered), (degree, lanes) = (tree_of(costs, f"(addressing){order}") for order in (0, 1))
    return [
        ("a tree with sequential addressing has mild bank conflicts",
         f"degree on `simt`: {figure(degree)}, where 1 means none (interleaved, by modulo: {figure(scattered_degree)})",
         degree > 1),
        ("from interleaved to sequential addressing, efficiency grows from 50 to 100 %",
         f"active lanes of a reading warp on `simt`: {figure(scattered / 0.32)} and {figure(lanes / 0.32)} %",
         45 <= scattered / 0.32 <= 55 and lanes / 0.32 >= 95)]


def of_hazards(gpu):
    race, fixed, counter = (gpu[name]["figures"] for name in ("race_condition", "race_condition_fixed", "block_counter"))
    left = ", ".join(f"{count:.0f}" for name, count in race.items() if name.startswith("count"))
    ratio = fixed["atomic_microseconds"] / fixed["plain_microseconds"]
    return [["1,000,000 plain increments count to 88 (a Fermi card)", left, "not here"],
            ["atomics take about 100 times as long as plain increments (a Fermi card)", f"{figure(ratio)} times",
             "not here"],
            ["512 blocks without a lock count to about 50 (a Fermi card)", f"{counter['unlocked']:.0f}",
             "not here"]]


def of_listings(results, gpu, simt):
    """Claims about what a kernel does, which runs of rungs and hazards decide: claim, measurement, answer."""
    n = results.sizes[0]
    locked, unlocked, atomic, shuffled = (results.find(*case) for case in (
        ("lock_per_block", n, "float32"), ("partial_per_thread", n, "float32"), ("atomic_per_element", n, "float32"),
        ("shuffle_block", n, "float64")))
    lock = 1000 * (locked["microseconds"] - unlocked["microseconds"]) / locked["grid"]
    one = 1000 * atomic["microseconds"] / atomic["atomics"]
    short = re.search(r"(\d+) for 1000, (\d+) and", simt["rounded_down_grid"]["observed"])
    warp = simt["block_counter_warp"]["observed"]
    return [
        ["a barrier in a branch hangs", f"`barrier_in_branch`: {gpu['barrier_in_branch']['observed']}; `simt`: "
         f"{simt['barrier_in_branch']['observed']}", answer(not gpu["barrier_in_branch"]["ran"], "it is undefined")],
        ["a lock that all threads of a warp take pauses indefinitely",
         f"`block_counter_warp`: {gpu['block_counter_warp']['observed']}; `simt`: {warp}",
         answer(not gpu["block_counter_warp"]["ran"],
                "in lock step only, before Volta" if "livelock in lock step" in warp else "")],
        ["atomics take a lock", f"{figure(one)} ns an atomic (`atomic_per_element`); {figure(lock)} ns a lock (`lock_per_block` "
         f"less `partial_per_thread`, over its {locked['grid']} blocks)", answer(one > lock / 2, "no thread holds anything")],
        ["the shuffle functions take types of 32 bits only", f"`shuffle_block` on doubles: its checks {shuffled['check']}, error "
         f"{figure(shuffled['ulps'])} ulps of a double", answer(shuffled["check"] != "passed", "doubles too, as two instructions")],
        ["n / block blocks are enough for n elements",
         f"`rounded_down_grid`: of 1000 ones {short[1]} are added, of 100 {short[2]}",
         answer(short.groups() == ("1000", "100"), "⌈n / block⌉, or a grid-stride loop")]]


def answer(holds, truth):
    return "holds here" if holds else f"**false**: {truth}" if truth else "**false** here"


def of_ramp(results):
    rows = []
    for entry in results.ramp:
        label = f"`ramp` at n = {millions(entry['n'])}: a listing prints 2.76217e+22"
        right = f"{entry['exact']:.6g}" == "2.76217e+22"
        rows.append([label, f"exact {entry['exact']:.6g}; a float loop {entry['rungs']['cpu_loop']:.6g}",
                     "the exact sum" if right else "**false**"])
    return rows


def claims(results, gpu, simt, costs):
    rows = [[f"{claim} {claimed:g}{unit}" if unit != " times" else claim, f"{figure(measured)}{unit}",
             answer_of(claimed, measured)] for claim, claimed, measured, unit in figures_of(results)]
    rows += [[claim, measured, "holds here" if holds else "**false** here"]
             for claim, measured, holds in comparisons(results) + simulated_claims(costs)]
    return table(["claim of teaching texts", "measured here", "so"],
                 rows + of_listings(results, gpu, simt) + of_hazards(gpu) + of_ramp(results))


def claims_inside(_):
    n, bytes_ = 1 << 20, 8 << 20
    atomic_seconds, optimized_seconds = 380e-6, 3.8e-6
    bandwidth = bytes_ / optimized_seconds / 0.85
    speeds = [f"{2e-9 * n / seconds:.3g} GFLOP/s and {1e-9 * bytes_ / seconds:.4g} GB/s"
              for seconds in (atomic_seconds, optimized_seconds)]
    return paragraph(
        f"2^20 floats are {2 * n:,} operations and {bytes_:,} bytes. In 380 µs that is {speeds[0]}, in 3.8 µs {speeds[1]}. "
        f"If the latter are 85 % of the bandwidth, that is {1e-9 * bandwidth:.0f} GB/s, and the former are "
        f"{100 * bytes_ / atomic_seconds / bandwidth:.2f} % of it, not 8 %. From 1.2 % to 95 % of cuBLAS is a factor of "
        f"{95 / 1.2:.0f}, from 380 µs to 3.8 µs one of 100.")


def fastest(results):
    """The fastest ways whose result stays on the device, at each length."""
    lines = []
    for n in results.sizes:
        rungs = [results.find(name, n, "float32") for name in results.names]
        on_device = [rung for rung in rungs if rung["copy_microseconds"] is None and not rung["wrong_on_purpose"]]
        best = sorted(on_device, key=lambda rung: rung["microseconds"])[:4]
        texts = (f"`{rung['name']}` {time_text(rung['microseconds'])}" for rung in best)
        lines.append(f"- {power(n)} floats: {', '.join(texts)}")
    return "\n".join(lines)
