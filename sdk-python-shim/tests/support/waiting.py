"""Waits for what other threads and processes do."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from pathlib import Path


def until(condition: Callable[[], bool], seconds: float = 20.0, pause: float = 0.01) -> None:
    """Waits until a condition is true. A failure names the line that waited for it."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            caller = traceback.extract_stack(limit=2)[0]
            raise AssertionError(
                f"not within {seconds:g} s: {caller.line} ({Path(caller.filename).name}:{caller.lineno})"
            )
        time.sleep(pause)
