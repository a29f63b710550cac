#!/usr/bin/env python3
"""Checks the documents: the shell lines of the README and of the pages in SHELL run, the targets of relative links exist, with
the heading that a link names, what commands name of the repository exists, and codespell finds no wrong word.

Shell lines are those of `sh` fences. They run in order in one scratch folder, in which build/release is the build under
test; an `export` holds for all later lines. Lines that call make run in the source folder with the build under test.
`make test` is a dry run, because it runs this test. A line fails if its exit status is not 0, or N where it ends in
`# status N`, if the lines of a fence print nothing, or anything but X where one ends in `# prints X`, or nothing with X where it
ends in `# names X`. A fence without a language right after them is what the last line prints, or a part of it.

The spelling of documents, comments and scripts is checked where codespell is installed; else the test is skipped.
spelling.txt lists words that codespell does not know.

usage: documents.py links SOURCE  |  documents.py commands SOURCE  |  documents.py spelling SOURCE
       documents.py shell SOURCE BUILD SCRATCH
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys


SHELL = {"README.md": None, "docs/program.md": None, "docs/stepper.md": None, "docs/simtcc.md": "examples/programs", "docs/exercises.md": None,
         "docs/numba.md": "examples/numba"}  # page: its folder


def fail(message):
    sys.exit(f"documents: {message}")


def anchors(path):
    """The names of a document's headings in links, as GitHub forms them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    names = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE))
    return {re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-") for name in names}


def documents_of(source):
    patterns = ("*.md", "docs/*.md", "docs/results/*.md", "python/*.md", "packaging/*/*.md")
    return [path for pattern in patterns for path in sorted(source.glob(pattern))]


def check_links(source):
    count = 0
    for path in documents_of(source):
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


def shell_fences(text):
    """The lines of each fence, and what the document says that the last one prints."""
    for block, shown in re.findall(r"^```sh\n(.*?)^```\n(?:\n```\n(.*?)^```)?", text, re.MULTILINE | re.DOTALL):
        yield [line for line in block.splitlines() if line.strip()], shown


def run_shell_lines(source, build, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    environment.update(RELEASE=str(build), PATH=f"{build / 'simt/cc'}:{environment['PATH']}")
    (scratch / "build").mkdir()
    (scratch / "build/release").symlink_to(build)
    exports = ""
    for document, folder in SHELL.items():
        if folder:
            shutil.copytree(source / folder, scratch, dirs_exist_ok=True)
        fences = list(shell_fences((source / document).read_text()))
        if not fences:
            fail(f"{document} has no shell lines")
        for lines, shown in fences:
            outputs = []
            for line in lines:
                if line.startswith("export "):
                    exports += line + "\n"
                else:
                    outputs.append(output_of(line, exports, source, scratch, environment))
            if not "".join(outputs).strip() or shown not in outputs[-1]:
                fail(f"{document}: `{lines[-1]}` printed\n{outputs[-1]}\nand not\n{shown}")
        for lines in re.findall(r"^```cmake\n(.*?)^```", (source / document).read_text(), re.MULTILINE | re.DOTALL):
            run_cmake_lines(lines, scratch, environment)


def run_cmake_lines(lines, scratch, environment):
    """As a project whose program, sums.cu, is one of the examples; its tests pass."""
    project = scratch / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.25)\nproject(snippet CXX)\nenable_testing()\n{lines}")
    shutil.copy(scratch / "shared_host_sum.cu", project / "sums.cu")
    for command in ("cmake -S . -B build", "cmake --build build", "ctest --test-dir build --output-on-failure --no-tests=error"):
        done = subprocess.run(command.split(), cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            fail(f"`{command}` of\n{lines}\n{done.stdout}")


def output_of(line, exports, source, scratch, environment):
    command = re.sub(r"^make test\b", "make --dry-run test", line)
    done = subprocess.run(["bash", "-c", exports + command], cwd=source if line.split()[0] == "make" else scratch, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(f"$ {command}\n{done.stdout}")
    status, promised, named = (re.search(rf"# {word} (.*)$", line) for word in ("status", "prints", "names"))
    if done.returncode != int(status[1] if status else 0):
        fail(f"`{line}` ended with status {done.returncode}")
    if promised and done.stdout.strip() != promised[1].split()[0].rstrip(":") or named and named[1] not in done.stdout:
        fail(f"`{line}` printed {done.stdout.strip()}")
    return done.stdout


def check_commands(source):
    """Make's targets, scripts and options of CMake of which the documents' commands speak."""
    targets = set(re.findall(r"^([a-z][\w-]*):", (source / "Makefile").read_text(), re.MULTILINE))
    options = "".join(path.read_text() for path in [source / "CMakeLists.txt", source / "pyproject.toml",
                      *sorted(source.glob("*/CMakeLists.txt")), *sorted(source.glob("tests/*/CMakeLists.txt")),
                      *sorted(source.glob("cmake/*.cmake"))])
    count = 0
    for path in documents_of(source):
        text = path.read_text()
        commands = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
        commands += "".join(re.findall(r"^```(?:sh|text)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)).splitlines()
        for command in commands:
            found = [(f"make {target}", target in targets) for target in re.findall(r"(?:^|&& |; )make ([a-z][\w-]*)(?![\w=.])", command)]
            found += [(script, any(source.glob(script + "*"))) for script in re.findall(
                r"(?<![\w./-])(?:scripts|packaging|bench/\w+|tests/\w+)/[\w/.-]*\w", command) if "*" not in command]
            found += [(option, option in set(re.findall(r"EXACTDOT_[A-Z_0-9]+", options))) for option in re.findall(r"(?:-D|cmake\.define\.)(EXACTDOT_[A-Z_0-9]+)=", command)]
            count += len(found)
            for what, exists in found:
                if not exists:
                    fail(f"{path.name}: `{command}`: there is no {what}")
    if count < 50:
        fail(f"the documents have {count} commands to check")


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
    {"links": check_links, "commands": check_commands, "shell": run_shell_lines, "spelling": check_spelling}[sys.argv[1]](*paths)
