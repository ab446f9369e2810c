"""ngboost: probabilistic regression and classification by natural gradient boosting."""

from ngboost import NGBClassifier, NGBRegressor
from outcome import show
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.tree import DecisionTreeRegressor

tree = DecisionTreeRegressor(max_depth=3, random_state=1)
X, y = load_diabetes(return_X_y=True)
regressor = NGBRegressor(Base=tree, n_estimators=250, random_state=1, verbose=False).fit(X, y)
features, labels = load_breast_cancer(return_X_y=True)
classifier = NGBClassifier(Base=tree, n_estimators=100, random_state=1, verbose=False).fit(features, labels)
show(regressor=regressor.predict(X), classifier=classifier.predict_proba(features))
