#!/usr/bin/env python3
"""Checks the documents: the shell lines of README.md and docs/program.md run, the targets of relative links exist, with the
heading that a link names, and codespell finds no wrong word.

Shell lines are those of `sh` fences. They run in order in one scratch folder, in which build/release is the build under
test; an `export` holds for all later lines. Lines that call make run in the source folder with the build under test.
`make test` is a dry run, because it runs this test. A line fails if its exit status is not 0, if it prints nothing, or
anything but X where it ends in `# prints X`, or nothing with X where it ends in `# names X`.

The spelling of documents, comments and scripts is checked where codespell is installed; else the test is skipped.
spelling.txt lists words that codespell does not know.

usage: documents.py links SOURCE  |  documents.py shell SOURCE BUILD SCRATCH  |  documents.py spelling SOURCE
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys


def fail(message):
    sys.exit(f"documents: {message}")


def anchors(path):
    """The names of a document's headings in links, as GitHub forms them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    names = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE))
    return {re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-") for name in names}


def check_links(source):
    count = 0
    documents = [*(source / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
                 *sorted((source / "docs").glob("*.md")), *sorted((source / "docs/results").glob("*.md"))]
    for path in documents:
        for link, anchor in re.findall(r"\]\(([^)#\s]*)(#[^)\s]*)?\)", path.read_text()):
            if "://" in link:
                continue
            count += 1
            target = path.parent / link if link else path
            if not target.exists():
                fail(f"{path.name} has a link to {link}, which does not exist")
            if anchor and target.suffix == ".md" and anchor[1:] not in anchors(target):
                fail(f"{path.name} has a link to {link}{anchor}; {target.name} has no such heading")
    if count == 0:
        fail("the documents have no links to check")


def shell_lines(text):
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from (line for line in block.splitlines() if line.strip())


def run_shell_lines(source, build, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    environment["RELEASE"] = str(build)
    (scratch / "build").mkdir()
    (scratch / "build/release").symlink_to(build)
    lines, exports = [], ""
    for document in ("README.md", "docs/program.md"):
        found = list(shell_lines((source / document).read_text()))
        if not found:
            fail(f"{document} has no shell lines")
        lines += found
    for line in lines:
        if line.startswith("export "):
            exports += line + "\n"
            continue
        is_make = line.split()[0] == "make"
        command = re.sub(r"^make test\b", "make --dry-run test", line)
        done = subprocess.run(["bash", "-c", exports + command], cwd=source if is_make else scratch, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(f"$ {command}\n{done.stdout}")
        if done.returncode != 0 or not done.stdout.strip():
            fail(f"`{line}` ended with status {done.returncode} and {len(done.stdout)} characters of output")
        promised, named = re.search(r"# prints ([^\s:]+)", line), re.search(r"# names (.*)$", line)
        if promised and done.stdout.strip() != promised[1] or named and named[1] not in done.stdout:
            fail(f"`{line}` printed {done.stdout.strip()}")


SPELLED = ("*.md", "docs/*.md", "docs/*.py", "docs/results/*.md", "scripts", "include", "src", "simt", "lab", "cli", "bench",
           "python/exactdot", "examples", "packaging", "tests/package")


def check_spelling(source):
    if shutil.which("codespell") is None:
        print("documents: skipped: codespell is not installed")
        sys.exit(77)
    words = source / "tests/package/spelling.txt"
    paths = [path for pattern in SPELLED for path in sorted(source.glob(pattern))]
    done = subprocess.run(["codespell", "--ignore-words", words, *paths], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        fail(f"spelling:\n{done.stdout}")


if __name__ == "__main__":
    paths = [pathlib.Path(argument).resolve() for argument in sys.argv[2:]]
    {"links": check_links, "shell": run_shell_lines, "spelling": check_spelling}[sys.argv[1]](*paths)
