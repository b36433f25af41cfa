"""What an answer of the control plane says, or of whoever answers in its place."""

from __future__ import annotations

import httpx

from forebay._errors import UnexpectedAnswer, api_error

_BUSY = frozenset({429, 502, 503, 504})
"""What proxies answer while nobody, or too many, are behind them."""

_NO_SUCH_PLACE = frozenset({301, 302, 307, 308, 404, 405, 501})
"""What web servers answer to requests that are not for them. The control plane says why it does, with a code."""


def json_of(response: httpx.Response) -> object:
    """What a good answer says.

    Raises:
        UnexpectedAnswer: if it is not JSON.
    """
    try:
        return response.json()
    except ValueError:
        kind = response.headers.get("Content-Type", "something without a type")
        raise _somebody_else(response, f"{kind} instead of JSON") from None


def problem_of(response: httpx.Response) -> Exception:
    """Reads an RFC 9457 problem; an answer without one came from a proxy or another server."""
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
        return _somebody_else(response, f"{response.status_code} {response.reason_phrase} and no reason")
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


def _somebody_else(response: httpx.Response, answer: str) -> UnexpectedAnswer:
    return UnexpectedAnswer(
        f"{response.request.url} answered with {answer}: is FOREBAY_API the address of Forebay's control plane?"
    )
