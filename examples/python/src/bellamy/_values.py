"""Tables and arrays: pandas and numpy where they are, lists of dictionaries and memory views where not."""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Union

from ._error import invalid_argument

Value = Union[str, int, float, None]
Row = dict[str, Value]
#: A DataFrame (pandas, polars), rows as mappings, or columns by name.
Table = Any

_PLAIN = (str, int, float)


def plain(value: Any) -> Value:
    """A value as the library's: None for what is missing, and Python's own types for those of numpy."""
    kind = type(value)
    if kind not in _PLAIN:
        if value is None or kind.__name__ in ("NAType", "NaTType"):
            return None
        if hasattr(value, "item"):
            value = value.item()
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, _PLAIN):
            value = next(each for each in _PLAIN if isinstance(value, each))(value)
        else:
            raise TypeError(f"expected str, int, float or None, found {value!r} of type {kind.__name__}")
    return None if value != value else value


def rows_of(table: Table) -> list[dict[str, Any]]:
    """The rows of a table, by the names of its columns; values are as they were."""
    if hasattr(table, "to_dicts"):
        return list(table.to_dicts())
    if hasattr(table, "columns") and hasattr(table, "itertuples"):
        names = [str(each) for each in table.columns]
        return [dict(zip(names, row)) for row in zip(*(table.iloc[:, i].tolist() for i in range(len(names))))]
    if isinstance(table, Mapping):
        columns = {str(name): list(column) for name, column in table.items()}
        if len({len(column) for column in columns.values()}) > 1:
            lengths = ", ".join(f"{name}: {len(column)}" for name, column in columns.items())
            raise invalid_argument(f"expected columns of one length, found {lengths}")
        return [dict(zip(columns, row)) for row in zip(*columns.values())]
    return [dict(each) for each in table]


def integers(values: Any) -> list[int]:
    """Scale-outs from a range, a list, an array, a column, or one number. Error: invalid_argument for a range
    without any, such as a backwards one."""
    if isinstance(values, range) and not values:
        raise invalid_argument(f"expected a range of at least one scale-out, found {values}, which has none")
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, int):
        return [values]
    return list(values)


def array(code: Literal["d", "f", "I"], shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Room for numbers of a type of `struct`: to be filled as a flat view, to be read in its shape by numpy where it is
    installed, otherwise by a memory view."""
    numpy = _module("numpy")
    if numpy is not None:
        made = numpy.empty(shape, dtype=code)
        return made.reshape(-1), made
    count = math.prod(shape)
    flat = memoryview(bytearray(max(count, 1) * struct.calcsize(code))).cast(code)[:count]
    return flat, flat.cast("B").cast(code, shape) if count and len(shape) > 1 else flat


_looked_for: dict[str, Any] = {}


# Imported when first needed: they take longer than the rest of the package.
def _module(name: str) -> Any:
    if name not in _looked_for:
        try:
            __import__(name)
            _looked_for[name] = sys.modules[name]
        except ImportError:
            _looked_for[name] = None
    return _looked_for[name]


def frame(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A DataFrame where pandas is installed, otherwise a list of dictionaries."""
    pandas = _module("pandas")
    listed = [dict(each) for each in rows]
    return listed if pandas is None else pandas.DataFrame(listed)
