"""Checks the links of a folder of HTML pages: files and anchors exist, and nothing is loaded from elsewhere."""
import pathlib
import sys
import urllib.parse
from html.parser import HTMLParser

LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src", "audio": "src", "video": "src"}


class page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.update(found[name] for name in ("id", "name") if found.get(name))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if found.get(LOADED.get(tag, "-")) and not (tag == "link" and found.get("rel") in ("search", "index", "next", "prev")):
            self.loads.append(found[LOADED[tag]])


def check(html):
    """The number of links; exits with those that lead nowhere or load something from another place."""
    html = html.resolve()
    pages = {path: page(path.read_text(encoding="utf-8")) for path in html.rglob("*.html")}
    faults, count = [], 0
    for path, each in pages.items():
        name = path.relative_to(html)
        for link in each.loads + each.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("data", "mailto") or (parts.scheme and link not in each.loads):
                continue
            count += 1
            if parts.scheme or parts.netloc:
                faults.append(f"{name}: loads {link}")
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file():
                faults.append(f"{name}: {link} does not exist")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                faults.append(f"{name}: {link}: {target.name} has no such anchor")
    for path in html.rglob("*.css"):
        if "url(http" in path.read_text(encoding="utf-8").replace("'", "").replace('"', "") or "@import" in path.read_text():
            faults.append(f"{path.relative_to(html)}: loads from elsewhere")
    if faults or not count:
        sys.exit("\n".join(["links:", *(faults or ["there are none"])]))
    return count
