"""One request as a value, and the common parts of all requests."""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypedDict, TypeVar

import httpx

from forebay._calls._answers import json_of, problem_of
from forebay._errors import ConfigurationError
from forebay._models import decode, decode_items
from forebay._values import is_text

T = TypeVar("T")

Paged = tuple[tuple[T, ...], str | None]
"""Some items, and the start of the next page, or None at the end."""

MAX_WAIT_SECONDS = 30
"""The longest time that the control plane holds a request open."""

EVICTION_SECONDS = 600.0
"""The answer to an eviction comes at its end. Dropping the chunks of a large version takes a while."""

_CONNECT_SECONDS = 5.0


class Request(TypedDict):
    """The arguments of httpx's ``request``, for both kinds of client."""

    method: str
    url: str
    params: dict[str, str]
    json: Mapping[str, Any] | None
    headers: dict[str, str]
    timeout: httpx.Timeout


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request, and how to read its answer. Every request may be sent twice: see ``_exchange``."""

    method: str
    path: str
    read: Callable[[object], T]
    params: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    answer_seconds: float = 30.0

    def request(self, base: httpx.URL) -> Request:
        """Returns the request for the API at ``base``.

        Raises:
            ConfigurationError: if it has a value that no request can carry.
        """
        for part in (self.params, self.body or {}):
            _require_sendable("", part)
        for name, value in self.headers.items():
            if not (value.isascii() and value.isprintable()):
                raise _not_sendable(name, value, "must be visible ASCII characters")
        return Request(
            method=self.method,
            url=str(base) + self.path,
            params=dict(self.params),
            json=self.body,
            headers=dict(self.headers),
            timeout=httpx.Timeout(self.answer_seconds, connect=_CONNECT_SECONDS),
        )

    def within(self, seconds: float) -> Call[T]:
        """Returns the same call with at most this time for its answer."""
        return replace(self, answer_seconds=min(seconds, self.answer_seconds))

    def parse(self, response: httpx.Response) -> T:
        """Returns the value of a successful answer, and raises the typed error of any other answer."""
        if response.is_success:
            return self.read(None if response.status_code == 204 else json_of(response))
        raise problem_of(response)


def reader(kind: type[T]) -> Callable[[object], T]:
    return lambda value: decode(kind, value)


def items_reader(kind: type[T]) -> Callable[[object], tuple[T, ...]]:
    return lambda value: decode_items(kind, value)[0]


def items_and_next(kind: type[T]) -> Callable[[object], Paged[T]]:
    return lambda value: decode_items(kind, value)


def nothing(value: object) -> None:
    """Reads an answer that has no content."""


def present(**values: str | None) -> dict[str, str]:
    """Returns the values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def new_id() -> str:
    """Returns a new id for a pin or a request. The caller chooses it, so that sending a request twice is harmless."""
    return uuid.uuid4().hex


_MOST = 2**63 - 1


def _require_sendable(field: str, value: object) -> None:
    if isinstance(value, Mapping):
        for name, each in value.items():
            _require_sendable(f"{field}.{name}" if field else name, each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            _require_sendable(field, each)
    elif isinstance(value, str) and not is_text(value):
        raise _not_sendable(field, value, "is not text in this machine's encoding")
    elif isinstance(value, float) and not math.isfinite(value):
        raise _not_sendable(field, value, "must be a finite number")
    elif isinstance(value, int) and abs(value) > _MOST:
        raise _not_sendable(field, None, "is too large a number")


def _not_sendable(field: str, value: object, rule: str) -> ConfigurationError:
    error = ConfigurationError(f"{field} {rule}" if value is None else f"{field} '{value}' {rule}")
    error.field = field
    return error
