"""Kernels for docs/lab.md, taken from the sources of the lab: listings of rungs and hazards, differences of two rungs.

Rungs that take any operator are shown with the sum in the operator's place: `x = Op::combine(x, y)` becomes `x += y`. Hazards
are shown as a text would print them: without the comments that mark the mistake, and without the lines of the right variant.
"""
import difflib
import pathlib
import re
import sys

from shared.documents import paragraph

LAB = pathlib.Path(__file__).resolve().parents[2] / "lab"
PROGRAMS = LAB.parent / "examples/programs"

SECOND_LAUNCH = [("block_combine.cuh", "combine_partials"), ("block_combine.cuh", "combine_all"),
                 ("block_combine.cuh", "combine_block"), ("block_combine.cuh", "fold_warp"),
                 ("block_combine.cuh", "shuffle_down")]
COMPENSATED = [("compensated.cuh", "add_compensated"), *SECOND_LAUNCH, ("compensated.cuh", "error_of_product")]
WIDE_LOADS = [("wide_loads.cuh", name) for name in ("add_wide", "find_packs", "packs_at", "add_pack", "add_ends")]

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
    "vectorized": ("shuffle_per_warp", [("rungs/vectorized.cu", "add_packs"), *WIDE_LOADS[1:]]),
    "optimized": ("two_phase", [("rungs/optimized.cu", "combine_blocks"), *SECOND_LAUNCH, *WIDE_LOADS]),
    "single_pass": ("optimized", [("rungs/single_pass.cu", "combine_in_one_launch"), *SECOND_LAUNCH[1:], *WIDE_LOADS]),
    "double_accumulator": ("two_phase", [("rungs/double_accumulator.cu", "add_in_double"), *SECOND_LAUNCH]),
    "kahan": ("two_phase", [*COMPENSATED, ("rungs/kahan.cu", "add")]),
    "neumaier": ("kahan", [*COMPENSATED, ("rungs/neumaier.cu", "add")]),
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

# what a listing may call without showing it: CUDA, C++, and what the introduction of the rungs explains
EXPLAINED = {"for", "if", "while", "sizeof", "static_cast", "reinterpret_cast", "static_assert", "atomicAdd", "atomicCAS",
             "atomicExch", "atomicInc", "__syncthreads", "__threadfence", "__shfl_down_sync", "__fmaf_rn", "thread_in_grid",
             "threads_in_grid", "dynamic_shared"}
LIBRARY_RUNGS = ("cpu_loop", "cublas", "cub", "fast", "exact")  # without a kernel of their own

RIGHT_BY_LUCK = ("step_by_step", "copied_lock", "assignment_in_condition")  # wrong programs whose result is right with seed 1
# rungs and hazards whose programs of examples/programs have other names
TWINS = {"block_counter": ["block_counter", "block_counter_with_lock"], "block_counter_warp": ["one_lock_per_thread"],
         **{name: ["rows"] for name in ("thread_a_row", "warp_a_row", "block_a_row", "split_row_atomics")},
         "cublas": ["cub"], "racy_groups": ["racy"],
         **{name: ["groups"] for name in ("atomic_groups", "private_tables", "fixed_point")}}

# hazard: the template parameter that chooses between the mistake and its cure, its value for the mistake, and a function of the
# cure alone, or None
VARIANTS = {"missing_barrier": ("with_barriers", False, None), "partial_mask_shuffle": ("all_lanes", True, None),
            "lost_half": ("complete", False, None), "lost_tail": ("with_tail", False, None),
            "shared_race_in_tail_unroll": ("with_syncwarp", False, None),
            "assignment_in_condition": ("compare", False, "wait_for_flag")}
ILLUSTRATIONS = ("race_condition_fixed", "step_by_step", "atomics_tour", "float_order")  # without a mistake: comments stay

