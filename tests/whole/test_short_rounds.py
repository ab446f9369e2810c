"""Inner loops of two or three passes that make the same in each of them, of inputs that the loop around gives anew; and those that only seem to."""
import pytest
from marked import NUMPY, TORCH, at_a, found

HEADS = NUMPY + """
        W, total = random.normal(size=(60, 60)), 0.0
        for step in range(150):
            x = random.normal(size=(200, 60))
            for head in HEADS:  # loop
                z = np.tanh(x @ W)  # A
                total += z[head].sum()
        """
MEMBERS = NUMPY + """
        class Member:
            def __init__(self, tau):
                self.tau, self.w = tau, np.zeros(60)
            def features(self, x):
                return np.concatenate([np.tanh(x), np.exp(-x * x)], 1)  # A
            def update(self, x, y):
                f = self.features(x)
                error = y - f @ self.w
                self.w += 0.05 * f.T @ np.where(error > 0, self.tau, self.tau - 1) / len(y)
        members = [Member(tau) for tau in (0.1, 0.5, 0.9)]
        for step in range(150):
            x = random.normal(size=(300, 30))
            y = np.sin(x[:, 0]) + random.normal(size=300)
            for member in members:  # loop
                member.update(x, y)
        """
CRITICS = TORCH + """
        class Critic(nn.Module):
            def __init__(self, encoder):
                super().__init__()
                self.encoder, self.value = encoder, nn.Linear(96, 4)
            def forward(self, state):
                with torch.no_grad():
                    h = self.encoder(state)  # A
                return self.value(h)
        encoder = nn.Sequential(nn.Linear(32, 96), nn.ReLU())
        critics = [Critic(encoder) for _ in range(2)]
        optimizers = [torch.optim.Adam(critic.value.parameters(), 1e-3) for critic in critics]
        for step in range(150):
            state = torch.randn(128, 32)
            for critic, optimizer in zip(critics, optimizers):  # loop
                loss = functional.mse_loss(critic(state), state[:, :4])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """
TRUNK = TORCH + """
        trunk = nn.Sequential(nn.Linear(96, 96), nn.GELU(), nn.Linear(96, 96), nn.GELU())
        heads = nn.ModuleList([nn.Linear(96, 3) for _ in range(COUNT)])
        optimizer = torch.optim.SGD([*trunk.parameters(), *heads.parameters()], 1e-3)
        for step in range(STEPS):
            x, loss = torch.randn(64, 96), 0.0
            for head in heads:  # loop
                z = trunk(x)  # A
                loss = loss + head(z).tanh().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """
AGAIN = {
    "two heads": HEADS.replace("HEADS", "(0, 1)"),
    "three heads": HEADS.replace("HEADS", "(0, 1, 2)"),
    "three members that expand one batch": MEMBERS,
    "two critics with one encoder": CRITICS,
    "two layers of one width for three heads, kept for backward()": TRUNK.replace("COUNT", "3").replace("STEPS", "120"),
    "the same for six heads, most of which are passed over": TRUNK.replace("COUNT", "6").replace("STEPS", "200"),
}


@pytest.mark.parametrize("name", AGAIN)
def test_what_each_pass_makes_again_is_told(tmp_path, name):
    path, report = found(tmp_path, AGAIN[name])
    marks, findings = at_a(path, report)
    (finding,) = [finding for finding in findings if finding["kind"] == "replica"]
    assert finding["category"] == "loop-invariant computation"
    assert "from inputs that did not change in between" in finding["claim"]
    assert finding["advice"].startswith(f"Build it once, outside the loop at program.py:{marks['loop']}.")


LEAPFROG = NUMPY + """
        X = random.normal(size=(300, 40))
        y, q, p = X @ random.normal(size=40), random.normal(size=40), random.normal(size=40)
        def slope(q):
            return X.T @ (X @ q - y)  # A
        for step in range(150):
            for half in (0, 1):
                if step == 0 and half == 0:
                    continue
                p = p - 0.5e-5 * slope(q)
                if half == 0:
                    q = q + 1e-5 * p
        """
