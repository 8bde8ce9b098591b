"""Tables of runs: which column is what, and values of the kinds that a model knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

from ._error import invalid_argument
from ._values import Row, Table, Value, plain, rows_of

KINDS = ("text", "natural", "quantity")
ROLES = {"none": 0, "data_size": 1, "memory_per_node": 2, "cores_per_node": 3, "machine_type": 4}
UNITS = {"node": 0, "executor": 1, "slot": 2, "core": 3}
CENSORED = ("killed", "failed", "unfinished")
#: What schedulers call these; true where the run is censored.
_WORDS = {
    **dict.fromkeys(("succeeded", "success", "successful", "completed", "done", "ok"), False),
    **dict.fromkeys((*CENSORED, "failure", "error", "cancelled", "canceled", "aborted", "timeout", "timed_out", "running"), True),
}

#: Scale-out, seconds, weight, seconds since the Unix epoch, whether it is censored.
Outcome = tuple[int, float, float, float, bool]


class Property(NamedTuple):
    """A property of a model's contexts. `kind` is text, natural or quantity; `role` is none, data_size, memory_per_node,
    cores_per_node or machine_type."""

    name: str
    kind: str
    role: str
    scales_with_scale_out: bool
    is_essential: bool


@dataclass(frozen=True)
class Columns:
    """What the columns of a table of runs are called. Only the first two must be there. An outcome is succeeded or empty, or
    failed, killed or unfinished, in any letters and as schedulers say it (OK, success, completed, done; error, failure;
    cancelled, timeout, aborted; running). An `outcome` of "" says that no column tells it."""

    scale_out: str = "scale_out"
    runtime_s: str = "runtime_s"
    weight: str = "weight"
    timestamp_s: str = "timestamp_s"
    censored: str = "censored"
    outcome: str = "outcome"

    def names(self) -> tuple[str, ...]:
        return (self.scale_out, self.runtime_s, self.weight, self.timestamp_s, self.censored, self.outcome)


def split(
    table: Table,
    columns: Columns,
    shared: Optional[Mapping[str, Any]] = None,
    properties: Iterable[str] = (),
) -> tuple[list[Row], list[Outcome]]:
    """The contexts and the outcomes of a table of runs; `shared` are values that all its rows have, `properties` names of
    columns that are said to be some."""
    everywhere = dict(shared or {})
    own = {name for name in columns.names() if name}
    known = {*own, *properties}
    contexts: list[Row] = []
    outcomes: list[Outcome] = []
    rows = rows_of(table)
    names = list(dict.fromkeys(str(name) for row in rows for name in row))
    _refuse_slips(names, columns, known)
    if columns.outcome and columns.outcome not in names and columns.censored not in names:
        _refuse_other_outcomes(rows, columns, known)
    for number, row in enumerate(rows):
        row = {**everywhere, **row}
        outcomes.append(_outcome(row, columns, number))
        try:
            contexts.append({str(name): plain(value) for name, value in row.items() if name not in own})
        except TypeError as wrong:
            raise TypeError(f"{wrong} in run {number}") from None
    return contexts, outcomes


# Where one of these columns is misspelled, killed runs would be read as ones that ended.
def _refuse_slips(names: Sequence[str], columns: Columns, known: set[str]) -> None:
    for meant in (columns.outcome, columns.censored):
        for name in names if meant not in names else ():
            if name not in known and _is_slip(name, meant):
                raise invalid_argument(
                    f"expected a column {meant} or none like it, found {name}; if it is a property, say so in essential, "
                    "optional, kinds or roles"
                )


# A column that tells outcomes by another name would be a property. OK may be a place, in a column state.
def _refuse_other_outcomes(rows: Sequence[Mapping[str, Any]], columns: Columns, known: set[str]) -> None:
    for number, row in enumerate(rows):
        for name, cell in row.items():
            if (
                isinstance(cell, str)
                and len(cell) > 2
                and cell.lower() in _WORDS
                and str(name).lower().endswith(("outcome", "result", "state", "status"))
                and str(name) not in known
            ):
                raise invalid_argument(
                    f"expected a column {columns.outcome} or none like it, found {cell!r} in {name} of run {number}; name the "
                    "outcome's column in Columns, or, if it is a property, say so in essential, optional, kinds or roles"
                )


def _is_slip(word: str, meant: str) -> bool:
    """By the rule of the library's own tables: one edit per three characters at most, or the beginning of what is meant."""
    begins = len(word) > 1 and meant.startswith(word)
    return begins or _edits(word.lower(), meant.lower()) < min(max(1, len(word) // 3) + 1, len(meant))


def _edits(a: str, b: str) -> int:
    """Insertions, deletions, substitutions and swaps of neighbours that lead from one to the other."""
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            least = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        before, last = last, row
    return last[-1]


def _outcome(row: Mapping[str, Any], columns: Columns, number: int) -> Outcome:
    for needed in (columns.scale_out, columns.runtime_s):
        if needed not in row:
            raise invalid_argument(f"expected a column {needed} in run {number}, found {', '.join(map(str, row))}")
    scale_out = plain(row[columns.scale_out])
    if isinstance(scale_out, float) and scale_out.is_integer():
        scale_out = int(scale_out)
    if not isinstance(scale_out, int) or abs(scale_out) > 2**31 - 1:
        raise invalid_argument(f"expected a whole number as {columns.scale_out} of run {number}, found {scale_out!r}")
    return (
        scale_out,
        _number(row, columns.runtime_s, number, float("nan")),
        _number(row, columns.weight, number, 1.0),
        _number(row, columns.timestamp_s, number, 0.0),
        _is_censored(row, columns, number),
    )


def _number(row: Mapping[str, Any], name: str, number: int, otherwise: float) -> float:
    found: Any = row.get(name)
    if hasattr(found, "timestamp"):  # a time of datetime's or pandas'
        found = found.timestamp()
    found = plain(found)
    if found is None:
        return otherwise
    if isinstance(found, str):
        raise invalid_argument(f"expected a number as {name} of run {number}, found {found!r}")
    return float(found)


def _is_censored(row: Mapping[str, Any], columns: Columns, number: int) -> bool:
    outcome = plain(row.get(columns.outcome)) if columns.outcome else None
    is_bound = _WORDS.get("succeeded" if outcome in (None, "") else str(outcome).lower())
    if is_bound is None:
        raise invalid_argument(
            f"expected succeeded, {', '.join(CENSORED)} as {columns.outcome} of run {number}, found {outcome!r}"
        )
    said = plain(row.get(columns.censored))
    if said not in (None, 0, 1, "true", "false"):
        raise invalid_argument(f"expected true or false as {columns.censored} of run {number}, found {said!r}")
    return is_bound or said in (1, "true")


def definitions(
    contexts: Sequence[Row],
    essential: Optional[Sequence[str]],
    optional: Sequence[str],
    kinds: Mapping[str, str],
    roles: Mapping[str, str],
    scaling: Iterable[str],
) -> tuple[list[Property], list[Property]]:
    """What the properties of a history are: kinds are told by the values where they are not said."""
    found = list(dict.fromkeys(name for row in contexts for name in row))
    first = [name for name in found if name not in optional] if essential is None else list(essential)
    scales = set(scaling)
    said = {*first, *optional}
    for what, names in (("essential", first), ("optional", optional), ("kinds", kinds), ("roles", roles), ("scaling", scales)):
        for name in names:
            if name not in (found if what in ("essential", "optional") else said):
                raise invalid_argument(f"expected {what} among the columns {', '.join(found)}, found {name!r}")

    def define(name: str, is_essential: bool) -> Property:
        kind = kinds.get(name) or _kind_of(name, [row.get(name) for row in contexts])
        role = roles.get(name, "none")
        if kind not in KINDS:
            raise invalid_argument(f"expected one of {', '.join(KINDS)} as the kind of {name}, found {kind!r}")
        if role not in ROLES:
            raise invalid_argument(f"expected one of {', '.join(ROLES)} as the role of {name}, found {role!r}")
        return Property(name, kind, role, name in scales, is_essential)

    return [define(name, True) for name in first], [define(name, False) for name in optional]


def _kind_of(name: str, values: Iterable[Value]) -> str:
    types = {type(each) for each in values if each is not None}
    if types <= {int}:
        return "natural"
    if types <= {int, float}:
        return "quantity"
    if types == {str}:
        return "text"
    raise invalid_argument(f"expected values of one kind in column {name}, found text and numbers (kinds={{{name!r}: 'text'}}?)")


def native_definitions(of: Sequence[Property]) -> list[tuple[str, int, bool]]:
    return [(each.name, ROLES[each.role], each.scales_with_scale_out) for each in of]


def number_of(what: str, name: str, of: Mapping[str, int]) -> int:
    if name not in of:
        raise invalid_argument(f"expected one of {', '.join(of)} as the {what}, found {name!r}")
    return of[name]


def of_kinds(contexts: Iterable[Row], known: Iterable[Property]) -> list[Row]:
    """The contexts with values of these kinds: whole numbers for quantities, texts of whole numbers and so on. What is missing
    of an optional property is left out; names that are not known stay, for the library to refuse."""
    by_name = {each.name: each for each in known}
    made = []
    for context in contexts:
        row: Row = {}
        for name, value in context.items():
            wanted = by_name.get(name)
            if wanted is None:
                row[name] = value
            elif value is not None or wanted.is_essential:
                row[name] = _of_kind(value, wanted.kind)
        made.append(row)
    return made


def _of_kind(value: Value, kind: str) -> Value:
    if kind == "quantity" and isinstance(value, int):
        return float(value)
    if kind == "natural" and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind == "text" and isinstance(value, int):
        return str(value)
    return value
