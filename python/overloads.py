"""Writes the overloads of reductions as a pattern file of nanobind's stub generator: overloads.py FOLDER > FILE.

The extension in FOLDER says which parameters a reduction has, the tables which types these have. The result of a whole
array is a number, unless there is `out`; an array that is passed as `out` is returned.
"""

import inspect
import sys
import textwrap

sys.path.insert(0, sys.argv[1])
import _engine

TYPES = {
    **dict.fromkeys(["a", "b", "x", "y", "weights", "keys", "offsets"], "Vector"),
    **dict.fromkeys(["joined", "keepdims", "negative_zero", "skip_out_of_range", "skip_nan", "rowvar"], "bool"),
    **dict.fromkeys(["ord", "ddof"], "float"), **dict.fromkeys(["weight", "bias"], "Vector | None"), "epsilon": "float | None", "where": "Vector | None", "initial": "float | None",
    "axis": "int | tuple[int, ...] | list[int] | None", "groups": "int | None", "add_to": "None", "correction": "float | None", "mean": "float | Vector | None",
    "mode": "Literal['exact', 'fast']", "dtype": "DType | None", "threads": "int", "device": "str", "stream": "Any",
}
OF_A_NUMBER = {"axis": "None", "keepdims": "Literal[False]"}
ONE_AXIS = dict.fromkeys(["vecdot", "weighted_mean", "weighted_var", "weighted_std", "cosine", "distance", "cov", "corr", "slope", "intercept"],
                         {"axis": "int | None"})
LISTS = {"norm": {"x": "Vector | Sequence[Vector]"}}  # not along axes, nor with out=...
OF_LISTS = {"x": "Iterable[Vector]"}
JOINED = {"joined": "Literal[True]"}


def overload(name, parameters, out, types, result):
    """`out`: its type, with the default if it has one."""
    declared = []
    for each in parameters:
        if each.kind == each.KEYWORD_ONLY and "*" not in declared:
            declared.append("*")
        is_fixed = types.get(each.name) in (JOINED["joined"], "Out")  # without the default, which is another value
        default = "" if each.default is each.empty or is_fixed else f" = {each.default!r}"
        declared.append(f"{each.name}: " + (out if each.name == "out" else types[each.name] + default))
    text = ", ".join(each.replace(" ", "\xa0") for each in declared)  # lines end between parameters only
    lines = textwrap.wrap(f"def\xa0{name}({text})\xa0->\xa0{result}:", 112, initial_indent="    ",
                          subsequent_indent=" " * 12)
    return "\n".join(lines).replace("\xa0", " ")


# functions without `out`: the results of a whole array, and others
WITHOUT_OUT = {"minmax": ("tuple[float, float]", "tuple[Any, Any]"), "iamax": ("int", "Any"), "segment_minmax": ("", "tuple[Any, Any]"),
               "group_minmax": ("", "tuple[Any, Any]")}

for name, (of_number, other) in WITHOUT_OUT.items():
    parameters = inspect.signature(vars(_engine)[name]).parameters.values()
    print(f"_engine.{name}$:")
    if not of_number:
        print(f"{overload(name, parameters, '', TYPES, other)}\n        \\doc\n")
        continue
    print(f"    @overload\n{overload(name, parameters, '', TYPES | OF_A_NUMBER, of_number)}\n        \\doc\n")
    print(f"    @overload\n{overload(name, parameters, '', TYPES, other)} ...\n")

for name, function in vars(_engine).items():
    parameters = [] if name.startswith("_") or inspect.isclass(function) else inspect.signature(function).parameters
    if "out" not in parameters:
        continue
    types = TYPES | ONE_AXIS.get(name, {}) | (OF_LISTS if "joined" in parameters else {})
    lists = types | LISTS.get(name, {})
    makes_numbers = name == "dot" or ("axis" in parameters and "x" in parameters)
    forms = [("EllipsisType" if name == "dot" else "EllipsisType | None = None", types, "Any"), ("Out", lists, "Out")]
    if makes_numbers:
        forms.insert(0, ("None = None", lists | OF_A_NUMBER, "int" if name.startswith("arg") else "float"))
    if "add_to" in parameters:
        forms.append(("None = None", types | {"add_to": "Out"}, "Out"))
    if "joined" in parameters:
        forms.insert(0, ("None = None", types | JOINED, "float"))
    print(f"_engine.{name}$:")
    for i, form in enumerate(forms):
        text = overload(name, parameters.values(), *form)
        print(f"    @overload\n{text}" + ("\n        \\doc\n" if i == 0 else " ...\n"))
