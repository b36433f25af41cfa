"""Reads answers of the control plane, and of proxies or other servers that answer in its place."""

from __future__ import annotations

import httpx

from forebay._errors import UnexpectedAnswer, api_error

_BUSY = frozenset({429, 502, 503, 504})
"""The answers of proxies whose server is absent or overloaded."""

_NO_SUCH_PLACE = frozenset({301, 302, 307, 308, 404, 405, 501})
"""The answers of web servers to requests for other servers. The control plane adds a code with the reason."""


def json_of(response: httpx.Response) -> object:
    """Returns the JSON of a successful answer.

    Raises:
        UnexpectedAnswer: if it is not JSON.
    """
    try:
        return response.json()
    except ValueError:
        kind = response.headers.get("Content-Type", "something without a type")
        raise _not_forebay(response, f"{kind} instead of JSON") from None


def problem_of(response: httpx.Response) -> Exception:
    """Reads an RFC 9457 problem. An answer without one comes from a proxy or another server."""
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {}

    def text(name: str) -> str | None:
        value = problem.get(name)
        return value if isinstance(value, str) and value else None

    if text("code") is None and response.status_code in _NO_SUCH_PLACE:
        return _not_forebay(response, f"{response.status_code} {response.reason_phrase} and no reason")
    detail = text("detail") or text("title")
    if detail is None:
        detail = f"{response.request.url.host} answered {response.status_code} {response.reason_phrase}"
    retryable = problem.get("retryable")
    error = api_error(
        response.status_code,
        text("code"),
        detail,
        retryable=retryable if isinstance(retryable, bool) else response.status_code in _BUSY,
        field=text("field"),
    )
    error.retry_after = response.headers.get("Retry-After")
    return error


def _not_forebay(response: httpx.Response, answer: str) -> UnexpectedAnswer:
    return UnexpectedAnswer(
        f"{response.request.url} answered with {answer}: is FOREBAY_API the address of Forebay's control plane?"
    )
