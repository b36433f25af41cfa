"""Reports how a command or step ends: its message and exit code."""

from __future__ import annotations

import json
import sys
import warnings

from forebay._errors import (
    AlreadyExists,
    ApiError,
    Cancelled,
    CapacityExceeded,
    ConfigurationError,
    ConnectionFailed,
    Denied,
    Evicting,
    ForebayError,
    InvalidArgument,
    NotFound,
    Pinned,
    TooLarge,
    UnexpectedAnswer,
    UnknownRegion,
    notes,
)
from forebay._parser import WrongUsage
from forebay._signals import Ended, name_of, number_of
from forebay._text import one_line

FAILED, USAGE, REFUSED, NOT_FOUND, UNREACHABLE = 1, 2, 3, 4, 5

_WRITTEN_AS = {
    "api": "--api",
    "pin.lease_seconds": "--pin-for, in seconds,",
    "pin.holder": "--holder",
    "pin.reason": "--reason",
    "lease_seconds": "--for, in seconds,",
    "ttl_seconds": "the time to live, in seconds,",
    "holder": "--holder",
    "reason": "--reason",
    "region": "--region",
    "min_coverage": "--min-coverage",
    "deadline_seconds": "--deadline, in seconds,",
    "bytes": "BYTES",
    "id": "--id",
    "job": "--job",
    "source": "S3_URI",
    "since": "--since",
    "until": "--until",
    "include": "--include",
    "exclude": "--exclude",
    "keys": "--keys",
    "interval_seconds": "--every, in seconds,",
}
"""The arguments of the command, by the API's fields."""


class _Interrupted(ForebayError):
    code = "INTERRUPTED"
    retryable = True


def exit_code(error: ForebayError) -> int:
    if isinstance(error, (ConfigurationError, InvalidArgument)):
        return USAGE
    if isinstance(error, (NotFound, UnknownRegion)):
        return NOT_FOUND
    if isinstance(error, (ConnectionFailed, UnexpectedAnswer)):
        return UNREACHABLE
    if isinstance(error, (Pinned, Evicting, AlreadyExists, Denied, CapacityExceeded, TooLarge, Cancelled)):
        return REFUSED
    return FAILED


def report(error: ForebayError, program: str, as_json: bool = False) -> None:
    """Prints to stderr why the program ends."""
    if as_json:
        message = error.detail if isinstance(error, ApiError) else str(error)
        problem = {"code": error.code, "message": message, "field": error.field, "retryable": error.retryable}
        print(json.dumps(problem), file=sys.stderr)
        return
    if isinstance(error, WrongUsage):
        print(error.usage, end="", file=sys.stderr)
    print(f"{program}: {one_line(_in_words_of_the_command(error))}", file=sys.stderr)


def report_interruption(interruption: KeyboardInterrupt | Ended, program: str, as_json: bool = False) -> int:
    """Prints the result for the request and the signal to stderr, and returns the exit code."""
    number = number_of(interruption)
    left = notes(interruption) or ["the platform continues what it has accepted"]
    said = [*left, f"ended by {name_of(number)}"]
    if as_json:
        said = ["; ".join(said)]
    for each in said:
        report(_Interrupted(each), program, as_json)
    return 128 + number


def show_warnings_of(program: str) -> None:
    """Prints warnings in the format of errors."""
    warnings.showwarning = lambda message, *_, **__: print(
        f"{program}: warning: {one_line(str(message))}", file=sys.stderr
    )


def _in_words_of_the_command(error: ForebayError) -> str:
    """Returns the message, with the command's option in place of the API's field name."""
    detail = error.detail if isinstance(error, ApiError) else str(error)
    if error.field not in _WRITTEN_AS or not detail.startswith(f"{error.field} "):
        return str(error)
    code = f"{error.code}: " if isinstance(error, ApiError) else ""
    return f"{code}{_WRITTEN_AS[error.field]}{detail.removeprefix(error.field)}"
