"""Disagreements between the stores."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A loss in one store, or a disagreement of two stores.

    ``message`` describes the problem, ``remedy`` the effect of a repair or, if ``state`` is BY_HAND, what a person has
    to do. ``state`` is BY_HAND, REPAIRABLE, REPAIRED, UNDER_WAY (a workflow is repairing it) or FAILED, and ``problem``
    says why a repair failed.
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
        """Whether a person or a repair still has to act."""
        return self.state not in ("REPAIRED", "UNDER_WAY")


@dataclass(frozen=True)
class Findings:
    """A page of findings; ``checked`` is the number of compared versions. ``next`` is the start of the next page."""

    checked: int
    findings: tuple[Finding, ...] = ()
    next: str | None = None