ARGUMENT = r"((?:[^(),]|\([^()]*\))+)"
COMBINED = re.compile(rf"Op::combine\({ARGUMENT}, {ARGUMENT}\)")
ONE_SUM = re.compile(r"(= |return )\(((?:[^()]|\([^()]*\))*)\);")
SUMMED = (
    (re.compile(r"template <class Op>\n"), ""),
    (re.compile(r"class Op, "), ""),
    (re.compile(r"Op::template identity<\w+>"), "0"),
    (re.compile(r"Op::term\(([\w.\[\]]+), ([\w.\[\]]+)\)"), r"\1 * \2"),
    (re.compile(r"(?<!\{)\n +value = Op::combine\(value, (a\[i\] \* b\[i\])\);"), r" value += \1;"),
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


def function(file, name, folder=LAB):
    """The definition of a function, not indented, without comments before it."""
    text = (folder / file).read_text()
    start = re.search(rf"^(?: *template <.*>\n)?[^\n/;=]*\b{name}\((?:[^(){{}};]|\([^()]*\))*\)(?: const)? {{", text,
                      re.MULTILINE)
    if start is None:
        fail(f"{folder.name}/{file} has no function {name}; change LISTINGS in scripts/lab/sources.py")
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


def unexplained(rung):
    """The functions that a listing calls and neither shows nor the introduction of docs/lab.md explains."""
    called = set(re.findall(r"(?<![.\w>])(\w+)(?:<[\w, :]*>)?\(", listing(rung)))
    return sorted(called - {name for _, name in LISTINGS[rung][1]} - EXPLAINED)


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


def programs_of(name):
    """The complete programs of examples/programs that do what a rung or hazard does: name and exit status by simtcc."""
    stems = TWINS.get(name, [name])
    found = [PROGRAMS / f"{stem}.cu" for stem in stems]
    return {path.stem: exit_status(path) for path in found if path.exists()}


def accumulator():
    """The exact sum of examples/programs/exact.cu, without its main."""
    return "\n\n".join(function("exact.cu", name, PROGRAMS) for name in ("split", "add_product", "add_exactly", "rounded"))


def exit_status(path):
    """The status with which a program ends by simtcc as it is: 1 if its result is wrong, 66 if only a finding tells."""
    text = path.read_text()
    if not text.startswith(("// Wrong on purpose", "// Wrong with independent threads")):
        return 0
    return 1 if "EXIT_FAILURE;" in text.splitlines()[-2] and path.stem not in RIGHT_BY_LUCK else 66


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


def without_marks(name, lines):
    """The lines of a hazard as a text would print them; a line that is left out is None, so that numbers stay."""
    parameter, value, _ = VARIANTS.get(name, (None, None, None))
    shown = []
    for line in lines:
        text = line if name in ILLUSTRATIONS else re.sub(r"(?<=\S) +// .*", "", line)
        if parameter:
            text = re.sub(rf"(, )?bool {parameter}", "", text).replace("template <>", "").replace(f"<{parameter}>", "")
            text = re.sub(rf"\b{parameter} \? (\S+) : (\S+?)(?=[,;])", r"\1" if value else r"\2", text)
            if re.search(rf"\b{parameter}\b", text):
                text = ""  # a line of the cure
        shown.append(None if text.startswith("#") or (line and not text) else text)
    return shown


def device_code(name, path):
    """Structs and functions of a hazard that run on the device, with their line numbers."""
    lines, blocks, start = path.read_text().splitlines(), [], None
    for number, line in enumerate(lines):
        if start is None and line and not line.startswith((" ", "//", "#", "}", "namespace")):
            start = number
        if start is not None and (not line.strip() or line.startswith("}")):
            end = number + (1 if line.startswith("}") else 0)
            block = lines[start:end]
            if any("__global__" in each or "__device__" in each for each in block):
                blocks.append((start, block))
            start = None if line.startswith("}") or not any(each.endswith("{") for each in block) else start
    cure = VARIANTS.get(name, (None, None, None))[2]
    shown = []
    for start, block in blocks:
        if cure and any(f" {cure}(" in line and line.endswith("{") for line in block):
            continue
        shown.append("\n".join(f"{start + 1 + i:3}  {line}".rstrip() for i, line in enumerate(without_marks(name, block))
                               if line is not None))
    return "\n\n".join(shown)


def hazard_source(name):
    """The source of a hazard: its path, kernels, effect, cause and fix."""
    for path in sorted((LAB / "hazards").glob("*.cu")):
        code = path.read_text()
        if re.search(rf'\.name = "{name}"', code):
            return path.name, device_code(name, path), *(text_of(field, code) for field in ("effect", "cause", "fix"))
    return fail(f"lab/hazards/ has no hazard {name}")
