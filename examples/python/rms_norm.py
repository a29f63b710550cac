"""RMSNorm with the same bits for every batch size.

A model's answer to one request should not depend on the requests that happen to share its batch. A library that splits rows
among threads by the size of the batch adds in another order for another batch. Elements of xd.rms_norm are the real numbers
x·w/√(mean of x² + epsilon), rounded once: functions of their row and weight alone. With PyTorch on a GPU where there is one,
otherwise with NumPy.
"""

from fractions import Fraction

import exactdot as xd
import numpy as np

try:
    import torch
except ImportError:
    torch = None


def main() -> None:
    generator = np.random.default_rng(1)
    x = generator.standard_normal((256, 4096)) * 10.0 ** generator.integers(-3, 3, (256, 1))
    weight = generator.standard_normal(4096).astype(np.float32)
    x = x.astype(np.float32)
    if torch is not None and torch.cuda.is_available():
        x, weight = torch.as_tensor(x, device="cuda"), torch.as_tensor(weight, device="cuda")
    print(f"rows are a {type(x).__module__}.{type(x).__qualname__}")
    whole = xd.rms_norm(x, weight, epsilon=1e-6)
    for batch in (1, 3, 64):
        parts = [xd.rms_norm(x[start : start + batch], weight, epsilon=1e-6) for start in range(0, len(x), batch)]
        rows = [row for part in parts for row in part]
        assert all(bool((row == expected).all()) for row, expected in zip(rows, whole))
        print(f"batches of {batch}: the bits of one batch of {len(x)}")
    row = [Fraction(float(each)) for each in x[5]]
    square = sum(each**2 for each in row) / len(row) + Fraction(1e-6)
    for k in range(0, len(row), 1000):  # |y| is nearest to the real number, whose square lies between those half a unit away
        y = Fraction(abs(float(whole[5][k])))
        half = Fraction(float(np.spacing(np.float32(float(y))))) / 2
        assert (y - half) ** 2 <= (row[k] * Fraction(float(weight[k]))) ** 2 / square <= (y + half) ** 2


if __name__ == "__main__":
    main()
