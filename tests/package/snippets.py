#!/usr/bin/env python3
"""Converts the C++ snippets of Markdown files into programs that check what the snippets claim.

Snippets are all `cpp` fences of README.md, and those `cpp` fences of other files that follow the line `<!-- run -->`.
Lines with #include come first in the program. CUDA functions (from a line that starts with `__global__` or `__device__`
to the line `}`) precede main(); the other lines are its body. After a statement with a comment of the form `// x == y`
the program checks the comparison. A snippet without such a comment is an error, because it could not fail. Line numbers
are those of the Markdown file. The line `<!-- run on simt -->` marks a snippet with kernels, which becomes a .cu file.

The line `<!-- compile: PARAMETERS -->` marks a snippet for memory of a GPU: it is compiled as a function with these parameters,
which are what the page leaves to the reader, with the headers of exactdot::cuda and without a GPU or a CUDA toolkit.

usage: snippets.py FOLDER FILE.md...    writes FOLDER/FILE_LINE.cpp (or .cu, or _compiled.cpp) and prints the names, one per line
"""
import pathlib
import re
import sys

PROLOGUE = """#include <cstdio>
namespace {
bool all_hold = true;
void expect(bool holds, const char* statement) {
  if (holds) return;
  std::printf("%s does not hold\\n", statement);
  all_hold = false;
}
}  // namespace
"""
MARKS = {"<!-- run -->": ".cpp", "<!-- run on simt -->": ".cu"}
COMPILED = re.compile(r"<!-- compile: (.*) -->")
HEADERS = "".join(f"#include <exactdot/{name}.hpp>\n" for name in (
    "exactdot", "cuda", "cuda/batches", "cuda/batch_states", "cuda/lists", "cuda/normalise", "cuda/peer_sums"))
COMPARISON = re.compile(r";\s*//\s*(\S.*==.*?)\s*$")


def snippets(path):
    """Yields (line number of the first line, lines, suffix) for each snippet of the file."""
    first, lines, suffix = None, [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if first is None and line.strip() == "```cpp" and (path.name == "README.md" or suffix):
            first, lines, kind = number + 1, [], suffix or ".cpp"
        elif first is not None and line.strip() == "```":
            yield first, lines, kind
            first = None
        elif first is not None:
            lines.append(line)
        mark = line.strip()
        suffix = MARKS.get(mark) or (mark if COMPILED.fullmatch(mark) else suffix if not mark else None)


def program(path, first, lines):
    """The text of a program that runs the snippet. Its exit status is 0 if all comparisons hold."""
    includes, functions, body, comparisons, in_function = [], [], [], 0, False
    for number, line in enumerate(lines, first):
        position = f'#line {number} "{path.name}"\n'
        opens = line.startswith(("__global__", "__device__"))
        in_function = in_function or opens
        section = includes if line.startswith("#include") else functions if in_function else body
        section.append(position + line + "\n")
        in_function = in_function and line != "}" and not (opens and line.endswith("}"))
        comparison = COMPARISON.search(line)
        if comparison and section is body:
            comparisons += 1
            text = f"{path.name}:{number}: {comparison[1]}".replace("\\", "\\\\").replace('"', '\\"')
            body.append(f'expect(({comparison[1]}), "{text}");\n')
    if comparisons == 0:
        sys.exit(f"{path.name}:{first}: the snippet has no comparison; expected a statement with the comment // x == y")
    sections = [*includes, PROLOGUE, *functions, "int main() {\n", *body, "return all_hold ? 0 : 1;\n}\n"]
    return "".join(sections)


def compiled(path, first, lines, parameters):
    """The text of a function that holds the snippet."""
    numbered = [f'#line {number} "{path.name}"\n{line}\n' for number, line in enumerate(lines, first)]
    includes = [each for each in numbered if "\n#include" in each]
    body = [each for each in numbered if "\n#include" not in each]
    return "".join([HEADERS, *includes, "using namespace exactdot;\n", f"void snippet({parameters});\n",
                    f"void snippet({parameters}) {{\n", *body, "}\n"])


def main(folder, *files):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for path in map(pathlib.Path, files):
        for first, lines, suffix in snippets(path):
            mark = COMPILED.fullmatch(suffix)
            target = folder / f"{path.stem}_{first}{'_compiled.cpp' if mark else suffix}"
            text = compiled(path, first, lines, mark[1]) if mark else program(path, first, lines)
            if not target.exists() or target.read_text() != text:
                target.write_text(text)
            print(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
