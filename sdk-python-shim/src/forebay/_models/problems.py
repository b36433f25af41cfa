"""Reasons for delays."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Blocked:
    """Why an operation does not proceed: a code, and for people what happened and what to do."""

    code: str
    message: str


@dataclass(frozen=True)
class BlockedVersion:
    """A version that is BLOCKED in a region."""

    dataset: str
    version: str
    region: str
    blocked: Blocked
