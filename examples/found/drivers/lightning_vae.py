"""lightning: an autoencoder on handwritten digits, as in its introduction."""

import logging
import warnings

import lightning
import torch
from outcome import show
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
lightning.seed_everything(1, verbose=False)


class LitAutoEncoder(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
        self.decoder = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 64))
        self.losses = []

    def step(self, batch):
        x = batch[0].view(batch[0].size(0), -1)
        return nn.functional.mse_loss(self.decoder(self.encoder(x)), x)

    def training_step(self, batch, batch_idx):
        loss = self.step(batch)
        self.log("train_loss", loss)
        self.losses.append(loss.item())
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.step(batch))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


images = torch.tensor(load_digits().data / 16.0, dtype=torch.float32)
train, valid = DataLoader(TensorDataset(images[:1400]), 64, shuffle=True), DataLoader(TensorDataset(images[1400:]), 64)
model = LitAutoEncoder()
trainer = lightning.Trainer(
    max_epochs=25,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(model, train, valid)
show(losses=model.losses)
