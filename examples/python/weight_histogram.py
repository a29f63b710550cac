"""A histogram of a model's weights by their binary exponent, with what each bin contributes to mean and norm.

Counts, sums and norms of the bins are exact, so histograms of the same weights are equal bit for bit on every machine,
whatever the order of the weights. They can be compared, or hashed, to tell whether two models are the same.
"""

import hashlib

import exactdot as xd
import numpy as np

LOWEST, HIGHEST = -24, 8  # exponents; what lies beyond goes to the bins at the ends


def histogram(weights: np.ndarray) -> dict[str, np.ndarray]:
    exponents = np.frexp(weights)[1]
    keys = np.clip(exponents, LOWEST, HIGHEST) - LOWEST
    bins = HIGHEST - LOWEST + 1
    return {"count": xd.group_count(keys, bins), "sum": xd.group_sum(weights, keys, bins, dtype="float64"),
            "norm": xd.group_norm(weights, keys, bins, dtype="float64")}


def digest(of: dict[str, np.ndarray]) -> str:
    return hashlib.sha256(b"".join(of[name].tobytes() for name in sorted(of))).hexdigest()


def main() -> None:
    generator = np.random.default_rng(4)
    weights = (generator.standard_normal(200_000) * generator.gamma(0.5, 1, 200_000)).astype(np.float32)
    whole = histogram(weights)
    for i in np.flatnonzero(whole["count"]):
        mean = whole["sum"][i] / whole["count"][i]
        print(f"2^{i + LOWEST - 1:<4} {whole['count'][i]:7}  mean {mean:+.2e}  norm {whole['norm'][i]:.2e}")
    assert whole["count"].sum() == len(weights)
    assert digest(histogram(generator.permutation(weights))) == digest(whole)
    shards = [histogram(shard) for shard in np.array_split(weights, 7)]
    assert (sum(shard["count"] for shard in shards) == whole["count"]).all()
    changed = weights.copy()
    changed[123] = np.nextafter(changed[123], np.float32(2))
    assert digest(histogram(changed)) != digest(whole)


if __name__ == "__main__":
    main()
