"""Models of one algorithm's runtimes: learned, loaded, conditioned, asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

from . import _native
from ._error import invalid_argument
from ._prediction import QUANTILES, Curve, Predictions
from ._runs import UNITS, Columns, Property, definitions, native_definitions, number_of, of_kinds, split
from ._values import Table, integers, plain, rows_of

MODES = {"best": 0, "paper": 1}
STRATEGIES = {"partial_unfreeze": 0, "full_unfreeze": 1, "partial_reset": 2, "full_reset": 3, "local": 4}
STOPPED = (
    "all_epochs_done",
    "target_error_reached",
    "no_improvement",
    "cancelled",
    "nothing_to_learn",
    "time_budget_spent",
    "closed_form",
)

Report = dict[str, Any]
#: Is told where a training stands; False cancels.
Progress = Callable[[dict[str, Any]], Any]


class ImprobableRun(NamedTuple):
    """An outlier among runs: a straggler, or a wrong record. `run` is its number from 0, `expected_s` the median of what the
    other runs let expect."""

    run: int
    found_s: float
    expected_s: float


class Model:
    """A runtime model of one algorithm. Never changes: learning returns a new one, and any number of threads may ask one.
    It is pickled by its bytes."""

    def __init__(self, native: _native.Model, report: Optional[Report] = None) -> None:
        self._native = native
        self._about = native.describe()
        #: The properties of the model's contexts, essential ones first.
        self.properties = tuple(Property(*each) for each in _kinds_of(native.properties()))
        #: How the training went that made this very model; None for one that was loaded or conditioned.
        self.report = report

    @staticmethod
    def load(path: Union[str, os.PathLike[str]]) -> Model:
        """Errors: cannot_read, not_a_model, unsupported_version, truncated, corrupted, invalid_model, and self_test_failed
        where this machine answers otherwise than the one that saved the model."""
        return Model(_native.Model.load(os.fspath(path)))

    @staticmethod
    def from_bytes(data: bytes) -> Model:
        """The same for the bytes of such a file; nothing in them is trusted."""
        return Model(_native.Model.from_bytes(bytes(data)))

    def to_bytes(self) -> bytes:
        return self._native.to_bytes()

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """A failure leaves the file that was there before. Error: cannot_write."""
        self._native.save(os.fspath(path))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Model.from_bytes, (self.to_bytes(),))

    def bind(self, context: Mapping[str, Any], *, non_increasing: bool = False) -> Curve:
        """The runtimes of a context, given by the names of its properties; what scales is given per unit of scale-out. With
        `non_increasing`, medians do not increase up to the turning point that the data support. Errors:
        essential_count_mismatch, unknown_property, property_mismatch, invalid_quantity; invalid_option for an option that is not
        for this kind of model."""
        return Curve(self._native, self._context(context), non_increasing)

    def condition(self, runs: Table, *, context: Optional[Mapping[str, Any]] = None, columns: Columns = Columns()) -> Model:
        """A model that has seen these runs too. The table has a column for each property and those that `columns` names;
        `context` are values that all rows have, so that `[{"scale_out": 4, "runtime_s": 298}]` may be enough. Errors: as
        `bind`, and, with the number of the run from 0, what is wrong with it; not_conditionable for a network, which is
        fine-tuned."""
        return Model(self._native.condition(*self._runs(runs, context, columns)))

    def learn(self, history: Table, *, context: Optional[Mapping[str, Any]] = None, columns: Columns = Columns()) -> Model:
        """A model of the whole history, which begins as this one's did and has the runs since then: as `pretrain`, within
        noise, in a small fraction of its time, since hyper-parameters stay what they were where this model has enough runs and
        no text has a new value. A table as for `condition`. Errors: as `condition`, and as `pretrain`."""
        return Model(self._native.learn(*self._runs(history, context, columns)))

    def fine_tune(
        self,
        runs: Table,
        *,
        context: Optional[Mapping[str, Any]] = None,
        columns: Columns = Columns(),
        progress: Optional[Progress] = None,
        strategy: str = "partial_unfreeze",
        **options: Any,
    ) -> Model:
        """Adapts a network to the runs of one context, and conditions the other kinds. Options: seed, epochs, early_stopping,
        target_noise_s. Errors: as `condition`; invalid_option, training_diverged."""
        options["strategy"] = number_of("strategy", strategy, STRATEGIES)
        native, report = self._native.fine_tune(*self._runs(runs, context, columns), options, progress)
        return Model(native, _readable(report))

    def predict(
        self, contexts: Table, scale_outs: Any = None, quantiles: Sequence[float] = QUANTILES
    ) -> Predictions:
        """Answers for many contexts at once: a row each, with a column scale_out where no `scale_outs` are given. Errors: as
        `bind`, and invalid_scale_out, with the number of the question from 0."""
        rows = rows_of(contexts)
        asked = [row.pop("scale_out", None) for row in rows] if scale_outs is None else integers(scale_outs)
        if any(each is None for each in asked):
            raise invalid_argument("expected a column scale_out, found rows without one")
        plain_rows = [{str(name): plain(value) for name, value in row.items()} for row in rows]
        numbers = [int(each) for each in asked]
        return Predictions(self._native.predict(of_kinds(plain_rows, self.properties), numbers), numbers, quantiles)

    def _context(self, context: Mapping[str, Any]) -> dict[str, Any]:
        row = {str(name): plain(value) for name, value in context.items()}
        return of_kinds([row], self.properties)[0]

    def _runs(self, runs: Table, context: Optional[Mapping[str, Any]], columns: Columns) -> tuple[list[Any], list[Any]]:
        contexts, outcomes = split(runs, columns, context, (each.name for each in self.properties))
        return of_kinds(contexts, self.properties), outcomes

    @property
    def algorithm(self) -> str:
        return self._about["algorithm"]

    @property
    def date(self) -> str:
        return self._about["date"]

    @property
    def kind(self) -> str:
        """What answers inside, in words."""
        return self._about["kind"]

    @property
    def unit(self) -> str:
        """What one unit of scale-out is: node, executor, slot or core."""
        return self._about["unit"]

    @property
    def runs(self) -> int:
        """That it was trained on."""
        return self._about["runs"]

    @property
    def contexts(self) -> int:
        return self._about["contexts"]

    @property
    def observed_runs(self) -> int:
        """That it was conditioned or fine-tuned on."""
        return self._about["observed_runs"]

    @property
    def seen_scale_outs(self) -> tuple[int, int]:
        """Smallest and largest."""
        return self._about["smallest_seen_scale_out"], self._about["largest_seen_scale_out"]

    @property
    def seen_runtimes_s(self) -> tuple[float, float]:
        """Shortest and longest."""
        return self._about["shortest_runtime_s"], self._about["longest_runtime_s"]

    @property
    def id(self) -> str:
        """A checksum of all that the model answers from."""
        return self._native.id()

    def stored_runs(self) -> list[dict[str, Any]]:
        """The observed runs that a model keeps; a network has turned them into parameters."""
        made = []
        for number in range(self._about["stored_runs"]):
            context, scale_out, runtime_s, weight, timestamp_s, censored = self._native.observed_run(number)
            made.append(
                {**context, "scale_out": scale_out, "runtime_s": runtime_s, "weight": weight, "timestamp_s": timestamp_s,
                 "censored": censored}
            )
        return made

    def improbable_runs(self) -> list[ImprobableRun]:
        """Stragglers and wrong records, such as a run in milliseconds, with a probability of 0.95: of the history, where
        `pretrain` returned this very model (one that was loaded or unpickled does not know) and had three contexts or more
        (of more than 180 configurations it looks at a sample); of `stored_runs()`, where it was conditioned. Takes about a
        millisecond per stored run. Error: not_conditionable for a network."""
        return [ImprobableRun(*each) for each in self._native.improbable_runs()]

    def __repr__(self) -> str:
        names = ", ".join(each.name for each in self.properties)
        return (
            f"<bellamy.Model {self.algorithm!r}: {self.kind}, {self.runs} runs of {self.contexts} contexts ({names}), "
            f"{self.observed_runs} observed>"
        )


def _kinds_of(properties: list[tuple[str, str, str, bool, bool]]) -> list[tuple[str, str, str, bool, bool]]:
    spelled = {"natural number": "natural"}
    return [
        (name, spelled.get(kind, kind), role.replace(" ", "_"), scales, is_essential)
        for name, kind, role, scales, is_essential in properties
    ]


def _readable(report: Report) -> Report:
    return {**report, "stopped": STOPPED[report["stopped"]]}


def pretrain(
    runs: Table,
    *,
    essential: Optional[Sequence[str]] = None,
    optional: Sequence[str] = (),
    kinds: Mapping[str, str] = {},
    roles: Mapping[str, str] = {},
    scaling: Sequence[str] = (),
    unit: str = "node",
    columns: Columns = Columns(),
    algorithm: str = "",
    mode: str = "best",
    progress: Optional[Progress] = None,
    **options: Any,
) -> Model:
    """Learns a model from the runs of at least two contexts: a DataFrame, rows as mappings, or columns by name.

    `essential` names the columns that are properties in every run (None: all that nothing else is said of), `optional` those
    that may be missing, `scaling` those that are given per unit of scale-out. Kinds (text, natural, quantity) are told by the
    values where `kinds` does not say them; `roles` may say data_size, memory_per_node, cores_per_node, machine_type. Options:
    seed, date, and of a network (mode paper) threads, trials, epochs, batch_size, dropout, learning_rate, weight_decay,
    time_budget_s, target_noise_s, validation_share. Other threads of Python's go on meanwhile. The same runs, options and
    build give the same bytes. Errors, with the number of the run from 0: what is wrong with it; empty_history,
    single_context, unknown_value, invalid_option, training_diverged."""
    contexts, outcomes = split(runs, columns, properties=(*(essential or ()), *optional, *kinds, *roles))
    first, second = definitions(contexts, essential, optional, kinds, roles, scaling)
    options.update(algorithm=algorithm, mode=number_of("mode", mode, MODES))
    native, report = _native.pretrain(
        native_definitions(first),
        native_definitions(second),
        number_of("unit", unit, UNITS),
        of_kinds(contexts, first + second),
        outcomes,
        options,
        progress,
    )
    return Model(native, _readable(report))


def cold_start(
    example: Mapping[str, Any],
    *,
    algorithm: str = "",
    optional: Sequence[str] = (),
    kinds: Mapping[str, str] = {},
    roles: Mapping[str, str] = {},
    scaling: Sequence[str] = (),
    unit: str = "node",
) -> Model:
    """A model of an algorithm that has never run, for contexts with the properties of the example: it knows the shapes of
    other jobs' curves, and is of use once it is conditioned on a first run."""
    context = {str(name): plain(value) for name, value in example.items()}
    first, second = definitions([context], None, optional, kinds, roles, scaling)
    native = _native.cold_start(
        native_definitions(first),
        native_definitions(second),
        number_of("unit", unit, UNITS),
        of_kinds([context], first + second)[0],
        algorithm,
    )
    return Model(native)
