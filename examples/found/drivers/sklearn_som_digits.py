"""sklearn-som: a map of 12 x 12 units of the handwritten digits, then the unit of each."""

from outcome import show
from sklearn.datasets import load_digits
from sklearn_som.som import SOM

images = load_digits().data
som = SOM(m=12, n=12, dim=images.shape[1], max_iter=20000, random_state=1)
labels = som.fit_predict(images, epochs=4)
show(weights=som.weights, labels=labels, inertia=som.inertia_)
