"""A tree of ranks that sum their words while ranks fail and start again: nothing may be lost or counted twice.

Each rank has numbers, and sends the words of its exact sum, with those of its children, to its parent. A rank may fail
while it computes; after it has sent, before the acknowledgement comes; or while it gathers its children's words. It then
starts again: it computes its share once more, which gives the same words, and asks its children again.

The rule that makes this safe: a parent keeps the words of each child by the child's number and adds them when all are
there, so words that come twice replace themselves. `Adding` and `Forgetful` break it, as programs do, and must be found
out: the last word counts the states, and every rank adds a random number of 64 bits to one more word, so that the sum
also tells a lost state from one that was counted in its place.
"""
import random

LIMBS, LOWEST = 20, -298  # of float32: exactdot's words, docs/contract.md
WRAP = 2**64


def words_of(numbers, identity):
    """The canonical words of an exact sum, and the identity of the rank. In big integers: a second implementation."""
    total = sum(int(x * 2.0**149) << (-LOWEST - 149) for x in numbers)
    limbs = [(total >> (32 * i)) & 0xffffffff for i in range(LIMBS - 1)] + [total >> (32 * (LIMBS - 1))]
    return [*limbs, 0, 0, 0, 1, identity]


def merged(left, right):
    sums = [x + y for x, y in zip(left, right)]
    sums[-1] %= WRAP
    return sums


def rounded(words):
    """The sum, rounded once to a double: Python's division of integers is correctly rounded."""
    total = sum(limb << (32 * i) for i, limb in enumerate(words[:LIMBS]))
    return total / 2**-LOWEST


class Parent:
    """Keeps the words of each child by its number."""

    def __init__(self):
        self.of_child = {}

    def arrive(self, child, words):
        self.of_child[child] = words

    def lose_memory(self):
        """The rank has failed: what it had gathered is gone; its children are asked again."""
        asked = list(self.of_child.items())
        self.of_child = {}
        return asked

    def total(self, own):
        for words in self.of_child.values():
            own = merged(own, words)
        return own


class Adding(Parent):
    """Wrong: adds whatever arrives, so that words that are sent again count twice."""

    def arrive(self, child, words):
        known = self.of_child.get(child)
        self.of_child[child] = words if known is None else merged(known, words)


class Forgetful(Parent):
    """Wrong: after a failure it goes on without the words that it had."""

    def lose_memory(self):
        super().lose_memory()
        return []


class Careless(Adding, Forgetful):
    """Wrong in both ways, so that a state may be lost while another counts twice."""


class Machine:
    """The ranks of a tree of some arity, their failures, and the time that they take."""

    def __init__(self, ranks, failure_rate, seed, parent=Parent, arity=2, per_rank=4, times=None):
        self.ranks, self.rate, self.parent, self.arity, self.per_rank = ranks, failure_rate, parent, arity, per_rank
        self.seed, self.random = seed, random.Random(seed)
        self.times = times or {"message": 1.0, "share": 1.0, "restart": 0.0}
        self.failures = self.sent_again = 0

    def words(self, rank):
        return self.own_words(rank)

    def numbers(self, rank):
        """The share of a rank; the same whenever it is computed."""
        draw = random.Random(self.seed * 1_000_003 + rank)
        return [draw.uniform(-1, 1) * 2.0 ** draw.randrange(-30, 60) for _ in range(self.per_rank)]

    def own_words(self, rank):
        draw = random.Random(self.seed * 7_000_003 + rank)
        numbers = [int(x * 2.0**40) * 2.0**-40 for x in self.numbers(rank)]  # few bits, as float32 has
        return words_of(numbers, draw.getrandbits(64))

    def fails(self):
        failed = self.random.random() < self.rate
        self.failures += failed
        return failed

    def run(self):
        """The words at the root, and when they are there."""
        gathering, ready = {}, {}
        for rank in reversed(range(self.ranks)):  # children have higher numbers than their parents
            at = self.times["share"]
            while self.fails():  # while it computes
                at += self.times["restart"] + self.times["share"]
            parent = gathering.pop(rank, None) or self.parent()
            at = max(at, ready.pop(rank, 0.0))
            while self.fails():  # while it gathers: its memory is gone
                asked = parent.lose_memory()
                self.sent_again += len(asked)
                for child, words in asked:
                    parent.arrive(child, words)
                at += self.times["restart"] + self.times["share"] + self.times["message"] * (len(asked) > 0)
            words = parent.total(self.words(rank))
            if rank == 0:
                return words, at
            above = (rank - 1) // self.arity
            to = gathering.setdefault(above, self.parent())
            to.arrive(rank, words)
            at += self.times["message"]
            while self.fails():  # before the acknowledgement: it starts again and sends the same words
                to.arrive(rank, words)
                self.sent_again += 1
            ready[above] = max(ready.get(above, 0.0), at)

    def expected(self):
        """The sum of all shares, by another way: one big integer, no words and no tree."""
        numbers = (int(x * 2.0**40) for rank in range(self.ranks) for x in self.numbers(rank))
        return sum(numbers) / 2**40

    def identities(self):
        return sum(random.Random(self.seed * 7_000_003 + rank).getrandbits(64) for rank in range(self.ranks)) % WRAP


class Counting(Machine):
    """A machine whose words are the last two only, for trees of millions of ranks."""

    def words(self, rank):
        return [1, self.identity(rank)]

    def identity(self, rank):
        x = (rank + 1) * 0x9e3779b97f4a7c15 % WRAP  # splitmix64 (G. Steele, D. Lea, C. Flood, 2014)
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 % WRAP
        x = (x ^ x >> 27) * 0x94d049bb133111eb % WRAP
        return x ^ x >> 31

    def expected(self):
        return None  # the identities tell

    def identities(self):
        return sum(map(self.identity, range(self.ranks))) % WRAP


def plain_sum(machine):
    """The root's result if doubles are added in the same tree: its bits depend on the tree."""
    sums = [sum(int(x * 2.0**40) / 2**40 for x in machine.numbers(rank)) for rank in range(machine.ranks)]
    for rank in reversed(range(1, machine.ranks)):
        sums[(rank - 1) // machine.arity] += sums[rank]
    return sums[0]


def outcome(machine):
    """Whether the result is right, whether the count of states and the identities say so, and the time."""
    words, at = machine.run()
    expected = machine.expected()
    return {"right": expected is None or rounded(words) == expected, "count_is_right": words[-2] == machine.ranks,
            "identities_are_right": words[-1] == machine.identities(), "time": at,
            "failures": machine.failures, "sent_again": machine.sent_again}
