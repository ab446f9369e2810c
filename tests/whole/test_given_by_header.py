"""What an inner loop makes again of each thing that the header of a loop around gives: "for x in [train, test]: fit(x)"."""
import textwrap

import pytest
from marked import NUMPY, TORCH, at_a, found

TWO_SIZES = """
train, test = random.random((3000, 60)), random.random((1500, 60))
"""
ONE_SIZE = """
train, test = random.random((3000, 60)), random.random((3000, 60))
"""
FIT = """
def fit(x):
    w = np.zeros(60)
    for step in range(80):  # inner
        large = np.where(x > 0.5, x, 0.0)  # A
        w -= 1e-3 * (large @ w - 1) @ large
    return w
"""
EXACT = FIT.replace("np.where(x > 0.5, x, 0.0)", "x * 0.5")

AGAIN = {
    "a list of two": TWO_SIZES + FIT + "for x in [train, test]:\n    fit(x)\n",
    "a dictionary": TWO_SIZES + FIT + "for name, x in {'train': train, 'test': test}.items():\n    fit(x)\n",
    "of one size": ONE_SIZE + FIT + "for x in (train, test):\n    fit(x)\n",
    "of one size, to the last bit": ONE_SIZE + EXACT + "for x in (train, test):\n    fit(x)\n",
    "to the last bit": TWO_SIZES + EXACT + "for x in (train, test):\n    fit(x)\n",
    "made in the header": FIT + "for x in [random.random((3000, 60)), random.random((1500, 60))]:\n    fit(x)\n",
    "in the loop itself": TWO_SIZES + """
for x in [train, test]:
    w = np.zeros(60)
    for step in range(80):  # inner
        large = np.where(x > 0.5, x, 0.0)  # A
        w -= 1e-3 * (large @ w - 1) @ large
""",
    "objects that have it": TWO_SIZES + """
class Model:
    def __init__(self, x):
        self.x = x
    def fit(self):
        w = np.zeros(60)
        for step in range(80):  # inner
            large = np.where(self.x > 0.5, self.x, 0.0)  # A
            w -= 1e-3 * (large @ w - 1) @ large
        return w
for model in [Model(train), Model(test)]:
    model.fit()
""",
}

CHANGES = {
    "what is stored into": FIT.replace("large =", "x[0, 0] += 1e-9\n        large ="),
    "a view of it is": FIT.replace("for step", "head = x[:10]\n    for step").replace("large =", "head += 1e-9\n        large ="),
    "by what the loop carries": FIT.replace("x > 0.5", "x > w.min() - 0.5"),
    "a function's level": """
level = 0.5
def raise_level():
    global level
    level += 1e-9
""" + FIT.replace("x > 0.5", "x > level").replace("return", "    raise_level()\n    return"),
    "an object's level": """
class Model:
    def __init__(self, x):
        self.x, self.level = x, 0.5
    def step(self, w):
        large = np.where(self.x > self.level, self.x, 0.0)  # A
        self.level += 1e-9
        return w - 1e-3 * (large @ w - 1) @ large
def fit(x):
    model, w = Model(x), np.zeros(60)
    for step in range(80):
        w = model.step(w)
""",
    "a mask that has settled": """
def fit(x):
    w = np.ones(60)
    for step in range(80):
        large = np.where(x * np.where(w > 0, 1.0, 0.0) > 0.5, x, 0.0)  # A
        w = w - 1e-6 * (x @ w - 1) @ large
""",
}


def program(tmp_path, source):
    return at_a(*found(tmp_path, NUMPY + textwrap.indent(source, " " * 8)))


@pytest.mark.parametrize("name", AGAIN)
def test_what_is_made_again_of_each_is_built_before_the_inner_loop(tmp_path, name):
    marks, findings = program(tmp_path, AGAIN[name])
    (finding,) = findings
    assert finding["advice"].startswith(f"Build it once, outside the loop at program.py:{marks['inner']}.")
    assert "equal to the one before, from inputs that did not change in between" in finding["claim"]
    sizes = 1 if "(3000, 60))\n" in AGAIN[name] and "1500" not in AGAIN[name] else 2
    assert ("one after the other" in finding["claim"]) == (sizes == 2)


@pytest.mark.parametrize("name", CHANGES)
def test_what_the_inner_loop_changes_is_no_finding(tmp_path, name):
    _, findings = program(tmp_path, TWO_SIZES + CHANGES[name] + "for x in [train, test]:\n    fit(x)\n")
    assert findings == []


