"""Files of docs/results: a compact form of JSON, and what of a program's report is kept (result_fields.py).

A list of objects is stored as a table, {"shared": names, "columns": names, "rows": groups}. A group is a line: the values
of the shared columns, then a list for each object with the values of the other columns. A missing value is "-"; missing
values at the end of a list are left out. {"tables": [...]} are the objects of several tables. A column "a: b" is the field
b of the object a. All else is JSON as it is. read() accepts what a program wrote, too: also lines of JSON objects, of which
the first names the machine.
"""
import itertools
import json
import math

from shared.result_fields import kept

ABSENT = "-"
WITHIN = ": "   # between the names of a field and of a field of its object
MIN_GROUP = 3  # objects a group, on average
# significant digits of what was measured, by field; all others are exact
DIGITS = {"spread": 3, **dict.fromkeys(("ns", "microseconds", "percent_of_ceiling"), 10), **dict.fromkeys((
    "us", "gb_per_s", "ratio_to_openblas", "error_ulps", "ratio", "numpy_ns", "exactdot_ns", "ns_1000", "ns_1000000",
    "copy_microseconds", "transfer_microseconds", "host_microseconds", "ceiling_gb_per_s", "ulps", "sectors_per_request",
    "bank_conflict_degree", "lanes_per_request"), 8)}
AT_LEAST = ("spread",)  # rounded upward: tables mark a row by its spread
DRAWN = ("accuracy.json", "cpu.json", "gpu-h200.json", "lab-h200.json")  # their pictures have all digits
MAX_DIGITS = 6  # of what was measured, in all other files



def read(path):
    """The report in a file, reduced as write() would: tables are the same before and after."""
    return decoded(reduced(path, decoded(parsed(path.read_text()))))


def parsed(text):
    """The JSON value, or of lines of objects {head, "rows": the other lines}."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.startswith("{")]  # others are tables for people
        if error.msg != "Extra data" and lines and text.startswith("{"):
            raise
        head, *rows = map(json.loads, lines)
        return {**head, "rows": rows}


def text_of(path, report):
    """What write() writes."""
    return dumped(reduced(path, report)) + "\n"


def write(path, report):
    path.write_text(text_of(path, report))


def reduced(path, report):
    return encoded(kept(path.name, report), max_digits=17 if path.name in DRAWN else MAX_DIGITS)


def decoded(value):
    if isinstance(value, dict) and value.keys() == {"tables"}:
        return [row for each in value["tables"] for row in decoded(each)]
    if isinstance(value, dict) and value.keys() == {"shared", "columns", "rows"}:
        return [nested({name: decoded(cell) for name, cell in zip(value["shared"] + value["columns"], common + row)
                        if cell != ABSENT}) for common, *rows in value["rows"] for row in rows]
    if isinstance(value, dict):
        return {name: decoded(each) for name, each in value.items()}
    return [decoded(each) for each in value] if isinstance(value, list) else value


def encoded(value, name="", max_digits=17):
    """The value with its tables; `name`: the field that it is."""
    if isinstance(value, dict):
        return {key: encoded(each, key, max_digits) for key, each in value.items()}
    if isinstance(value, list):
        objects = [encoded(each, name, max_digits) for each in value]
        return tables(objects) if len(value) > 1 and all(isinstance(each, dict) for each in value) else objects
    return rounded(value, min(DIGITS[name], max_digits) if name in DIGITS else 17, name in AT_LEAST) if isinstance(value, float) else value


def rounded(number, digits, upward=False):
    if not math.isfinite(number):
        return number
    near = float(f"{number:.{digits}g}")
    if upward and near < number:
        near = float(f"{near + 10.0 ** (math.floor(math.log10(abs(number))) + 1 - digits):.{digits}g}")
    return int(near) if near == 0 else near


def tables(objects):
    """One table or, if that is shorter, one for each run of objects with the same fields."""
    objects = flat(objects)
    runs = [list(run) for _, run in itertools.groupby(objects, key=lambda each: frozenset(each))]
    several = {"tables": [table(run) for run in runs]}
    return min(table(objects), several, key=lambda each: len(plain(each)))


def table(objects):
    names = list(dict.fromkeys(name for each in objects for name in each))
    names.sort(key=lambda name: not all(name in each for each in objects))  # gaps at the end are left out
    columns = {name: [each.get(name, ABSENT) for each in objects] for name in names}
    shared = shared_columns(columns, len(objects))
    others = [name for name in names if name not in shared]
    groups = []
    for i in range(len(objects)):
        common, row = ([columns[name][i] for name in some] for some in (shared, others))
        while row and row[-1] == ABSENT:
            row.pop()
        if not groups or groups[-1][0] != common:
            groups.append([common])
        groups[-1].append(row)
    return {"shared": shared, "columns": others, "rows": groups}


def flat(objects):
    """The objects with fields "name: key" in place of an object `name`, if it is one of plain values in all of them."""
    def is_plain(value):
        return isinstance(value, dict) and value and not any(isinstance(each, (dict, list)) for each in value.values())

    names = dict.fromkeys(name for each in objects for name in each)
    nested = {name for name in names if all(is_plain(each[name]) for each in objects if name in each)}
    return [{key: cell for name, value in each.items()
             for key, cell in ([(f"{name}{WITHIN}{key}", cell) for key, cell in value.items()] if name in nested
                               else [(name, value)])} for each in objects]


def nested(row):
    """An object with what flat() has taken apart."""
    made = {}
    for name, value in row.items():
        outer, _, inner = name.partition(WITHIN)
        if inner:
            made.setdefault(outer, {})[inner] = value
        else:
            made[name] = value
    return made


def shared_columns(columns, count):
    """Columns whose values repeat in consecutive objects, as many as leave MIN_GROUP objects a group."""
    def changes(names):
        cells = list(zip(*(columns[name] for name in names)))
        return sum(before != after for before, after in zip(cells, cells[1:]))

    chosen = []
    candidates = [name for name, cells in columns.items()
                  if WITHIN not in name and not any(isinstance(cell, float) for cell in cells)]
    for name in sorted(candidates, key=lambda name: (changes([name]), name)):
        if (changes([*chosen, name]) + 1) * MIN_GROUP <= count or changes([name]) == 0:
            chosen.append(name)
    return chosen


def dumped(value):
    """JSON with a line for each group of a table and for each object that holds one."""
    if isinstance(value, dict) and holds_table(value):
        if value.keys() == {"shared", "columns", "rows"}:
            heads = ", ".join(f"{json.dumps(name)}: {plain(value[name])}" for name in ("shared", "columns"))
            return f'{{{heads}, "rows": [\n' + ",\n".join(map(plain, value["rows"])) + "]}"
        return "{" + ",\n".join(f"{json.dumps(name)}: {dumped(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list) and any(map(holds_table, value)):
        return "[" + ",\n".join(map(dumped, value)) + "]"
    return plain(value)


def holds_table(value):
    if isinstance(value, dict):
        return value.keys() == {"shared", "columns", "rows"} or any(map(holds_table, value.values()))
    return isinstance(value, list) and any(map(holds_table, value))


def plain(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
