"""When a request is sent again.

Every request of the API may be sent twice without harm: a dataset that is there already is answered as it is,
``ensure`` carries an idempotency key, a pin has an id that its holder chose, the rest states what should be.
So a lost connection, whether before or after the server has read the request, is always answered by sending it
again, with growing pauses, until a time limit.
"""

from __future__ import annotations

import random
import time
from typing import Generic, TypeVar

import httpx

from forebay._calls import Call
from forebay._errors import ApiError, ConnectionFailed

T = TypeVar("T")

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0
_LONGEST_RETRY_AFTER_SECONDS = 60.0

# 429, 502 and 504 come from proxies before the control plane, 503 from both.
_BUSY = frozenset({429, 502, 503, 504})
# The codes that pass by themselves. LAKE_UNAVAILABLE and its like are left out though somebody may try again later:
# the platform has retried them itself before it says so.
_PASSING = frozenset({"EVICTING", "UNAVAILABLE"})


class Attempts(Generic[T]):
    """Decides, for one call, what an answer or a failure means: a result, an error, or a pause before the next try."""

    def __init__(self, call: Call[T], base: httpx.URL, limit_seconds: float) -> None:
        self.call = call
        self._base = base
        self._limit_seconds = limit_seconds
        self._deadline = time.monotonic() + limit_seconds
        self._pause = _FIRST_PAUSE_SECONDS

    def failed(self, error: httpx.TransportError) -> float:
        """The pause before the next try, in seconds.

        Raises:
            ConnectionFailed: if the time limit has passed.
        """
        pause = self._next_pause(None)
        if pause is None:
            raise ConnectionFailed(
                f"the control plane at {self._base} did not answer within {self._limit_seconds:.0f} s ({_why(error)}): "
                "is it running, and is FOREBAY_API right?"
            ) from error
        return pause

    def answered(self, response: httpx.Response) -> float | None:
        """The pause before the next try, or None if this answer is to be taken as it is."""
        if not _passes(self.call, response):
            return None
        return self._next_pause(response.headers.get("Retry-After"))

    def _next_pause(self, retry_after: str | None) -> float | None:
        # Jitter keeps a thousand jobs, thrown out together by a restart, from coming back together.
        pause = self._pause * random.uniform(0.5, 1.0)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE_SECONDS)
        if retry_after is not None and retry_after.isdigit():
            pause = max(pause, min(float(retry_after), _LONGEST_RETRY_AFTER_SECONDS))
        left = self._deadline - time.monotonic()
        return None if left <= 0 else min(pause, left)


def _passes(call: Call[T], response: httpx.Response) -> bool:
    if response.is_success:
        return False
    try:
        call.parse(response)
    except ApiError as error:
        return error.code in _PASSING or (error.status in _BUSY and error.code.startswith("HTTP_"))
    return False


def _why(error: Exception) -> str:
    return str(error) or type(error).__name__
