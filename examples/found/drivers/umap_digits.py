"""umap-learn: an embedding of handwritten digits, supervised and not."""

from outcome import show
from sklearn.datasets import load_digits
from umap import UMAP

images, labels = load_digits(return_X_y=True)
plain = UMAP(random_state=1, n_epochs=150, n_jobs=1).fit_transform(images)
guided = UMAP(random_state=1, n_epochs=60, n_jobs=1).fit(images[:800], labels[:800]).transform(images[800:])
show(plain=plain, guided=guided)
