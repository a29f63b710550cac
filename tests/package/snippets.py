#!/usr/bin/env python3
"""Turns the C++ snippets of Markdown files into programs that check what the snippets state.

A fence of language `cpp` is a snippet: every one in README.md, and in other files those with the line
`<!-- run -->` before them. Its #include lines go to the top; functions of CUDA (from a line that starts with
`__global__` or `__device__` to a line `}`) stand before main(), the rest becomes its body. A statement that ends in a
comment of the form `// x == y` is followed by a check that this holds; a snippet with no such comment is refused,
since it could not fail. Line numbers are those of the Markdown file. The line `<!-- run on simt -->` does the same for
a snippet with kernels, which becomes a .cu file.

usage: snippets.py FOLDER FILE.md...    writes FOLDER/FILE_LINE.cpp (or .cu), prints their names, one a line
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
STATEMENT = re.compile(r";\s*//\s*(\S.*==.*?)\s*$")


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
        suffix = MARKS.get(line.strip()) or (suffix if not line.strip() else None)


def program(path, first, lines):
    """The text of a program that runs the snippet; its exit status is 0 when all that it states holds."""
    includes, functions, body, statements, in_function = [], [], [], 0, False
    for number, line in enumerate(lines, first):
        position = f'#line {number} "{path.name}"\n'
        opens = line.startswith(("__global__", "__device__"))
        in_function = in_function or opens
        where = includes if line.startswith("#include") else functions if in_function else body
        where.append(position + line + "\n")
        in_function = in_function and line != "}" and not (opens and line.endswith("}"))
        stated = STATEMENT.search(line)
        if stated and where is body:
            statements += 1
            text = f"{path.name}:{number}: {stated[1]}".replace("\\", "\\\\").replace('"', '\\"')
            body.append(f'expect(({stated[1]}), "{text}");\n')
    if statements == 0:
        sys.exit(f"{path.name}:{first}: this snippet states nothing: end a statement in // x == y")
    parts = [*includes, PROLOGUE, *functions, "int main() {\n", *body, "return all_hold ? 0 : 1;\n}\n"]
    return "".join(parts)


def main(folder, *files):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for path in map(pathlib.Path, files):
        for first, lines, suffix in snippets(path):
            target = folder / f"{path.stem}_{first}{suffix}"
            text = program(path, first, lines)
            if not target.exists() or target.read_text() != text:
                target.write_text(text)
            print(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
