"""The pictures of the lessons on rows and groups in docs/lab.md; see scripts/lab/drawing.py."""
from lab.drawing import boxes, layers, time_line

KEYS = (2, 0, 1, 0, 2, 0)  # of six elements


def matrix(kinds):
    """Three rows of four elements, one after the other."""
    return boxes([f"r{i // 4}" for i in range(12)], kinds, width=0.7)


def thread_a_row():
    return layers("A thread for each row", [
        ("memory", matrix("a a a a b b b b c c c c"), [(0, 0), (4, 1), (8, 2)]),
        ("threads", boxes(["t0", "t1", "t2"], "a b c", width=2.8), [(0, 0), (1, 1), (2, 2)]),
        ("rows", boxes(["loop", "loop", "loop"], "a b c", width=2.8), [])],
        "what the threads of a warp read at once lies a row apart")


def warp_a_row():
    return layers("A warp for each row", [
        ("memory", boxes([f"{i}" for i in range(8)], "a", width=0.9), [(i, i % 4) for i in range(8)]),
        ("lanes", boxes([f"lane {i}" for i in range(4)], "a", width=1.8), [(i, 0) for i in range(4)]),
        ("row", [(2.1, 3, "fold by shuffles", "b")], [])], "neighbouring lanes read neighbouring elements")


def block_a_row():
    return layers("A block for each row", [
        ("warps", boxes([f"warp {i}" for i in range(4)], "a b c d", width=2), [(i, i) for i in range(4)]),
        ("shared memory", boxes([f"sum {i}" for i in range(4)], "a b c d", width=2), [(i, 0) for i in range(4)]),
        ("row", [(2.5, 3, "first warp folds", "a")], [])], "a barrier before the first warp reads, one before the next row")


def split_row_atomics():
    rows = [(f"block {i}", [(0, 2.4 + 0.3 * i, "reads a share", "a"), (2.4 + 0.9 * (2 - i) + 0.3 * i, 1.2, "atomic", "b")])
            for i in range(3)]
    return time_line("Blocks add to the result of their row in any order", rows, note="another run, another order, other bits")


def split_row_messages():
    rows = [(f"block {i}", [(0.4 * i, 2, "reads a share", "a"), (2 + 0.4 * i, 1.2, f"ticket {i}", "c"),
                            (3.2 + 0.4 * i, 1.2, "message", "b")]
             + ([(4.4 + 0.4 * i, 3.4, "polls and adds, in order", "good")] if i == 2 else [(4.4 + 0.4 * i, 0.8, "ends", "idle")]))
            for i in range(3)]
    return time_line("The last block of a row adds the messages", rows, note="a message carries its own flag: no fence, no second launch")


def cub_rows():
    return layers("Segments of any length", [
        ("offsets", boxes(["0", "4", "8", "12"], "b", width=2), [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2)]),
        ("segments", boxes(["row 0", "row 1", "row 2"], "a", width=2.8), [])], "iterators compute the offsets; the library does the rest")


def exact_rows():
    return layers("A bound decides the rounding of each row", [
        ("rows", boxes(["sum ± bound"] * 3, "a", width=3), [(0, 0), (1, 1), (2, 2)]),
        ("", [(0, 2.6, "decided", "good"), (3, 2.6, "decided", "good"), (6, 2.6, "undecided", "b")], [(2, 0)]),
        ("", [(5, 4.6, "its threads sum it again, exactly", "c")], [])])


def keyed(kinds=None):
    return boxes([f"key {key}" for key in KEYS], kinds or ["abc"[key] for key in KEYS], width=1.3)


def racy_groups():
    return time_line("Two elements of a group lose an update", [
        ("element 1, key 0", [(0, 1.4, "load 5", "a"), (1.5, 1.4, "add 1", "a"), (3, 1.4, "store 6", "a")]),
        ("element 3, key 0", [(0.7, 1.4, "load 5", "b"), (2.2, 1.4, "add 2", "b"), (4.5, 1.4, "store 7", "bad")])],
        note="5 + 1 + 2 is 8; other groups are not touched")


def atomic_groups():
    return layers("A queue at each group", [
        ("elements", keyed(), [(i, key) for i, key in enumerate(KEYS)]),
        ("sums", boxes(["group 0", "group 1", "group 2"], "a b c", width=2.6), [])], "who comes first is not known")


def sorted_groups():
    order = sorted(range(6), key=lambda i: KEYS[i])
    return layers("Sort, then add segments", [
        ("elements", keyed(), [(i, order.index(i)) for i in range(6)]),
        ("sorted", boxes([f"key {KEYS[i]}" for i in order], ["abc"[KEYS[i]] for i in order], width=1.3),
         [(k, KEYS[i]) for k, i in enumerate(order)]),
        ("sums", boxes(["group 0", "group 1", "group 2"], "a b c", width=2.6), [])], "equal keys keep their order")


def private_tables():
    return layers("A table in the shared memory of each block", [
        ("blocks", boxes(["block 0", "block 1"], "a b", width=3.9), [(0, 0), (0, 1), (0, 2), (1, 3), (1, 4), (1, 5)]),
        ("tables", boxes(["0", "1", "2"] * 2, "a a a b b b", width=1.3), [(i, i % 3) for i in range(6)]),
        ("sums", boxes(["group 0", "group 1", "group 2"], "c", width=2.6), [])], "near atomics for elements, far ones for tables only")


def fixed_point():
    return layers("63 bits for all", [
        ("largest element", [(0, 5, "all its bits", "a"), (5, 2, "", "idle")], []),
        ("small element", [(0, 3.5, "leading zeros", "idle"), (3.5, 3.5, "its first bits", "b")], []),
        ("tiny element", [(0, 7, "zeros: nothing is left", "bad")], [])], "one step for all elements; integers add in any order")


def cub_groups():
    return layers("Two calls of a library", [
        ("keys, elements", keyed(), [(i, 0) for i in range(6)]),
        ("radix sort", [(2, 4, "passes over the bits of the keys", "b")], [(0, 0)]),
        ("reduce by key", [(2, 4, "a sum for each run of equal keys", "c")], [])])


def exact_groups():
    return layers("A table of exact sums", [
        ("element", [(2, 3, "24 or 53 bits", "a")], [(0, 1), (0, 2)]),
        ("exact sum", boxes(["limb"] * 5, "b c c b b", width=1.4), [(i, 0) for i in range(5)]),
        ("group", [(2, 3, "rounded once", "good")], [])], "32-bit atomics on the limbs: order-free, nothing is lost")


def pictures():
    """Rung to SVG."""
    return {make.__name__: make() for make in (
        thread_a_row, warp_a_row, block_a_row, split_row_atomics, split_row_messages, cub_rows, exact_rows, racy_groups,
        atomic_groups, sorted_groups, private_tables, fixed_point, cub_groups, exact_groups)}
