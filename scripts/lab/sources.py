"""Kernels for docs/lab.md, taken from the sources of the lab: listings of rungs and hazards, differences of two rungs.

Rungs that take any operator are shown with the sum in the operator's place: `x = Op::combine(x, y)` becomes `x += y`.
"""
import difflib
import pathlib
import re
import sys

from shared.documents import paragraph

LAB = pathlib.Path(__file__).resolve().parents[2] / "lab"

SECOND_LAUNCH = [("block_combine.cuh", "combine_partials"), ("block_combine.cuh", "combine_all")]

# rung: the rung from which its difference is shown, or None; its functions, each as (file, name)
LISTINGS = {
    "cpu_loop": (None, [("peers.cpp", "plain_loop")]),
    "racy": (None, [("rungs/racy.cu", "add_unprotected")]),
    "atomic_per_element": ("racy", [("rungs/atomic_per_element.cu", "add_atomically")]),
    "lock_per_block": (None, [("lock.cuh", "acquire"), ("lock.cuh", "release"),
                              ("rungs/lock_per_block.cu", "add_block_under_lock")]),
    "products_host_sum": ("atomic_per_element", [("rungs/products_host_sum.cu", "multiply")]),
    "partial_per_thread": ("products_host_sum", [("rungs/partial_per_thread.cu", "add_per_thread")]),
    "shared_atomic": ("partial_per_thread", [("rungs/shared_atomic.cu", "add_block_atomically")]),
    "shared_host_sum": ("shared_atomic", [("rungs/shared_host_sum.cu", "combine_blocks")]),
    "interleaved": ("shared_host_sum", [("rungs/interleaved.cu", "combine_neighbours")]),
    "shared_then_shuffle": ("shared_atomic", [("rungs/shared_then_shuffle.cu", "finish_by_shuffle")]),
    "shuffle_per_warp": ("shared_then_shuffle", [("rungs/shuffle_per_warp.cu", "add_warp_atomically")]),
    "shuffle_block": ("shuffle_per_warp", [("rungs/shuffle_block.cu", "fold_warp"),
                                           ("rungs/shuffle_block.cu", "fold_block")]),
    "two_phase": (None, [("rungs/two_phase.cu", "combine_blocks"), *SECOND_LAUNCH]),
    "vectorized": ("shuffle_per_warp", [("rungs/vectorized.cu", "add_packs")]),
    "optimized": ("two_phase", [("rungs/optimized.cu", "combine_blocks"), *SECOND_LAUNCH, ("wide_loads.cuh", "add_wide")]),
    "single_pass": ("optimized", [("rungs/single_pass.cu", "combine_in_one_launch"), SECOND_LAUNCH[1],
                                  ("wide_loads.cuh", "add_wide")]),
    "double_accumulator": ("two_phase", [("rungs/double_accumulator.cu", "add_in_double"), *SECOND_LAUNCH]),
    "kahan": ("two_phase", [("compensated.cuh", "add_compensated"), *SECOND_LAUNCH, ("rungs/kahan.cu", "add")]),
    "neumaier": ("kahan", [("compensated.cuh", "add_compensated"), *SECOND_LAUNCH, ("rungs/neumaier.cu", "add")]),
    "cublas": (None, [("rungs/cublas.cu", "launch")]),
    "cub": (None, [("rungs/cub.cu", "reduce")]),
    "fast": (None, [("rungs/fast.cu", "launch")]),
    "exact": (None, [("rungs/exact.cu", "launch")]),
    "thread_a_row": (None, [("rungs/rows/thread_a_row.cu", "add_row_per_thread")]),
    "warp_a_row": ("thread_a_row", [("rungs/rows/warp_a_row.cu", "add_row_per_warp")]),
    "block_a_row": ("warp_a_row", [("rungs/rows/block_a_row.cu", "add_row_per_block")]),
    "split_row_atomics": ("block_a_row", [("rungs/rows/split_row_atomics.cu", "add_row_by_atomics")]),
    "split_row_messages": ("split_row_atomics", [("rungs/rows/split_row_messages.cu", "add_row_by_messages")]),
    "cub_rows": (None, [("rungs/rows/cub_rows.cu", "reduce")]),
    "exact_rows": (None, [("rungs/rows/exact_rows.cu", "launch_rows")]),
    "racy_groups": (None, [("rungs/groups/racy_groups.cu", "add_unprotected")]),
    "atomic_groups": ("racy_groups", [("rungs/groups/atomic_groups.cu", "add_atomically")]),
    "sorted_groups": (None, [("stable_partition.cuh", "place"), ("rungs/groups/sorted_groups.cu", "add_segments")]),
    "private_tables": ("atomic_groups", [("rungs/groups/private_tables.cu", "add_privately")]),
    "fixed_point": ("atomic_groups", [("rungs/groups/fixed_point.cu", "add_integers")]),
    "cub_groups": (None, [("rungs/groups/cub_groups.cu", "sort"), ("rungs/groups/cub_groups.cu", "reduce")]),
    "exact_groups": ("private_tables", [("rungs/groups/exact_groups.cu", "add_exactly")]),
}

