"""The pictures: every kind from the repository's own results, and what the command says to bad input.

What is read, checked and picked out is tested without matplotlib too; what is drawn only where there is one.
"""

from __future__ import annotations

import doctest
import json
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import exactdot.plot
import exactdot.plot.reading
import pytest
from exactdot.plot.__main__ import main
from exactdot.plot.reading import check, choose, kind_of, last_cache, reference, series

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs/results"


sys.path.insert(0, str(ROOT / "scripts"))
from shared import result_files  # noqa: E402


def load(name: str) -> Any:
    return result_files.read(RESULTS / name)


def file_of(name: str, folder: Path) -> Path:
    """A file with the results as a program writes them."""
    path = folder / name
    path.write_text(json.dumps(load(name)))
    return path


def refusal(path: Path, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    """The one line that the command says, which names the file."""
    assert main([str(path), "-o", str(path.parent / "out.svg"), *more]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"exactdot.plot: {path}: ") and said.count("\n") == 1
    return said


def test_kinds() -> None:
    kinds = {name: kind_of(load(name)) for name in ("lab-h200.json", "gpu-h200.json", "cpu.json", "accuracy.json")}
    assert list(kinds.values()) == ["ladder", "speed", "speed", "accuracy"]
    assert all(check(load(name)) == kind for name, kind in kinds.items())


def test_docstrings() -> None:
    assert doctest.testmod(exactdot.plot).failed == 0
    assert doctest.testmod(exactdot.plot.reading).failed == 0


SPEED = '{"peers": [], "machine": {}, "rows": [{"peer": "exact", "type": "float32", "data": "uniform", "n": 1, %s}]}'


@pytest.mark.parametrize("content, why", [
    ("", "empty"), (" \n", "empty"), ("{", "not JSON, or cut short: Expecting"), ("text", "not JSON, or cut short"),
    ('{"accuracy": [{"condition": 1', "cut short"), ("[" * 100_000, "not JSON of ours"), ("\xff\xfe", "not JSON"),
    ("[]", "exactdot lab --json"), ("5", "exactdot lab --json"), ('{"rows": []}', "exactdot lab --json"),
    ('{"n": 1, "accuracy": [{"condition": NaN, "errors": {}}]}', "holds NaN, which JSON does not know"),
    ('{"n": 1, "accuracy": [{"condition": 1e999, "errors": {}}]}', "accuracy[0]: condition is Infinity, not a number"),
    ('{"n": 1, "accuracy": [{"condition": 1, "errors": 3}]}', "accuracy[0]: errors is not an object"),
    ('{"n": 1, "accuracy": [{"condition": 1, "errors": {"naive": -1}}]}', "errors: naive is -1, not 0 or a number"),
    ('{"n": 1, "accuracy": []}', "accuracy is not a list of at least one"),
    ('{"rungs": [1]}', "ladders[0]: device is null, not a text"), ('{"ladders": [1]}', "ladders[0] is not an object"),
    (SPEED % '"us": 0', "rows[0]: us is 0, not a number from"), (SPEED % '"ns": null', "neither us nor ns"),
    (None, "No such file"),
])
def test_bad_input(content: str | None, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.json"
    if content is not None:
        path.write_text(content, encoding="latin-1")
    assert why in refusal(path, capsys)


@pytest.mark.parametrize("name", ["python.json", "python-h100.json", "torch-h200.json", "kernels.json"])
def test_results_that_no_picture_shows(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal(file_of(name, tmp_path), capsys)
    assert all(kind in said for kind in ("exactdot lab --json", "exactdot bench --json", "accuracy.py"))


@pytest.mark.parametrize("name, holders", [
    ("lab-h200.json", lambda results: [results["ladders"][0], results["ladders"][0]["rungs"][0]]),
    ("cpu.json", lambda results: [results, results["rows"][0]]),
    ("accuracy.json", lambda results: [results, results["accuracy"][0]]),
])
def test_what_lacks_a_field_is_drawn_or_refused(name: str, holders: Any) -> None:
    """Refused, that is, by name, and before the drawing code meets it."""
    refused = set()
    for place, holder in enumerate(holders(load(name))):
        for field in list(holder):
            damages: list[Any] = [None, "text", -1, [], {}, True]
            for damage in damages:
                results = load(name)
                holders(results)[place][field] = damage
                try:
                    check(results)
                except ValueError:
                    refused.add(field)
    assert refused >= {"n"} and refused & {"rungs", "rows", "accuracy", "condition"}


@pytest.mark.parametrize("name, more, why", [
    ("accuracy.json", ["--dtype", "float32"], "float64 only; there are none of float32"),
    ("accuracy.json", ["--n", "100"], "n = 100 chooses a ladder"),
    ("cpu.json", ["--n", "16"], "n = 16 chooses a ladder"),
])
def test_options_that_would_do_nothing(name: str, more: list[str], why: str, tmp_path: Path,
                                       capsys: pytest.CaptureFixture[str]) -> None:
    assert why in refusal(file_of(name, tmp_path), capsys, *more)


def test_an_unknown_ending(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["cpu.json", "-o", "out.gif"])
    assert "out.gif: pictures end in .svg or .png" in capsys.readouterr().err


def test_without_matplotlib(tmp_path: Path) -> None:
    code = "import sys; sys.modules['matplotlib'] = None; from exactdot.plot.__main__ import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code, file_of("accuracy.json", tmp_path), "-o", "out.svg"],
                          capture_output=True, text=True)
    assert done.returncode == 2 and "pip install '.[plot]'" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_divided_as_in_the_tables(dtype: str) -> None:
    rows = load("cpu.json")["rows"]
    compared, base = reference(rows, dtype)
    own_choice = dict(series(rows, "openblas_as_shipped", dtype))  # empty if OpenBLAS knows the processor
    assert compared == "openblas" and base[16] == own_choice.get(16, dict(series(rows, "openblas", dtype))[16])
    for row in rows:
        if (row["type"], row["threads"], row["data"]) == (dtype, 1, "uniform"):
            assert row["ns"] / 1000 / base[row["n"]] == pytest.approx(row["ratio_to_openblas"])
    assert reference(load("gpu-h200.json")["rows"], dtype)[0] == "cublas"


def test_the_ladder_chosen() -> None:
    results = load("lab-h200.json")
    assert choose(results, "float64", None)["n"] == 2**26
    assert choose(results, "float32", 2**16)["data"] == "ill"  # there is none of uniform data
    with pytest.raises(ValueError, match="no ladder of float64 with n = 65536"):
        choose(results, "float64", 2**16)


def test_the_last_cache() -> None:
    assert last_cache({"caches": "L1 48 KiB, L2 2 MiB, L3 260 MiB"}) == 260 * 2**20
    assert last_cache({"caches": ""}) == last_cache({}) == float("inf")


def test_hashes_cover_the_drawing_code(tmp_path: Path) -> None:
    """scripts/pictures --check notices a change in any file but that of the command."""
    script = runpy.run_path(str(ROOT / "scripts/pictures"))
    copy = tmp_path / "plot"
    shutil.copytree(script["PLOT"], copy, ignore=shutil.ignore_patterns("__pycache__"))
    script["sources"].__globals__["PLOT"] = copy
    kept = {name: script["sources"](name) for name in script["DRAWN"]}
    for path in copy.glob("*.py"):
        before = path.read_bytes()
        path.write_bytes(before + b"#\n")
        same = all(script["sources"](name) == kept[name] for name in kept)
        assert same == (path.name == "__main__.py"), path.name
        path.write_bytes(before)


@pytest.mark.parametrize("name, more", [("lab-h200.json", []), ("lab-h200.json", ["--dtype", "float64"]),
                                        ("lab-h200.json", ["--n", str(2**20)]), ("gpu-h200.json", []),
                                        ("cpu.json", ["--dtype", "float32"]), ("accuracy.json", [])])
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_pictures(name: str, more: list[str], ending: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    outs = [tmp_path / f"first.{ending}", tmp_path / f"second.{ending}"]
    for out in outs:
        assert main([str(file_of(name, tmp_path)), "-o", str(out), *more]) == 0
    assert outs[0].stat().st_size > 10_000
    assert outs[0].read_bytes() == outs[1].read_bytes(), "drawn differently the second time"


def figure_of(results: Any, module: str, *told: Any) -> Any:
    """The figure, whose texts overlap neither each other nor the edge, and whose points all lie inside their axes."""
    pytest.importorskip("matplotlib")
    import importlib

    from exactdot.plot import style
    from matplotlib.text import Text
    written: list[Text] = []
    with style.rc_settings(), pytest.MonkeyPatch.context() as patch:
        figure = importlib.import_module(f"exactdot.plot.{module}").draw(results, *told)
        figure.canvas.draw()
        draw = Text.draw

        def note(text: Text, *more: Any, **named: Any) -> None:
            written.append(text)
            draw(text, *more, **named)

        patch.setattr(Text, "draw", note)
        figure.canvas.draw()
    width, height = figure.bbox.width, figure.bbox.height
    boxes = [(text.get_text(), text.get_window_extent()) for text in written
             if text.get_visible() and text.get_text().strip()]
    assert len(boxes) > 10
    for i, (text, box) in enumerate(boxes):
        assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1, text
        for other, beside in boxes[:i]:
            assert not box.padded(-1).overlaps(beside.padded(-1)), (text, other)
    for axes in figure.axes:
        low, high = sorted(axes.get_ylim())
        assert all(low <= y <= high for line in axes.lines for y in line.get_ydata() if line.get_marker() != "None")
    return figure


def test_a_ladder_has_dots_not_bars() -> None:
    figure = figure_of(load("lab-h200.json"), "ladder", "float32", None)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    for axes in figure.axes:
        assert not axes.patches
        look = {names[int(line.get_ydata()[0])]: (line.get_marker(), line.get_color(), line.get_markerfacecolor())
                for line in axes.lines if line.get_linestyle() == "None"}
        assert look["exact"] == ("o", "#0072B2", "#0072B2") and look["racy"][0] == "X"
        assert look["optimized"] == ("o", "#E69F00", "white")


def test_ratios_that_show_all() -> None:
    figure = figure_of(load("cpu.json"), "speed", ["float32", "float64"])
    assert "time of OpenBLAS" in figure.axes[2].get_ylabel() and "above 1: slower" in figure.axes[2].get_ylabel()
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "OpenBLAS, its fastest row at each n" in labels
    assert "limit: a loop that only reads" in labels
    figure_of(load("gpu-h200.json"), "speed", ["float32", "float64"])


def without(results: dict, *peers: str) -> dict:
    return results | {"rows": [row for row in results["rows"] if not row["peer"].startswith(peers)]}


def test_the_limit_of_results_without_a_loop_that_only_reads() -> None:
    figure = figure_of(without(load("cpu.json"), "read"), "speed", ["float32", "float64"])
    assert any("main memory" in text.get_text() for text in figure.legends[0].get_texts())


def test_no_limit_where_all_fits_in_a_cache_and_no_ratio_without_a_reference() -> None:
    results = without(load("cpu.json"), "openblas", "read")
    results["rows"] = [row for row in results["rows"] if row["n"] < 10**6]
    figure = figure_of(results, "speed", ["float32", "float64"])
    assert len(figure.axes) == 2
    assert not any("limit" in text.get_text() for text in figure.legends[0].get_texts())


def test_errors_in_three_bands() -> None:
    results = load("accuracy.json")
    points = results["accuracy"]
    points[0]["errors"]["exactdot"] = 0.0
    high, middle, zero = figure_of(results, "accuracy").axes
    assert [len(line.get_xdata()) for line in zero.lines] == [1] and zero.get_yticklabels()[0].get_text() == "0"
    wrong = sum(error >= 1 for point in points for error in point["errors"].values())
    assert sum(len(line.get_xdata()) for line in high.lines) == wrong
    assert len({line.get_ydata()[0] for line in high.lines}) == len(high.lines) == 6  # a line for each but exactdot
    assert "no digit" in high.get_yticklabels()[0].get_text()
    between = sum(0 < error < 1 for point in points for error in point["errors"].values())
    drawn = {line.get_label(): line for line in middle.lines if line.get_linestyle() == "None"}
    assert sum(len(line.get_ydata()) for line in drawn.values()) == between
    assert min(drawn["exactdot"].get_ydata()) > middle.get_ylim()[0]
    naive = drawn["naive: one after the other"].get_zorder()
    assert all(line.get_zorder() < naive for line in drawn.values() if line.get_marker() != "x")


def test_a_ladder_of_the_simulator(tmp_path: Path) -> None:
    """It has steps instead of times."""
    pytest.importorskip("matplotlib")
    ladder: dict[str, Any] = load("lab-h200.json")["ladders"][0]
    for rung in ladder["rungs"]:
        rung.update(microseconds=None, percent_of_ceiling=None, steps=1000 * (1 + rung["number"]))
    exactdot.plot.draw(ladder, tmp_path / "steps.png")
    figure_of(ladder, "ladder", "float32", None)
    with pytest.raises(ValueError, match="no ladder of float64"):
        exactdot.plot.draw(ladder, tmp_path / "steps.png", dtype="float64")
