"""Explanations why a version is, or is not, in a region."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forebay._models.datasets import Check


@dataclass(frozen=True)
class HistoryEntry:
    """An event of a version in a region: ASKED_FOR, CACHED, LOST, BLOCKED, PINNED, EVICTED, …"""

    at: datetime
    kind: str
    text: str = ""
    code: str | None = None
    bytes: int = 0


@dataclass(frozen=True)
class Explanation:
    """Why a version is, or is not, in a region: sentences, and the events behind them, the latest first.

    ``last_check`` is that of a dataset that follows its source.
    """

    dataset: str
    version: str
    region: str
    state: str
    warm: bool
    newest: str
    sentences: tuple[str, ...] = ()
    history: tuple[HistoryEntry, ...] = ()
    others: tuple[str, ...] = ()
    last_check: Check | None = None
