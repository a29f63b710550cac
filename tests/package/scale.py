#!/usr/bin/env python3
"""Tests scripts/trees: the model finds parameters that were planted, and the
simulation finds every program that loses words or counts them twice.

usage: scale.py SCRIPTS
"""
import math
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import trees.model as model
import trees.simulation as simulation


def expect(holds, what):
    if not holds:
        sys.exit(f"scale: {what} does not hold")


def test_model():
    for alpha, beta in ((1.5, 4e-4), (20.0, 3e-6)):
        cells = [{"scheme": scheme, "results": k, "ranks": ranks, "us": model.time(scheme, k, ranks, alpha, beta)}
                 for scheme in model.SCHEMES for k in (1, 100, 10_000) for ranks in (2, 4, 16)]
        found = model.fit(cells)
        expect(abs(found["alpha_us"] / alpha - 1) < 0.05 and abs(found["beta_ns"] / (1000 * beta) - 1) < 0.05,
               f"that the fit finds alpha = {alpha}, beta = {beta}: {found}")
        for cell in cells[::2]:
            cell["us"] *= 1000
        try:
            model.fit(cells)
        except ValueError:
            continue
        sys.exit("scale: measurements that no alpha and beta describe were fitted")
    expect([model.rounds(ranks) for ranks in (1, 2, 10, 1000, 10**6)] == [1, 1, 4, 10, 20], "the number of rounds")
    expect(model.SCHEMES["138 words"](10) == [11040], "the size of ten states of double")


def test_words():
    words = simulation.words_of([1.0, -0.5, 2.0**-100], 7)
    expect(len(words) == 25 and words[-2:] == [1, 7] and all(0 <= w < 2**32 for w in words[:19]), "canonical words")
    expect(simulation.rounded(words) == 0.5, "the rounded sum")
    negative = simulation.merged(words, simulation.words_of([-1.5], 2**64 - 1))
    expect(simulation.rounded(negative) == -1.0 + 2.0**-100 and negative[-2:] == [2, 6], "a merge")
    expect(simulation.rounded(simulation.words_of([1.0, 2.0**-53, 2.0**-149], 0)) == 1.0 + 2.0**-52, "the last bit")


def test_failures():
    for arity in (1, 2, 5):
        for seed in range(20):
            found = simulation.outcome(simulation.Machine(60, 0.05, seed, arity=arity))
            expect(found["right"] and found["count_is_right"] and found["identities_are_right"],
                   f"that failures change nothing: arity {arity}, seed {seed}, {found}")
    for wrong in (simulation.Adding, simulation.Forgetful, simulation.Careless):
        found = [simulation.outcome(simulation.Machine(60, 0.05, seed, wrong)) for seed in range(40)]
        expect(sum(not each["right"] for each in found) > 10, f"that {wrong.__name__} gives wrong results")
        expect(all(each["right"] or not each["identities_are_right"] for each in found),
               f"that the numbers of the ranks tell of every fault of {wrong.__name__}")
    quiet = simulation.outcome(simulation.Machine(60, 0, 1))
    expect(quiet["failures"] == 0 and math.isclose(quiet["time"], 6.0), f"the time without failures: {quiet['time']}")


test_model()
test_words()
test_failures()
print("scale: all hold")
