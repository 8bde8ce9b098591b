"""The search for a job's cheapest cluster in a few runs: which to make next, and when to stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

from . import _native
from ._choice import NO_PRICE, GOALS, Price
from ._error import invalid_argument
from ._runs import UNITS, Columns, definitions, native_definitions, number_of, of_kinds, split
from ._values import Row, Table, frame, plain

EXPLORATION_VERDICTS = (
    "go_on",
    "costs_more_than_it_gains",
    "below_least_gain",
    "everything_tried",
    "hopeless",
)


@dataclass(frozen=True)
class TrialCandidate:
    """A cluster that the job may be tried on: the values of its properties, by name. The label, where there is one, is a column
    of the table of trials."""

    context: Mapping[str, Any]
    scale_out: int
    price: Optional[Price] = None
    label: str = ""


@dataclass(frozen=True)
class ProposedTrial:
    """A run to make next."""

    candidate: TrialCandidate
    median_s: float
    #: At the probability of the request.
    quantile_s: float
    #: Of meeting the deadline or the budget; 1 where there is neither.
    probability: float
    #: Of this run.
    expected_cost: float
    #: Of each run to come over the best run in the limit so far; None before there was one.
    expected_gain: Optional[float]


@dataclass(frozen=True)
class Exploration:
    """The runs to make next, and the candidate to take if the search ended now, which need not have run."""

    #: One of EXPLORATION_VERDICTS; all but go_on stop.
    verdict: str
    #: The same in words.
    reason: str
    #: The best first. What would come next also where the verdict is to stop; empty where everything was tried.
    next: list[ProposedTrial] = field(repr=False)
    #: The candidate of the best run in the limit so far.
    best_run: Optional[TrialCandidate]
    #: The best with what is known now: of those that meet the limit or, where none does, the most likely to.
    candidate: TrialCandidate
    scale_out: int
    median_s: float
    quantile_s: float
    probability: float
    expected_cost: float
    meets_limit: bool
    #: 1 where the candidate has run.
    observed_runs: int

    @property
    def stops(self) -> bool:
        return self.verdict != "go_on"

    @property
    def table(self) -> Any:
        """The runs to make next: a DataFrame where pandas is installed, otherwise a list of dictionaries."""
        rows = []
        for each in self.next:
            told = {name: value for name, value in vars(each).items() if name != "candidate"}
            label = {"label": each.candidate.label} if each.candidate.label else {}
            rows.append({**each.candidate.context, "scale_out": each.candidate.scale_out, **told, **label})
        return frame(rows)


class ExplorationPrior:
    """What is assumed of a job's runtimes before its first run, learned from other jobs. Never changes."""

    def __init__(self, native: _native.ExplorationPrior) -> None:
        self._native = native

    @staticmethod
    def learn(
        jobs: Iterable[Table],
        *,
        kinds: Mapping[str, str] = {},
        roles: Mapping[str, str] = {},
        scaling: Iterable[str] = (),
        unit: str = "node",
        columns: Columns = Columns(),
    ) -> ExplorationPrior:
        """Learns from the runs of other jobs, a table for each, how runtimes depend on slots, cores, memory and data size, which
        the roles tell. Errors, with the number of the job and the run from 0: what is wrong with it; empty_history where there
        is no job, or a job without runs."""
        told = [split(job, columns, properties=(*kinds, *roles)) for job in jobs]
        every = [row for contexts, _ in told for row in contexts]
        known = definitions(every, None, (), kinds, roles, scaling)[0] if every else []
        number = number_of("unit", unit, UNITS)
        rows = []
        for contexts, outcomes in told:
            # Not every job has the properties of all others.
            own = [each for each in known if any(each.name in row for row in contexts)]
            rows.append((native_definitions(own), number, of_kinds(contexts, own), outcomes))
        return ExplorationPrior(_native.learn_exploration(rows))


def explore(
    candidates: Iterable[TrialCandidate],
    runs: Table = (),
    *,
    deadline_s: Optional[float] = None,
    budget: Optional[float] = None,
    probability: float = 0.9,
    goal: Optional[str] = None,
    cost_of_missing: float = 0.0,
    runs_to_come: float = 100.0,
    least_gain: float = 0.0,
    trials: int = 1,
    known: Optional[ExplorationPrior] = None,
    kinds: Mapping[str, str] = {},
    roles: Mapping[str, str] = {},
    scaling: Iterable[str] = (),
    unit: str = "node",
    columns: Columns = Columns(),
) -> Exploration:
    """Which run to make next, what it may gain, and whether to stop. `runs` are those of the job so far: a table with a column for
    each property of the candidates, and those that `columns` names. Roles tell what a property means: cores_per_node,
    memory_per_node, data_size, machine_type. The goal is one of GOALS; without one it is the cheapest that meets the deadline
    or, with a budget, the fastest that meets it or, with neither or a cost of missing, the least expected cost.

    A trial is proposed where what the `runs_to_come` gain is more than its cost. The search also stops where the gain is at most
    `least_gain` of the best run's value. `trials` runs can be made at the same time. Nothing is executed. Errors, with the
    number of the candidate or run from 0: empty_candidates, invalid_price, invalid_scale_out, invalid_deadline, invalid_budget,
    invalid_probability, invalid_option, what is wrong with a run or a property."""
    asked = list(candidates)
    for each in asked:
        if not isinstance(each, TrialCandidate):
            raise TypeError(f"expected candidates of the type TrialCandidate, found {each!r}")
    if goal is None:
        goal = "cheapest_within_deadline" if budget is None else "fastest_within_budget"
        if cost_of_missing > 0 or (deadline_s is None and budget is None):
            goal = "least_expected_cost"
    if trials < 0:
        raise invalid_argument(f"expected a number of trials > 0, found {trials}")
    where: list[Row] = [{str(name): plain(value) for name, value in each.context.items()} for each in asked]
    observed, outcomes = split(runs, columns, properties=(*kinds, *roles, *(name for row in where for name in row)))
    properties = definitions(where + observed, None, (), kinds, roles, scaling)[0] if asked else []
    told, rows = _native.explore(
        native_definitions(properties),
        number_of("unit", unit, UNITS),
        of_kinds(where, properties),
        [each.scale_out for each in asked],
        [(each.price or NO_PRICE).numbers() for each in asked],
        of_kinds(observed, properties),
        outcomes,
        (
            number_of("goal", goal, GOALS),
            0.0 if deadline_s is None else deadline_s,
            0.0 if budget is None else budget,
            probability,
            cost_of_missing,
            runs_to_come,
            least_gain,
            trials,
        ),
        None if known is None else known._native,
    )
    best_run = told.pop("best_run")
    told["verdict"] = EXPLORATION_VERDICTS[told["verdict"]]
    told["candidate"] = asked[told["candidate"]]
    return Exploration(
        next=[ProposedTrial(asked[row.pop("candidate")], **row) for row in rows],
        best_run=asked[best_run] if best_run >= 0 else None,
        **told,
    )
