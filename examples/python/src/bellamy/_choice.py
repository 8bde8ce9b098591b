"""The choice among candidates, and the table why."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Optional

from . import _native
from ._prediction import Curve, Flag
from ._runs import number_of
from ._values import frame

GOALS = {
    "smallest_within_deadline": 0,
    "cheapest_within_deadline": 1,
    "fastest_within_budget": 2,
    "least_expected_cost": 3,
}
OUTCOMES = (
    "meets_deadline",
    "meets_deadline_by_extrapolation",
    "infeasible",
    "meets_deadline_unlike_any_seen",
    "costs_least",
    "costs_least_unlike_any_seen",
)


@dataclass(frozen=True)
class Price:
    """Price and billing of one kind of machine, in any currency."""

    per_unit_and_hour: float
    start_up_s: float = 0.0
    #: Started periods are paid in full; 0 is paid by the exact second.
    billing_granularity_s: float = 0.0
    #: Of the whole cluster (spot machines).
    interruptions_per_hour: float = 0.0
    #: Of the work that one interruption makes necessary again.
    rerun_share: float = 0.5

    def numbers(self) -> tuple[float, float, float, float, float]:
        return (
            self.per_unit_and_hour,
            self.start_up_s,
            self.billing_granularity_s,
            self.interruptions_per_hour,
            self.rerun_share,
        )


#: No price is given.
NO_PRICE = Price(math.nan)


@dataclass(frozen=True)
class Candidate:
    """One way to run the job. The label, where there is one, is a column of the table why."""

    curve: Curve
    scale_out: int
    #: Needed by every goal but the smallest scale-out; machines that are free have a price of 0.
    price: Optional[Price] = None
    label: str = ""


@dataclass(frozen=True)
class Decision:
    """What was chosen or, where nothing meets the limit, what is most likely to; None where no prediction was usable."""

    candidate: Optional[Candidate]
    scale_out: int
    median_s: float
    #: At the probability of the request.
    quantile_s: float
    #: Of meeting the deadline or the budget.
    probability: float
    #: The least of many uncertain costs is too low: where candidates of several curves are compared by cost, those below the
    #: mean are raised towards it, the more the less sure they are. NaN without a price.
    expected_cost: float
    #: meets_deadline, meets_deadline_by_extrapolation, meets_deadline_unlike_any_seen (or the budget), infeasible, costs_least,
    #: costs_least_unlike_any_seen.
    outcome: str
    #: The same in words.
    reason: str
    flags: Flag
    observed_runs: int
    #: One for each candidate in their order.
    rows: list[dict[str, Any]] = field(repr=False)

    @property
    def meets_limit(self) -> bool:
        """Whether the choice is predicted to meet the limit, or costs least, in whatever context."""
        return self.outcome != "infeasible" and self.candidate is not None

    @property
    def feasible(self) -> bool:
        """The same, in a context that the model can know: a misspelled machine type, which no run had, is False."""
        return self.meets_limit and not self.outcome.endswith("_unlike_any_seen")

    @property
    def table(self) -> Any:
        """Why: a row for each candidate, as a DataFrame where pandas is installed, otherwise as `rows`."""
        return frame(self.rows)


def choose(
    candidates: Iterable[Candidate],
    *,
    deadline_s: Optional[float] = None,
    budget: Optional[float] = None,
    probability: float = 0.9,
    goal: Optional[str] = None,
    cost_of_missing: float = 0.0,
) -> Decision:
    """The best of the candidates. The goal is one of GOALS; without one it is the smallest scale-out that meets the deadline
    or, with a budget, the fastest that meets it or, where missing the deadline has a cost, the least expected cost, this
    included; a limit that the goal does not have is refused. Ties go to the smaller
    scale-out, then to the earlier candidate. Nothing is executed. Errors: invalid_deadline,
    invalid_budget, invalid_probability, empty_candidates, invalid_price, invalid_scale_out."""
    asked = list(candidates)
    for each in asked:
        if not isinstance(each, Candidate):
            raise TypeError(f"expected candidates (Curve.candidates makes them), found {each!r}")
    if goal is None:
        goal = "smallest_within_deadline" if budget is None else "fastest_within_budget"
        if cost_of_missing > 0:
            goal = "least_expected_cost"
    told, rows = _native.choose(
        [each.curve for each in asked],
        [each.scale_out for each in asked],
        [(each.price or NO_PRICE).numbers() for each in asked],
        number_of("goal", goal, GOALS),
        0.0 if deadline_s is None else deadline_s,
        0.0 if budget is None else budget,
        probability,
        cost_of_missing,
    )
    for row in rows:
        label = asked[row["candidate"]].label
        if label:
            row["label"] = label
    number = told.pop("candidate")
    told["outcome"] = OUTCOMES[told["outcome"]]
    told["flags"] = Flag(told["flags"])
    return Decision(candidate=asked[number] if number >= 0 else None, rows=rows, **told)
