"""Shows the progress of a version to a person."""

from __future__ import annotations

import json
import re
import sys
import time
from collections import deque

from forebay import _surfaces
from forebay._display import Unfailing
from forebay._models import Blocked, Progress
from forebay._surfaces import Line, Surface
from forebay._text import one_line
from forebay._values import human_bytes, human_seconds

_RATE_WINDOW_SECONDS = 15.0


class Told:
    """Remembers the last reason, so that each is shown once. It ignores numbers, which change with each attempt."""

    def __init__(self) -> None:
        self._last: str | None = None

    def is_new(self, reason: Blocked | None) -> bool:
        if reason is None:
            return False
        last, self._last = self._last, re.sub(r"\d[\d,.]*", "#", f"{reason.code}: {reason.message}")
        return self._last != last


class Reasons:
    """Prints to stderr why a version waits, for users without a progress display: each reason once for each region.

    Args:
        as_json: whether each is a JSON object.
    """

    def __init__(self, version: str, as_json: bool = False) -> None:
        self._version = version
        self._as_json = as_json
        self._told: dict[str, Told] = {}

    def __call__(self, progress: Progress) -> None:
        reason = progress.waiting
        if reason is not None and self._told.setdefault(progress.region, Told()).is_new(reason):
            Unfailing(sys.stderr).write(self._text(progress.region, reason) + "\n")

    def _text(self, region: str, reason: Blocked) -> str:
        if self._as_json:
            return json.dumps({"waiting": {"region": region, "code": reason.code, "message": reason.message}})
        return one_line(f"{self._version} in {region} waits: {reason.code}: {reason.message}")


class ProgressDisplay:
    """Receives each ``Progress`` and shows it in a suitable place. Call ``close`` after the last one."""

    def __init__(self, title: str, surface: Surface | None = None) -> None:
        self._title = title
        self._surface = surface if surface is not None else _surfaces.of_process()
        self._started = time.monotonic()
        self._shown_at: float | None = None
        self._history: deque[tuple[float, int]] = deque()
        self._told = Told()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        self._history.append((now, progress.bytes_cached))
        while len(self._history) > 2 and now - self._history[0][0] > _RATE_WINDOW_SECONDS:
            self._history.popleft()
        if self._shown_at is None or now - self._shown_at >= self._surface.pause_seconds:
            self._shown_at = now
            self._surface.show(self._line(progress))

    def done(self, bytes_verified: int, bytes_total: int | None = None) -> None:
        """Shows the result, unless there was no wait.

        Args:
            bytes_total: the size of the version, if these are not all bytes; 0 if it is not known yet.
        """
        if self._shown_at is not None:
            took = human_seconds(time.monotonic() - self._started)
            there = f"{human_bytes(bytes_verified)} complete and verified"
            if bytes_total == 0:
                there = "no bytes are there yet,"
            elif bytes_total is not None:
                there = f"{human_bytes(bytes_verified)} of {human_bytes(bytes_total)} verified"
            self._surface.show(Line(self._title, (f"{there} in {took}",)))
        self.close()

    def close(self) -> None:
        self._surface.close()

    def _line(self, progress: Progress) -> Line:
        waiting = progress.waiting
        reason = None if waiting is None else f"waits: {waiting.code}: {waiting.message}"
        why = () if reason is None else (reason,)
        news = reason if self._told.is_new(waiting) else None
        if progress.bytes is None:
            return Line(self._title, ("listing the lake", *why), news=news)
        share = min(1.0, progress.bytes_cached / progress.bytes) if progress.bytes else 0.0
        details = [f"{human_bytes(progress.bytes_cached)}/{human_bytes(progress.bytes)}"]
        rate = self._rate()
        if rate > 0:
            left = max(0, progress.bytes - progress.bytes_cached)
            details += [f"{human_bytes(rate)}/s", f"ETA {human_seconds(left / rate)}"]
        elif progress.state != "WARMING":
            details.append(progress.state.lower())
        return Line(self._title, (*details, *why), share, news)

    def _rate(self) -> float:
        (t0, b0), (t1, b1) = self._history[0], self._history[-1]
        return max(0.0, (b1 - b0) / (t1 - t0)) if t1 > t0 else 0.0
