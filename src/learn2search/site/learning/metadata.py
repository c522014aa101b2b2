"""What is known about a model beside its positions: typed, and stored with the model as JSON."""

from typing import Any

import numpy as np
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from learn2search.learn.evidence import Crowd
from learn2search.store.models import ModelInfo
from learn2search.typing import Array


class ContentPrior(BaseModel):
    """What items show places them: on the axes of the items numbered below `axes_from`, times `scale`. `source`: as in
    `item_features`."""

    model_config = ConfigDict(frozen=True)

    axes_from: int
    scale: float
    source: str = "colours"


class ModelPrior(BaseModel):
    """What is expected of an item of which nothing is known.

    variance: of its position, one for all axes or one for each. content: where what it shows places it, if that is
    used. features: the owner gave a position for every item.
    """

    model_config = ConfigDict(frozen=True)

    variance: float | tuple[float, ...] = 1.0
    content: ContentPrior | None = Field(default=None, validation_alias=AliasChoices("content", "thumbnails"))
    features: bool = False

    def variances(self, d: int) -> Array:
        """`(d,)`."""
        return np.broadcast_to(np.asarray(self.variance, float), (d,)).copy()


class ModelEvaluation(BaseModel):
    """Held-out comparisons, `compared` of them: mean log-likelihood and share predicted right, and the log-likelihood
    under the model that was in use before."""

    model_config = ConfigDict(frozen=True)

    log_likelihood: float
    accuracy: float
    before: float
    compared: int


class ModelMetadata(BaseModel):
    """is_taught: False for a model that no answer has told anything. online: lessons after its fit are taken in one by
    one. one_choice: a click counts as one choice, not as k - 1 answers. crowd: what is known of all visitors together.
    lapse: the share of answers that say nothing. trust: how far a belief of a search can be trusted. triplets, lessons:
    how many there were when it was fitted, held-out ones included. size: how many items it covers, 0 where that was not
    noted."""

    model_config = ConfigDict(frozen=True)

    prior: ModelPrior = ModelPrior()
    evaluation: ModelEvaluation | None = None
    is_taught: bool = True
    online: bool = False
    one_choice: bool = False
    crowd: Crowd = Crowd()
    lapse: float = 0.0
    trust: float = 1.0
    triplets: int = 0
    lessons: int = 0
    size: int = 0

    @property
    def knows_features(self) -> bool:
        """Is there more to expect of an item than that it is somewhere?"""
        return self.prior.features or self.prior.content is not None

    @property
    def knows_nothing(self) -> bool:
        """No answer has told anything, and nothing was known beforehand: every question is as good as any other."""
        return not (self.is_taught or self.knows_features)

    def figures(self) -> dict[str, Any]:
        """As the JSON API gives them."""
        judged = self.evaluation
        evaluation = (
            {}
            if judged is None
            else {
                "held_out": judged.log_likelihood,
                "accuracy": judged.accuracy,
                "before": judged.before,
                "compared": judged.compared,
            }
        )
        learnt = {"cold": self.knows_nothing, "online": self.online, "seen": self.triplets, "at_lesson": self.lessons}
        return learnt | evaluation

    def to_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")


def metadata_of(info: ModelInfo) -> ModelMetadata:
    """The metadata of a stored model; version 0.1 wrote them as one flat table."""
    stored = info.metrics
    return ModelMetadata.model_validate(stored if "prior" in stored else _from_version_0_1(stored))


def _from_version_0_1(stored: dict[str, Any]) -> dict[str, Any]:
    content = None
    if "pictures" in stored:
        content = {"axes_from": stored["pictures"], "scale": stored["unit"]}
    evaluation = None
    if stored.get("held_out") is not None:
        names = {"log_likelihood": "held_out", "accuracy": "accuracy", "before": "before", "compared": "compared"}
        evaluation = {name: stored.get(old, 0) for name, old in names.items()}
    return {
        "prior": {
            "variance": stored.get("prior_variance", 1.0),
            "content": content,
            "features": stored.get("features", False),
        },
        "evaluation": evaluation,
        "is_taught": not stored.get("cold", False),
        "online": stored.get("online", False),
        "triplets": stored.get("seen", 0),
        "lessons": stored.get("at_lesson", 0),
    }
