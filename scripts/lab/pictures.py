"""The picture of each rung for docs/lab.md: who reads what, who adds what, who waits."""
from lab.drawing import boxes, layers, time_line

EIGHT = range(8)


def tree(pairs_of_step, count=8):
    """Rows of sums of a tree: at each step, (thread, partner) add; the other threads are idle."""
    rows, sums = [], [f"t{i}" for i in range(count)]
    steps = [*pairs_of_step, []]
    for number, pairs in enumerate(steps):
        active = {pair[0] for pair in steps[number - 1]} if number else set(range(count))
        kinds = ["a" if i in active else "idle" for i in range(count)]
        edges = [edge for thread, partner in pairs for edge in ((thread, thread), (partner, thread))]
        rows.append(("one sum a thread" if number == 0 else f"after step {number}", boxes(sums, kinds), edges))
    return rows


SEQUENTIAL = [[(i, i + half) for i in range(half)] for half in (4, 2, 1)]
INTERLEAVED = [[(i, i + d) for i in range(0, 8, 2 * d)] for d in (1, 2, 4)]



def cpu_loop():
    steps = [(1.5 * i, 1.4, f"+ a{i}·b{i}", "a") for i in range(6)]
    return time_line("One addition after the other", [("one thread", steps)],
                     note="each addition waits for the one before")


def racy():
    return time_line("Two threads lose an update", [
        ("thread 0", [(0, 1.4, "load 0", "a"), (1.5, 1.4, "add", "a"), (3, 1.4, "store p0", "a")]),
        ("thread 1", [(0.7, 1.4, "load 0", "b"), (2.2, 1.4, "add", "b"), (4.5, 1.4, "store p1", "bad")]),
        ("*out", [(0, 4.2, "0", "idle"), (4.2, 1.6, "p0", "idle"), (5.9, 1.6, "p1", "bad")])],
        note="the store of thread 1 erases the product of thread 0")


def queue(actors, title, note):
    rows = [(actor, [(0, 1.4, "p", "a")] + ([(1.5, 0.9 * i, "waits", "idle")] if i else [])
             + [(1.5 + 0.9 * i, 0.9, "add", "b")]) for i, actor in enumerate(actors)]
    return time_line(title, rows, note=note)


def lock_per_block():
    rows = [(f"block {i}", [(0, 2, "tree", "a")] + ([(2, 2.6 * i, "waits for the lock", "idle")] if i else [])
             + [(2 + 2.6 * i, 0.8, "take", "b"), (2.8 + 2.6 * i, 0.9, "+=", "c"), (3.7 + 2.6 * i, 0.8, "free", "b")])
            for i in range(3)]
    return time_line("Blocks pass a lock one after the other", rows)


def products_host_sum():
    return layers("The device multiplies, the host adds", [
        ("device: threads", boxes([f"t{i}" for i in EIGHT], "a"), [(i, i) for i in EIGHT]),
        ("n products", boxes([f"c{i}" for i in EIGHT], "b"), [(i, 0) for i in EIGHT]),
        ("host", [(2.5, 3, "adds n values", "c")], [])], "every product crosses the bus")


def partial_per_thread():
    elements = [f"{i}" for i in range(16)]
    threads = [f"t{i}" for i in range(4)] * 2
    cells = [(0.62 * i, 0.62, text, "a" if i % 8 < 4 else "b") for i, text in enumerate(elements)]
    owners = [(0.62 * 2 * i, 1.24, text, "a" if i < 4 else "b") for i, text in enumerate(threads)]
    return layers("Grid-stride loop: 16 elements on 2 blocks of 4 threads", [
        ("elements", cells, [(i, i % 8) for i in range(16)]),
        ("threads", owners, [(i, 0) for i in EIGHT]),
        ("host", [(3.5, 3, "adds 8 sums", "c")], [])], "thread k of the grid reads elements k, k + 8, …")


def with_end(rows, text, note=""):
    rows[-1] = (rows[-1][0], rows[-1][1], [(0, 0)])
    return [*rows, ("then", [(0, 3, text, "c")], [])]


def shared_atomic():
    return layers("The tree of a block of 8", with_end(tree(SEQUENTIAL), "one atomic a block"),
                  "a barrier after each step; the active threads are neighbours")


