"""A call that makes again what another had just made: what keeping its result means for what comes behind."""
import pytest
from marked import NUMPY, TORCH, found, marks


def test_what_backward_goes_through_twice_is_not_just_kept(tmp_path):
    """A graph is freed by its first backward(), and a batch norm that is called once less has other statistics."""
    _, report = found(tmp_path, TORCH + """
        generator, critic = nn.Sequential(nn.Linear(32, 256), nn.BatchNorm1d(256), nn.Tanh()), nn.Linear(256, 1)
        steps = [torch.optim.Adam(model.parameters(), 2e-4) for model in (generator, critic)]
        for step in range(300):
            noise = torch.randn(64, 32)
            loss = critic(generator(noise)).mean()
            loss.backward()
            steps[1].step()
            steps[0].zero_grad()
            loss = -critic(generator(noise)).mean()
            loss.backward()
            steps[0].step()
        """)
    (finding,) = report["findings"]
    assert finding["category"] == "repeated native call with the same arguments"
    assert "Where backward() goes through both, the first needs retain_graph=True" in finding["advice"] and "BatchNorm" in finding["advice"]
    assert "made with gradients" in finding["advice"] and "no_grad" not in finding["advice"]
    _, report = found(tmp_path, NUMPY + """
        weights = random.normal(size=(64, 64))
        for step in range(300):
            data = random.normal(size=(64, 64))
            first = np.tanh(data @ weights)
            second = np.tanh(data @ weights)
            weights -= 1e-3 * (first - data) @ second
        """)
    assert report["findings"] and not any("backward" in finding["advice"] for finding in report["findings"])


WITHOUT_GRAPH = TORCH + """
        @torch.no_grad()
        def validate():
            return (net(data) - wanted).square().mean().item()
        net = nn.Sequential(nn.Linear(96, 256), nn.Tanh(), nn.Linear(256, 1))
        data, wanted, best = torch.randn(256, 96), torch.randn(256, 1), 9.0
        step = torch.optim.SGD(net.parameters(), 1e-2)
        for epoch in range(400):
            ORDER
        """
TRAIN = """loss = (net(data) - wanted).square().mean()
            step.zero_grad()
            loss.backward()"""


@pytest.mark.parametrize("order, advice", [
    (f"""{TRAIN}
            step.step()
            best = min(best, validate())""", "It is made under no_grad() there: where backward() goes through it here, make it with gradients"),
    (f"""{TRAIN}
            best = min(best, validate())
            step.step()""", "Kept without its graph (detach()), it serves under no_grad()"),
], ids=["validated before it is trained on", "trained on before it is validated"])
def test_what_was_made_without_a_graph_is_not_trained_through(tmp_path, order, advice):
    _, report = found(tmp_path, WITHOUT_GRAPH.replace("ORDER", order))
    assert report["findings"] and all(finding["category"] == "repeated native call with the same arguments" for finding in report["findings"])
    assert all(advice in finding["advice"] and "retain_graph" not in finding["advice"] for finding in report["findings"])


def test_a_call_whose_library_first_makes_buffers_of_the_same_size(tmp_path):
    """oneDNN's first convolution makes three of 256 KiB that stay: they stand where the results of the later calls do."""
    path, report = found(tmp_path, TORCH + """
        conv = nn.Conv2d(1, 16, 3, padding=1)
        with torch.no_grad():
            for step in range(300):
                x = torch.randn(64, 1, 8, 8)
                first = conv(x).sum()
                second = conv(x).sum()  # repeated
        """)
    assert {(finding["line"], finding["category"]) for finding in report["findings"]} == marks(path)


JOINED = {
    "rows stacked once more": NUMPY + """
        units = random.normal(size=(144, 64))
        def nearest(point):
            stacked = np.stack([point] * 144)  # repeated
            return int(np.argmin(np.linalg.norm(stacked - units, axis=1)))
        for step in range(1500):
            point = random.normal(size=64)
            stacked = np.stack([point] * 144)
            units += 1e-3 * (1 + nearest(point) % 7) * (stacked + units)
        """,
    "the same two for each gate": TORCH + """
        gates, state = [nn.Linear(96, 64) for _ in range(2)], torch.zeros(64, 64)
        for step in range(600):
            point = torch.randn(64, 32)
            opened = torch.sigmoid(gates[0](torch.cat([point, state], 1)))
            shown = torch.tanh(gates[1](torch.cat([point, state], 1)))  # repeated
            state = (opened * state + (1 - opened) * shown).detach()
        """,
    "two copies of one source, as who writes into one of them needs": NUMPY + """
        weights = random.normal(size=(64, 64))
        for step in range(600):
            before = weights.copy()
            best = np.copy(weights)
            rows, others = weights[::2].copy(), weights[::2].copy()
            weights += 1e-3 * random.normal(size=(64, 64)) * (before - best + 1) + (rows - others).sum()
        """,
}


@pytest.mark.parametrize("name", JOINED)
def test_parts_put_together_again_are_told_but_not_copies(tmp_path, name):
    path, report = found(tmp_path, JOINED[name])
    assert {(finding["line"], finding["category"]) for finding in report["findings"]} == marks(path)


