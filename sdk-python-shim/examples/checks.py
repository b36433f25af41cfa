"""The named checks of the demo."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Checks:
    """Collects the results of checks."""

    failed: list[str] = field(default_factory=list)

    def that(self, name: str, holds: bool, expected: object, seen: object) -> bool:
        if holds:
            print(f"    ok      {name}")
        else:
            self.failed.append(name)
            print(f"    FAILED  {name}: expected {expected}, saw {seen}")
        return holds


def wait_until(condition: Callable[[], bool], deadline: float) -> bool:
    """Waits for a condition until ``time.monotonic()`` is ``deadline``; returns whether it became true."""
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.2)
    return True
