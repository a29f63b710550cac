# %% [markdown]
# # From a float32 sum on a GPU to an exact one
#
# A notebook in percent format: Jupyter (with jupytext), VS Code and Spyder show its cells, and `python docs/tutorial.py`
# runs it as a program. It needs NumPy and exactdot ([python.md](python.md)). Numba, CuPy and matplotlib are used where
# they are installed. Every claim of the text is an `assert` of the cell that follows it.
#
# Without a GPU, NumPy adds in the orders of a GPU's threads and blocks. [The lab](lab.md) has the kernels themselves.

# %%
import os
from fractions import Fraction

import exactdot as xd
import numpy as np

U = 2.0**-24  # half an ulp of 1 in float32
n = 2**18
random = np.random.RandomState(1)  # its numbers are the same in every release of NumPy
x = random.uniform(-1, 1, n).astype(np.float32)


def exact_sum(x):
    """The real-number sum, a fraction. Adds integers, and nothing of exactdot."""
    significand, exponent = np.frexp(x.astype(np.float64))
    integers = np.ldexp(significand, 53).astype(np.int64)
    return sum(Fraction(sum(integers[exponent == e].tolist())) * Fraction(2) ** (int(e) - 53) for e in set(exponent))


def is_nearest(result, exact, dtype=np.float32):
    """Whether the result is a number of the type, and no other is closer to the exact value."""
    near = dtype(result)
    others = [Fraction(float(np.nextafter(near, dtype(end)))) for end in (-np.inf, np.inf)]
    distance = abs(Fraction(float(near)) - exact)
    return float(near) == result and all(distance <= abs(other - exact) for other in others)


def error_in_ulps(result, exact):
    return float(abs(Fraction(float(result)) - exact) / Fraction(float(np.spacing(np.float32(abs(exact))))))


def bits(result):
    return np.float32(result).tobytes().hex()


exact = exact_sum(x)
magnitude = exact_sum(np.abs(x))
print(f"{n} numbers in (-1, 1); their sum is {float(exact):.17g}")


# %% [markdown]
# A picture goes to the folder that the variable EXACTDOT_TUTORIAL_PICTURES names, or to a notebook or window. Without
# matplotlib, or without any of these, it is text: a line for each x, and the first letter of each curve at its y.

# %%
def text_plot(title, xs, x_label, y_label, curves):
    width = 64
    values = np.concatenate(list(curves.values()))
    low, high = values.min(), values.max()
    print(f"{title}\n{x_label:>10} | {y_label}, from {low:.3g} to {high:.3g}; {', '.join(curves)}")
    for i, at in enumerate(xs):
        line = [" "] * (width + 1)
        for name, ys in curves.items():
            line[round(width * float((ys[i] - low) / ((high - low) or 1)))] = name[0]
        print(f"{at:>10} |{''.join(line)}".rstrip())


def picture(name, title, xs, x_label, y_label, curves):
    """`curves`: a list of values by name, one value for each x."""
    folder = os.environ.get("EXACTDOT_TUTORIAL_PICTURES")
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return text_plot(title, xs, x_label, y_label, curves)
    if not folder and plt.get_backend().lower() == "agg":  # no notebook, no display
        return text_plot(title, xs, x_label, y_label, curves)
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for label, ys in curves.items():
        axes.plot(xs, ys, ".-", label=label)
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    axes.legend()
    if folder:
        figure.savefig(os.path.join(folder, f"{name}.png"))
        plt.close(figure)
    else:
        plt.show()


# %% [markdown]
# ## A kernel
#
# Each thread adds its share of the elements, then adds its partial sum to the result by an atomic. The atomics run in
# the order in which the threads arrive, and a float32 sum depends on the order. So launches of one kernel on one vector
# may differ in the last bits. All results obey the bound of any order: the error is at most n · u · Σ|x|.

