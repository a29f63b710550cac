"""RMSNorm with the same bits for every batch size.

A model's answer to one request should not depend on the requests that happen to share its batch. The statistics of a
row are the root of a mean of squares; a library that splits rows among threads by the size of the batch adds in another
order for another batch. Exact statistics depend on no order: rounded once, they are functions of the row alone.
With PyTorch on a GPU where there is one, otherwise with NumPy.
"""

import math

import exactdot as xd
import numpy as np

try:
    import torch
except ImportError:
    torch = None


def rms_norm(x, weight, epsilon=1e-6):
    """x / rms(x) * weight for each row of x; element by element but for the norm."""
    mean_of_squares = xd.norm(x, axis=-1, keepdims=True, dtype="float64") ** 2 / x.shape[-1]
    return x * (1 / (mean_of_squares + epsilon) ** 0.5) * weight


def main() -> None:
    generator = np.random.default_rng(1)
    x = generator.standard_normal((256, 4096)) * 10.0 ** generator.integers(-3, 3, (256, 1))
    weight = generator.standard_normal(4096).astype(np.float32)
    x = x.astype(np.float32)
    if torch is not None and torch.cuda.is_available():
        x, weight = torch.as_tensor(x, device="cuda"), torch.as_tensor(weight, device="cuda")
    print(f"rows are a {type(x).__module__}.{type(x).__qualname__}")
    whole = rms_norm(x, weight)
    for batch in (1, 3, 64):
        parts = [rms_norm(x[start : start + batch], weight) for start in range(0, len(x), batch)]
        rows = [row for part in parts for row in part]
        assert all(bool((row == expected).all()) for row, expected in zip(rows, whole))
        print(f"batches of {batch}: the bits of one batch of {len(x)}")
    assert xd.norm(x, axis=-1)[5] == xd.norm(x[5])
    normalised = rms_norm(x[:1], 1, epsilon=0)
    assert math.isclose(xd.norm(normalised) ** 2, 4096, rel_tol=1e-6)


if __name__ == "__main__":
    main()
