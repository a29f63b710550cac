"""What an exact sum over p ranks sends and takes: a model of latency and bandwidth, fitted to measurements.

A round of an allreduce of m bytes takes alpha + beta·m. Recursive doubling takes ceil(log2 p) rounds of m bytes; reduce-
scatter and allgather (R. Rabenseifner, "Optimization of Collective Reduction Operations", 2004) twice as many, which
together move 2·m·(p − 1)/p bytes. The model takes the faster one. beta includes the addition of the words.
"""
import math

WORD = 8
SCHEMES = {  # bytes of each collective for k results
    "doubles": lambda k: [WORD * k],
    "two collectives": lambda k: [WORD * k, WORD * k],  # the largest magnitude, then integers relative to it
    "16 words": lambda k: [16 * WORD * k],  # compact, of sums of float
    "24 words": lambda k: [24 * WORD * k],
    "73 words": lambda k: [73 * WORD * k],  # compact, of sums of double
    "138 words": lambda k: [138 * WORD * k],
}
MAX_STATES = 2**31 - 1  # that may be summed between two normalisations
MAX_TERMS = 2**63       # of the largest magnitude


def rounds(ranks):
    return max(math.ceil(math.log2(ranks)), 1)


def collective(size, ranks, alpha, beta):
    """Microseconds of one allreduce of `size` bytes."""
    doubling = rounds(ranks) * (alpha + beta * size)
    halving = 2 * rounds(ranks) * alpha + 2 * beta * size * (ranks - 1) / ranks
    return min(doubling, halving)


def time(scheme, k, ranks, alpha, beta):
    return sum(collective(size, ranks, alpha, beta) for size in SCHEMES[scheme](k))


def error(cells, alpha, beta):
    """The mean square of log(model / measured)."""
    return sum(math.log(time(cell["scheme"], cell["results"], cell["ranks"], alpha, beta) / cell["us"]) ** 2
               for cell in cells) / len(cells)


def cells_of_nccl(found):
    """The times of nccl.json as cells of `fit`: collectives that follow each other in a stream."""
    return [{"ranks": found["gpus"], "results": row["results"], "scheme": scheme, "us": row[scheme]["us"]}
            for row in found["rows"] if row["launched"] == "stream" for scheme in SCHEMES if scheme in row]


def fit(cells):
    """alpha in µs and beta in µs per byte with the least relative error, by a search in ever finer grids."""
    centre, width = (0.0, -3.0), 3.0  # of log10
    for _ in range(24):
        steps = [width * step / 4 for step in range(-4, 5)]
        candidates = [(centre[0] + da, centre[1] + db) for da in steps for db in steps]
        centre = min(candidates, key=lambda at: error(cells, 10 ** at[0], 10 ** at[1]))
        width /= 2
    alpha, beta = 10 ** centre[0], 10 ** centre[1]
    if not error(cells, alpha, beta) < math.log(3) ** 2:
        raise ValueError(f"no alpha and beta describe the measurements: {alpha}, {beta}")
    return {"alpha_us": alpha, "beta_ns": 1000 * beta, "factor": math.exp(math.sqrt(error(cells, alpha, beta)))}
