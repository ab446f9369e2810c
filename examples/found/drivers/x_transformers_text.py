"""x-transformers: a decoder with rotary positions, then one with linear biases, on random tokens."""

import torch
from outcome import show
from torch.nn import functional
from x_transformers import Decoder, TransformerWrapper

torch.manual_seed(0)
losses = []
for positions in ({"rotary_pos_emb": True}, {"alibi_pos_bias": True, "alibi_num_heads": 2}):
    layers = Decoder(dim=64, depth=3, heads=4, **positions)
    model = TransformerWrapper(num_tokens=128, max_seq_len=128, attn_layers=layers)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for step in range(50):
        tokens = torch.randint(0, 128, (8, 129))
        loss = functional.cross_entropy(model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    losses.append(loss.item())
show(losses=losses)
