"""Pages of the C and C++ reference, from the headers by Doxygen's XML.

The headers' convention: a comment describes the declarations that follow it up to the next comment. A declaration is shown
as the header has it, up to its body; enumerations and structs without functions with their members' comments. A public
declaration that no comment describes is an error, as is each warning of Doxygen.
"""
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

PAGES = {
    "c": ("C", "The functions for C99 and for every language that calls C. [exactdot in C](../c.md) is the guide.",
          ["include/exactdot.h"]),
    "cpp": ("C++", "`#include <exactdot/exactdot.hpp>` includes all of these. [The contract](../contract.md) states what every "
            "call promises.",
            [f"include/exactdot/{name}.hpp" for name in (
                "reductions", "options", "views", "error", "accumulator", "moments", "bivariate_moments", "shapes", "batches", "states",
                "state_format", "reduce", "reduction", "element", "float16", "float8", "info")]),
    "cuda": ("CUDA", "Calls on vectors in a GPU's memory, ordered by a stream (link `exactdot::cuda`), and exact sums within "
             "kernels ([guide](../block.md)).",
             [*(f"include/exactdot/{name}" for name in ("cuda.hpp", "cuda/batches.hpp", "cuda/states.hpp",
                                                       "cuda/batch_states.hpp", "cuda/peer_sums.hpp",
                                                       "cuda/thread_sum.cuh", "cuda/block_sum.cuh", "cuda/reduce.cuh"))]),
    "mpi": ("MPI", "Exact sums over the processes of a communicator, in C++ and C. "
            "[exactdot over MPI](../mpi.md) is the guide, for Fortran too.",
            ["mpi/include/exactdot/mpi.hpp", "mpi/include/exactdot_mpi.h", "mpi/include/exactdot/mpi/requests.h"]),
    "simulator": ("Simulator", "CUDA kernels on a CPU. [CUDA kernels on a CPU](../simt.md) is the guide.",
                  ["simt/include/exactdot/simt/simulator.hpp", "simt/include/exactdot/simt/recording.hpp",
                   "simt/include/exactdot/simt/costs.hpp"]),
}
# headers of C with helpers, which cannot be hidden: what a comment describes is shown, without members of the helpers' structs
WITH_HELPERS = {"mpi/include/exactdot_mpi.h", "mpi/include/exactdot/mpi/requests.h"}
CONFIGURATION = r"""
INPUT = {inputs}
STRIP_FROM_PATH = {source}
EXTENSION_MAPPING = cuh=C++ h=C++
EXCLUDE_SYMBOLS = detail *::detail
FILTER_PATTERNS = *.h={c_filter} *.hpp={filter} *.cuh={filter}
EXTRACT_ALL = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
MARKDOWN_SUPPORT = NO
AUTOLINK_SUPPORT = NO
QUIET = YES
WARN_NO_PARAMDOC = NO
WARN_AS_ERROR = YES
OUTPUT_DIRECTORY = {out}
"""
# what Doxygen 1.9 cannot parse or need not see; C's comments become documentation, after the opening comment of the file
FILTER = (r"s/exactdot::inline v[0-9]*_[0-9]*/exactdot/; s/\[\[[a-z]*\]\] *//g; s/EXACTDOT_[A-Z_]* *(("
          r".*))//; s/^  requires(.*) \(explicit\|void\|static\|friend\)/  \1/")
C_FILTER = r"16,$ { s,^ */\* ---- .*,,; s,^\( *\)/\* ,\1/** ,; s,\([;\,0-9A-Z]\)  */\* ,\1 /**< ,; }"
SKIPPED = ("define", "friend")
TYPES = ("class", "struct", "union", "enum", "concept")


class declaration:
    def __init__(self, element, scope, headers):
        location = element.find("location")
        self.scope, self.kind = scope, element.get("kind")
        self.name = (element.findtext("name") or element.findtext("compoundname")).split("::")[-1]
        self.file = location.get("declfile", location.get("file"))
        self.line = int(location.get("declline", location.get("line")))
        self.lines = headers.get(self.file)
        self.text = description(element)
        self.functions = element.tag == "compounddef" and element.find(".//memberdef[@kind='function']") is not None

    def code(self):
        """The declaration's lines in the header."""
        first = last = self.line - 1
        opens = re.compile(r"^\s*(//|/\*|\*|$|#|public:|private:|protected:)|[;{}]\s*(//.*|/\*.*\*/)?$|\*/$")
        while first > 0 and not opens.search(self.lines[first - 1]):
            first -= 1
        whole = self.kind in (*TYPES, "typedef", "variable") and not self.functions
        depth, taken = 0, []
        for line in self.lines[first:]:
            for at, letter in enumerate(re.sub(r"//.*|\"[^\"]*\"", lambda found: " " * len(found[0]), line)):
                depth += {"(": 1, ")": -1}.get(letter, 0)
                if letter == "{" and whole:
                    depth += 1
                if letter == "}" and whole:
                    depth -= 1
                if depth == 0 and (letter == ";" or (letter == "{" and not whole)):
                    return unindented([*taken, (line if whole else line[:at].rstrip() + ";")])
            taken.append(line)
        sys.exit(f"{self.file}:{self.line}: {self.name} has no end")


def unindented(lines):
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    text = "\n".join(line[margin:] for line in lines)
    text = re.sub(r"\[\[nodiscard\]\] |^inline (?!constexpr)", "", text, flags=re.MULTILINE)
    return re.sub(r"\)( noexcept)?\s+: .*;$", r")\1;", text, flags=re.DOTALL)  # without a constructor's initialisers


