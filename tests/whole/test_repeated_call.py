"""A call that makes again what another had just made: what keeping its result means for what comes behind."""
from marked import NUMPY, TORCH, found


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
    _, report = found(tmp_path, NUMPY + """
        weights = random.normal(size=(64, 64))
        for step in range(300):
            data = random.normal(size=(64, 64))
            first = np.tanh(data @ weights)
            second = np.tanh(data @ weights)
            weights -= 1e-3 * (first - data) @ second
        """)
    assert report["findings"] and not any("backward" in finding["advice"] for finding in report["findings"])
