"""The page of the Python reference, from the package's modules and the stubs of its extension, without importing them.

Docstrings follow numpydoc; griffe parses them. A public name without a docstring is an error.
"""
import ast
import itertools
import re
import sys

import griffe

INTRODUCTION = """# Python

`import exactdot as xd`. [exactdot in Python](../python.md) is the guide; [the contract](../contract.md) states what every
call promises. Signatures are those of the type stubs: `Vector` is an array of NumPy, PyTorch, CuPy or JAX, a column, a list
or an iterator of numbers.
"""
GROUPS = {  # heading: names, in this order
    "Reductions": "dot sum asum sum_of_squares norm mean var std min max minmax argmin argmax iamax vecdot vdot matvec "
    "linalg.vector_norm",
    "Ratios": "weighted_mean weighted_var weighted_std cosine distance cov corr slope intercept standard_error",
    "Without NaNs": "nan*",
    "Windows": "cumsum rolling_*",
    "Normalised rows": "rms_norm layer_norm",
    "Lists": "list_*",
    "Segments": "segment_*",
    "Data frames": "group_by GroupedFrame",
    "Groups": "group_count group_*",
    "States": "states *states state_words",
    "Accumulators": "Accumulator Moments BivariateMoments",
    "Environment": "info check use_instruction_set",
}
TORCH_INTRODUCTION = """# PyTorch

`import exactdot.torch as xt`, `import exactdot.torch.distributed as xdist`. [The how-to](../pytorch.md) is the guide. Elements, dims and
types of results are described at `sum`.
"""
TORCH_GROUPS = {
    "Reductions of tensors": "sum mean var std vector_norm amax amin",
    "Products": "dot vecdot mv linear add",
    "Normalised rows": "rms_norm layer_norm",
    "Rows by an index": "index_add scatter_add segment_reduce embedding embedding_bag",
    "Losses and norms of gradients": "mse_loss nll_loss get_total_norm clip_grad_norm_ clip_grads_with_norm_",
    "PyTorch's own functions": "deterministic use_deterministic report Report",
    "Ranks: exactdot.torch.distributed": "reduce_shards get_sharded_norm GradientSum all_reduce_exact exact_hook",
}

JAX_INTRODUCTION = """# JAX

`import exactdot.jax as xj`. [The how-to](../jax.md) is the guide. Elements, axes and types of results are described at `sum`.
"""
JAX_GROUPS = {
    "Reductions of arrays": "sum mean var std norm asum sum_of_squares",
    "Products": "dot vecdot",
    "Rows by an index": "segment_sum take",
}


def functions_of(tree):
    """Names of a module or a class, each with its definitions (several: overloads)."""
    found = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(node.name, []).append(node)
    return found


def parameters(arguments):
    """As the stubs write them."""
    def text(argument, default):
        annotation = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
        return argument.arg + annotation + (f" = {ast.unparse(default)}" if default else "")

    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    parts = list(map(text, plain, defaults))
    if arguments.posonlyargs:
        parts.insert(len(arguments.posonlyargs), "/")
    parts += [f"*{arguments.vararg.arg}"] if arguments.vararg else ["*"] if arguments.kwonlyargs else []
    parts += map(text, arguments.kwonlyargs, arguments.kw_defaults)
    return parts + ([f"**{arguments.kwarg.arg}"] if arguments.kwarg else [])


def signature(node, name):
    if isinstance(node, ast.ClassDef):
        return f"class {name}"
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    decorated = [ast.unparse(each) for each in node.decorator_list]
    if "property" in decorated:
        return f"{name}{result.replace(' -> ', ': ')}"
    parts = parameters(node.args)
    text = f"{name}({', '.join(parts)}){result}"
    if len(text) <= 100:
        return text
    lines, line = [], "    "
    for at, part in enumerate(parts):
        part += ", " if at < len(parts) - 1 else ""
        if len(line) + len(part) > 100:
            lines, line = [*lines, line.rstrip()], "    "
        line += part
    return "\n".join([f"{name}(", *lines, line, f"){result}"])


def escaped(text):
    """Text for Markdown: names with underscores, and Python's default of a docstring, stay as they are."""
    pieces = re.split(r"(`[^`]*`|https?://\S+)", text)
    return "".join(piece if at % 2 else re.sub(r"([\\*_<\[\]#~$|])", r"\\\1", piece) for at, piece in enumerate(pieces))


