"""Predictions: one, or arrays of many; and the curve that makes them."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Optional

from . import _native
from ._values import array, frame, integers

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._choice import Candidate, Price

#: What `predict` tells beside the median.
QUANTILES = (0.05, 0.25, 0.75, 0.95)


class Flag(enum.IntFlag):
    """What the caller should know about a prediction."""

    OUTSIDE_SEEN_SCALE_OUTS = 1
    UNLIKE_ANY_SEEN_CONTEXT = 2
    CONTRADICTORY_OBSERVED_RUNS = 4
    POINT = 8
    NOT_USABLE = 16
    OUTSIDE_SEEN_DATA_SIZES = 32


class Predictions:
    """Predicted runtimes, one for each scale-out (or each question of `Model.predict`). Arrays are numpy's, or memory views
    where numpy is not installed. Never changes."""

    def __init__(self, rows: _native.Rows, scale_outs: Sequence[int], quantiles: Sequence[float]) -> None:
        self._rows = rows
        self.scale_outs = tuple(scale_outs)
        self.probabilities = tuple(quantiles)

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def median_s(self) -> NDArray[numpy.float64]:
        """Of shape (n,)."""
        flat, made = array("d", (len(self),))
        self._rows.medians(flat)
        return made

    @cached_property
    def quantiles_s(self) -> NDArray[numpy.float64]:
        """Of shape (n, q): a column for each of `probabilities`."""
        count = len(self.probabilities)
        flat, made = array("d", (len(self), count))
        for number, p in enumerate(self.probabilities):
            self._rows.quantiles(p, flat, number, count)
        return made

    def quantile_s(self, p: float) -> NDArray[numpy.float64]:
        """The runtimes that are exceeded with probability 1 - p, of shape (n,); NaN unless 0 < p < 1."""
        flat, made = array("d", (len(self),))
        self._rows.quantiles(p, flat, 0, 1)
        return made

    def probability(self, limit_s: float) -> NDArray[numpy.float64]:
        """With which each run takes at most `limit_s`, of shape (n,)."""
        flat, made = array("d", (len(self),))
        self._rows.probabilities(limit_s, flat)
        return made

    @cached_property
    def flags(self) -> NDArray[numpy.uint32]:
        """Sums of `Flag`, of shape (n,)."""
        flat, made = array("I", (len(self),))
        self._rows.flags(flat)
        return made

    @cached_property
    def observed_runs(self) -> NDArray[numpy.uint32]:
        """Runs of the very context that each answer rests on, of shape (n,)."""
        flat, made = array("I", (len(self),))
        self._rows.observed_runs(flat)
        return made

    def to_frame(self) -> Any:
        """A row for each prediction: a DataFrame where pandas is installed, otherwise a list of dictionaries."""
        return frame(
            {
                "scale_out": self.scale_outs[i],
                "median_s": float(self.median_s[i]),
                **{f"p{100 * p:g}_s": float(self.quantiles_s[i, j]) for j, p in enumerate(self.probabilities)},
                "flags": int(self.flags[i]),
                "observed_runs": int(self.observed_runs[i]),
            }
            for i in range(len(self))
        )


class Curve(_native.Curve):
    """Runtime over scale-outs for one context, made by `Model.bind`; it needs no model behind it. Never changes, so that any
    number of threads may ask it. `at`, `median`, `quantile` and `probability` answer for one scale-out."""

    def predict(self, scale_outs: Any, quantiles: Sequence[float] = QUANTILES) -> Predictions:
        """Medians and quantiles over scale-outs (a range, a list, an array). Error: invalid_scale_out."""
        asked = integers(scale_outs)
        return Predictions(self._ask(asked), asked, quantiles)

    def medians(self, first: int, count: int) -> NDArray[numpy.float32]:
        """Medians at scale-outs first, first + 1, ..., NaN where one is not valid. The fastest call for many."""
        flat, made = array("f", (count,))
        self._medians(first, flat)
        return made

    def candidates(self, scale_outs: Any, price: Optional[Price] = None, label: str = "") -> list[Candidate]:
        """A candidate for `choose` at each scale-out."""
        from ._choice import Candidate

        return [Candidate(self, each, price, label) for each in integers(scale_outs)]

    @property
    def observed_runs(self) -> int:
        return self._describe()[0]

    @property
    def seen_scale_outs(self) -> tuple[int, int]:
        """Smallest and largest."""
        return self._describe()[1:3]

    @property
    def largest_valid_scale_out(self) -> int:
        return self._describe()[3]


def _flags(self: _native.Prediction) -> Flag:
    return Flag(self._flags)


_native.Prediction.flags = property(_flags)  # type: ignore[assignment]
