"""transformers: small Llama and T5 models of random weights, trained by hand."""

import torch
from outcome import show
from transformers import LlamaConfig, LlamaForCausalLM, T5Config, T5ForConditionalGeneration

torch.manual_seed(1)
llama = LlamaForCausalLM(
    LlamaConfig(
        vocab_size=97,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=3,
        num_attention_heads=4,
        max_position_embeddings=128,
    )
)
t5 = T5ForConditionalGeneration(
    T5Config(vocab_size=97, d_model=64, d_kv=16, d_ff=128, num_layers=3, num_heads=4, decoder_start_token_id=0)
)
losses = []
for model in (llama, t5):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(40):
        tokens = (torch.arange(96)[None] * torch.randint(1, 7, (8, 1)) + torch.randint(0, 97, (8, 1))) % 97
        loss = model(input_ids=tokens, labels=tokens).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
show(losses=losses)
