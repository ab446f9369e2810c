"""pyod: its autoencoder and DeepSVDD on tabular data."""

from outcome import show
from pyod.models.auto_encoder import AutoEncoder
from pyod.models.deep_svdd import DeepSVDD
from pyod.utils.data import generate_data

train, test, _, _ = generate_data(n_train=2000, n_test=300, n_features=40, contamination=0.1, random_state=1)
encoder = AutoEncoder(epoch_num=12, batch_size=64, random_state=1, verbose=0).fit(train)
svdd = DeepSVDD(n_features=40, epochs=12, random_state=1, verbose=0).fit(train)
show(encoder=encoder.decision_function(test), svdd=svdd.decision_function(test))
