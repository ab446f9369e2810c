"""keras: a small convolutional network on digits, by PyTorch."""

import os

os.environ["KERAS_BACKEND"] = "torch"
import keras  # noqa: E402
from outcome import show  # noqa: E402
from sklearn.datasets import load_digits  # noqa: E402

keras.utils.set_random_seed(0)
digits = load_digits()
images = (digits.images / 16.0).astype("float32")[..., None]
layers = [keras.layers.Conv2D(16, 3, activation="relu"), keras.layers.Flatten(), keras.layers.Dropout(0.3)]
model = keras.Sequential([keras.Input((8, 8, 1)), *layers, keras.layers.Dense(10, activation="softmax")])
model.compile(loss="sparse_categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
history = model.fit(images, digits.target, batch_size=64, epochs=8, validation_split=0.2, verbose=0)
show(loss=history.history["loss"], kernel=model.layers[0].kernel.value)
