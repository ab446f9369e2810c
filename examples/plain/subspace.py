"""Linear algebra in NumPy: the leading directions of ever more rows, by products, QR and an eigendecomposition."""
import argparse

import numpy as np


def train(steps):
    rng = np.random.default_rng(8)
    scales = 1.0 / np.sqrt(1.0 + np.arange(300))
    mixing = np.linalg.qr(rng.normal(size=(300, 300)))[0] * scales
    spread = np.zeros((300, 300))
    basis = np.linalg.qr(rng.normal(size=(300, 20)))[0]
    ridge = 0.1 * np.eye(300)
    for step in range(1, steps + 1):
        rows = rng.normal(size=(400, 300)) @ mixing.T
        spread += (rows.T @ rows / len(rows) - spread) / step
        basis, _ = np.linalg.qr(spread @ basis)
        values, turned = np.linalg.eigh(basis.T @ spread @ basis)
        basis = basis @ turned[:, ::-1]
        if step % 20 == 0:
            solved = np.linalg.solve(spread + ridge, rows.T)
            print(f"step {step}: largest {values[-1]:.6f}, residual {np.abs(solved).mean():.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=120)
    train(parser.parse_args().steps)
