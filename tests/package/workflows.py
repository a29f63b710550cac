#!/usr/bin/env python3
"""Checks .github/workflows: make has the targets that are called, the scripts exist, actions and containers are named by what
they hold (commit, digest), and what .ci/run calls is called. With PyYAML, the files are parsed too. And of the packages that
pip installs for the tools, every file's hash is known (scripts/lock).

usage: workflows.py SOURCE [FOLDER]    FOLDER: the workflows; default: SOURCE/.github/workflows
"""
import pathlib
import re
import shlex
import sys

EXPECTED = {"codeql.yml", "release.yml", "sanitizers.yml", "tests.yml", "wheels.yml"}
NEEDS_CUDA = {"test-cuda"}  # which .ci/run calls where there is nvcc
PINNED_ACTION = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
PINNED_IMAGE = re.compile(r"[\w./-]+:(?!latest)[\w.-]+@sha256:[0-9a-f]{64}")


def faults_of(source, name, text, targets):
    """Sentences about what is wrong with a workflow."""
    try:
        import yaml
        parsed = yaml.safe_load(text)
        yield from (f"job {job} has no steps" for job, each in parsed["jobs"].items() if "steps" not in each and "uses" not in each)
    except ImportError:
        pass
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        yield f"it is no workflow: {' '.join(str(error).split())}"
    text = re.sub(r"(^|\s)#.*", "", text)
    if "\t" in text:
        yield "it has a tab, which YAML refuses"
    for key in ("name", "on", "permissions", "jobs"):
        if not re.search(rf"^{key}:", text, re.MULTILINE):
            yield f"it has no {key}"
    jobs = set(re.findall(r"^  (\w+):$", text.split("\njobs:")[-1], re.MULTILINE))
    for needed in re.findall(r"needs: (\w+)", text):
        if needed not in jobs:
            yield f"it needs {needed}, which is no job"
    for action in re.findall(r"uses: (\S+)", text):
        local = source / action
        if not (local.is_file() if action.startswith("./") else PINNED_ACTION.fullmatch(action)):
            yield f"it uses {action}, which is neither a commit nor a file"
    for image in re.findall(r"(?:container|image): (\S.*)", text):
        if not PINNED_IMAGE.fullmatch(image.strip()):
            yield f"the container {image.strip()} has no version and digest"
    for target in sorted(targets_in(text) - targets):
        yield f"it calls make {target}, which is no target"
    for script in re.findall(r"\b(?:scripts|packaging|tests)/[\w./-]*\w", text):
        if not (source / script).is_file():
            yield f"it runs {script}, which does not exist"


def faults_of_locks(source):
    """Sentences about requirements that scripts/lock has not written."""
    for path in [*sorted((source / "packaging/wheels").glob("*.in")), source / "scripts/site/requirements.in"]:
        locked = path.with_suffix(".txt")
        if not locked.is_file():
            yield f"{path.name}: there is no {locked.name}; scripts/lock writes it"
            continue
        entries = re.sub(r" \\\n", "", re.sub(r"^#.*\n", "", locked.read_text(), flags=re.MULTILINE)).splitlines()
        yield from (f"{locked.name}: {entry.split()[0]} has no hash" for entry in entries if "--hash=sha256:" not in entry)
        found = {entry.split()[0] for entry in entries}
        for wanted in re.findall(r"^[\w-]+\S*", path.read_text(), re.MULTILINE):
            name = re.match(r"[\w-]+", wanted)[0].replace("_", "-")
            if not any(each.startswith(name + "==") and ("==" not in wanted or each.split("==")[1] == wanted.split("==")[1])
                       for each in found):
                yield f"{locked.name} has no {wanted}; scripts/lock writes it"


def targets_in(text):
    """What lines call of make."""
    calls = re.findall(r"^\s*(?:- )?(?:run: )?(?:exec )?make ([^#\n<;]+)", text, re.MULTILINE)
    return {word for call in calls for word in shlex.split(call) if "=" not in word}


def main(source, folder=None):
    folder = folder or source / ".github/workflows"
    makefile = dict(re.findall(r"^([a-z][\w-]*):(.*)", (source / "Makefile").read_text(), re.MULTILINE))
    targets = set(makefile)
    texts = {path.name: path.read_text() for path in sorted(folder.glob("*.yml"))}
    faults = [f"{name}: {fault}" for name, text in texts.items() for fault in faults_of(source, name, text, targets)]
    faults += faults_of_locks(source)
    faults += [f"there is no workflow {name}" for name in sorted(EXPECTED - set(texts))]
    called = set().union(*map(targets_in, texts.values()))
    called |= set(" ".join(makefile.get(target, "") for target in called).split())  # what these need
    faults += [f"no workflow calls make {target}, as .ci/run does"
               for target in sorted(targets_in((source / ".ci/run").read_text().replace(" \\\n", " ")) - NEEDS_CUDA - called)]
    if faults:
        sys.exit("\n".join(f"workflows: {fault}" for fault in dict.fromkeys(faults)))


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