# %%
def numba_sums(x, launches):
    global cuda  # Numba's simulator of kernels, NUMBA_ENABLE_CUDASIM=1, replaces it in a kernel's globals
    from numba import cuda

    @cuda.jit
    def add(x, total):
        partial = np.float32(0)
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            partial += x[i]
        cuda.atomic.add(total, 0, partial)

    results, vector = [], cuda.to_device(x)
    for _ in range(launches):
        total = cuda.to_device(np.zeros(1, np.float32))
        add[128, 256](vector, total)
        results.append(total.copy_to_host()[0])
    return results


def cupy_sums(x, launches):
    import cupy

    add = cupy.RawKernel(r"""
extern "C" __global__ void add(const float* x, int n, float* total) {
  float partial = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) partial += x[i];
  atomicAdd(total, partial);
}""", "add")
    results, vector = [], cupy.asarray(x)
    for _ in range(launches):
        total = cupy.zeros(1, cupy.float32)
        add((128,), (256,), (vector, np.int32(x.size), total))
        results.append(total.get()[0])
    return results


def kernel_sums(x, launches):
    """The results and the package that computed them; without a package that can, an empty list and the reasons."""
    reasons = []
    for name, sums in (("Numba", numba_sums), ("CuPy", cupy_sums)):
        try:
            return sums(x, launches), name
        except Exception as reason:  # not installed, no GPU, no driver, no compiler: each package has its own errors
            reasons.append(f"{name}: {type(reason).__name__}")
    return [], ", ".join(reasons)


results, source = kernel_sums(x, launches=20)
if results:
    print(f"{source}: {len(set(map(bits, results)))} different sums in {len(results)} launches of one kernel")
    assert all(abs(Fraction(float(result)) - exact) <= n * U * magnitude for result in results)
else:
    print(f"skipped: no kernel ({source}); on a GPU this cell prints how many different sums its launches give")


# %% [markdown]
# ## One accumulator
#
# A loop with one float32 accumulator rounds after every element. Its error is many ulps. Other orders of the same
# numbers give other bits.

# %%
def in_sequence(x):
    return np.cumsum(x, dtype=x.dtype)[-1]


naive = in_sequence(x)
orders = {"as given": x, "reversed": x[::-1], "ascending": np.sort(x), "by magnitude": x[np.argsort(np.abs(x))]}
for name, ordered in orders.items():
    print(f"{name:13} {in_sequence(ordered):.9g}, {error_in_ulps(in_sequence(ordered), exact):.1f} ulp")
assert error_in_ulps(naive, exact) > 10
assert len({bits(in_sequence(ordered)) for ordered in orders.values()}) == len(orders)


# %% [markdown]
# ## Partial sums of threads and blocks
#
# On a GPU, thread k of T threads adds the elements k, k + T, k + 2T and so on. A block adds the sums of its threads in
# a tree, and the sums of the blocks follow in order. This order is fixed, so every run gives the same bits. But it
# depends on the grid: another number of blocks, as another GPU would choose it, gives other bits. The error is smaller
# than that of one accumulator, since each partial sum is smaller and takes fewer roundings.

# %%
def tree(values):
    """Adds the halves of the last axis, a power of two, until one value is left."""
    while values.shape[-1] > 1:
        half = values.shape[-1] // 2
        values = values[..., :half] + values[..., half:]
    return values[..., 0]


