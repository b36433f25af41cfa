"""Pins and requests that belong to a run, so that a restarted process takes over those of its predecessor.

A killed process releases nothing. If the next process of the run used new ids, the region would hold the version twice
until the first lease ends. Therefore the ids are derived from the run. The platform renews a pin that comes again with
its id and holder, and recognises a request by its key.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from threading import Lock
from typing import ClassVar
from weakref import WeakValueDictionary

from forebay._errors import ConfigurationError
from forebay._values import checked_text

_VARIABLE = "FOREBAY_RUN_ID"

# Parallel processes of one run must not share a pin, because the first one to end would release it.
_RANKS = ("RANK", "JOB_COMPLETION_INDEX", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK")

_ID_LENGTH = 200
_HOLDER_LENGTH = 200
_DIGITS = 40


@dataclass(frozen=True)
class Run:
    """One process of a run: equal in the process that replaces it, and different in all others that run."""

    id: str
    rank: str = ""

    @staticmethod
    def of_process(given: str | None) -> Run | None:
        """Returns the run that the caller or ``FOREBAY_RUN_ID`` names; None if neither does."""
        id = given if given is not None else os.environ.get(_VARIABLE)
        if not id:
            return None
        if not id.isprintable() or id.isspace() or len(id) > _ID_LENGTH:
            argument = _VARIABLE if given is None else "run_id"
            raise ConfigurationError(
                f"{argument} is {id[:_ID_LENGTH]!r}: it must be a line of text without control characters, "
                f"of at most {_ID_LENGTH} characters"
            )
        ranks = {name: checked_text(name, os.environ.get(name, "")) for name in _RANKS}
        return Run(id, " ".join(f"{name}={value}" for name, value in ranks.items() if value))

    @property
    def holder(self) -> str:
        """The holder of its pins, for people. It does not depend on the machine."""
        return f"run {self.id}{f' ({self.rank})' if self.rank else ''}"[:_HOLDER_LENGTH]

    def member(self, holder: str) -> Run | None:
        """Returns the process of this run with this holder; None if the holder is another one."""
        before = f"run {self.id} ("
        return Run(self.id, holder[len(before) : -1]) if holder.startswith(before) and holder.endswith(")") else None

    def pin_id(self, dataset: str, version: str, region: str, holder: str, slot: int = 0) -> str:
        """Returns the id of the pin; ``slot`` distinguishes several pins of one process."""
        return "run-" + self._digest("pin", dataset, version, region, holder, slot)

    def request_key(self, dataset: str, version: str, region: str, *terms: object) -> str:
        """Returns the key of a request. A key belongs to one request forever, so every term is a part of it."""
        return "run-" + self._digest("request", dataset, version, region, *terms)

    def _digest(self, *parts: object) -> str:
        text = "\0".join(repr(part) for part in (self.id, self.rank, *parts))
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


class PinClaim:
    """The use of a pin's id by this process, until it is given back or garbage-collected."""

    _all: ClassVar[WeakValueDictionary[str, PinClaim]] = WeakValueDictionary()
    _lock: ClassVar[Lock] = Lock()

    def __init__(self, id: str) -> None:
        self.id = id

    @staticmethod
    def of(run: Run, dataset: str, version: str, region: str, holder: str) -> PinClaim:
        """Claims the first id of the run that this process does not use. Holding a version twice takes two pins."""
        with PinClaim._lock:
            slot = 0
            while (id := run.pin_id(dataset, version, region, holder, slot)) in PinClaim._all:
                slot += 1
            claim = PinClaim._all[id] = PinClaim(id)
            return claim

    def give_back(self) -> None:
        with self._lock:
            if self._all.get(self.id) is self:
                del self._all[self.id]
