"""Datasets, and how they follow their source."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forebay._models.problems import Blocked


@dataclass(frozen=True)
class Dataset:
    """A registered dataset. ``dataset`` is ``namespace/name``; ``source`` its prefix in the lake.

    ``include`` and ``exclude`` are patterns of the keys that belong to it, and ``keys`` an object that lists them. The
    time to live counts from ``ttl_after``: the last pin (``pin``), or the last pin or read (``read``). ``note`` warns
    about a possible mistake in an accepted registration, such as a source without objects. It is None in every other
    answer.
    """

    namespace: str
    name: str
    source: str
    ttl_seconds: int | None = None
    created_at: datetime | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    keys: str | None = None
    ttl_after: str = "pin"
    deleted_at: datetime | None = None
    note: str | None = None

    @property
    def dataset(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True)
class Check:
    """A check of a dataset's source; ``made`` is the version that it created, None without a change."""

    checked_at: datetime
    made: str | None = None
    objects_changed: int = 0
    objects_added: int = 0
    objects_removed: int = 0
    problem: Blocked | None = None


@dataclass(frozen=True)
class Tracking:
    """How a dataset follows its source; ``last_check`` is None until the first check has ended."""

    dataset: str
    interval_seconds: int
    paused: bool = False
    created_at: datetime | None = None
    next_check_at: datetime | None = None
    last_check: Check | None = None
