"""Runs the cells of examples/exercises.ipynb, in order, without Jupyter, and compares what each prints with its stored output.

usage: notebook.py SIMTCC NOTEBOOK FOLDER [--write]

Each code cell is plain Python, without magic commands, so exec() runs it, in one namespace, in an empty folder, with simtcc in
PATH. Counts of steps are not compared: they depend on the compiler. --write stores the outputs in the notebook.
"""

import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import sys

simtcc, notebook, scratch = (pathlib.Path(word).resolve() for word in sys.argv[1:4])


def comparable(text):
    return re.sub(r"\d+ steps", "N steps", text)


def run_cells(document):
    """Yields each code cell with what it prints."""
    namespace = {"__name__": "__main__"}
    for cell in document["cells"]:
        if cell["cell_type"] != "code":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("".join(cell["source"]), cell["id"], "exec"), namespace)  # an exception fails the test
        yield cell, printed.getvalue()


def main():
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    os.chdir(scratch)
    os.environ["PATH"] = f"{simtcc.parent}:{os.environ['PATH']}"
    document = json.loads(notebook.read_text())
    write, faults, count = "--write" in sys.argv, [], 0
    for cell, printed in run_cells(document):
        count += 1
        stored = "".join("".join(output["text"]) for output in cell["outputs"])
        if write:
            lines = printed.splitlines(keepends=True)
            cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []
            cell["execution_count"] = count
        elif comparable(stored) != comparable(printed):
            faults.append(f"{cell['id']}: stored:\n{stored}\nprinted:\n{printed}")
    if write:
        notebook.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    if faults or count < 10:
        sys.exit(f"{notebook.name}, {count} cells:\n" + "\n".join(faults))


if __name__ == "__main__":
    main()
