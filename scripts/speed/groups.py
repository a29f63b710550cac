"""Sums of groups on a GPU: the results that scripts/gpu_groups writes into docs/shapes.md, and their goals for
scripts/performance.

docs/results/groups-h100.json is from bench/experiments/gpu_groups, groups-torch-h100.json from
bench/python/groups_on_gpu.py on the same machine.
"""
import sys

from shared import result_files
from speed.goals import Case, Goal
from speed.rows import TYPES, Ratio, length

FEW = 4096                  # groups
MIN_SHARE = 0.60            # of the speed of reading, of few groups
MAX_RACY_FEW = 0.05         # relative to PyTorch's racy index_add_
MAX_RACY, MAX_DETERMINISTIC = 1.0, 0.1  # of more groups; the second one relative to its deterministic form


class GroupResults:
    def __init__(self, folder):
        self.machine, self.torch_machine = (result_files.read(folder / name)
                                            for name in ("groups-h100.json", "groups-torch-h100.json"))
        if self.machine["n"] != self.torch_machine["n"] or self.machine["gpu"] != self.torch_machine["gpu"]:
            sys.exit("the results of groups are of different lengths or GPUs")
        self.rows = {(row["type"], row["keys"], row["groups"]): row for row in self.machine["rows"] if "exact" in row}
        self.torch = {(row["type"], row["keys"], row["groups"]): row for row in self.torch_machine["rows"] if "keys" in row}
        wrong = [key for key, row in self.rows.items() if row["wrong"] > 0]
        if wrong or all(row["wrong"] < 0 for row in self.rows.values()):  # below 0: not compared
            sys.exit(f"the results of groups: wrong sums, or none compared: {wrong}")

    def cases(self, few, value, goal):
        """A case for each row of few or of more groups that has a value."""
        return [Case(f"{TYPES[key[0]]} {length(key[2])} {key[1]}", Ratio(ratio, False), goal)
                for key, row in sorted(self.rows.items()) if key[1] in ("uniform", "sorted", "equal", "zipf", "alternating")
                and (key[2] <= FEW) == few and (ratio := value(row, self.torch.get(key, {})))]


def of_torch(name):
    """exact / PyTorch's, of a row."""
    return lambda row, torch: row["exact"] / torch[name] if name in torch else None


def goals(results):
    where = f" ({results.machine['gpu'].removeprefix('NVIDIA ')})"
    return [
        Goal(f"`exact` sums of up to {FEW} groups: ≥ {100 * MIN_SHARE:g} % of the read ceiling" + where,
             results.cases(True, lambda row, _: row["read"] / row["exact"], MIN_SHARE),
             "an atomic in shared memory for each element, of several words; keys that alternate meet at one entry", at_least=True),
        Goal(f"the same: ≤ {MAX_RACY_FEW:g} of racy `torch.index_add_`",
             results.cases(True, of_torch("racy"), MAX_RACY_FEW),
             "with 4096 groups in random order racy additions rarely meet, and reading alone takes more than that"),
        Goal(f"more groups: ≤ {MAX_RACY:g} of the racy `index_add_`",
             results.cases(False, of_torch("racy"), MAX_RACY),
             "atomics on several words of a record in global memory, where the racy sum has one"),
        Goal(f"the same: ≤ {MAX_DETERMINISTIC:g} of the deterministic one",
             results.cases(False, of_torch("deterministic"), MAX_DETERMINISTIC))]
