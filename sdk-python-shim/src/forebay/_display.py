"""Streams for people. What they do not take must never end what it was about."""

from __future__ import annotations

import contextlib
import io
import os
import select
import sys
import warnings
from collections.abc import Iterator
from typing import Any, TextIO


class Unfailing(io.TextIOBase):
    """Writes to a stream what the stream takes, and leaves out the rest, whatever the reason.

    The stream may be None, as Python's are whose descriptor was closed before the start. It may be closed, full or
    broken, may lack characters, or may be an object of somebody else that only has ``write``.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream: Any = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(Exception):
            try:
                self._stream.write(text)
            except UnicodeEncodeError:
                self._stream.write(escaped(text, getattr(self._stream, "encoding", None)))
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(Exception):
            self._stream.flush()

    def isatty(self) -> bool:
        with contextlib.suppress(Exception):
            return bool(self._stream.isatty())
        return False

    def takes(self, text: str) -> bool:
        """Whether its encoding has all characters of a text, as every encoding has those of ASCII."""
        with contextlib.suppress(UnicodeEncodeError, LookupError, TypeError):
            text.encode(getattr(self._stream, "encoding", None) or "utf-8")
            return True
        return text.isascii()

    def would_block(self) -> bool:
        """Whether nobody reads what was written before: a pipe that is full."""
        with contextlib.suppress(Exception):
            return not select.select([], [self._stream.fileno()], [], 0)[1]
        return False


def warn(message: str, category: type[Warning], stacklevel: int) -> None:
    """Warns as ``warnings.warn`` does; a stream that does not take the warning is no error of the caller."""
    try:
        warnings.warn(message, category, stacklevel + 1)
    except category:
        raise  # Somebody has made errors of warnings.
    except Exception:
        pass


def escaped(text: str, encoding: str | None) -> str:
    """The text with what the encoding lacks written as ``\\ud55c``."""
    return text.encode(encoding or "ascii", "backslashreplace").decode(encoding or "ascii")


@contextlib.contextmanager
def of_command() -> Iterator[None]:
    """Has a command print what it can while it runs: stderr never fails, and stdout lacks no character."""
    stdout, stderr = sys.stdout, sys.stderr
    with contextlib.ExitStack() as stack:
        if stdout is None:
            sys.stdout = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
        elif isinstance(stdout, io.TextIOWrapper) and stdout.errors != "backslashreplace":
            stack.callback(stdout.reconfigure, errors=stdout.errors)
            stdout.reconfigure(errors="backslashreplace")
        sys.stderr = Unfailing(stderr)
        try:
            yield
        finally:
            with contextlib.suppress(ValueError):
                try:
                    sys.stdout.flush()
                except OSError:
                    discard_stdout()
            sys.stdout, sys.stderr = stdout, stderr


def discard_stdout() -> None:
    """Has Python not try again, at its end, to write what stdout did not take: it would complain and exit with 120."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