ARGUMENT = r"((?:[^(),]|\([^()]*\))+)"
COMBINED = re.compile(rf"Op::combine\({ARGUMENT}, {ARGUMENT}\)")
ONE_SUM = re.compile(r"(= |return )\(((?:[^()]|\([^()]*\))*)\);")
SUMMED = (
    (re.compile(r"template <class Op>\n"), ""),
    (re.compile(r"class Op, "), ""),
    (re.compile(r"Op::template identity<\w+>"), "0"),
    (re.compile(r"Op::term\(a\[i\], b\[i\]\)"), "a[i] * b[i]"),
    (re.compile(r"\n +value = Op::combine\(value, (a\[i\] \* b\[i\])\);"), r" value += \1;"),
    (re.compile(r"combine_atomically<Op>"), "atomicAdd"),
    (re.compile(r"<(?:Op|sum)(?:, \w+)?>\("), "("),
    (re.compile(r"(\S+) = Op::combine\(\1, ((?:[^()]|\([^()]*\))+)\);"), r"\1 += \2;"),
)


def fail(message):
    sys.exit(f"lab_tables: {message}")


def end_of_block(text, start):
    """The position after the brace that closes the first one at or after `start`."""
    depth = 0
    for i in range(text.index("{", start), len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if text[i] == "}" and depth == 0:
            return i + 1
    return fail("a brace is not closed")


def function(file, name):
    """The definition of a function, not indented, without comments before it."""
    text = (LAB / file).read_text()
    start = re.search(rf"^(?: *template <.*>\n)?[^\n/;=]*\b{name}\((?:[^(){{}};]|\([^()]*\))*\)(?: const)? {{", text,
                      re.MULTILINE)
    if start is None:
        fail(f"lab/{file} has no function {name}; change LISTINGS in scripts/lab/sources.py")
    lines = text[start.start():end_of_block(text, start.end() - 1)].splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)


def with_sum(code):
    """The code with the sum in the place of the operator Op."""
    for pattern, replacement in SUMMED:
        code = pattern.sub(replacement, code)
    while COMBINED.search(code):
        code = COMBINED.sub(r"(\1 + \2)", code)
    return ONE_SUM.sub(r"\1\2;", code)


def listing(rung):
    """The functions of a rung that its lesson shows, as one text."""
    return "\n\n".join(with_sum(function(file, name)) for file, name in LISTINGS[rung][1])


def difference(rung):
    """A fence with the lines by which the rung differs from another, or with all its lines if they are all new."""
    base, functions = LISTINGS[rung]
    names = ", ".join(f"[{file}](../lab/{file})" for file in dict.fromkeys(file for file, _ in functions))
    if base is None:
        return f"{paragraph(f'From {names}:')}\n\n```cuda\n{listing(rung)}\n```"
    changes = difflib.unified_diff(listing(base).splitlines(), listing(rung).splitlines(), n=2, lineterm="")
    lines = ["…" if line.startswith("@@") else line for line in list(changes)[2:]]
    opening = paragraph(f"From {names}, as a difference from `{base}`:")
    return f"{opening}\n\n```diff\n" + "\n".join(lines[1:]) + "\n```"


def names_in(folder):
    return {name for path in sorted((LAB / folder).glob("*.c*"))
            for name in re.findall(r'\.name = "(\w+)"', path.read_text())}


def rung_names(workload=""):
    """The rungs that the lab registers: over dot products or over another workload."""
    return names_in(f"rungs/{workload}")


def hazard_names():
    """The hazards that the lab registers."""
    return names_in("hazards")


def text_of(field, code):
    """The string of a field of a hazard's registration, for example `.cause`."""
    found = re.search(rf'\.{field} =\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', code)
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found[1])).replace('\\"', '"') if found else ""


def device_code(path):
    """Structs and functions of a hazard that run on the device, with their line numbers."""
    lines, shown, start = path.read_text().splitlines(), [], None
    for number, line in enumerate(lines):
        if start is None and line and not line.startswith((" ", "//", "#", "}", "namespace")):
            start = number
        if start is not None and (not line.strip() or line.startswith("}")):
            end = number + (1 if line.startswith("}") else 0)
            block = lines[start:end]
            if any("__global__" in each or "__device__" in each for each in block):
                shown += ([""] if shown else []) + [f"{start + 1 + i:3}  {each}".rstrip() for i, each in enumerate(block)]
            start = None if line.startswith("}") or not any(each.endswith("{") for each in block) else start
    return "\n".join(shown)


def hazard_source(name):
    """The source of a hazard: its path, kernels, effect, cause and fix."""
    for path in sorted((LAB / "hazards").glob("*.cu")):
        code = path.read_text()
        if re.search(rf'\.name = "{name}"', code):
            return path.name, device_code(path), *(text_of(field, code) for field in ("effect", "cause", "fix"))
    return fail(f"lab/hazards/ has no hazard {name}")
