"""Decides how a call is sent, retried and answered, without doing any I/O.

An ``Operation`` is a generator. It yields the next request or pause, receives the outcome, and returns the result. All
decisions are made in operations. The two clients carry them out, one by blocking and one by awaiting. An exception that
interrupts a client, such as Ctrl-C, is thrown into the operation, which may do more before it raises it again.

Every request of the API may be sent twice without harm. A dataset that exists is returned as it is, ``ensure`` has an
idempotency key, a pin has an id that its holder chose, and other requests describe the wanted state. Therefore the
answer to a lost connection, whether before or after the server has read the request, is always to send it again, with
growing pauses, until a time limit.
"""

from __future__ import annotations

import contextlib
import inspect
import random
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import TypeVar

import httpx

from forebay._calls import Call, Paged, Request
from forebay._errors import ApiError, ConnectionFailed, ForebayError, add_note, notes
from forebay._proxies import Route

T = TypeVar("T")

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0
_LONGEST_RETRY_AFTER_SECONDS = 60.0

# Codes of temporary failures. LAKE_UNAVAILABLE and similar ones are retryable later, but are left out here: the
# platform has already retried before it reports them.
_PASSING = frozenset({"EVICTING", "UNAVAILABLE"})


@dataclass(frozen=True)
class Pause:
    """A pause between two requests, in seconds."""

    seconds: float


Outcome = httpx.Response | httpx.RequestError | None
"""The outcome of a request; None after a pause, and at the beginning."""

Operation = Generator[Request | Pause, Outcome, T]


class Exchanges:
    """Creates the operations of calls to one control plane.

    Args:
        base: its address, with ``/api/v1``.
        retry_seconds: how long to retry a request without an answer.
        route: the proxy for requests, for messages; None if there is none.
    """

    def __init__(self, base: httpx.URL, retry_seconds: float, route: Route | None) -> None:
        self.base = base
        self.retry_seconds = retry_seconds
        self._through = "" if route is None else f" through {route}"

    def one(self, call: Call[T], retry_seconds: float | None = None, *, until_answered: bool = False) -> Operation[T]:
        """Gets the answer to one call, and retries for ``retry_seconds`` if that is given.

        Args:
            until_answered: whether to accept any answer of the platform, also a temporary refusal. A request that has
                ended with one would get it forever.

        Raises:
            ConnectionFailed: if there was no answer in that time.
            ApiError: if the answer is a permanent problem, or a temporary one that lasted for that time.
        """
        limit = self.retry_seconds if retry_seconds is None else retry_seconds
        pauses = Pauses(limit)
        while True:
            outcome = yield call.request(self.base)
            if isinstance(outcome, httpx.Response):
                try:
                    return call.parse(outcome)
                except ApiError as error:
                    again = _is_of_proxy(error) or (is_not_now(error) and not until_answered)
                    pause = pauses.next(error.retry_after) if again else None
                    if pause is None:
                        raise
            else:
                pause = pauses.next()
                if pause is None:
                    raise ConnectionFailed(
                        f"the control plane at {self.base} did not answer{self._through} "
                        f"within {limit:.0f} s ({_why(outcome)}): "
                        "is it running, and is FOREBAY_API right?"
                    ) from outcome
            yield Pause(pause)

    def all(self, page: Callable[[str | None], Call[Paged[T]]]) -> Operation[tuple[T, ...]]:
        """Collects the items of all pages; ``page`` returns the call for the page with this start."""
        found, after = yield from self.one(page(None))
        while after is not None:
            more, after = yield from self.one(page(after))
            found += more
        return found


class Pauses:
    """Chooses the pause before each retry, until a time limit."""

    def __init__(self, limit_seconds: float) -> None:
        self._deadline = time.monotonic() + limit_seconds
        self._pause = _FIRST_PAUSE_SECONDS

    def next(self, retry_after: str | None = None) -> float | None:
        """Returns the next pause in seconds, or None when the limit has passed."""
        # Jitter spreads the retries of a thousand jobs after a restart of the server.
        pause = self._pause * random.uniform(0.5, 1.0)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE_SECONDS)
        if retry_after is not None and retry_after.isdigit():
            pause = max(pause, min(float(retry_after), _LONGEST_RETRY_AFTER_SECONDS))
        left = self._deadline - time.monotonic()
        return None if left <= 0 else min(pause, left)


def is_interrupted(operation: Operation[T]) -> bool:
    """Returns whether an exception came from outside the operation, which then has not ended."""
    return inspect.getgeneratorstate(operation) != inspect.GEN_CLOSED


@contextlib.contextmanager
def ending(operation: Operation[T], interruption: BaseException) -> Iterator[None]:
    """Guards the clean-up of an interrupted operation. A second interruption ends it and gets the same notes."""
    try:
        yield
    except BaseException as again:
        if is_interrupted(operation):
            operation.close()
            for note in notes(interruption):
                add_note(again, note)
        raise


def is_not_now(error: ForebayError) -> bool:
    """Returns whether the platform itself reports a temporary failure."""
    # The server may mark a usually temporary code as permanent: a region whose fill was given up as UNAVAILABLE stays
    # so until a user resumes it.
    return error.retryable and error.code in _PASSING


def may_pass(error: ForebayError) -> bool:
    """Returns whether there was no answer, or one that reports a temporary failure."""
    return isinstance(error, ConnectionFailed) or is_not_now(error) or _is_of_proxy(error)


def _is_of_proxy(error: ForebayError) -> bool:
    # An answer without a code came from a proxy.
    return error.retryable and error.code.startswith("HTTP_")


def _why(error: Exception | None) -> str:
    return str(error) or type(error).__name__
