"""The documents as the site's source: docs/ as it is, with links that leave it mapped to pages of the site.

A link to a file outside docs/ leads to a page with its text, one to a folder to a list of its files; Markdown outside docs/
(the changelog) is a page like those of docs/. A headline of the lab gets a link to its page with the stepper.
"""
import os
import pathlib
import re
import shutil

LEXERS = {".py": "python", ".hpp": "cpp", ".cpp": "cpp", ".cuh": "cuda", ".cu": "cuda", ".h": "c", ".c": "c", ".cmake": "cmake",
          ".f90": "fortran", ".json": "json", ".ipynb": "json", ".toml": "toml", ".sh": "bash", ".cff": "yaml"}
FENCE = re.compile(r"^(```|~~~~)[^\n]*\n.*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
MAX_LISTED = 120


class site_source:
    def __init__(self, source, target):
        self.source, self.target = source, target
        self.made = {}  # path in the repository: path of its page
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source / "docs", target, ignore=shutil.ignore_patterns("*.md", "*.py"))
        for path in sorted((source / "docs").rglob("*.md")):
            self.write(path.relative_to(source / "docs"), self.mapped(path.relative_to(source), path.read_text()))
        self.page_of(pathlib.Path("CHANGELOG.md"))
        self.page_of(pathlib.Path("SECURITY.md"))

    def write(self, path, text):
        (self.target / path).parent.mkdir(parents=True, exist_ok=True)
        (self.target / path).write_text(text)

    def mapped(self, path, text):
        """The text of a document at `path` in the repository, with links for its page."""
        def link(found):
            if "://" in found[2] or found[2].startswith("mailto:"):
                return found[0]
            aim = pathlib.Path(os.path.normpath(path.parent / found[2]))
            return found[1] + os.path.relpath(self.page_of(aim), self.page(path).parent) + found[3]

        pieces, end = [], 0
        for fence in FENCE.finditer(text):
            pieces += [LINK.sub(link, text[end:fence.start()]), fence[0]]
            end = fence.end()
        return "".join([*pieces, LINK.sub(link, text[end:])])

    @staticmethod
    def page(path):
        """Where the page of a path in the repository lies."""
        if path.parts[0] == "docs" and path.suffix != ".py" and len(path.parts) > 1 and "." in path.name:
            return path.relative_to("docs")
        if path == pathlib.Path("docs/tutorial.py"):
            return pathlib.Path("tutorial.md")
        if path.suffix == ".md":
            return "source" / path
        return pathlib.Path("source", f"{path}.md")

    def page_of(self, path):
        """The page of a path, which is made if docs/ does not have it."""
        page = self.page(path)
        if path in self.made or (path.parts[0] == "docs" and page == path.relative_to("docs")):
            return page
        self.made[path] = page
        full = self.source / path
        if path.suffix == ".md":
            self.write(page, "---\norphan: true\n---\n" + self.mapped(path, full.read_text()))
        elif page.name == "tutorial.md":
            self.write(page, self.mapped(path, notebook(full.read_text())))
        elif full.is_dir():
            files = [each for each in sorted(full.rglob("*")) if each.is_file() and "__pycache__" not in each.parts]
            rows = [f"- [{each.relative_to(full)}]({each.relative_to(full)})" for each in files[:MAX_LISTED]]
            text = f"# {path}/\n\n" + "\n".join(rows) + "\n"
            self.write(page, "---\norphan: true\n---\n" + self.listed(path, page, text))
        else:
            lexer = LEXERS.get(path.suffix, "python" if full.read_text().startswith("#!/usr/bin/env python3") else "text")
            self.write(page, f"---\norphan: true\n---\n# {path}\n\n~~~~~~{lexer}\n{full.read_text()}~~~~~~\n")
        return page

    def listed(self, folder, page, text):
        """The list of a folder's files, whose links are relative to the folder."""
        return LINK.sub(lambda found: found[1] + os.path.relpath(self.page_of(folder / found[2]), page.parent) + found[3], text)


def notebook(text):
    """A program in percent format as Markdown."""
    parts = []
    for cell in re.split(r"^# %%", text, flags=re.MULTILINE)[1:]:
        head, _, body = cell.partition("\n")
        if "[markdown]" in head:
            parts.append(re.sub(r"^# ?", "", body, flags=re.MULTILINE).strip())
        else:
            parts.append(f"```python\n{body.strip()}\n```")
    return "\n\n".join(parts) + "\n"
