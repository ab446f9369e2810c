"""Matrices that are inverted or decomposed again, in whatever order: programs whose marked lines are findings, and those that only look like it."""
import pytest

from marked import NUMPY, TORCH, found, marks

PROGRAMS = {
    "the inverse of its component's covariance for each sample of a mixture": NUMPY + """
        d, components = 20, 4
        X = random.normal(size=(400, d)) + random.normal(size=(components, d)).repeat(100, axis=0)
        means, covariances = X[::100].copy(), np.stack([np.eye(d)] * components)
        def density(x, mean, covariance):
            apart = x - mean
            return np.exp(-0.5 * apart @ np.linalg.inv(covariance) @ apart)  # repeated
        for step in range(12):
            shares = np.array([[density(x, means[k], covariances[k]) + 1e-9 for k in range(components)] for x in X])
            shares /= shares.sum(axis=1, keepdims=True)
            for k in range(components):
                means[k] = shares[:, k] @ X / shares[:, k].sum()
                apart = X - means[k]
                covariances[k] = (shares[:, k, None] * apart).T @ apart / shares[:, k].sum() + 0.1 * np.eye(d)
        """,
    "the inverses of all arms of a bandit, of which one has changed": NUMPY + """
        arms, d = 12, 24
        truth = random.normal(size=(arms, d))
        matrices, sums = [np.eye(d) for _ in range(arms)], [np.zeros(d) for _ in range(arms)]
        for step in range(1500):
            x, bounds = random.normal(size=d), np.zeros(arms)
            for arm in range(arms):
                inverse = np.linalg.inv(matrices[arm])  # repeated
                bounds[arm] = inverse @ sums[arm] @ x + np.sqrt(x @ inverse @ x)
            arm = int(bounds.argmax())
            matrices[arm] += np.outer(x, x)
            sums[arm] += (truth[arm] @ x + random.normal()) * x
        """,
    "a factor for each chunk of the data, of PyTorch's": TORCH + """
        def scores(chunk, covariances):
            return torch.stack([torch.linalg.solve_triangular(torch.linalg.cholesky(c), chunk.T, upper=False).square().sum(0) for c in covariances])  # repeated
        X = torch.randn(600, 30)
        covariances = [torch.eye(30) * k for k in range(1, 4)]
        for step in range(25):
            weights = torch.cat([scores(chunk, covariances) for chunk in X.split(20)], 1).neg().softmax(0)
            covariances = [(w[:, None] * X).T @ X / w.sum() + torch.eye(30) for w in weights]
        """,
    "another matrix each time": NUMPY + """
        total = np.zeros((24, 24))
        for step in range(2000):
            x = random.normal(size=(30, 24))
            total += np.linalg.inv(x.T @ x)
        """,
    "solutions of a method that has converged": NUMPY + """
        d = 150
        X = random.normal(size=(600, d))
        matrix, right = X.T @ X / 600 + np.eye(d), X.T @ random.normal(size=600) / 600
        z = u = np.zeros(d)
        for step in range(800):
            x = np.linalg.solve(matrix, right + z - u)
            z = np.sign(x + u) * np.maximum(np.abs(x + u) - 0.01, 0)
            u = u + x - z
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_marked_lines_are_the_findings(tmp_path, name):
    path, report = found(tmp_path, PROGRAMS[name])
    told = {(finding["line"], finding["category"]) for finding in report["findings"] if "made shortly before" in finding["claim"]}
    assert told == marks(path)


def test_what_is_told(tmp_path):
    path, report = found(tmp_path, PROGRAMS["the inverses of all arms of a bandit, of which one has changed"])
    (finding,) = (finding for finding in report["findings"] if "made shortly before" in finding["claim"])
    assert finding["advice"] == "Keep each result beside the matrix that it is made of, and make it anew only where that one has changed."
    assert 0.85 <= finding["fraction"] <= 0.95  # eleven of twelve
