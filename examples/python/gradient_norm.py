"""Clips gradients by their norm, which one call computes of all tensors, exactly and rounded once.

The usual way, the norm of the norms of the tensors, rounds twice and in an order: two runs that hold the parameters in
another order, or in other shards, clip differently. Here no order and no grouping changes a bit, and no square
overflows.
With PyTorch on a GPU where there is one, otherwise with NumPy.
"""

import exactdot as xd
import numpy as np

try:
    import torch
except ImportError:
    torch = None


def clip_(gradients, max_norm):
    """Scales the gradients in place so that their norm is at most max_norm. Returns the norm before."""
    norm = xd.norm(gradients)
    if norm > max_norm:
        for gradient in gradients:
            gradient *= max_norm / norm
    return norm


def main() -> None:
    generator = np.random.default_rng(2)
    shapes = [(512, 256), (512,), (256, 512), (256,), (1000, 256), (3, 3, 16, 32)]
    gradients = [(generator.standard_normal(shape) * 10.0**i).astype(np.float32) for i, shape in enumerate(shapes)]
    everything = np.concatenate([gradient.reshape(-1) for gradient in gradients])
    if torch is not None and torch.cuda.is_available():
        gradients = [torch.as_tensor(gradient, device="cuda") for gradient in gradients]
    norm = xd.norm(gradients)
    print(f"norm of {len(gradients)} arrays, {len(everything)} elements: {norm!r}")
    assert norm == xd.norm(everything)
    assert norm == xd.norm(gradients[::-1])  # another order
    assert norm == xd.norm([gradients[0][:100], *gradients[1:], gradients[0][100:]])  # another sharding
    assert xd.norm([gradient * 1e30 for gradient in gradients]) > 1e36  # the squares are beyond float32
    assert clip_(gradients, 1.0) == norm and abs(xd.norm(gradients) - 1) < 1e-6


if __name__ == "__main__":
    main()
