"""Checks that examples/programs/exact.cu, which docs/lab.md explains, rounds every dot product once.

Its main is replaced by one that reads dot products; the references are fractions of Python, rounded to a float by integers. The
data cancel, meet ties, underflow and overflow, have the extremes of a float's exponents, and carries through all limbs.

usage: accumulator.py SIMTCC SOURCE FOLDER
"""
import pathlib
import random
import struct
import subprocess
import sys
from fractions import Fraction

MAIN = r"""
int main() {
  for (int n; std::scanf("%d", &n) == 1;) {
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; ++i) std::scanf("%a %a", &a[i], &b[i]);
    const float sum = dot(a, b, 1), again = dot(a, b, 3);
    std::printf("%a %d\n", sum, sum == again);
  }
}
"""


def as_float(x):
    return struct.unpack("<f", struct.pack("<I", x))[0]


def rounded(x):
    """The float nearest to a fraction, ties to even; infinite beyond the largest."""
    size = abs(x)
    if size == 0:
        return 0.0
    exponent = size.numerator.bit_length() - size.denominator.bit_length() - 25
    while size >= Fraction(2) ** (exponent + 24):
        exponent += 1
    exponent = max(exponent, -149)
    units = round(size / Fraction(2) ** exponent)  # Python rounds halves to even
    value = float(units * Fraction(2) ** exponent)
    value = float("inf") if value >= 2.0 ** 128 else value
    return -value if x < 0 else value


def cases():
    draw = random.Random(2026)

    def any_float(low=0, high=254):
        return as_float(draw.getrandbits(1) << 31 | draw.randint(low, high) << 23 | draw.getrandbits(23))

    largest, smallest, ulp = as_float(0x7f7fffff), as_float(1), 2.0 ** -23
    yield [(1.0, 1.0), (ulp / 2, 1.0)]                                    # a tie to even, down
    yield [(1.0 + ulp, 1.0), (ulp / 2, 1.0)]                              # a tie to even, up
    yield [(1.0, 1.0), (ulp / 2, 1.0), (smallest, smallest)]              # above the tie by 2^-298
    yield [(1.0, 1.0), (ulp / 2, 1.0), (-smallest, smallest)]             # below it
    yield [(-1.0, 1.0), (-ulp / 2, 1.0), (-smallest, smallest)]
    yield [(2.0 ** 21, 1.0), (2.0 ** -3, 1.0), (2.0 ** -39, 1.0)]         # above it in the last bits of two full limbs
    yield [(smallest, 0.5)]                                               # half of the smallest float
    yield [(smallest, 0.5), (smallest, smallest)]
    yield [(smallest * 3, 0.5), (-smallest, smallest)]
    yield [(largest, largest)]
    yield [(largest, 1.0), (2.0 ** 103, 1.0)]                             # a tie with infinity
    yield [(largest, 1.0), (2.0 ** 103, 1.0), (-smallest, smallest)]
    yield [(largest, largest)] * 40 + [(-largest, largest)] * 40 + [(smallest, -1.0)]
    yield [(smallest, smallest)] * 3
    yield [(-smallest, smallest), (1.0, 1.0), (-1.0, 1.0)]                # carries through all limbs
    yield [(0.0, 1.0), (-0.0, 1.0)]
    yield [(-1.0, 1.0), (1.0, 1.0)]
    for _ in range(40):
        yield [(any_float(), any_float()) for _ in range(draw.randint(1, 60))]
    for _ in range(40):                                                   # cancels but for a little
        pairs = [(any_float(), any_float()) for _ in range(draw.randint(1, 20))]
        rest = [(any_float(0, 20), any_float(100, 130))]
        mixed = pairs + [(-x, y) for x, y in pairs] + rest
        draw.shuffle(mixed)
        yield mixed
    for _ in range(40):                                                   # results that are subnormal
        yield [(any_float(0, 30), any_float(70, 100)) for _ in range(draw.randint(1, 8))]


simtcc, source, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
program, text = folder / "accumulator", source.read_text()
(folder / "accumulator.cu").write_text(text[:text.index("int main()")] + MAIN)
subprocess.run([simtcc, folder / "accumulator.cu", "-o", program, "-Werror"], check=True)
given = list(cases())
lines = "".join(f"{len(case)} " + " ".join(f"{x.hex()} {y.hex()}" for x, y in case) + "\n" for case in given)
run = subprocess.run([program], input=lines, text=True, stdout=subprocess.PIPE, check=False)
answers = run.stdout.splitlines()
if run.returncode != 0 or len(answers) != len(given):
    sys.exit(f"accumulator: status {run.returncode}, {len(answers)} results of {len(given)}")
for number, (case, answer) in enumerate(zip(given, answers)):
    found, same = answer.split()
    expected = rounded(sum(Fraction(x) * Fraction(y) for x, y in case))
    if float.fromhex(found) != expected or same != "1":
        sys.exit(f"accumulator: case {number}: {found}, expected {expected.hex()}; the same on another grid: {same}; {case}")
print(f"{len(given)} dot products of exact.cu are rounded once, on both grids")