def test_a_loop_by_number_may_go_round_while_nothing_changes(tmp_path):
    """Once in each round the same, and an inner loop of one pass: outside of that it would be built as often."""
    _, findings = program(tmp_path, TWO_SIZES + """
def fit(x, level):
    for part in [0]:
        large = np.where(x > level, x, 0.0)  # A
    return large
for step in range(80):
    fit(train, step * 1e-12)
""")
    assert findings == []


PRUNED = TORCH + """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = nn.Linear(128, 128), nn.Linear(128, 2)
                self.level = 0.3
                self.register_buffer("importance", torch.rand(128, 128))
                self.watched = []
            def forward(self, x):
                mask = torch.where(self.importance > self.level, 1.0, 0.0)  # A
                return self.b(torch.relu(functional.linear(x, self.a.weight * mask, self.a.bias)))
            def raise_level(self):
                self.level += 1e-12
        def train(x, y):
            model = Net()
            optimizer = torch.optim.SGD(model.parameters(), 0.05)
            for epoch in range(4):  # inner
                for i in range(0, len(x), 32):
                    loss = functional.cross_entropy(model(x[i:i + 32]), y[i:i + 32])
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
        for name, count in {"small": 1000, "large": 2000}.items():
            train(torch.randn(count, 128), torch.randint(0, 2, (count,)))
        """
MOVED = {
    "an attribute": ("                    optimizer.step()\n", "                    optimizer.step()\n                    model.level += 1e-12\n"),
    "by a method": ("                    optimizer.step()\n", "                    optimizer.step()\n                    model.raise_level()\n"),
    "the buffer itself": ("                mask = ", "                self.importance.mul_(1 + 1e-12)\n                mask = "),
    "a parameter": ('self.register_buffer("importance", torch.rand(128, 128))', "self.importance = nn.Parameter(torch.rand(128, 128))"),
}


def test_models_that_are_trained_for_unlike_times_are_two_rounds(tmp_path):
    marks, (finding,) = at_a(*found(tmp_path, PRUNED))
    assert "380 times, 378 times equal to the one before, from inputs that did not change in between" in finding["claim"]
    assert finding["advice"].startswith(f"Build it once, outside the loop at program.py:{marks['inner']}.")


@pytest.mark.parametrize("large", [1000, 2000])
@pytest.mark.parametrize("name", MOVED)
def test_what_moves_while_a_mask_stays_is_no_round(tmp_path, name, large):
    assert MOVED[name][0] in PRUNED
    _, findings = at_a(*found(tmp_path, PRUNED.replace(*MOVED[name]).replace("2000", str(large))))
    assert findings == []


PARAMETERS = TORCH + """
        def layers(width):
            return {"w": torch.randn(width, 8) * 0.1}
        def fit(x, steps):
            w = {key: value.requires_grad_() for key, value in layers(x.shape[1]).items()}
            for step in range(steps):  # inner
                scaled = x / x.abs().sum(1, keepdim=True).clamp(min=1)  # A
                loss = (scaled @ w["w"]).square().mean()
                loss.backward()
                with torch.no_grad():
                    for key in w:
                        w[key] -= 0.1 * w[key].grad
                        w[key].grad = None
        for x in (torch.randn(2000, 64), torch.randn(2000, 64)):
            fit(x, 60)
        """


def test_what_parameters_have_only_their_sizes_of_is_none(tmp_path):
    marks, (finding,) = at_a(*found(tmp_path, PARAMETERS))
    assert "240 times, 236 times equal to the one before, from inputs that did not change in between" in finding["claim"]
    assert finding["advice"].startswith(f"Build it once, outside the loop at program.py:{marks['inner']}.")


@pytest.mark.parametrize("made", ["init(x).items()", "{'w': x}.items()"])
def test_what_parameters_are_made_of_may_be_one(tmp_path, made):
    """That the function, or the dictionary, makes others of it is not known."""
    init = "def init(x):\n            return {'w': x}\n        def layers"
    source = PARAMETERS.replace("def layers", init).replace("layers(x.shape[1]).items()", made).replace('w["w"]', 'torch.ones(64, 8)')
    _, findings = at_a(*found(tmp_path, source.replace("loss.backward()", "loss.add(0 * w['w'].sum()).backward()")))
    assert findings == []
