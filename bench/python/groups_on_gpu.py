"""Measures PyTorch's sums of groups on a GPU: index_add_, racy and deterministic.

python bench/python/groups_on_gpu.py FILE.jsonl [--log2 N] [--rounds K]. The shapes of bench/experiments/gpu_groups.cu: 2^N
elements (default: 26), uniform in (-1, 1), int32 keys that are uniform, sorted, all equal, or of frequency about 1/(k + 1).
Medians of K calls between two events; one JSON object a line, in microseconds. Requires PyTorch.
"""
import argparse
import json
import math
import statistics

import torch

GROUPS = (2**2, 2**4, 2**8, 2**10, 2**12, 2**13, 2**14, 2**16, 2**18, 2**20)
ORDERS = ("uniform", "sorted", "equal", "zipf")


def keys_of(order, n, groups):
    if order == "sorted":
        keys = torch.arange(n, device="cuda") * groups // n
    elif order == "equal":
        keys = torch.full((n,), groups // 2, device="cuda")
    elif order == "zipf":
        uniform = torch.rand(n, device="cuda", dtype=torch.float64)
        keys = torch.clamp((torch.exp(uniform * math.log(groups + 1)) - 1).to(torch.int64), max=groups - 1)
    else:
        keys = torch.randint(groups, (n,), device="cuda")
    return keys.to(torch.int32)


def microseconds(call, rounds):
    """The median of some calls after a first one; of calls that take more than 0.1 s the first one."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def sample():
        start.record()
        call()
        stop.record()
        stop.synchronize()
        return 1e3 * start.elapsed_time(stop)

    first = sample()
    return first if first > 1e5 else statistics.median(sample() for _ in range(rounds))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output")
    parser.add_argument("--log2", type=int, default=26)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    n = 2**arguments.log2
    with open(arguments.output, "a") as file:
        print(json.dumps({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "n": n}), file=file)
        for dtype in (torch.float32, torch.float64):
            x = torch.rand(n, device="cuda", dtype=dtype) * 2 - 1
            for order in ORDERS:
                for groups in GROUPS:
                    keys, out = keys_of(order, n, groups), torch.zeros(groups, device="cuda", dtype=dtype)
                    row = {"torch": True, "type": str(dtype).removeprefix("torch."), "keys": order, "groups": groups}
                    for name, deterministic in (("racy", False), ("deterministic", True)):
                        torch.use_deterministic_algorithms(deterministic)
                        row[name] = microseconds(lambda: out.index_add_(0, keys, x), arguments.rounds)
                    torch.use_deterministic_algorithms(False)
                    print(json.dumps(row), file=file, flush=True)


if __name__ == "__main__":
    main()
