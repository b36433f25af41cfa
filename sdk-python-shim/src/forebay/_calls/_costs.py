"""Costs and budgets of versions."""

from __future__ import annotations

from collections.abc import Mapping

from forebay._calls._call import Call, items_reader, present, reader
from forebay._models import Budget, Costs


def costs(query: Mapping[str, str | None]) -> Call[Costs]:
    return Call("GET", "/costs", reader(Costs), params=present(**query))


def budgets() -> Call[tuple[Budget, ...]]:
    return Call("GET", "/budgets", items_reader(Budget))