def description(element):
    """The paragraphs of a comment as Markdown."""
    parts = []
    for name in ("briefdescription", "detaileddescription"):
        for paragraph in element.find(name).iter("para") if element.find(name) is not None else []:
            text = re.sub(r"\s+", " ", "".join(paragraph.itertext())).strip()
            parts += [escaped(text)] if text else []
    return "\n\n".join(dict.fromkeys(parts))


def escaped(text):
    pieces = re.split(r"(`[^`]*`)", text)
    text = "".join(piece if at % 2 else re.sub(r"([\\*_<\[\]#~$])", r"\\\1", piece)
                   for at, piece in enumerate(pieces))
    return re.sub(r"docs/((?:results/)?[\w-]+\.md)", r"[docs/\1](../\1)", text)


def declarations(folder, headers):
    found, classes = {}, set()
    for path in sorted(folder.glob("*.xml"), key=lambda path: not path.name.startswith(("class", "struct"))):
        for compound in xml.parse(path).getroot().iter("compounddef"):
            kind, name = compound.get("kind"), compound.findtext("compoundname")
            if kind in ("class", "struct", "union", "concept") and compound.get("prot", "public") == "public":
                outer = name.rpartition("::")[0]
                each = declaration(compound, outer if outer in classes else "", headers)
                classes.add(name)
                found[each.file, each.line, each.name] = each
            for member in compound.iter("memberdef"):
                if member.get("prot") != "public" or member.get("kind") in SKIPPED or "detail" in (name or ""):
                    continue
                scope = name if kind in ("class", "struct") else ""
                each = declaration(member, scope, headers)
                found.setdefault((each.file, each.line, each.name), each)
    return sorted((each for each in found.values() if each.lines and not each.lines[each.line - 1].startswith("}")), key=lambda each: (each.file, each.line))


def opening(lines):
    """The comment that opens a header, as Markdown."""
    taken = []
    for line in lines:
        text = re.match(r"(?://|/\*| \*/?) ?(.*)$", line)
        if not text or line.startswith("#"):
            break
        taken.append(text[1])
    text = "\n".join(taken).replace("*/", "")
    text = re.sub(r"^\s*SPDX.*$", "", text, flags=re.MULTILINE).strip()
    plain = [line for line in text.split("\n\n") if not re.search(r"^(   |//)|#include", line, re.MULTILINE)]
    return "\n\n".join(escaped(re.sub(r"\s+", " ", part).strip()) for part in plain)


def is_public(each):
    """Of headers with helpers: these have no comment, or take the name of the function that calls them."""
    return bool(each.text) and each.kind != "variable" and "const char* caller" not in each.code()


def is_shown_elsewhere(each, whole):
    """A member of a struct that is shown whole, or the name of a constructor's class that Doxygen repeats."""
    scope = each.scope.split("::")[-1]
    return bool(scope) and (scope in whole or (each.kind in TYPES and each.name == scope))


def follows(before, each):
    """Whether no blank line is between two declarations: a comment describes them together."""
    return before is not None and all(map(str.strip, each.lines[before.line:each.line - 1]))


def groups_of(found, faults):
    """Lists of declarations that one comment describes."""
    whole = {each.name for each in found if each.kind in TYPES and not each.functions}
    groups, names, before = [], set(), None  # a name that was described before: an overload, a deduction guide
    for each in found:
        if is_shown_elsewhere(each, whole):
            continue
        if each.text or each.kind in TYPES or before is None or each.scope != before.scope:
            groups.append([])
        described = each.text or each.scope or each.kind in TYPES or each.name in names
        if not (described or (groups[-1] and follows(before, each))):
            faults.append(f"{each.file}:{each.line}: {each.name} has no comment")
        groups[-1].append(each)
        names.add(each.name)
        before = each
    return groups


def section(header, lines, found, faults):
    """A header's part of a page."""
    made, heading = [f"## {'/'.join(header.split('include/')[1:])}", opening(lines)], ""
    for group in groups_of(found, faults):
        first = group[0]
        if not first.scope and first.name != heading and not first.name.startswith("@"):
            heading = first.name
            made.append(f"### {escaped(re.sub(r'^operator(?=[^a-z])', 'operator ', heading))}")
        code = "\n".join(dict.fromkeys(each.code() for each in group))
        made += [f"```cpp\n{code}\n```", first.text]
    return made


def write(source, scratch, target):
    """Writes the pages to the folder `target`; exits with what is wrong."""
    inputs = [header for _, _, headers in PAGES.values() for header in headers]
    headers = {header: (source / header).read_text().splitlines() for header in inputs}
    scratch.mkdir(parents=True, exist_ok=True)
    for name, text in (("filter", FILTER), ("c_filter", C_FILTER)):
        (scratch / name).write_text(f"#!/bin/sh\nexec sed -e '{text}' \"$1\"\n")
        (scratch / name).chmod(0o755)
    (scratch / "Doxyfile").write_text(CONFIGURATION.format(
        inputs=" ".join(str(source / header) for header in inputs), source=source, out=scratch,
        filter=(scratch / "filter").resolve(), c_filter=(scratch / "c_filter").resolve()))
    done = subprocess.run(["doxygen", scratch / "Doxyfile"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0 or "warning:" in done.stdout:
        sys.exit(f"doxygen:\n{done.stdout}")
    all_found, faults = declarations(scratch / "xml", headers), []
    for name, (title, text, parts) in PAGES.items():
        page = [f"# {title}", text]
        for header in parts:
            found = [each for each in all_found if each.file == header and (header not in WITH_HELPERS or is_public(each))]
            if not found:
                faults.append(f"{header}: Doxygen found nothing")
            page += section(header, headers[header], found, faults)
        (target / f"{name}.md").write_text("\n\n".join(part for part in page if part) + "\n")
    if faults:
        sys.exit("\n".join(["the reference lacks descriptions:", *faults]))


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    write(pathlib.Path(sys.argv[1]).resolve(), out / "doxygen", out)