def shared_host_sum():
    return layers("Blocks store their sums, the host adds", [
        ("blocks", boxes([f"block {i}" for i in range(4)], "a", width=2), [(i, i) for i in range(4)]),
        ("places of their own", boxes([f"sum {i}" for i in range(4)], "b", width=2), [(i, 0) for i in range(4)]),
        ("host", [(2.5, 3, "adds from first to last", "c")], [])], "the order never changes, so the bits do not")


def interleaved():
    return layers("The same tree with scattered threads", with_end(tree(INTERLEAVED), "the sum of the block"),
                  "every warp stays busy at every step, with fewer and fewer lanes")


def shared_then_shuffle():
    rows = [("threads 32–255", [(0, 1.2, "tree", "a"), (1.3, 1.2, "tree", "a"), (2.6, 1, "exit", "idle")]),
            ("threads 0–31", [(0, 1.2, "tree", "a"), (1.3, 1.2, "tree", "a")]
             + [(2.6 + 1.2 * i, 1.2, "shuffle", "b") for i in range(5)] + [(8.6, 1.2, "atomic", "c")])]
    return time_line("Two steps with barriers, then one warp alone", rows, (1.27, 2.55),
                     "dashed: barriers of the block; a shuffle needs none")


def shuffle_per_warp():
    rows = [("lanes of a warp", boxes([f"{i}" for i in EIGHT], "a"), [(i, i % 4) for i in EIGHT]),
            ("distance 4", boxes([f"{i}" for i in range(4)], "a"), [(i, i % 2) for i in range(4)]),
            ("distance 2", boxes(["0", "1"], "a"), [(0, 0), (1, 0)]),
            ("distance 1", boxes(["0"], "a"), [(0, 0)]),
            ("result", [(0, 3, "one atomic a warp", "b")], [])]
    return layers("A warp of 8 lanes folds by shuffles", rows, "registers only; no shared memory, no barrier")


def shuffle_block():
    return layers("Two rounds of shuffles", [
        ("warps", boxes([f"warp {i}" for i in range(4)], "a b c d", width=2), [(i, i) for i in range(4)]),
        ("shared memory", boxes([f"sum {i}" for i in range(4)], "a b c d", width=2), [(i, 0) for i in range(4)]),
        ("first warp", [(2.5, 3, "shuffles again", "a")], [(0, 0)]),
        ("result", [(2.5, 3, "one atomic a block", "b")], [])], "one barrier, before the first warp reads")


def two_phase():
    rows = [("block 0", [(0, 3, "reads, adds", "a"), (3, 0.9, "store", "b")]),
            ("block 1", [(0, 2.4, "reads, adds", "a"), (2.4, 0.9, "store", "b")]),
            ("block 2", [(0.3, 3, "reads, adds", "a"), (3.3, 0.9, "store", "b")]),
            ("launch 2", [(4.6, 3, "one block adds all sums", "c"), (7.6, 1, "result", "good")])]
    return time_line("Two launches", rows, (4.4,), "dashed: the end of a launch orders all blocks")


def vectorized():
    def load(lane):
        return boxes([f"{4 * lane + i}" for i in range(4)], "a" if lane % 2 else "b", start=4 * lane * 0.7, width=0.7)

    return layers("16 bytes a load", [
        ("floats", [box for lane in range(4) for box in load(lane)], [(4 * i + k, i) for i in range(4) for k in range(4)]),
        ("one load each", boxes([f"lane {i}" for i in range(4)], "b a", width=2.8), [])],
        "elements before the first 16-byte boundary and after the last are read one by one")


def optimized():
    return layers("One thread: four loads in flight, four sums", [
        ("packs", boxes(["k", "k + s", "k + 2s", "k + 3s"], "a b c d", width=2), [(i, i) for i in range(4)]),
        ("sums", boxes([f"values[{i}]" for i in range(4)], "a b c d", width=2), [(0, 0), (1, 0), (2, 1), (3, 1)]),
        ("", [(1, 2, "0 + 1", "a"), (5, 2, "2 + 3", "c")], [(0, 0), (1, 0)]),
        ("thread's sum", [(3, 2, "sum", "good")], [])], "no sum waits for another; s is the number of threads")


def single_pass():
    rows = [(f"block {i}", [(0.4 * i, 2.4, "reads, adds", "a"), (2.4 + 0.4 * i, 0.9, "fence", "b"),
                            (3.3 + 0.4 * i, 1.2, f"draws {i}", "c")]
             + ([(4.5 + 0.4 * i, 3, "adds all sums in order", "good")] if i == 2 else [(4.5 + 0.4 * i, 0.8, "ends", "idle")]))
            for i in range(3)]
    return time_line("The last block adds", rows, note="the block that draws the highest number knows that all others are done")


