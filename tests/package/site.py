#!/usr/bin/env python3
"""Builds the web site (scripts/build_site), in which warnings, broken links and what is loaded from elsewhere are errors.

usage: site.py SOURCE SCRATCH [PROGRAM [FOLDER...]]

Exit status 77, for a skipped test, where neither this Python nor the one of `make site` has the site's tools. The check of
the links is tried on a folder with faults first. FOLDER: where _engine.pyi, the package's stubs, may lie.
"""
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
TOOLS = "import sphinx, myst_parser, furo, griffe"
GOOD = '<p id="a"><a href="#a">a</a> <a href="b.html#b">b</a> <a href="https://example.org">c</a></p>'
FAULTS = {'<a href="c.html">c</a>': "does not exist", '<a href="b.html#c">c</a>': "no such anchor",
          '<a href="#c">c</a>': "no such anchor", '<img src="https://example.org/a.png">': "loads"}
MAX_BYTES = 40_000_000


def check_links_finds(scratch, source):
    def found(text):
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        (scratch / "a.html").write_text(text)
        (scratch / "b.html").write_text('<p id="b">')
        done = subprocess.run([sys.executable, "-B", "-c", "import links, pathlib, sys; links.check(pathlib.Path(sys.argv[1]))", scratch],
                              cwd=source / "scripts/site", stderr=subprocess.PIPE, text=True)
        return done.stderr if done.returncode else ""

    if found(GOOD):
        sys.exit(f"site: links that are right are faults: {found(GOOD)}")
    for fault, words in FAULTS.items():
        if words not in found(GOOD + fault):
            sys.exit(f"site: nobody notices {fault}")


def main(source, scratch, program=None, *folders):
    check_links_finds(scratch / "faults", source)
    pythons = [sys.executable, source / "build/site/venv/bin/python"]
    python = next((each for each in pythons if pathlib.Path(each).exists() and subprocess.run(
        [each, "-c", TOOLS], stderr=subprocess.DEVNULL).returncode == 0), None)
    if python is None:
        print("site: skipped: no Python with the site's tools; make site-tools installs them")
        sys.exit(77)
    command = [python, source / "scripts/build_site", scratch]
    command += ["--program", program] if program else []
    there = [each for folder in folders for each in sorted(folder.rglob("_engine.pyi"))]
    command += ["--stubs", there[0]] if there else []
    if subprocess.run(command).returncode != 0:
        sys.exit("site: the site was not built")
    html = scratch / "html"
    size = sum(path.stat().st_size for path in html.rglob("*") if path.is_file())
    if not (html / "index.html").exists() or not size <= MAX_BYTES:
        sys.exit(f"site: {size} bytes, of at most {MAX_BYTES}, or no index.html")
    if program and not (html / "steps/racy.html").exists():
        sys.exit("site: the lab has no page of the rung racy")


if __name__ == "__main__":
    main(*[pathlib.Path(argument).resolve() for argument in sys.argv[1:]])
