"""Pages of `exactdot lab --html`, `exactdot hazards --html` and of programs that simtcc compiled (SIMTCC_HTML), in a headless
Chromium, at widths of 800 and 1440.

Usage: browser_test.py PROGRAM SIMTCC FOLDER [--all]. A copy of each page, with checks.js appended, writes what it found into its
document, which Chromium prints. Each page has one of the widths, those of own kernels both; with --all all have both. Exit status 77 without Chromium: the
test is skipped.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

PAGES = {
    "tree of 8": ["lab", "--rung", "shared_host_sum", "--n", "8", "--block", "8"],
    "tree of 16": ["lab", "--rung", "shared_host_sum", "--n", "16", "--block", "16"],
    "map": ["lab", "--rung", "partial_per_thread", "--n", "16", "--grid", "2", "--block", "4", "--data", "ramp"],
    "warps": ["lab", "--rung", "interleaved", "--n", "64", "--block", "64", "--model", "lock_step"],
    "ladder": ["lab"],
    "lock": ["hazards", "lock"],
    "step by step": ["hazards", "step_by_step"],
    "schedule": ["hazards", "race_condition", "--schedule", "0,1,0,1"],
    "hazards": ["hazards"],
}
OWN_PAGES = {  # of own_kernels.cu: its argument, and the model
    "own kernels": ("all", "independent"),
    "own kernels in lock step": ("all", "lock_step"),
    "lock of a warp": ("lock", "lock_step"),
    "late race": ("late", "independent"),
    "null pointer": ("null", "independent"),
    "early side": ("early side", "independent"),
}
WIDTHS = (800, 1440)
MAX_BYTES = 2_000_000
MAX_MILLISECONDS = 2000


def write_page(program: str, name: str, arguments: list[str], folder: Path) -> str:
    file = folder / f"{name.replace(' ', '_')}.html"
    file.unlink(missing_ok=True)
    subprocess.run([program, *arguments, "--html", str(file)], check=True, stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE)
    return file.read_text(encoding="utf-8")


def write_own_page(name: str, folder: Path) -> str:
    program, file = folder / "own_kernels", folder / f"{name.replace(' ', '_')}.html"
    file.unlink(missing_ok=True)
    argument, model = OWN_PAGES[name]
    subprocess.run([program, argument], check=False, stderr=subprocess.PIPE,
                   env={**os.environ, "SIMTCC_HTML": str(file), "SIMTCC_MODEL": model})
    return file.read_text(encoding="utf-8")


def results_of(browser: str, page: str, width: int, file: Path, own: bool) -> dict:
    names = ["own_checks.js", "checks.js"] if own else ["checks.js"]
    scripts = "".join(f"<script>{Path(__file__).with_name(name).read_text(encoding='utf-8')}</script>" for name in names)
    file.write_text(page.replace("</body>", f"{scripts}</body>"), encoding="utf-8")
    done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                           "--virtual-time-budget=4000", f"--window-size={width},1000", file.as_uri()],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=150)
    found = re.search(r'<pre id="results">(.*?)</pre>', done.stdout.decode(), re.DOTALL)
    if found is None:
        return {"faults": ["the page's script did not run to its end"]}
    return json.loads(html.unescape(found[1]))


def faults_of_text(page: str) -> list[str]:
    faults = []
    size = len(page.encode())
    if size > MAX_BYTES:
        faults.append(f"{size} bytes, more than {MAX_BYTES}")
    template = re.sub(r'<script type="application/json".*?</script>', "", page, flags=re.DOTALL)
    faults += [f"refers to another file: {part}" for part in re.findall(r"""(?:src|href)=|https?:|@import|url\(""", template)]
    return faults


def expected_of(name: str, results: dict) -> list[str]:
    """What a page must show at the end of its first run."""
    words = results.get("words", {})
    expected = {
        "tree of 8": {"partials[0]": "8", "partial[0]": "8", "partial[1]": "4"},
        "tree of 16": {"partials[0]": "16", "partial[0]": "16", "partial[1]": "8", "partial[3]": "4"},
        "map": {"partials[0]": "128", "partials[7]": "548"},  # 2 i^2 + 2 (i + 8)^2
        "warps": {"partials[0]": "64"},
        "lock": {"count[0]": "4", "lock[0]": "0"},
        "step by step": {"x[0]": "9"},
        "schedule": {},
    }.get(name, {})
    return [f"{word} is {words.get(word)}, expected {value}" for word, value in expected.items()
            if words.get(word) != value]


def main() -> int:
    program, simtcc, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("skipped: no Chromium; Debian: apt-get install chromium")
        return 77
    subprocess.run([simtcc, Path(__file__).with_name("own_kernels.cu"), "-o", folder / "own_kernels"], check=True)
    failed = False
    for number, name in enumerate([*PAGES, *OWN_PAGES]):
        own = name in OWN_PAGES
        page = write_own_page(name, folder) if own else write_page(program, name, PAGES[name], folder)
        faults, times = faults_of_text(page), []
        for width in WIDTHS if own or "--all" in sys.argv else [WIDTHS[number % len(WIDTHS)]]:
            results = results_of(browser, page, width, folder / "checked.html", own)
            found = results["faults"] + expected_of(name, results)
            times.append(results.get("milliseconds", 0))
            faults += [f"at {width}: {fault}" for fault in found]
        if min(times) > MAX_MILLISECONDS:  # the other time may be that of a busy machine
            faults.append(f"opens in {min(times):.0f} ms")
        print(f"{name}: {len(page.encode())} bytes, {results.get('steps')} steps, "
              f"opens in {min(times):.0f} ms: {'; '.join(faults) or 'ok'}")
        failed = failed or bool(faults)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