def test_what_a_test_makes_spares_the_next_training_step_nothing(tmp_path):
    """train() and test() in turns: the first layer is made of the same weights in both, without a graph in one of them."""
    _, report = found(tmp_path, TORCH + """
import torch.nn.functional as F
x = torch.randn(400, 64)
y = (x.sum(1) > 0).long()
first, second = torch.nn.Linear(64, 64), torch.nn.Linear(64, 2)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.01)
def model(is_training):
    return second(F.dropout(F.relu(first(x)), 0.5, is_training))
def train():
    optimizer.zero_grad()
    loss = F.cross_entropy(model(True), y)
    loss.backward()
    optimizer.step()
    return loss.item()
@torch.no_grad()
def test():
    return (model(False).argmax(1) == y).float().mean().item()
for epoch in range(150):
    train(), test()
""")
    assert not [finding for finding in report["findings"] if finding["category"].startswith("repeated native call")]


EVALUATED_TWICE = TORCH + """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body, self.head = nn.GRU(24, 96, batch_first=True), nn.Linear(96, 2)
            def forward(self, x):
                return self.head(self.body(x)[0][:, -1])
        batches = [(torch.randn(64, 12, 24), torch.randint(0, 2, (64,))) for batch in range(12)]
        net = Net()
        optimizer = torch.optim.Adam(net.parameters(), 1e-3)
        @torch.no_grad()
        def mean_loss():
            return sum(nn.functional.cross_entropy(net(x), y).item() for x, y in batches)  # first
        @torch.no_grad()
        def accuracy():
            return sum((net(x).argmax(-1) == y).float().mean().item() for x, y in batches)  # second
        for epoch in range(12):
            for x, y in batches:
                loss = nn.functional.cross_entropy(net(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(mean_loss(), accuracy())
        """


def test_two_tests_of_one_model_are_each_named(tmp_path):
    """The finding is within the model; what to change are the two functions that run it, not the model nor what calls them."""
    path, report = found(tmp_path, EVALUATED_TWICE)
    first, second = (number for number, row in enumerate(path.read_text().splitlines(), 1) if row.endswith(("# first", "# second")))
    assert report["findings"]
    for finding in report["findings"]:
        assert finding["category"] == "repeated native call with the same arguments"
        assert f"{path.name}:{first} and {path.name}:{second} each run it on the same input: run it once, for both." in finding["advice"]


STEPS_AND_VALUES = TORCH + """
        critic = nn.Sequential(nn.Linear(16, 256), nn.Tanh(), nn.Linear(256, 1))
        optimizer = torch.optim.SGD(critic.parameters(), 1e-3)
        state = torch.randn(128, 16)
        for update in range(40):
            losses = []
            for step in range(32):
                value = critic(state)  # repeated
                following = 0.9 * state + 0.1 * torch.randn(128, 16)
                with torch.no_grad():
                    bootstrap = critic(following)
                losses.append((following.mean(1, keepdim=True) + 0.9 * bootstrap - value).square().mean())
                state = following
            optimizer.zero_grad()
            sum(losses).backward()
            optimizer.step()
        """


def test_what_is_evaluated_again_but_where_training_came_between(tmp_path):
    """One in 32 is new: it must be made again there, which the advice says. The buffer that OpenBLAS maps at that line is no result of it."""
    path, report = found(tmp_path, STEPS_AND_VALUES)
    assert {(finding["line"], finding["category"]) for finding in report["findings"]} == marks(path)
    (finding,) = report["findings"]
    assert 0.95 < finding["fraction"] < 0.99
    assert "Only where what it is computed from is the same: not each one looked at had its equal." in finding["advice"]


ROLLOUT = NUMPY + """
        weights = random.normal(size=(24, 24))
        def rollout(count):
            seen = []
            for step in range(count):
                state = random.normal(size=(40, 24))
                score = np.tanh(state) @ weights
                BESIDE
                seen.append(state)
            return seen
        def update(seen):
            global weights
            total = 0.0
            for state in seen:
                total += (np.tanh(CHANGED) @ weights).sum()  # repeated
            weights = weights * (1 - 1e-6 * np.tanh(total))
        for round in range(ROUNDS):
            update(rollout(240))
        """
BESIDE = "; ".join(f"part{k} = state * {k}.5 + {k}.0" for k in range(12))


@pytest.mark.parametrize("beside, rounds, changes", [("pass", "5", {}), (BESIDE, "30", {"PIEPROF_DIGEST": "full"})],
                         ids=["births passed over", "more than is remembered"])
def test_a_whole_round_that_is_gone_through_again_is_told(tmp_path, beside, rounds, changes):
    """240 steps lie between: the first of a round are passed over before there is a link, and others push what was made out of the table."""
    program = ROLLOUT.replace("BESIDE", beside).replace("ROUNDS", rounds)
    path, report = found(tmp_path, program.replace("CHANGED", "state"), **changes)
    assert {(finding["line"], finding["category"]) for finding in report["findings"]} == marks(path)
    assert all(finding["fraction"] > 0.95 for finding in report["findings"])
    _, report = found(tmp_path, program.replace("CHANGED", "state + 1e-9"), **changes)
    assert report["findings"] == []
