"""Applications stage by stage: learned from traces, predicted before a run starts and while it runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

from . import _native
from ._choice import Price
from ._prediction import QUANTILES, Predictions
from ._values import frame, integers, plain

#: One run of an application, as a line of `bellamy import --traces` spells it: application, properties, unit, scale_out (steps of
#: seconds and scale-out), runtime_s, outcome, and jobs, each with id, submitted_s, completed_s and stages.
Trace = Mapping[str, Any]

RESCALE_OUTCOMES = (
    "meets_deadline",
    "misses_deadline",
    "deadline_passed",
    "nothing_to_come",
    "no_usable_prediction",
    "costs_least",
)


def read_traces(path: Union[str, os.PathLike[str]]) -> list[dict[str, Any]]:
    """The runs of a file that `bellamy import --traces` wrote, a JSON object in each line. What ends in .zst is unpacked by the
    package zstandard, which must then be installed."""
    import json

    with open(path, "rb") as file:
        packed = file.read(4) == b"\x28\xb5\x2f\xfd"
        file.seek(0)
        if not packed:
            return [json.loads(line) for line in file if line.strip()]
        import zstandard

        with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as unpacked:
            return [json.loads(line) for line in unpacked.read().splitlines() if line.strip()]


@dataclass(frozen=True)
class RescaleDecision:
    """Stay, or go to `scale_out`."""

    scale_out: int
    changes: bool
    probability: float
    expected_cost: float
    #: One of RESCALE_OUTCOMES.
    outcome: str
    #: The same in words.
    reason: str
    #: One for each scale-out in their order.
    rows: list[dict[str, Any]] = field(repr=False)

    @property
    def table(self) -> Any:
        """Why: a DataFrame where pandas is installed, otherwise `rows`."""
        return frame(self.rows)


class Forecast:
    """What is predicted of one run. Never changes. A scale-out of 0 is one that is not known."""

    def __init__(self, native: _native.Forecast) -> None:
        self._native = native

    def run(self, scale_outs: Any, quantiles: Sequence[float] = QUANTILES) -> Predictions:
        """The whole run, before it starts. Error, here and below: invalid_scale_out."""
        asked = integers(scale_outs)
        return Predictions(self._native.run(asked), asked, quantiles)

    def remaining(self, scale_outs: Any, quantiles: Sequence[float] = QUANTILES) -> Predictions:
        """From the end of the last finished job to the end of the run; not usable where no job is to come."""
        asked = integers(scale_outs)
        return Predictions(self._native.remaining(asked), asked, quantiles)

    def job(self, job: int, scale_outs: Any, quantiles: Sequence[float] = QUANTILES) -> Predictions:
        """A job by its number from 0. Error: invalid_argument where it is not expected."""
        asked = integers(scale_outs)
        return Predictions(self._native.job(job, asked), asked, quantiles)

    def stage(self, job: int, stage: int, scale_outs: Any, quantiles: Sequence[float] = QUANTILES) -> Predictions:
        """A stage of a job, both from 0. Error: invalid_argument where it is not expected."""
        asked = integers(scale_outs)
        return Predictions(self._native.stage(job, stage, asked), asked, quantiles)

    def observe(self, so_far: Trace) -> Forecast:
        """The forecast for the rest of a run whose first jobs have ended: all jobs of `so_far` that have an end. Error:
        invalid_trace."""
        return Forecast(self._native.observe(dict(so_far)))

    def rescale(
        self,
        scale_outs: Any,
        *,
        deadline_s: float,
        elapsed_s: float,
        scale_out: int,
        price: Price,
        probability: float = 0.9,
        cost_of_change: float = 0.0,
        cost_of_missing: float = 0.0,
    ) -> RescaleDecision:
        """Whether the run should stay at `scale_out` or go to one of these, to end within `deadline_s` of its start. Times are
        seconds since the start of the run; the start-up time of the price is the delay of a change. Where missing the deadline
        has a cost, the least expected cost decides, this included, and not the probability. Nothing is executed."""
        told, rows = self._native.rescale(
            integers(scale_outs),
            price.numbers(),
            deadline_s,
            elapsed_s,
            scale_out,
            probability,
            cost_of_change,
            cost_of_missing,
        )
        told["outcome"] = RESCALE_OUTCOMES[told["outcome"]]
        return RescaleDecision(rows=rows, **told)

    @property
    def jobs(self) -> int:
        """That are expected of the run, finished ones too."""
        return self._native.describe()[0]

    @property
    def finished_jobs(self) -> int:
        return self._native.describe()[1]

    @property
    def stage_counts(self) -> list[int]:
        """How many stages each job is expected to have."""
        return self._native.stage_counts()


class Application:
    """What is learned of one application. Never changes; it is pickled by its bytes."""

    def __init__(self, native: _native.Application) -> None:
        self._native = native

    @staticmethod
    def pretrain(runs: Iterable[Trace], *, seed: int = 0, threads: int = 1) -> Application:
        """Learns from traces of runs that succeeded; others are passed over. Errors: empty_history, and with the number of
        the run invalid_trace and those of bad properties."""
        return Application(_native.learn([dict(each) for each in runs], seed, threads))

    @staticmethod
    def load(path: Union[str, os.PathLike[str]]) -> Application:
        """Errors: as `Model.load`."""
        return Application(_native.Application.load(os.fspath(path)))

    @staticmethod
    def from_bytes(data: bytes) -> Application:
        return Application(_native.Application.from_bytes(bytes(data)))

    def to_bytes(self) -> bytes:
        return self._native.to_bytes()

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Error: cannot_write."""
        self._native.save(os.fspath(path))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Application.from_bytes, (self.to_bytes(),))

    def bind(self, properties: Optional[Mapping[str, Any]] = None) -> Forecast:
        """The forecast of a run with these properties. One that no run had is left out, one that is missing is not known."""
        return Forecast(self._native.bind({str(name): plain(value) for name, value in (properties or {}).items()}))

    @property
    def name(self) -> str:
        return self._native.describe()[0]

    @property
    def seen_scale_outs(self) -> tuple[int, int]:
        """Smallest and largest; 1 to 1 where none was known."""
        return self._native.describe()[1:3]
