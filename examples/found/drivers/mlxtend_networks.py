"""mlxtend: its perceptron network, softmax and logistic regression on handwritten digits."""

from mlxtend.classifier import LogisticRegression, MultiLayerPerceptron, SoftmaxRegression
from outcome import show
from sklearn.datasets import load_digits

images, labels = load_digits(return_X_y=True)
images = (images - images.mean(axis=0)) / (images.std(axis=0) + 1.0)
network = MultiLayerPerceptron(
    hidden_layers=[50],
    l2=0.0,
    l1=0.0,
    epochs=60,
    eta=0.05,
    momentum=0.1,
    decrease_const=0.0,
    minibatches=20,
    random_seed=1,
)
network.fit(images, labels)
softmax = SoftmaxRegression(eta=0.05, epochs=150, minibatches=10, random_seed=1).fit(images, labels)
logistic = LogisticRegression(eta=0.001, l2_lambda=0.0, epochs=600, minibatches=1, random_seed=1).fit(
    images, (labels > 4).astype(int)
)
show(network=network.cost_, softmax=softmax.cost_, logistic=logistic.cost_)
