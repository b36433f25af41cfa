"""Tells a person how far a version is."""

from __future__ import annotations

import time
from collections import deque

from forebay import _surfaces
from forebay._models import Progress
from forebay._surfaces import Line, Surface
from forebay._values import human_bytes, human_seconds

_RATE_WINDOW_SECONDS = 15.0


class ProgressDisplay:
    """Takes each ``Progress`` and shows it where people look; ``close`` when there will be no more."""

    def __init__(self, title: str, surface: Surface | None = None) -> None:
        self._title = title
        self._surface = surface if surface is not None else _surfaces.of_process()
        self._started = time.monotonic()
        self._shown_at: float | None = None
        self._history: deque[tuple[float, int]] = deque()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        self._history.append((now, progress.bytes_cached))
        while len(self._history) > 2 and now - self._history[0][0] > _RATE_WINDOW_SECONDS:
            self._history.popleft()
        if self._shown_at is None or now - self._shown_at >= self._surface.pause_seconds:
            self._shown_at = now
            self._surface.show(self._line(progress))

    def done(self, bytes_verified: int, bytes_total: int | None = None) -> None:
        """Says what is there, unless nobody had to wait.

        Args:
            bytes_total: how many the version has, if these are not all; 0 if nobody knows yet.
        """
        if self._shown_at is not None:
            took = human_seconds(time.monotonic() - self._started)
            there = f"{human_bytes(bytes_verified)} complete and verified"
            if bytes_total == 0:
                there = "nothing is there yet,"
            elif bytes_total is not None:
                there = f"{human_bytes(bytes_verified)} of {human_bytes(bytes_total)} there and verified, not all,"
            self._surface.show(Line(self._title, (f"{there} in {took}",)))
        self.close()

    def close(self) -> None:
        self._surface.close()

    def _line(self, progress: Progress) -> Line:
        waiting = progress.waiting
        why = () if waiting is None else (f"waits: {waiting.code}: {waiting.message}",)
        if progress.bytes is None:
            return Line(self._title, ("listing the lake", *why))
        share = min(1.0, progress.bytes_cached / progress.bytes) if progress.bytes else 0.0
        details = [f"{human_bytes(progress.bytes_cached)}/{human_bytes(progress.bytes)}"]
        rate = self._rate()
        if rate > 0:
            left = max(0, progress.bytes - progress.bytes_cached)
            details += [f"{human_bytes(rate)}/s", f"ETA {human_seconds(left / rate)}"]
        elif progress.state != "WARMING":
            details.append(progress.state.lower())
        return Line(self._title, (*details, *why), share)

    def _rate(self) -> float:
        (t0, b0), (t1, b1) = self._history[0], self._history[-1]
        return max(0.0, (b1 - b0) / (t1 - t0)) if t1 > t0 else 0.0
