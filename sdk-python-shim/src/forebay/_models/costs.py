"""Costs of versions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Counted:
    """Requests of one kind, and their bytes."""

    requests: int
    bytes: int


@dataclass(frozen=True)
class Money:
    """Amounts in the bill's currency. ``without_cache`` is the cost if nodes had read all bytes from the lake."""

    lake: float
    requests: float
    nvme: float
    total: float
    without_cache: float
    saved: float
    siblings: float = 0.0


@dataclass(frozen=True)
class Cost:
    """One line of a bill: bytes from the lake, other workers and regions, bytes sent to nodes, and the cost."""

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
    """A bill from the day ``since`` to the day before ``until``; ``priced`` is False if there are no prices."""

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
    """The budget of a namespace for the month that begins on ``month``; while ``paused``, prefetches wait."""

    namespace: str
    month: str
    currency: str
    budget: float
    spent: float
    paused: bool
