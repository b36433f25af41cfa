"""What does not fit together among the stores."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """Something that one store has lost, or that two stores say differently.

    ``message`` says what is wrong, ``remedy`` what a repair does about it or, if ``state`` is BY_HAND, what a person
    has to do. ``state`` is BY_HAND, REPAIRABLE, REPAIRED, UNDER_WAY (a workflow is mending it) or FAILED, and
    ``problem`` says why a repair failed.
    """

    code: str
    message: str
    remedy: str
    state: str
    version: str | None = None
    region: str | None = None
    problem: str | None = None

    @property
    def is_left(self) -> bool:
        """Whether somebody still has to do something about it."""
        return self.state not in ("REPAIRED", "UNDER_WAY")


@dataclass(frozen=True)
class Findings:
    """Some findings; ``checked`` versions of the catalogue were compared. ``next`` is what to go on after."""

    checked: int
    findings: tuple[Finding, ...] = ()
    next: str | None = None