def double_accumulator():
    return layers("Bits of a product", [
        ("two floats", [(0, 2.4, "24 bits", "a"), (2.6, 2.4, "24 bits", "a")], [(0, 0), (1, 0)]),
        ("product", [(0, 4.8, "48 bits", "b")], [(0, 0)]),
        ("double", [(0, 5.3, "53 bits: nothing is lost", "good")], [])], "the sums round, but 29 bits further down")


def kahan():
    return layers("What an addition loses is kept", [
        ("before", [(0, 1.6, "sum", "a"), (1.8, 1.6, "term", "b"), (3.6, 2, "correction", "c")], [(0, 0), (1, 0), (2, 0)]),
        ("add", [(1, 2.4, "rounded sum", "a")], [(0, 0), (0, 1)]),
        ("after", [(0, 1.6, "sum", "a"), (3.6, 2, "correction", "c")], [])],
        "kahan adds the correction to the next term; neumaier sums the corrections apart")


def cublas():
    return layers("Where the products are", [
        ("cub: iterator", boxes(["a, b"] * 4, "a", width=2), [(i, i) for i in range(4)]),
        ("registers", boxes(["a·b"] * 4, "b", width=2), [(i, 0) for i in range(4)]),
        ("library", [(2.5, 3, "reduces", "c")], [])], "the products never reach memory")


def fast():
    return layers("Order v1: tiles, added by a tree over their indices", [
        ("tiles", boxes([f"tile {i}" for i in range(4)], "a b a b", width=2), [(0, 0), (1, 0), (2, 1), (3, 1)]),
        ("", [(1, 2, "0 + 1", "c"), (5, 2, "2 + 3", "c")], [(0, 0), (1, 0)]),
        ("result", [(3, 2, "rounded", "good")], [])], "the index decides who is added to whom; threads and blocks do not")


def exact():
    return layers("A bound decides the rounding", [
        ("blocks", boxes(["sum ± bound"] * 3, "a", width=3), [(0, 0), (1, 0), (2, 0)]),
        ("last block", [(2, 5, "do both ends round to the same number?", "b")], [(0, 0), (0, 1)]),
        ("", [(0.5, 3, "yes: the result", "good"), (5, 3.5, "no: sum again in integers", "c")], [])])


def accumulator():
    """The limbs of examples/programs/exact.cu, the highest first: those of a product, and those of the result."""
    return layers("An accumulator as wide as all products", [
        ("a product", [(3.3, 3.3, "48 bits of a·b", "a")], [(0, 0), (0, 1), (0, 2)]),
        ("in three pieces", boxes(["high", "middle", "low"], "a", start=2.7, width=1.5), [(0, 3), (1, 4), (2, 5)]),
        ("limbs of 32 bits", boxes("19 18 … 10 9 8 … 1 0".split(), "idle idle idle b b d d d d", width=1.1),
         [(3, 0), (4, 0), (5, 1), (6, 1), (7, 1), (8, 1)]),
        ("the sum", [(2.5, 2.7, "the two highest", "b"), (5.5, 4.4, "is there anything below?", "d")], [(0, 0), (1, 0)]),
        ("result", [(3.6, 2.6, "one rounding", "good")], [])],
        "limb 0 begins at 2^-298, limb 19 ends at 2^342; the carries move once, when all is added")


def pictures():
    """Rung to SVG. Rungs that share a lesson share its picture."""
    return {
        "cpu_loop": cpu_loop(), "racy": racy(),
        "atomic_per_element": queue([f"thread {i}" for i in range(5)], "A queue of atomics at one word",
                                    "n atomics follow one another"),
        "lock_per_block": lock_per_block(), "products_host_sum": products_host_sum(),
        "partial_per_thread": partial_per_thread(), "shared_atomic": shared_atomic(),
        "shared_host_sum": shared_host_sum(), "interleaved": interleaved(),
        "shared_then_shuffle": shared_then_shuffle(), "shuffle_per_warp": shuffle_per_warp(),
        "shuffle_block": shuffle_block(), "two_phase": two_phase(), "vectorized": vectorized(),
        "optimized": optimized(), "single_pass": single_pass(), "double_accumulator": double_accumulator(),
        "kahan": kahan(), "cublas": cublas(), "fast": fast(), "exact": exact(), "accumulator": accumulator()}
