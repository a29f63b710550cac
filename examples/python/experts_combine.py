"""The combine step of a mixture of experts: each token is the sum of its experts' outputs, weighted by the router.

Every token was sent to 2 of 8 experts; the rows of their outputs come back sorted by expert, each with a float32 weight and
the token to which it belongs. A sum in bfloat16 depends on the order in which experts come, and rounds each step;
group_dot adds the exact products and rounds each result once, and add_to adds them to the residual stream as well.
With PyTorch on a GPU where there is one and exactdot has groups there, otherwise with NumPy.
"""

import exactdot as xd
import numpy as np

try:
    import torch
except ImportError:
    torch = None

TOKENS, EXPERTS, CHOSEN, WIDTH = 512, 8, 2, 64


def combine(outputs, weights, token, residual):
    """residual[t] += the sum of weights[i] * outputs[i] over the rows i of token t, with one rounding."""
    return xd.group_dot(outputs, weights, token, add_to=residual)


def on_gpu(*arrays):
    """The arrays as tensors on a GPU, if one can combine them; otherwise the arrays themselves."""
    if torch is None or not torch.cuda.is_available():
        return arrays
    tensors = [torch.as_tensor(array, device="cuda") for array in arrays]
    try:
        combine(*(tensor.clone() for tensor in tensors))
    except (ValueError, RuntimeError) as refused:
        print(f"on the host: {refused}")
        return arrays
    return tensors


def main() -> None:
    generator = np.random.default_rng(11)
    expert = np.argsort(generator.standard_normal((TOKENS, EXPERTS)), axis=1)[:, :CHOSEN].ravel()
    token = np.repeat(np.arange(TOKENS), CHOSEN)
    by_expert = np.argsort(expert, kind="stable")
    token = token[by_expert]
    weights = generator.dirichlet(np.ones(CHOSEN), TOKENS).ravel()[by_expert].astype(np.float32)
    outputs = generator.standard_normal((len(token), WIDTH)).astype(np.float16)
    residual = generator.standard_normal((TOKENS, WIDTH)).astype(np.float16)
    outputs, weights, token, residual = on_gpu(outputs, weights, token, residual)

    results = set()
    for _ in range(4):  # the experts come in any order
        order = generator.permutation(len(token))
        mine = combine(outputs[order], weights[order], token[order], residual + 0)
        results.add(str(mine.tolist()))
    print(f"4 orders of the experts: {len(results)} result")
    assert len(results) == 1

    rows = np.flatnonzero(np.array(token.tolist()) == 7)
    terms = [outputs[i, 0].item() for i in rows] + [residual[7, 0].item()]
    factors = [weights[i].item() for i in rows] + [1.0]
    assert mine[7, 0].item() == xd.dot(np.array(terms), np.array(factors), dtype="float16")


if __name__ == "__main__":
    main()
