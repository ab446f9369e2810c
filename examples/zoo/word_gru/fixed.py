"""A word model in PyTorch: a GRU reads a text in stretches, its state carried from one to the next."""
import argparse

import torch
from torch import nn
from torch.nn import functional

WORDS = 300
ROWS = 16
STRETCH = 20


def make_text(length):
    follows = torch.randint(0, WORDS, (WORDS, 3))
    choices = torch.randint(0, 3, (length,)).tolist()
    text = [0]
    for choice in choices[1:]:
        text.append(int(follows[text[-1], choice]))
    return torch.tensor(text)


class WordModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(WORDS, 24, batch_first=True)
        self.output = nn.Linear(24, WORDS)

    def forward(self, vectors, state):
        hidden, state = self.gru(vectors, state)
        return self.output(hidden), state.detach()


def train(epochs):
    torch.manual_seed(6)
    rows = make_text(ROWS * (STRETCH * 8 + 1)).view(ROWS, -1)
    vectors = functional.one_hot(rows, WORDS).float()
    model = WordModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(1, epochs + 1):
        state, total = torch.zeros(1, ROWS, 24), 0.0
        for inputs, targets in zip(vectors[:, :-1].split(STRETCH, dim=1), rows[:, 1:].split(STRETCH, dim=1)):
            scores, state = model(inputs, state)
            loss = functional.cross_entropy(scores.flatten(0, 1), targets.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() / 8
        if epoch % 5 == 0:
            print(f"epoch {epoch}: loss {total:.5f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=25)
    train(parser.parse_args().epochs)
