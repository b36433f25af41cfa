"""Collects a bill of several pages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from forebay import _calls
from forebay._exchange import Exchanges, Operation
from forebay._models import Cost, Costs


@dataclass(frozen=True)
class CostQuery:
    """A query for costs, with the names of the API."""

    by: str
    namespace: str | None = None
    dataset: str | None = None
    version: str | None = None
    region: str | None = None
    run_id: str | None = None
    since: str | None = None
    until: str | None = None


def costs(exchanges: Exchanges, query: CostQuery) -> Operation[Costs]:
    """Returns all pages as one bill."""
    items: tuple[Cost, ...] = ()
    after: str | None = None
    while True:
        page = yield from exchanges.one(_calls.costs({**vars(query), "after": after}), None)
        items += page.items
        after = page.next
        if after is None:
            return replace(page, items=items)
