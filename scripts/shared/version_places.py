"""The places that hold the version: CMakeLists.txt, which the others repeat, the projects of the wheels, vcpkg.json, install.md,
CITATION.cff, CHANGELOG.md, and the inline namespace of the sources and the version of the symbols, which have the first two numbers."""
import pathlib
import re
import subprocess

VERSION = r"\d+\.\d+\.\d+(?:\.dev\d+)?"
IN_CMAKE = re.compile(r"(?<=project\(exactdot VERSION )\d+\.\d+\.\d+")
SUFFIX = re.compile(r"(?<=set\(EXACTDOT_PUBLIC_VERSION \$\{PROJECT_VERSION\})(?:\.dev\d+)?(?=\))")
PROJECT = re.compile(rf'(?<=^version = "){VERSION}(?=")', re.MULTILINE)
REQUIREMENT = re.compile(rf'(?<="exactdot-cu13==){VERSION}(?=")|(?<="exactdot==){VERSION}(?=")')
PLACES = {"pyproject.toml": [PROJECT, REQUIREMENT], "packaging/cu13/pyproject.toml": [PROJECT, REQUIREMENT],
          "packaging/simtcc/pyproject.toml": [PROJECT],
          "CITATION.cff": [re.compile(rf"(?<=^version: ){VERSION}$", re.MULTILINE)]}
NUMBERS = {"packaging/vcpkg/vcpkg.json": re.compile(r'(?<="version": ")\d+\.\d+\.\d+(?=")'),
           "docs/install.md": re.compile(r"(?<=`exactdot/)\d+\.\d+\.\d+(?=`)")}  # without .dev
RELEASED = re.compile(r"^date-released: .*\n", re.MULTILINE)
SECTION = re.compile(r"^## \[([^]]+)\](?: - (\d{4}-\d\d-\d\d))?\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def is_release(version):
    return ".dev" not in version


def namespace_of(version):
    return "v{}_{}".format(*version.split("."))


def version(root):
    text = (root / "CMakeLists.txt").read_text()
    return IN_CMAKE.search(text)[0] + SUFFIX.search(text)[0]


def versions(root):
    """The version of every other file."""
    found = {}
    for name, patterns in PLACES.items():
        text = (root / name).read_text()
        each = [match[0] if (match := pattern.search(text)) else "none" for pattern in patterns]
        found[name] = each[0] if len(set(each)) == 1 else " and ".join(each)
    return found


def changelog_sections(root):
    """Date, or None, and entries by version; "Unreleased" is one."""
    return {name: (date or None, text.strip()) for name, date, text in SECTION.findall((root / "CHANGELOG.md").read_text())}


def citation(root, key):
    found = re.search(rf"^{key}: *['\"]?(.*?)['\"]?$", (root / "CITATION.cff").read_text(), re.MULTILINE)
    return (found[1] or "a list") if found else None


def sources(root):
    """The files that git has, but for results."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    return [root / name for name in listed.split("\0") if pathlib.Path(name).suffix in (".hpp", ".h", ".cpp", ".cuh", ".cu", ".md")]


def other_namespaces(root, version):
    """Files that open another inline namespace than that of the version."""
    other = re.compile(rf"^namespace exactdot::inline (?!{namespace_of(version)}\b)", re.MULTILINE)
    return [path.relative_to(root) for path in sources(root) if path.exists() and other.search(path.read_text())]


def write(root, version_, date):
    """Writes a version to all places; a release dates the changelog's entries, which lie under [Unreleased] before."""
    def change(name, *changes):
        text = (root / name).read_text()
        for pattern, replacement in changes:
            text = re.sub(pattern, replacement, text, count=1)
        (root / name).write_text(text)

    old, new = namespace_of(version(root)), namespace_of(version_)
    old_symbols, new_symbols = (f"EXACTDOT_{each[1:].replace('_', '.')}" for each in (old, new))
    if old != new:
        for path in [*sources(root), *(root / "tests/package/abi").glob("*.txt")]:
            text = path.read_text()
            changed = re.sub(rf"(?<=exactdot::inline ){old}\b|(?<=inline namespace `){old}(?=`)|(?<=\Anamespace ){old}$", new, text,
                             flags=re.MULTILINE)
            changed = re.sub(rf"(?<=`){old_symbols}(?=`)|(?<=\Aversion ){old_symbols}$", new_symbols, changed, flags=re.MULTILINE)
            if changed != text:
                path.write_text(changed)
        install = root / "docs/install.md"  # the package of the shared libraries
        install.write_text(install.read_text().replace(*(f"libexactdot{each.removeprefix('EXACTDOT_')}" for each in (
            old_symbols, new_symbols))))
    numbers = version_.split(".dev")[0]
    change("CMakeLists.txt", (IN_CMAKE, numbers), (SUFFIX, version_.removeprefix(numbers)))
    for name, patterns in PLACES.items():
        change(name, *((pattern, version_) for pattern in patterns))
    for name, pattern in NUMBERS.items():
        change(name, (pattern, numbers))
    released = f"date-released: {date}\n" if is_release(version_) else ""
    change("CITATION.cff", (RELEASED, ""), (rf"(?m)^version: {version_}\n", rf"\g<0>{released}"))
    sections = changelog_sections(root)
    if is_release(version_) and version_ not in sections:
        change("CHANGELOG.md", (r"(?m)^## \[Unreleased\]$", f"## [{version_}] - {date}"))
    elif is_release(version_):
        change("CHANGELOG.md", (rf"(?m)^## \[{re.escape(version_)}\].*$", f"## [{version_}] - {date}"))
    elif "Unreleased" not in sections:
        change("CHANGELOG.md", (r"(?m)^(?=## \[)", "## [Unreleased]\n\n"))
