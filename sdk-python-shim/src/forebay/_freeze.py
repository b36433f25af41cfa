"""Carries out a ``freeze``."""

from __future__ import annotations

from collections.abc import Callable

from forebay import _calls
from forebay._calls import MAX_WAIT_SECONDS
from forebay._exchange import Exchanges, Operation
from forebay._models import Version

_WATCHED_SECONDS = 5


def freeze(
    exchanges: Exchanges, dataset: str, version: str, on_answer: Callable[[Version], None] | None
) -> Operation[Version]:
    """Repeats the request until the version is frozen. The platform continues the same listing."""
    wait = MAX_WAIT_SECONDS if on_answer is None else _WATCHED_SECONDS
    while True:
        seen = yield from exchanges.one(_calls.freeze(dataset, version, wait))
        if on_answer is not None:
            on_answer(seen)
        if seen.manifest is not None:
            return seen
