"""pytorch-forecasting: a temporal fusion transformer and N-BEATS on made-up series, as in its tutorial."""

import logging
import warnings

import lightning
import numpy as np
import pandas
from outcome import show
from pytorch_forecasting import NBeats, TemporalFusionTransformer, TimeSeriesDataSet
from pytorch_forecasting.metrics import QuantileLoss

warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
lightning.seed_everything(1, verbose=False)
rng = np.random.default_rng(1)
frame = pandas.concat(
    pandas.DataFrame(
        {
            "series": str(k),
            "time": np.arange(120),
            "value": np.sin(np.arange(120) / (3 + k)) + 0.1 * rng.normal(size=120),
        }
    )
    for k in range(8)
).reset_index(drop=True)
frame["value"] = frame["value"].astype("float32")


def fit(model, data, batches):
    trainer = lightning.Trainer(
        max_epochs=1,
        limit_train_batches=batches,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        gradient_clip_val=0.1,
    )
    trainer.fit(model, data.to_dataloader(train=True, batch_size=32))
    return next(model.parameters())


common = dict(time_idx="time", target="value", group_ids=["series"], max_encoder_length=24, max_prediction_length=8)
data = TimeSeriesDataSet(
    frame,
    time_varying_known_reals=["time"],
    time_varying_unknown_reals=["value"],
    static_categoricals=["series"],
    **common
)
tft = TemporalFusionTransformer.from_dataset(
    data,
    hidden_size=16,
    attention_head_size=2,
    hidden_continuous_size=8,
    dropout=0.1,
    loss=QuantileLoss(),
    log_interval=0,
)
plain = TimeSeriesDataSet(
    frame, time_varying_unknown_reals=["value"], min_encoder_length=24, min_prediction_length=8, **common
)
beats = NBeats.from_dataset(plain, log_interval=0, widths=[32, 128])
show(tft=fit(tft, data, 25), beats=fit(beats, plain, 25))
