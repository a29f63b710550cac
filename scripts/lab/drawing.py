"""Draws the small pictures of docs/lab.md as SVG: layers of boxes with arrows, and time lines of actors.

The colours follow the reader's light or dark scheme; the background is opaque, so that either is readable anywhere.
"""
from xml.sax.saxutils import escape

STYLE = """
.back{fill:#fff} text{font:12px sans-serif;fill:#1b1b1b;text-anchor:middle} .left{text-anchor:start}
.note{font-size:11px;fill:#555} line{stroke:#777;stroke-width:1.2} .dash{stroke-dasharray:4 3} rect{stroke:#777}
.a{fill:#cfe3f5} .b{fill:#fbe3c0} .c{fill:#d5ecd0} .d{fill:#e6d9f2} .idle{fill:#eee;stroke-dasharray:3 2} .bad{fill:#f6c6c0}
.good{fill:#b8e0b0}
@media (prefers-color-scheme: dark){.back{fill:#16191d} text{fill:#e8e8e8} .note{fill:#aaa} line,rect{stroke:#999}
.a{fill:#1f4a70} .b{fill:#6b4a12} .c{fill:#25552a} .d{fill:#4d3768} .idle{fill:#2a2e33} .bad{fill:#7c2a22} .good{fill:#2d6b2a}}
"""
CELL, HEIGHT, GAP, MARGIN = 52, 24, 26, 10


class Picture:
    def __init__(self, title):
        self.title, self.parts, self.width, self.height = title, [], 0, 0

    def grow(self, x, y):
        self.width, self.height = max(self.width, x), max(self.height, y)

    def box(self, x, y, width, text, kind):
        self.parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{HEIGHT}" rx="3"/>')
        self.text(x + width / 2, y + 16, text)
        self.grow(x + width, y + HEIGHT)

    def text(self, x, y, text, kind=""):
        if text:
            name = f' class="{kind}"' if kind else ""
            self.parts.append(f'<text{name} x="{x:g}" y="{y:g}">{escape(text)}</text>')
        self.grow(x + (7 * len(text) if "left" in kind else 3.5 * len(text)), y + 4)

    def line(self, x1, y1, x2, y2, kind="", arrow=True):
        name = f' class="{kind}"' if kind else ""
        end = ' marker-end="url(#tip)"' if arrow else ""
        self.parts.append(f'<line{name} x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"{end}/>')
        self.grow(max(x1, x2), max(y1, y2))

    def svg(self):
        width, height = self.width + MARGIN, self.height + MARGIN
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
                f'viewBox="0 0 {width:g} {height:g}" role="img">\n<title>{escape(self.title)}</title>\n'
                f"<style>{STYLE}</style>\n"
                '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
                '<path d="M0 0L8 4L0 8z" fill="#777"/></marker>\n'
                f'<rect class="back" width="{width:g}" height="{height:g}" rx="6" stroke="none"/>\n'
                + "\n".join(self.parts) + "\n</svg>\n")


def boxes(texts, kinds="a", start=0, width=1, step=None):
    """Boxes of a layer, from left to right: (column, width in columns, text, kind). Kinds repeat."""
    kinds = kinds.split() if isinstance(kinds, str) else kinds
    return [(start + i * (step or width), width, text, kinds[i % len(kinds)]) for i, text in enumerate(texts)]


def layers(title, rows, note=""):
    """Layers from top to bottom: (caption, boxes, edges to the next layer as pairs of positions)."""
    picture = Picture(title)
    left = MARGIN + 7 * max(len(caption) for caption, _, _ in rows) + 8
    middle = lambda box: left + (box[0] + box[1] / 2) * CELL - 2
    for number, (caption, row, edges) in enumerate(rows):
        y = MARGIN + number * (HEIGHT + GAP)
        picture.text(MARGIN, y + 16, caption, "left note")
        for source, target in edges:
            picture.line(middle(row[source]), y + HEIGHT, middle(rows[number + 1][1][target]), y + HEIGHT + GAP - 1)
        for column, width, text, kind in row:
            picture.box(left + column * CELL, y, width * CELL - 4, text, kind)
    if note:
        picture.text(MARGIN, picture.height + 18, note, "left note")
    return picture.svg()


def time_line(title, rows, barriers=(), note=""):
    """Actors from top to bottom, time to the right: (actor, boxes); a barrier is a dashed line at a column."""
    picture = Picture(title)
    left = MARGIN + 7 * max(len(actor) for actor, _ in rows) + 8
    for number, (actor, row) in enumerate(rows):
        y = MARGIN + number * (HEIGHT + 6)
        picture.text(MARGIN, y + 16, actor, "left note")
        for column, width, text, kind in row:
            picture.box(left + column * CELL, y, width * CELL - 3, text, kind)
    bottom = picture.height
    for column in barriers:
        picture.line(left + column * CELL - 1.5, 4, left + column * CELL - 1.5, bottom + 4, "dash", arrow=False)
    picture.line(left, bottom + 10, picture.width, bottom + 10)
    picture.text(MARGIN, bottom + 14, "time", "left note")
    if note:
        picture.text(MARGIN, bottom + 32, note, "left note")
    return picture.svg()
