#!/usr/bin/env python3
"""Runs kernels of the suite (numba_kernels.py) on Numba's CUDA simulator and records what it names.

Each run is a process of its own, with a time limit, because the simulator may hang. A fault is named if the launch raises
an exception; a correct kernel that does not end within the time, or raises one, is recorded too.

usage: numba_simulator.py FILE.json        needs: pip install numba
"""
import json
import multiprocessing
import os
import sys

sys.dont_write_bytecode = True
os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
import numba
import numpy as np

from numba_kernels import KERNELS, N, NOT_TRANSLATED

SECONDS = 20
UNWRITTEN = -875836469  # 0xcbcbcbcb, as in simt


def launch(case, answer):
    _, _, fault, grid, block, kernel = case
    numbers, zeros = np.arange(N, dtype=np.int32), np.zeros(256, np.int32)
    out, scratch = np.full(1024, UNWRITTEN, np.int32), np.full(1024, UNWRITTEN, np.int32)
    try:
        kernel[grid, block](numbers, out, scratch, zeros, fault)
        answer.send(("", ""))
    except AttributeError as error:
        answer.send(("not available", str(error).rsplit(": ", 1)[-1]))
    except Exception as error:  # whatever the simulator raises is what it names
        lines = str(error).strip().splitlines()
        answer.send(("named", f"{type(error).__name__}: {lines[-1] if lines else ''}"))


def run(case):
    """Returns "named", "not available", "hangs" or "", and the text of the exception."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=launch, args=(case, sender), daemon=True)
    process.start()
    result = receiver.recv() if receiver.poll(SECONDS) else ("hangs", f"still running after {SECONDS} s")
    process.kill()
    process.join()
    return result


def main(file):
    rows = []
    for case in KERNELS:
        family, name, fault, *_ = case
        outcome, text = run(case)
        rows.append({"family": family, "name": name, "faulty": fault != 0, "outcome": outcome, "text": text})
        print(family, "|", name, "|", "faulty" if fault else "correct", "|", outcome, "|", text, flush=True)
    head = json.dumps({"numba": numba.__version__, "seconds": SECONDS, "not_translated": NOT_TRANSLATED})
    with open(file, "w") as results:
        results.write(head[:-1] + ', "rows": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