def body(text):
    """A docstring as Markdown."""
    parts = []
    for section in griffe.Docstring(text).parse("numpy"):
        kind, value = section.kind.value, section.value
        if kind == "text":
            parts.append(escaped(value))
        elif kind == "examples":
            parts.append("**Example**")
            parts += [escaped(each) if what.value == "text" else f"```pycon\n{each}\n```" for what, each in value]
        elif kind in ("parameters", "other parameters"):
            parts.append(f"**{kind.capitalize()}**")
            alike = itertools.groupby(value, key=lambda each: (str(each.annotation or ""), each.description))
            parts += [item(", ".join(f"`{each.name}`" for each in group) + (f" : {escaped(kind)}" if kind else ""), text)
                      for (kind, text), group in alike]
        elif kind in ("returns", "raises"):
            parts.append(f"**{kind.capitalize()}**")
            parts += [item(f"*{escaped(str(each.annotation or ''))}*", each.description) for each in value]
        elif kind == "admonition":
            parts += [f"**{section.title or value.annotation}**", escaped(value.description)]
        else:
            sys.exit(f"python_reference: a section {kind} of a docstring, which this generator does not know")
    return "\n\n".join(parts)


def item(term, text):
    return f"- {term}  \n  " + escaped(text.strip()).replace("\n", "\n  ")


def other_names(tree):
    """What `from … import name as other` gives: the other names of each name."""
    found = {}
    for node in tree.body:
        for alias in node.names if isinstance(node, ast.ImportFrom) else []:
            if alias.asname:
                found.setdefault(alias.name, []).append(alias.asname)
    return found


def entry(level, name, nodes, faults, others=()):
    described = next((text for node in nodes if (text := ast.get_docstring(node))), None)
    if described is None:
        faults.append(name)
        return []
    code = "\n".join(signature(node, name.rpartition(".")[2] if "linalg" not in name else name) for node in nodes)
    also = [f"Also called {', '.join(f'`{other}`' for other in others)}."] if others else []
    return [f"{level} {escaped(name)}", f"```python\n{code}\n```", *also, body(described)]


def public_names(tree):
    return next(ast.literal_eval(node.value) for node in tree.body
                if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")


def grouped(introduction, groups, names, known, others):
    """The entries of these names below the headings of their groups; a name without a group or a docstring is an error."""
    names, faults, parts = list(names), [], [introduction]
    for heading, patterns in groups.items():
        parts.append(f"## {heading}")
        for pattern in patterns.split():
            regex = re.compile(re.escape(pattern).replace(r"\*", ".*") + "$")
            for name in [name for name in names if regex.match(name)]:
                names.remove(name)
                parts += entry("###", name, known.get(name, []), faults, others.get(name, ()))
                for node in known.get(name, []):
                    if isinstance(node, ast.ClassDef):
                        for member, nodes in functions_of(node).items():
                            if not member.startswith("_"):
                                parts += entry("####", f"{name}.{member}", nodes, faults)
    if faults or names:
        sys.exit(f"python_reference: no docstring: {faults}; in no group: {names}")
    return "\n\n".join(parts) + "\n"


def page(package, stubs):
    """The page's text. `package`: the folder with the modules."""
    tree = ast.parse((package / "__init__.py").read_text())
    public = public_names(tree)
    engine = functions_of(ast.parse(stubs.read_text()))
    in_files = {name: nodes for path in sorted(package.glob("_*.py")) for name, nodes in functions_of(ast.parse(path.read_text())).items()
                if name in public}
    known = {**in_files, **engine, "linalg.vector_norm": engine["vector_norm"]}
    others = {name: found for name, found in other_names(tree).items() if set(found) <= set(public)}
    described = set(public) - {"linalg"} - set(itertools.chain(*others.values()))
    return grouped(INTRODUCTION, GROUPS, [name for name in public if name in described] + ["linalg.vector_norm"], known, others)


def module_page(introduction, groups, package, modules, left_out=()):
    """The page of a package whose public functions lie in files of its folder, and are those of its `modules`."""
    trees = [ast.parse(path.read_text()) for path in sorted(package.glob("*.py"))]
    public = [name for module in modules for name in public_names(ast.parse((package / f"{module}.py").read_text()))]
    known = {name: nodes for tree in trees for name, nodes in functions_of(tree).items() if name in public}
    return grouped(introduction, groups, [name for name in public if name not in left_out], known, {})


def torch_page(package):
    """The same of exactdot.torch. `package`: its folder."""
    return module_page(TORCH_INTRODUCTION, TORCH_GROUPS, package, ("__init__", "distributed"), ("check",))


def jax_page(package):
    """The same of exactdot.jax."""
    return module_page(JAX_INTRODUCTION, JAX_GROUPS, package, ("__init__",))
