#!/usr/bin/env python3
"""Turns the C++ snippets of Markdown files into programs that check what the snippets state.

A fence of language `cpp` is a snippet: every one in README.md, and in other files those with the line
`<!-- run -->` before them. Its #include lines go to the top; the rest becomes the body of main(). A statement
that ends in a comment of the form `// x == y` is followed by a check that this holds; a snippet with no such
comment is refused, since it could not fail. Line numbers are those of the Markdown file.

usage: snippets.py FOLDER FILE.md...    writes FOLDER/FILE_LINE.cpp, prints their names, one a line
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
STATEMENT = re.compile(r";\s*//\s*(\S.*==.*?)\s*$")


def snippets(path):
    """Yields (line number of the first line, lines) for each snippet of the file."""
    first, lines, marked = None, [], False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if first is None and line.strip() == "```cpp" and (path.name == "README.md" or marked):
            first, lines = number + 1, []
        elif first is not None and line.strip() == "```":
            yield first, lines
            first = None
        elif first is not None:
            lines.append(line)
        marked = line.strip() == "<!-- run -->" or (marked and not line.strip())


def program(path, first, lines):
    """The text of a program that runs the snippet; its exit status is 0 when all that it states holds."""
    includes, body, statements = [], [], 0
    for number, line in enumerate(lines, first):
        position = f'#line {number} "{path.name}"\n'
        if line.startswith("#include"):
            includes.append(position + line + "\n")
            continue
        body.append(position + line + "\n")
        if stated := STATEMENT.search(line):
            statements += 1
            text = f"{path.name}:{number}: {stated[1]}".replace("\\", "\\\\").replace('"', '\\"')
            body.append(f'expect(({stated[1]}), "{text}");\n')
    if statements == 0:
        sys.exit(f"{path.name}:{first}: this snippet states nothing: end a statement in // x == y")
    return "".join(includes) + PROLOGUE + "int main() {\n" + "".join(body) + "return all_hold ? 0 : 1;\n}\n"


def main(folder, *files):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for path in map(pathlib.Path, files):
        for first, lines in snippets(path):
            target = folder / f"{path.stem}_{first}.cpp"
            text = program(path, first, lines)
            if not target.exists() or target.read_text() != text:
                target.write_text(text)
            print(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
