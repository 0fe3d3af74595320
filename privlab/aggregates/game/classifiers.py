"""Four classifiers as pipelines that are fitted on training data only, scalers and selectors included.

Every draw comes from the generator handed in; each runs on one core, so that results are the same on
any machine and any number of processes.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from privlab.aggregates.game_rules.parameters import CLASSIFIERS, ClassifierSettings
from privlab.checks import require_choice

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from sklearn.pipeline import Pipeline

    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]


def scores_from_features(
    classifier: str,
    settings: ClassifierSettings,
    train: npt.NDArray[Any],
    labels: Flags,
    test: npt.NDArray[Any],
    rng: np.random.Generator,
    *,
    feature_elimination: bool = False,
    in_span: bool = False,
) -> Floats:
    """Return how surely each test sample holds the target, shape (n_test,); larger is surer.

    `train` and `test` are (samples, features), `labels` (n_train,) bool. With `feature_elimination`, as
    many features are kept as there are training samples, those logistic regression finds heaviest. With
    `in_span`, logistic regression sees the samples in as many directions as there are of training: its weights lie
    in their span, so that the scores are the same up to its tolerance, many times sooner where features are many.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.feature_selection import RFE
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    steps: list[Any] = [StandardScaler()]
    if feature_elimination and train.shape[1] > train.shape[0]:
        judge = LogisticRegression(solver="liblinear", C=settings.inverse_penalty, random_state=0)
        steps.append(RFE(judge, n_features_to_select=train.shape[0], step=settings.eliminated_share))
    if in_span and classifier == "lr" and not feature_elimination:
        scaler = steps.pop().fit(train)
        train, test = _in_span(scaler.transform(train), scaler.transform(test))
    pipeline = make_pipeline(*steps, _classifier(classifier, settings, rng))
    with warnings.catch_warnings():  # a network that stops at its last iteration is as good as it is
        warnings.simplefilter("ignore", ConvergenceWarning)
        pipeline.fit(train, labels)
    return _scores(pipeline, test)


def _in_span(train: npt.NDArray[Any], test: npt.NDArray[Any]) -> tuple[Floats, Floats]:
    """Return samples in an orthonormal base of the training samples' span: all products with those are kept."""
    import numpy as np

    values, vectors = np.linalg.eigh((train @ train.T).astype(np.float64))
    kept = values >= 1e-6 * values[-1]
    if not values[-1] > 0:  # samples all alike: nothing to learn, nothing to be told apart
        return np.zeros((len(train), 1)), np.zeros((len(test), 1))
    base = vectors[:, kept] / np.sqrt(values[kept])
    return vectors[:, kept] * np.sqrt(values[kept]), (test @ train.T).astype(np.float64) @ base


def _classifier(name: str, settings: ClassifierSettings, rng: np.random.Generator) -> Any:
    lot = int(rng.integers(2**31))
    match require_choice("classifier", name, CLASSIFIERS):
        case "lr":
            from sklearn.linear_model import LogisticRegression

            return LogisticRegression(solver="liblinear", C=settings.inverse_penalty, random_state=lot)
        case "knn":
            from sklearn.neighbors import KNeighborsClassifier

            return KNeighborsClassifier(n_neighbors=settings.neighbours, n_jobs=1)
        case "rf":
            from sklearn.ensemble import RandomForestClassifier

            return RandomForestClassifier(n_estimators=settings.trees, random_state=lot, n_jobs=1)
        case _:
            from sklearn.neural_network import MLPClassifier

            return MLPClassifier(
                hidden_layer_sizes=(settings.hidden_units,),
                max_iter=settings.max_iterations,
                random_state=lot,
            )


def _scores(pipeline: Pipeline, test: npt.NDArray[Any]) -> Floats:
    import numpy as np

    if hasattr(pipeline, "decision_function"):
        return np.asarray(pipeline.decision_function(test), dtype=np.float64)
    return np.asarray(pipeline.predict_proba(test)[:, 1], dtype=np.float64)