def block_partials(x, grid, block=256):
    threads = grid * block
    padded = np.zeros(-(-x.size // threads) * threads, x.dtype)
    padded[: x.size] = x
    of_threads = np.cumsum(padded.reshape(-1, threads), axis=0, dtype=x.dtype)[-1]
    return tree(of_threads.reshape(grid, block))


grids = [1, 2, 4, 8, 13, 16, 32, 64, 108, 132]
by_grid = [in_sequence(block_partials(x, grid)) for grid in grids]
assert bits(in_sequence(block_partials(x, 64))) == bits(in_sequence(block_partials(x, 64)))
assert len(set(map(bits, by_grid))) > 1
assert all(error_in_ulps(result, exact) < error_in_ulps(naive, exact) for result in by_grid)
picture("grids", "Blocks, added in order", grids, "blocks", "error in ulps",
        {"partial sums": [error_in_ulps(result, exact) for result in by_grid]})

# %% [markdown]
# ## Atomics
#
# With an atomic for each block the same partial sums arrive in an order that no one controls. Here the order is drawn.

# %%
partials = block_partials(x, 64)
by_arrival = [in_sequence(random.permutation(partials)) for _ in range(20)]
print(f"{len(set(map(bits, by_arrival)))} different sums in {len(by_arrival)} orders of {partials.size} partial sums")
assert len(set(map(bits, by_arrival))) > 1
picture("atomics", "Blocks, added as they arrive", list(range(1, len(by_arrival) + 1)), "run", "error in ulps",
        {"atomics": [error_in_ulps(result, exact) for result in by_arrival]})


# %% [markdown]
# ## Pairwise and compensated
#
# A tree over all elements has log₂ n roundings on each path, so its error is at most about log₂ n · u · Σ|x|. Compensation
# is better: TwoSum gives the rounding error of each addition exactly, and a second accumulator collects these errors.
# On these data the result is within an ulp.

# %%
def two_sum(a, b):
    """The rounded sum and its error; D. E. Knuth, The Art of Computer Programming 2, section 4.2.2."""
    total = a + b
    shifted = total - a
    return total, (a - (total - shifted)) + (b - shifted)


def compensated(x, threads=1024):
    total, correction = np.zeros((2, threads), x.dtype)
    for row in x.reshape(-1, threads):
        total, error = two_sum(total, row)
        correction = correction + error
    while total.size > 1:
        half = total.size // 2
        total, error = two_sum(total[:half], total[half:])
        correction = correction[:half] + correction[half:] + error
    return total[0] + correction[0]


for name, result in {"one accumulator": naive, "pairwise": tree(x), "compensated": compensated(x)}.items():
    print(f"{name:16} {error_in_ulps(result, exact):.3g} ulp")
levels = np.log2(n)
assert abs(Fraction(float(tree(x))) - exact) <= Fraction(levels * U / (1 - levels * U)) * magnitude
assert error_in_ulps(compensated(x), exact) <= 1 < error_in_ulps(naive, exact)

# %% [markdown]
# ## The exact sum
#
# exactdot returns the real-number sum, rounded once: no float32 is closer. A value that is defined without an order has
# the same bits in any order, with any stride and with any number of threads.

# %%
result = xd.sum(x)
print(f"exactdot: {result:.9g}, {error_in_ulps(result, exact):.3g} ulp")
assert is_nearest(result, exact)
for other in (*orders.values(), *(random.permutation(x) for _ in range(10)), np.repeat(x, 2)[::2]):
    assert bits(xd.sum(other)) == bits(result)
assert {bits(xd.sum(x, threads=threads)) for threads in (1, 2, 5)} == {bits(result)}

# %% [markdown]
# The same holds for dot products, norms, means and variances. A product of two float32 is exact in float64, so fractions
# can check each of them.

# %%
y = random.uniform(-1, 1, n).astype(np.float32)
wide_x, wide_y = x.astype(np.float64), y.astype(np.float64)
squares = exact_sum(wide_x * wide_x)
assert is_nearest(xd.dot(x, y), exact_sum(wide_x * wide_y))
assert is_nearest(xd.mean(x), exact / n)
assert is_nearest(xd.var(x), (n * squares - exact * exact) / n**2)
norm = np.float32(xd.norm(x))
below, above = (Fraction(float(norm)) + Fraction(float(np.nextafter(norm, np.float32(end)))) for end in (-np.inf, np.inf))
assert (below / 2) ** 2 <= squares <= (above / 2) ** 2, "the root is not between the middles to its neighbours"
print(f"dot {xd.dot(x, y):.9g}, mean {xd.mean(x):.9g}, variance {xd.var(x):.9g}, norm {norm:.9g}")
for one, other in ((xd.dot(x, y), xd.dot(x[::-1], y[::-1])), (xd.var(x), xd.var(x[::-1])), (norm, xd.norm(x[::-1]))):
    assert bits(one) == bits(other)

# %% [markdown]
# ## Data in parts
#
# Rounded sums of parts do not make a rounded sum of the whole, not even if each is exact before its rounding. An
# accumulator keeps the sum of its part without rounding, as integers (words). Sums of words are sums of sums: NumPy, MPI
# or a database can add them. What was added can be subtracted again.

# %%
parts = np.array_split(x, 1000)
accumulators = []
for part in parts:
    accumulator = xd.Accumulator("float32")
    accumulator.add(part)
    accumulators.append(accumulator)
words = np.sum([accumulator.words for accumulator in accumulators], axis=0)
print(f"{len(parts)} parts, {words.size} words each: {float(xd.Accumulator.from_words(words)):.9g}")
assert bits(float(xd.Accumulator.from_words(words))) == bits(result)
assert bits(in_sequence(np.array([xd.sum(part) for part in parts], np.float32))) != bits(result)

total = xd.Accumulator("float32")
for at in random.permutation(len(parts)):
    total.merge(accumulators[at])
assert bits(float(total)) == bits(result)
total.subtract(parts[0])
assert is_nearest(float(total), exact - exact_sum(parts[0]))


# %% [markdown]
# ## Data that cancel
#
# The condition number of a sum is Σ|x| / |Σx|. It says how much of the magnitude cancels. Rounding errors are relative to
# Σ|x|; the larger the condition number, the fewer digits of the result are right. One accumulator and the tree lose all
# of them first. Compensation, as precise as twice the precision, loses them at about the square of that condition
# number. exactdot never does.

# %%
def cancelling(exponent):
    """Numbers of up to 2^exponent and their negatives, and the number 1, in random order: the sum is 1."""
    large = random.uniform(-1, 1, 2**13 - 1).astype(np.float32) * np.float32(2.0**exponent)
    return random.permutation(np.concatenate([large, -large, np.float32([1, 0])]))


methods = {"one accumulator": in_sequence, "tree": tree, "compensated": compensated, "exactdot": xd.sum}
exponents = list(range(0, 97, 8))
conditions, errors = [], {name: [] for name in methods}
for exponent in exponents:
    data = cancelling(exponent)
    truth = exact_sum(data)
    conditions.append(round(float(np.log10(float(exact_sum(np.abs(data)) / truth))), 1))
    for name, method in methods.items():
        errors[name].append(float(abs(Fraction(float(method(data))) - truth) / truth))
    assert is_nearest(xd.sum(data), truth)
for name in methods:
    assert (errors[name][-1] >= 0.5) == (name != "exactdot"), f"{name} at a condition number of 10^{conditions[-1]}"
good = [sum(error < 0.01 for error in errors[name]) for name in methods]
assert good[0] < good[2] < good[3] == len(exponents) and good[1] < good[2]
picture("conditions", "Error of sums whose terms cancel; of less than half an ulp: half an ulp", conditions,
        "log10 cond", "log10 of the relative error", {name: np.log10(np.maximum(values, U)) for name, values in errors.items()})

# %% [markdown]
# Dot products overflow as well: the exact products below exceed float64, but their sum does not.

# %%
a, b = np.array([1e200, 1e200, 1.0]), np.array([1e200, -1e200, 1.0])
with np.errstate(all="ignore"):
    print(f"NumPy: {np.sum(a * b)}, exactdot: {xd.dot(a, b)}")
    assert not np.isfinite(np.sum(a * b))
assert xd.dot(a, b) == 1.0

# %% [markdown]
# Next: [what is promised](contract.md), [how it works](algorithms.md), [every function](python.md), and
# [the ladder of kernels](lab.md) with what each costs on a GPU.
