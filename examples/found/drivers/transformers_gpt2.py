"""transformers: a small GPT-2 of random weights trained by its Trainer on patterns of tokens."""

import tempfile

import torch
from outcome import show
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

set_seed(1)
data = []
for start in range(160):
    tokens = (torch.arange(64) * (1 + start % 7) + start) % 97
    data.append({"input_ids": tokens, "labels": tokens})
model = GPT2LMHeadModel(GPT2Config(vocab_size=97, n_positions=64, n_embd=64, n_layer=3, n_head=4))
with tempfile.TemporaryDirectory() as directory:
    arguments = TrainingArguments(
        directory,
        num_train_epochs=4,
        per_device_train_batch_size=8,
        report_to=[],
        save_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
        seed=1,
    )
    outcome = Trainer(model, arguments, train_dataset=data).train()
show(loss=outcome.training_loss, weights=next(model.parameters()))
