"""A deterministic index_add_: rows are added to the rows of a table that an index names, in any order.

NumPy's add.at adds in the order in which updates come, PyTorch's index_add_ on a GPU in that in which threads come, and
float sums depend on it. Here each element of the table is the exact sum of its old value and its updates, rounded once.
With PyTorch on a GPU where there is one and exactdot has groups there, otherwise with NumPy.
"""

import exactdot as xd
import numpy as np

try:
    import torch
except ImportError:
    torch = None


def index_add_(table, index, updates):
    """table[index[i]] += updates[i] for all i, with one rounding of each element."""
    xd.group_sum(updates, index, add_to=table)


def on_gpu(*arrays):
    """The arrays as tensors on a GPU, if one can compute groups of them; otherwise the arrays themselves."""
    if torch is None or not torch.cuda.is_available():
        return arrays
    tensors = [torch.as_tensor(array, device="cuda") for array in arrays]
    try:
        index_add_(tensors[0].clone(), tensors[1][:1], tensors[2][:1])
    except (ValueError, RuntimeError) as refused:
        print(f"on the host: {refused}")
        return arrays
    return tensors


def main() -> None:
    generator = np.random.default_rng(3)
    table = generator.standard_normal((1000, 8)).astype(np.float32)
    index = generator.integers(0, len(table), 50_000)
    updates = generator.standard_normal((len(index), 8)) * 10.0 ** generator.integers(-4, 5, (len(index), 1))
    table, index, updates = on_gpu(table, index, updates.astype(np.float32))
    exact, plain = set(), set()
    for _ in range(4):
        order = generator.permutation(len(index))
        mine, theirs = table + 0, np.array(table.tolist(), np.float32)
        index_add_(mine, index[order], updates[order])
        np.add.at(theirs, np.array(index[order].tolist()), np.array(updates[order].tolist(), np.float32))
        exact.add(str(mine.tolist()))
        plain.add(str(theirs.tolist()))
    print(f"4 orders of the updates: {len(exact)} result by exactdot, {len(plain)} by numpy.add.at")
    assert len(exact) == 1 and len(plain) > 1
    updates_of_7 = updates[index == 7][:, 0].tolist()
    assert mine[7, 0] == xd.sum([*updates_of_7, table[7, 0].item()], dtype="float32")


if __name__ == "__main__":
    main()
