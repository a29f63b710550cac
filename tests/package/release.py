#!/usr/bin/env python3
"""Makes a release of a copy of the sources with scripts/release: each check is seen to hold, and to fail for its reason.

usage: release.py SOURCE SCRATCH
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

VERSION, DATE, ADDRESS = "9.8.7", "2130-01-02", "https://example.org/exactdot"
# check, file, what is replaced, replacement, what the check has to say
FAULTS = (
    ("version", "pyproject.toml", 'version = "9.8.7"', 'version = "9.8.6"', "pyproject.toml has 9.8.6 and 9.8.7, CMakeLists.txt 9.8.7; "
     "scripts/release --set 9.8.7 writes all"),
    ("version", "packaging/cu13/pyproject.toml", '"exactdot==9.8.7"', '"exactdot==9.8.6"', "packaging/cu13/pyproject.toml has 9.8.7 and 9.8.6"),
    ("version", "CITATION.cff", "version: 9.8.7", "version: 9.8.6", "CITATION.cff has 9.8.6"),
    ("version", "CMakeLists.txt", r"PROJECT_VERSION}\)", "PROJECT_VERSION}.dev3)", "pyproject.toml has 9.8.7, CMakeLists.txt 9.8.7.dev3"),
    ("namespace", "include/exactdot/error.hpp", "inline v9_8", "inline v9_7", "include/exactdot/error.hpp and 0 other files"),
    ("address", "packaging/simtcc/pyproject.toml", ADDRESS, "https://example.org/b", "packaging/simtcc/pyproject.toml has https://example.org/b, "
     f"CMakeLists.txt {ADDRESS}; scripts/release --address URL writes all"),
    ("address", "CITATION.cff", "repository-code: .*\n", "", "CITATION.cff has None"),
    ("changelog", "CHANGELOG.md", rf"## \[9.8.7\] - {DATE}", "## [9.8.7]", "CHANGELOG.md has no section '## [9.8.7] - DATE'"),
    ("changelog", "CHANGELOG.md", r"(?=## \[9.8.7\])", "## [Unreleased]\n\n- More.\n\n", "CHANGELOG.md still has entries under [Unreleased], which 9.8.7 would lose"),
    ("changelog", "CHANGELOG.md", DATE, "2001-01-02", "CHANGELOG.md dates 9.8.7 2001-01-02, before an earlier version"),
    ("citation", "CITATION.cff", f"date-released: {DATE}", "date-released: 2130-01-03", "CITATION.cff has date-released 2130-01-03, the changelog 2130-01-02"),
    ("citation", "CITATION.cff", "license: .*\n", "", "CITATION.cff has no license; add it"),
    ("tables", "docs/contract.md", r"\d+ results, none with", "7 results, none with", "same_bits: "),
    ("tree", "CHANGELOG.md", r"\Z", "\n", "1 files differ from HEAD, CHANGELOG.md among them"),
)


class copy_of:
    """A copy of the files that git knows or would take, as a repository of one commit."""

    def __init__(self, source, scratch):
        listed = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                capture_output=True, text=True)
        if listed.returncode != 0:
            print("release: the sources are no checkout of git: skipped")
            sys.exit(77)
        shutil.rmtree(scratch, ignore_errors=True)
        for name in filter(None, listed.stdout.split("\0")):
            if (source / name).is_file():
                (scratch / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source / name, scratch / name)
        self.root = scratch
        self.environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, **{
            f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "test"), ("EMAIL", "test@example.org"))}}
        self.run("git", "init", "--quiet")
        self.commit()

    def run(self, *command):
        return subprocess.run(command, cwd=self.root, env=self.environment, check=True, capture_output=True, text=True).stdout

    def commit(self):
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--no-verify", "--message", "All")

    def expect(self, status, *arguments, says):
        done = subprocess.run([sys.executable, "scripts/release", *arguments], cwd=self.root, env=self.environment,
                              capture_output=True, text=True)
        said = done.stdout + done.stderr
        if done.returncode != status or says not in said:
            sys.exit(f"release: {' '.join(arguments)} exited with {done.returncode}, not with {status} and '{says}':\n{said}")


def write_address(copy):
    """A release needs one; it is written twice, so that nothing is left of the first."""
    if not json.loads((copy.root / "packaging/vcpkg/vcpkg.json").read_text()).get("homepage"):
        copy.expect(1, "--check", "address", says="FAIL  address: the project has no public address")
    copy.expect(1, "--address", "example.org", says="example.org is no address; write it as https://host/path")
    for address in ("https://example.org/a", ADDRESS):
        copy.expect(0, "--address", address, says=f"wrote {address} to CMakeLists.txt, pyproject.toml")
        copy.expect(0, "--check", "address", says=f"ok    address: {address}")
    if json.loads((copy.root / "packaging/vcpkg/vcpkg.json").read_text())["homepage"] != ADDRESS:
        sys.exit("release: --address did not write vcpkg.json")
    for name in ("pyproject.toml", "packaging/cu13/pyproject.toml", "packaging/simtcc/pyproject.toml"):
        text = (copy.root / name).read_text()
        if text.count(f'\n\n[project.urls]\nHomepage = "{ADDRESS}"\n\n[') != 1 or text.count("https://") != 1:
            sys.exit(f"release: --address did not write {name}:\n{text}")


def main(source, scratch):
    copy = copy_of(source, scratch)
    version = re.search(r'^version = "(.*)"', (source / "pyproject.toml").read_text(), re.MULTILINE)[1]
    known_to_fail = "version" if ".dev" in version else "tag"
    copy.expect(0, "--check", *({"version", "namespace", "address", "changelog", "citation", "tree", "tag"} - {known_to_fail}), says="changelog: ")
    copy.expect(0, "--set", "9.8.7.dev0", says="wrote 9.8.7.dev0")
    if "## [Unreleased]" not in (copy.root / "CHANGELOG.md").read_text():
        sys.exit("release: --set 9.8.7.dev0 made no section [Unreleased]")
    copy.expect(1, "--check", "version", says="FAIL  version: 9.8.7.dev0 is no release; scripts/release --set 9.8.7 makes it one")
    changelog = copy.root / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("## [Unreleased]\n", "## [Unreleased]\n\n- An entry.\n", 1))
    copy.expect(0, "--set", VERSION, DATE, says=f"wrote {VERSION}")
    copy.expect(1, "--check", "tree", says="FAIL  tree: ")
    write_address(copy)
    copy.commit()
    copy.expect(1, "--check", "tag", says="FAIL  tag: there is no tag v9.8.7; scripts/release --tag makes it")
    for check, name, old, new, says in FAULTS:
        path = copy.root / name
        text = path.read_text()
        wrong, count = re.subn(old, new, text, count=1)
        if count != 1:
            sys.exit(f"release: {name} has nothing like {old}")
        path.write_text(wrong)
        copy.expect(1, "--check", check, says=f"FAIL  {check}: {says}")
        path.write_text(text)
    copy.expect(0, "--tag", says="build/wheels/checks/bin/twine upload dist/*")
    copy.run("git", "commit", "--quiet", "--allow-empty", "--message", "Later")
    copy.expect(1, "--check", "tag", says="check out v9.8.7, or make another version")
    copy.expect(0, "--set", "9.9.0.dev0", says="wrote 9.9.0.dev0")
    copy.expect(0, "--check", "namespace", "citation", says="ok    namespace: v9_9")
    install = (copy.root / "docs/install.md").read_text()
    if "`exactdot/9.9.0`" not in install or "`libexactdot9.9`" not in install:
        sys.exit("release: --set 9.9.0.dev0 did not write docs/install.md")
    for name, line in (("c.txt", "version EXACTDOT_9.9"), ("cpp.txt", "namespace v9_9")):
        if (copy.root / "tests/package/abi" / name).read_text().splitlines()[0] != line:
            sys.exit(f"release: --set 9.9.0.dev0 did not write {line} to {name}")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