CHANGES = {
    "the last of one round and the first of the next": LEAPFROG,
    "... of an object's": NUMPY + """
        class Chain:
            def __init__(self):
                self.X, self.q, self.p = random.normal(size=(300, 40)), random.normal(size=40), random.normal(size=40)
            def slope(self):
                return self.X.T @ (self.X @ self.q - 1.0)  # A
            def step(self, first):
                for half in (0, 1):
                    if first and half == 0:
                        continue
                    self.p = self.p - 0.5e-5 * self.slope()
                    if half == 0:
                        self.q = self.q + 1e-5 * self.p
        chain = Chain()
        for step in range(150):
            chain.step(step == 0)
        """,
    "masks whose level nothing has reached": NUMPY + """
        level, total = 0.5, 0
        for step in range(150):
            x = random.normal(size=20000)
            for half in (0, 1):
                mask = x > level  # A
                total += mask.sum()
                level = level + 1e-9
        """,
    "an image that is flipped at random": NUMPY + """
        total = 0.0
        for step in range(150):
            x = random.normal(size=(40, 60))
            for half in (0, 1):
                z = np.tanh(x[:, :: random.choice([1, -1])])  # A
                total += z[0, 0]
        """,
    "a state that has converged with its first step in some rounds": NUMPY + """
        for round in range(150):
            held, point = random.normal(size=900), np.zeros(900)
            rate = 0.0 if round % 3 else 0.5
            for step in range(2):
                point = rate * point + held  # A
        """,
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_is_not(tmp_path, name):
    _, findings = at_a(*found(tmp_path, CHANGES[name]))
    assert [finding["claim"] for finding in findings if finding["kind"] == "replica"] == []


@pytest.mark.parametrize("every, blocks", [(5, 3), (2, 2)])
def test_the_loop_that_goes_through_the_contents_does_not_make_them_again(tmp_path, every, blocks):
    """They stay for some epochs, when something else is made as well: outside of the inner loop each would be made as often as in it."""
    _, (finding,) = at_a(*found(tmp_path, NUMPY + f"""
        blocks, W, total = [random.normal(size=(60, 40)) for _ in range({blocks})], random.normal(size=(40, 40)), 0.0
        for epoch in range(150):
            for block in blocks:
                z = np.exp(-np.square(block @ W))  # A
                total += z.mean() * (epoch + 1)
            if epoch % {every} == {every - 1}:
                W = W + 1e-3 * random.normal(size=W.shape)
        """))
    assert "from inputs that did not change in between" in finding["claim"]
    assert finding["advice"] == f"Build the {blocks} of them where their inputs change, and keep them until then."


def test_a_comprehension_beside_it_is_not_the_loop(tmp_path):
    """On the same row: what is told makes use of its result, and does not stand in it."""
    path, report = found(tmp_path, NUMPY + """
        class Committee:
            def __init__(self):
                self.members = [random.normal(size=(40, 3)) for _ in range(4)]
            def entropy(self, X): p = np.mean([np.exp(0.1 * X @ w) for w in self.members], 0); return -(p * np.log(p)).sum(1)  # A
        X = random.normal(size=(2000, 40))
        for query in range(120):
            if query % 5 == 0:
                committee = Committee()
            e = committee.entropy(X)
        """)
    _, findings = at_a(path, report)
    (finding,) = [finding for finding in findings if finding["kind"] == "replica"]
    assert "outside the comprehension" not in finding["advice"]
    assert "Of -(p * np.log(p)).sum(1): Build it where its inputs change, once in 5 times, and keep it until then." in finding["advice"]
    assert "Of np.exp(0.1 * X @ w): Build them where their inputs change, and keep them until then." in finding["advice"]
