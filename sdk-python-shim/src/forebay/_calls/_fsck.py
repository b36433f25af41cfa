"""Checks that the stores agree."""

from __future__ import annotations

from forebay._calls._call import Call, present, reader
from forebay._models import Findings

_ANSWER_SECONDS = 300.0
"""The server ends a page after some seconds. Its repairs take longer."""


def fsck(of: str | None, repair: bool, deep: bool, after: str | None) -> Call[Findings]:
    params = present(of=of, deep="true" if deep else None, after=after)
    method = "POST" if repair else "GET"
    return Call(method, "/fsck", reader(Findings), params=params, answer_seconds=_ANSWER_SECONDS)
