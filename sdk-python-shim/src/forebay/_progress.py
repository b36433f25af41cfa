"""Shows on stderr how far a version is: one live line on a terminal, a line now and then in a log."""

from __future__ import annotations

import shutil
import sys
import time
from collections import deque
from typing import TextIO

from forebay._models import Progress
from forebay._text import shown
from forebay._values import human_bytes, human_seconds

_LIVE_SECONDS = 0.1
_LOG_SECONDS = 5.0
_RATE_WINDOW_SECONDS = 15.0
_BAR_CELLS = 24


class ProgressDisplay:
    """Takes each ``Progress`` and shows it; ``close`` leaves the terminal on a fresh line."""

    def __init__(self, title: str, stream: TextIO | None = None) -> None:
        self._title = title
        self._stream = stream if stream is not None else sys.stderr
        self._live = self._stream.isatty()
        self._started = time.monotonic()
        self._shown_at: float | None = None
        self._line_open = False
        self._history: deque[tuple[float, int]] = deque()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        self._history.append((now, progress.bytes_cached))
        while len(self._history) > 2 and now - self._history[0][0] > _RATE_WINDOW_SECONDS:
            self._history.popleft()
        pause = _LIVE_SECONDS if self._live else _LOG_SECONDS
        if self._shown_at is None or now - self._shown_at >= pause:
            self._shown_at = now
            self._show(progress)

    def done(self, bytes_total: int) -> None:
        """Says that the version is complete, unless nobody had to wait."""
        if self._shown_at is not None:
            took = human_seconds(time.monotonic() - self._started)
            self._write(f"{self._title}: {human_bytes(bytes_total)} complete and verified in {took}")
        self.close()

    def close(self) -> None:
        if self._line_open:
            self._stream.write("\n")
            self._stream.flush()
            self._line_open = False

    def _show(self, progress: Progress) -> None:
        if progress.bytes is None:
            self._write(f"{self._title}: listing the lake")
            return
        rate = self._rate()
        share = min(1.0, progress.bytes_cached / progress.bytes) if progress.bytes else 0.0
        parts = [f"{share:4.0%}"]
        if self._live:
            filled = int(share * _BAR_CELLS)
            parts.append("█" * filled + "·" * (_BAR_CELLS - filled))
        parts.append(f"{human_bytes(progress.bytes_cached)}/{human_bytes(progress.bytes)}")
        if rate > 0:
            parts.append(f"{human_bytes(rate)}/s")
            parts.append(f"ETA {human_seconds((progress.bytes - progress.bytes_cached) / rate)}")
        elif progress.state != "WARMING":
            parts.append(progress.state.lower())
        self._write(f"{self._title}: " + "  ".join(parts))

    def _rate(self) -> float:
        (t0, b0), (t1, b1) = self._history[0], self._history[-1]
        return max(0.0, (b1 - b0) / (t1 - t0)) if t1 > t0 else 0.0

    def _write(self, text: str) -> None:
        text = shown(text)
        try:
            if self._live:
                width = shutil.get_terminal_size().columns
                # The end of a longer line before must go, too.
                self._stream.write("\r\x1b[2K" + text[: width - 1])
                self._line_open = True
            else:
                self._stream.write(text + "\n")
            self._stream.flush()
        except UnicodeEncodeError:
            self._stream.write(text.encode("ascii", "replace").decode("ascii") + "\n")
