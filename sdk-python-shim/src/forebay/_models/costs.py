"""What it costs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Counted:
    """Requests of one kind, and their bytes."""

    requests: int
    bytes: int


@dataclass(frozen=True)
class Money:
    """Amounts in the currency of the bill; ``without_cache`` if nodes had read from the lake what workers sent them."""

    lake: float
    requests: float
    nvme: float
    total: float
    without_cache: float
    saved: float
    siblings: float = 0.0


@dataclass(frozen=True)
class Cost:
    """One line of a bill: what came from the lake, other workers and regions, what nodes were sent, and the cost."""

    key: str
    lake: Counted
    peer: Counted
    readers: Counted
    nvme_gb_hours: float
    evictions: int
    cost: Money
    sibling: Counted = Counted(0, 0)
    on_premises: Counted = Counted(0, 0)


@dataclass(frozen=True)
class Costs:
    """A bill from the day ``since`` until before the day ``until``; ``priced`` is False if nothing has a price."""

    currency: str
    priced: bool
    since: str
    until: str
    by: str
    total: Cost
    items: tuple[Cost, ...] = ()
    next: str | None = None


@dataclass(frozen=True)
class Budget:
    """What a namespace may cost in the month that begins on ``month``; while ``paused`` prefetches wait."""

    namespace: str
    month: str
    currency: str
    budget: float
    spent: float
    paused: bool
