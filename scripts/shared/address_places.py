"""The places that name the project's public address. Until it has one, they have no such line: `scripts/release --address URL`
writes all of them, and the check `address` compares them. CMakeLists.txt gives it to pkg-config, Debian's packages and Conan."""
import json
import re

ADDRESS = re.compile(r"https://[^\s\"'\\]+[^\s\"'\\/]")
PYPROJECT = (re.compile(r'\[project\.urls\]\nHomepage = "(.*)"\n\n'), '[project.urls]\nHomepage = "{}"\n\n',
             re.compile(r"(?m)^(?=\[(?:project\.(?!urls)|tool\.))"))
# the lines with the address, how they are written, and the place for them
PLACES = {
    "CMakeLists.txt": (re.compile(r'  HOMEPAGE_URL "(.*)"\n'), '  HOMEPAGE_URL "{}"\n', re.compile(r'(?m)^(?=  DESCRIPTION ")')),
    "pyproject.toml": PYPROJECT,
    "packaging/cu13/pyproject.toml": PYPROJECT,
    "packaging/simtcc/pyproject.toml": PYPROJECT,
    "packaging/vcpkg/vcpkg.json": (re.compile(r'  "homepage": (".*"),\n'), '  "homepage": {},\n', re.compile(r'(?m)^(?=  "license")')),
    "CITATION.cff": (re.compile(r"repository-code: (.*)\n"), "repository-code: {}\n", re.compile(r"(?m)^(?=license: )")),
}


def addresses(root):
    """The address in every file, None where there is none."""
    found = {name: line.search((root / name).read_text()) for name, (line, _, _) in PLACES.items()}
    return {name: match and (json.loads(match[1]) if name.endswith(".json") else match[1]) for name, match in found.items()}


def write(root, address):
    for name, (line, written, place) in PLACES.items():
        text = line.sub("", (root / name).read_text(), count=1)
        value = json.dumps(address) if name.endswith(".json") else address
        text, count = place.subn(lambda _: written.format(value), text, count=1)
        if count != 1:
            raise ValueError(f"{name} has no place for the address")
        (root / name).write_text(text)
